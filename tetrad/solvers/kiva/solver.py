"""Solve KiVA from pixels. Every question is the same search for the option whose changes fit the pictures best."""

from collections.abc import Mapping, Sequence

from tetrad.contracts.inference import Message
from tetrad.solvers.kiva.panels import Pair, cut_pair, is_pair, shrink
from tetrad.solvers.kiva.readings import NO_FIT, Readings, common, off, readings, taken_apart
from tetrad.solvers.kiva.sheet import SENTENCE, cut_sheet, last_input, plan_of
from tetrad.solvers.kiva.words import covers, sentences
from tetrad.solvers.pictures import PictureArray
from tetrad.solvers.seen_question import SeenOption, SeenQuestion, recover_question

FITS = 0.24  # the right reading is off by rounding and resampling, mostly under 0.1; wrong ones by 0.3 and more
RIVALS = 0.12  # readings this much farther off than the nearest are kept: the options tell which is meant
NOT_MINE = "I can't tell: I read pairs of panels, side by side, and options in brackets that say or show a change."


class PixelSolver:
    """Replies "(B)", or says that it can't tell. It never guesses."""

    def reply(self, messages: Sequence[Message]) -> str:
        """Answer one question of KiVA.

        Raises:
            PictureError: a picture can't be decoded within bounds.
        """
        question = recover_question(messages)
        if not question.context or not question.options:
            return NOT_MINE
        picture = question.context[0].pixels()
        if plan_of(picture) is None and not is_pair(picture):
            return NOT_MINE
        given, shown = _pairs(question, picture)
        known = _plausible(common([readings(pair) for pair in given]))
        label = _show(question.options, known, shown) if shown else _say(question.options, known)
        return f"({label})" if label else NOT_MINE


def _pairs(question: SeenQuestion, picture: PictureArray) -> tuple[list[Pair], Mapping[str, Pair]]:
    """Return the given pairs, and the options' pairs by label if options are pictures, their own or on the sheet."""
    plan = plan_of(picture)
    own = {option.label: option.picture.pixels() for option in question.options if option.picture is not None}
    if plan is None:
        return [cut_pair(picture)], {label: cut_pair(pixels) for label, pixels in own.items()}
    given, below = cut_sheet(picture, plan)
    if plan is SENTENCE:
        before = last_input(picture)
        return given, {label: (before, shrink(pixels)) for label, pixels in own.items()}
    worded = any(sentences(option.text) for option in question.options if option.picture is None)
    return given, {} if worded else dict(zip((option.label for option in question.options), below, strict=False))


def _plausible(known: Readings) -> Readings:
    """Keep the readings that fit, nearest first. Of equally near ones, the one with fewer changes comes first."""
    nearest = min(known.values(), default=NO_FIT)
    kept = [(apart, len(reading), reading) for reading, apart in known.items() if apart <= min(FITS, nearest + RIVALS)]
    return {reading: apart for apart, _, reading in sorted(kept, key=lambda one: one[:2])}


def _say(options: Sequence[SeenOption], known: Readings) -> str | None:
    """Return the option whose words cover the nearest reading that any option covers; else the one that covers none."""
    for reading in known:
        label = next((option.label for option in options if covers(option.text, reading)), None)
        if label is not None:
            return label
    return _way_out(options, [option.label for option in options if sentences(option.text)])


def _show(options: Sequence[SeenOption], known: Readings, shown: Mapping[str, Pair]) -> str | None:
    """Return the option that shows the given pair's change. The sum of both distances counts, for symmetric objects."""
    found: dict[str, float] = {}
    for label, pair in shown.items():
        seen = taken_apart(pair)
        fitting = ((known[reading], apart) for reading in known if (apart := off(reading, seen)) <= FITS)
        found[label] = min((a + b for a, b in fitting), default=NO_FIT)
    best = min(found, key=found.__getitem__)
    return best if found[best] < NO_FIT else _way_out(options, list(found))


def _way_out(options: Sequence[SeenOption], taken: Sequence[str]) -> str | None:
    """Return the first option that neither names nor shows a change."""
    return next((option.label for option in options if option.label not in taken), None)
