"""Answer VISANALOG from pictures and words: search the program, or look at C alone, as baselines do.

They answer what can be measured: colours and light of parts, which the track of photographs asks for. They recognise no
things, so they answer no question about them, and never guess.
"""

from collections.abc import Sequence

import msgspec

from tetrad.contracts.inference import Message
from tetrad.late_regex import late_regex
from tetrad.solvers.pictures import PictureArray
from tetrad.solvers.seen_question import SeenQuestion, recover_question
from tetrad.solvers.visanalog.measuring import QUARTERS, Clause, asked_of, cells_of, measure_answers, split_values
from tetrad.solvers.visanalog.search import Edit, apply_edit, find_edit
from tetrad.streams import Stream

NOTHING_MEASURED = "No answer: what is asked is more than measuring can tell. I recognise no things."
NO_OPTION_HOLDS = "No answer: not exactly one option holds of what I measured."
NO_PICTURES = "No answer: I need images of one size, square, and options in brackets."
_PAIR_AND_QUERY = 3
_STEPS = late_regex(r"make image D from image C: (?P<steps>.*?)\. Image D is not shown")
_EXCHANGE = late_regex(r"exchange the (\w+ \w+) and the (\w+ \w+) quarter")
_ROTATE = late_regex(r"rotate by (\d+) degrees")
_FLIP = late_regex(r"flip (horizontal|vertical)ly")
_HUE = late_regex(r"rotate all hues by (\d+) degrees")


class ProgramSearch:
    """Finds the edit by trying all 448 on the pixels of A, makes D of C with it, and measures what is asked on D.

    Where the steps are told it applies them, and where one image is shown alone it measures that.
    """

    def reply(self, messages: Sequence[Message]) -> str:
        """Answer one question of VISANALOG, or say what was found and that it can't tell.

        Raises:
            PictureError: a picture can't be decoded within bounds.
        """
        question = recover_question(messages)
        shown = _read_pictures(question)
        if not shown or not question.options:
            return NO_PICTURES
        edit, why = _edit(question.words, shown), NOTHING_MEASURED
        clauses = asked_of(question.words)
        if clauses is not None:
            why = NO_OPTION_HOLDS
            target = shown[-1] if edit is None else apply_edit(shown[-1], edit)
            values = _values(question, clauses, target, zoomed=edit is not None and edit.zoom)
            holding = [option.label for option in question.options if split_values(option.text) == values]
            if len(holding) == 1:
                return f"({holding[0]})"
        return why if edit is None else f"{why} The edit: {describe_edit(edit)}."


class CopyC:
    """Answers as if D were C: it takes the option of which most holds of C, the first of equals."""

    def reply(self, messages: Sequence[Message]) -> str:
        """Answer one question of VISANALOG that shows C. PictureError as in `ProgramSearch`."""
        question = recover_question(messages)
        holding = _holding_of_c(question)
        if holding is None:
            return NOTHING_MEASURED
        return f"({question.options[holding.index(max(holding))].label})"


class NotC:
    """Takes one of the options that do not hold of C, each as likely, by a stream keyed with seed and request.

    At one step one option holds of C and is never right: that leaves three.
    """

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def reply(self, messages: Sequence[Message]) -> str:
        """Answer one question of VISANALOG that shows C. PictureError as in `ProgramSearch`."""
        question = recover_question(messages)
        holding = _holding_of_c(question)
        if holding is None:
            return NOTHING_MEASURED
        left = [
            option.label
            for option, count in zip(question.options, holding, strict=True)
            if count < len(split_values(option.text))
        ]
        stream = Stream("tetrad.solvers/not-c", 1, self._seed, msgspec.json.encode(messages))
        return f"({stream.choice(left)})" if left else NO_OPTION_HOLDS


def describe_edit(edit: Edit) -> str:
    """Return the steps of an edit in words; mirroring comes before the turns."""
    steps = ["zoom in on the middle"] if edit.zoom else []
    if edit.swap is not None:
        steps.append("exchange the {} and the {} quarter".format(*(QUARTERS[tile] for tile in edit.swap)))
    steps += ["flip horizontally"] if edit.mirror else []
    steps += [f"rotate by {90 * edit.turns} degrees counter-clockwise"] if edit.turns else []
    steps += [f"rotate all hues by {90 * edit.hue} degrees"] if edit.hue else []
    return "; ".join(steps) or "none"


def _read_pictures(question: SeenQuestion) -> list[PictureArray]:
    """Return the images, square and of one size; none where they are not."""
    pictures = [picture.pixels() for picture in question.context]
    sizes = {picture.shape[:2] for picture in pictures}
    return pictures if all(height == width for height, width in sizes) and len(sizes) == 1 else []


def _edit(words: str, shown: Sequence[PictureArray]) -> Edit | None:
    """Return the edit: found in A and B, or told in words; None where one image is shown, and no edit told."""
    if len(shown) == _PAIR_AND_QUERY:
        return find_edit(shown[0], shown[1])
    return _read_edit(told["steps"]) if (told := _STEPS.search(words)) else None


def _read_edit(steps: str) -> Edit:
    exchange, rotate, flip, hue = (find.search(steps) for find in (_EXCHANGE, _ROTATE, _FLIP, _HUE))
    swap = None if exchange is None else (QUARTERS.index(exchange[1]), QUARTERS.index(exchange[2]))
    turns = 0 if rotate is None else int(rotate[1]) // 90
    if flip is not None:  # mirroring after turns is mirroring before as many turns the other way round
        turns = ((2 if flip[1] == "vertical" else 0) - turns) % 4
    return Edit("zoom in" in steps, swap, flip is not None, turns, int(hue[1]) // 90 if hue else 0)


def _values(
    question: SeenQuestion, clauses: Sequence[Clause], picture: PictureArray, *, zoomed: bool
) -> tuple[str | None, ...]:
    return measure_answers(cells_of(picture, zoomed=zoomed), clauses, [option.text for option in question.options])


def _holding_of_c(question: SeenQuestion) -> list[int] | None:
    """Return of how many things asked each option says what holds of C, the last image; None where it can't tell."""
    clauses, shown = asked_of(question.words), _read_pictures(question)
    if clauses is None or not shown or not question.options:
        return None
    own = _values(question, clauses, shown[-1], zoomed=False)
    return [sum(a == b for a, b in zip(split_values(option.text), own, strict=False)) for option in question.options]
