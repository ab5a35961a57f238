"""Turn a question into the messages of each chat request.

A chat request holds a system message, solved examples, the conversation's earlier turns, and what the strategy asks.
"""

import base64
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import TypeAlias

from tetrad.contracts.inference import ContentPart, ImageAddress, ImagePart, Message, TextPart
from tetrad.contracts.items import Option, Picture, Question, SolvedExample
from tetrad.contracts.submissions import EarlierTurn
from tetrad.prompting.steps import Steps
from tetrad.prompting.wording import Wording

GivenPictures: TypeAlias = Mapping[str, bytes] | Mapping[str, str]
"""Pictures by name: PNG bytes, or addresses."""
NAMED = re.compile(r"picture (\S+)")
"""A caption that is the name by which the question speaks of its picture: "picture A", "picture 1"."""


class MissingPictureError(Exception):
    """A question names a picture whose bytes were not given."""


class MissingExamplesError(Exception):
    """A strategy shows solved examples, and the question brings none."""


def messages(  # noqa: PLR0917 - a question, what it comes with, and how it is put
    steps: Steps,
    question: Question,
    pictures: GivenPictures,
    wording: Wording,
    replies: Sequence[str] = (),
    earlier: Sequence[tuple[Steps, EarlierTurn]] = (),
) -> list[Message]:
    """Write the next request: a system message, solved examples, earlier turns, and this question's turns so far.

    All solved examples come first, those of earlier turns before the question's, so that nothing stands between a
    picture and the words that refer to it. Pictures are numbered through the conversation, and each is shown once. One
    whose caption is a name, such as "picture A", has that in place of a number.

    Raises:
        MissingPictureError: `pictures` lacks one that the question or an earlier turn shows.
        MissingExamplesError: the strategy needs solved examples.
    """
    if steps.examples and not question.examples:
        raise MissingExamplesError(
            f"question {question.id} brings no solved examples; use another strategy, or ask for them where the "
            "benchmark has some (kiva with parameters in_context=2)"
        )
    asked = [*(turn.question for _, turn in earlier), question]
    told = wording.system_for(next((posed for posed in asked if not posed.options), question))
    system = [Message(role="system", content=told)] if told else []
    solved = [
        turn
        for posed in asked
        for example in posed.examples
        for turn in _write_solved(example, posed, pictures, wording)
    ]
    album = _Album(pictures)
    carried = [message for its, turn in earlier for message in _write_earlier(its, turn, album, wording)]
    album.begin(question)
    requests = [
        Message(role="user", content=_request(steps, question, album, wording, at)) for at in range(len(replies) + 1)
    ]
    said = [Message(role="assistant", content=reply) for reply in replies]
    turns = [turn for pair in zip(requests, said, strict=False) for turn in pair]
    return [*system, *solved, *carried, *turns, requests[-1]]


def picture_address(picture: bytes | str) -> str:
    """Return the data: address of a PNG. A picture that is given as its address has that one."""
    if isinstance(picture, str):
        return picture
    return "data:image/png;base64," + base64.b64encode(picture).decode("ascii")


class _Album:
    """The pictures of a conversation: their bytes, their numbers, and which of them earlier turns have shown."""

    def __init__(self, pngs: GivenPictures) -> None:
        self.pngs = pngs
        self.numbers: dict[str, str] = {}
        self.shown: frozenset[str] = frozenset()

    def begin(self, question: Question) -> None:
        """Go on to the next question: number what is new in it."""
        self.shown = frozenset(self.numbers)
        self.number(_own_pictures(question))

    def number(self, pictures: Iterable[Picture]) -> None:
        """Number those that have no number yet."""
        for picture in pictures:
            if picture.name not in self.numbers:
                self.numbers[picture.name] = self._new_number(picture)

    def _new_number(self, picture: Picture) -> str:
        taken, named = set(self.numbers.values()), NAMED.fullmatch(picture.caption)
        if named is not None and named[1] not in taken:
            return named[1]
        return next(number for number in map(str, count(len(taken) + 1)) if number not in taken)


def _write_earlier(steps: Steps, turn: EarlierTurn, album: _Album, wording: Wording) -> Iterator[Message]:
    """Write an earlier turn: the question as it was asked, and the model's reply.

    Rounds before the question are left out, and with them the closing words, which refer to them.
    """
    question = turn.question
    album.begin(question)
    closing = "" if steps.before else steps.closing
    parts = _picture_parts(question.id, _own_pictures(question), question.options, album, wording)
    lines = _lines(question.text, question.options, question.instruction, album.numbers, wording)
    yield Message(role="user", content=[*parts, TextPart(text=_join_lines([*lines, closing]))])
    yield Message(role="assistant", content=_reply(turn, album.numbers, wording))


def _reply(turn: EarlierTurn, numbers: Mapping[str, str], wording: Wording) -> str:
    """Return the sealed reply. For a sealed option, return its line in the question."""
    if turn.response is not None:
        return turn.response if turn.response.strip() else wording.no_reply
    chosen = next((option for option in turn.question.options if option.label == turn.answer), None)
    if chosen is not None:
        return _option_line(chosen, numbers, wording)
    return turn.answer or wording.no_reply


def _request(steps: Steps, question: Question, album: _Album, wording: Wording, at: int) -> list[ContentPart]:
    """Write the user's part of one request: the first shows the pictures."""
    shown = _own_pictures(question) if at == 0 else []
    parts = list(_picture_parts(question.id, shown, question.options, album, wording))
    if at < len(steps.before):
        lines = [*([wording.question.format(text=question.text)] if at == 0 else []), steps.before[at]]
    elif at == len(steps.before):
        lines = [*_lines(question.text, question.options, question.instruction, album.numbers, wording), steps.closing]
    else:
        lines = [steps.after[at - len(steps.before) - 1]]
    return [*parts, TextPart(text=_join_lines(lines))]


def _write_solved(
    example: SolvedExample, question: Question, pictures: GivenPictures, wording: Wording
) -> Iterator[Message]:
    """Show a solved example as an earlier turn, question and solution, with picture numbers of its own."""
    captions = {picture.name: picture for picture in question.pictures}
    shown = [captions[name] for name in example.pictures]
    album = _Album(pictures)
    album.number(shown)
    lines = _lines(example.text, example.options, question.instruction, album.numbers, wording)
    parts = _picture_parts(question.id, shown, example.options, album, wording)
    yield Message(role="user", content=[*parts, TextPart(text=_join_lines(lines))])
    yield Message(role="assistant", content=wording.solution.format(label=example.answer))


def _own_pictures(question: Question) -> list[Picture]:
    """Return the pictures without those of solved examples: the question's, then those that only an option names."""
    elsewhere = {name for example in question.examples for name in example.pictures}
    listed = {picture.name: picture for picture in question.pictures if picture.name not in elsewhere}
    for option in question.options:
        if option.picture is not None:
            listed.setdefault(option.picture, Picture(name=option.picture, caption=""))
    return list(listed.values())


def _picture_parts(
    of: str, shown: Iterable[Picture], options: tuple[Option, ...], album: _Album, wording: Wording
) -> Iterator[ContentPart]:
    """Show each picture after the line that names it. If an earlier turn has shown it, write the line alone."""
    for picture in shown:
        if picture.name not in album.pngs:
            raise MissingPictureError(f"question {of}: picture {picture.name!r} was not given as PNG bytes")
        owners = [option.label for option in options if option.picture == picture.name]
        number, is_shown = album.numbers[picture.name], picture.name in album.shown
        caption = "" if picture.caption == f"picture {number}" else picture.caption
        if len(owners) == 1:
            template = wording.option_picture_again if is_shown else wording.option_picture
            words = template.format(number=number, caption=caption, label=owners[0])
        else:
            template = wording.picture_again if is_shown else wording.picture
            words = template.format(number=number, caption=caption)
        if words.strip():
            yield TextPart(text=words.strip())
        if not is_shown:
            yield ImagePart(image_url=ImageAddress(url=picture_address(album.pngs[picture.name])))


def _join_lines(lines: Iterable[str]) -> str:
    return "\n".join(filter(None, lines))


def _lines(
    text: str, options: Iterable[Option], instruction: str, numbers: Mapping[str, str], wording: Wording
) -> Iterator[str]:
    yield wording.question.format(text=text)
    yield from (_option_line(option, numbers, wording) for option in options)
    if instruction:
        yield wording.instruction.format(instruction=instruction)


def _option_line(option: Option, numbers: Mapping[str, str], wording: Wording) -> str:
    if option.text is not None:
        return wording.text_option.format(label=option.label, text=option.text)
    if option.picture is not None:
        return wording.picture_option.format(label=option.label, number=numbers[option.picture])
    return wording.bare_option.format(label=option.label)
