"""From a question to the messages of each chat request: pictures, words, solved examples, and the strategy's rounds."""

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tetrad.contracts.inference import ContentPart, ImageAddress, ImagePart, Message, TextPart
from tetrad.contracts.items import Option, Picture, Question, SolvedExample
from tetrad.prompting.steps import Steps
from tetrad.prompting.wording import Wording


class MissingPictureError(Exception):
    """A question names a picture whose bytes were not given."""


class MissingExamplesError(Exception):
    """A strategy shows solved examples, and the question brings none."""


def messages(
    steps: Steps, question: Question, pictures: Mapping[str, bytes], wording: Wording, replies: Sequence[str] = ()
) -> list[Message]:
    """Write the next request, given the replies so far: a system message, solved examples, and the rounds.

    Raises:
        MissingPictureError: `pictures` lacks one that the question shows.
        MissingExamplesError: the strategy needs solved examples.
    """
    if steps.examples and not question.examples:
        raise MissingExamplesError(
            f"question {question.id} brings no solved examples; use another strategy, or ask for them where the "
            "benchmark has some (kiva with parameters in_context=2)"
        )
    told = wording.system_for(question)
    system = [Message(role="system", content=told)] if told else []
    solved = [turn for example in question.examples for turn in _solved(example, question, pictures, wording)]
    asked = [
        Message(role="user", content=_round(steps, question, pictures, wording, at)) for at in range(len(replies) + 1)
    ]
    said = [Message(role="assistant", content=reply) for reply in replies]
    rounds = [turn for pair in zip(asked, said, strict=False) for turn in pair]
    return [*system, *solved, *rounds, asked[-1]]


def picture_address(png: bytes) -> str:
    """Return the data: address of a PNG."""
    return "data:image/png;base64," + base64.b64encode(png).decode("ascii")


def _round(
    steps: Steps, question: Question, pictures: Mapping[str, bytes], wording: Wording, at: int
) -> list[ContentPart]:
    """Write the user's part of one round: the first shows the pictures."""
    shown = _own_pictures(question) if at == 0 else []
    numbers = {picture.name: number for number, picture in enumerate(_own_pictures(question), start=1)}
    parts = list(_picture_parts(question.id, shown, numbers, question.options, pictures, wording))
    if at < len(steps.before):
        lines = [*([wording.question.format(text=question.text)] if at == 0 else []), steps.before[at]]
    elif at == len(steps.before):
        lines = [*_lines(question.text, question.options, question.instruction, numbers, wording), steps.closing]
    else:
        lines = [steps.after[at - len(steps.before) - 1]]
    return [*parts, TextPart(text="\n".join(filter(None, lines)))]


def _solved(
    example: SolvedExample, question: Question, pictures: Mapping[str, bytes], wording: Wording
) -> Iterator[Message]:
    """Show a solved example as an earlier turn: the question and its solution."""
    captions = {picture.name: picture for picture in question.pictures}
    shown = [captions[name] for name in example.pictures]
    numbers = {picture.name: number for number, picture in enumerate(shown, start=1)}
    lines = _lines(example.text, example.options, question.instruction, numbers, wording)
    parts = _picture_parts(question.id, shown, numbers, example.options, pictures, wording)
    yield Message(role="user", content=[*parts, TextPart(text="\n".join(filter(None, lines)))])
    yield Message(role="assistant", content=wording.solution.format(label=example.answer))


def _own_pictures(question: Question) -> list[Picture]:
    """All pictures in order but those of solved examples: the question's, then those that only an option names."""
    elsewhere = {name for example in question.examples for name in example.pictures}
    listed = {picture.name: picture for picture in question.pictures if picture.name not in elsewhere}
    for option in question.options:
        if option.picture is not None:
            listed.setdefault(option.picture, Picture(name=option.picture, caption=""))
    return list(listed.values())


def _picture_parts(  # noqa: PLR0917 - what a picture is shown with
    of: str,
    shown: Iterable[Picture],
    numbers: Mapping[str, int],
    options: tuple[Option, ...],
    pictures: Mapping[str, bytes],
    wording: Wording,
) -> Iterator[ContentPart]:
    for picture in shown:
        if picture.name not in pictures:
            raise MissingPictureError(f"question {of}: picture {picture.name!r} was not given as PNG bytes")
        owners = [option.label for option in options if option.picture == picture.name]
        number = numbers[picture.name]
        if len(owners) == 1:
            words = wording.option_picture.format(number=number, caption=picture.caption, label=owners[0])
        else:
            words = wording.picture.format(number=number, caption=picture.caption)
        if words.strip():
            yield TextPart(text=words.strip())
        yield ImagePart(image_url=ImageAddress(url=picture_address(pictures[picture.name])))


def _lines(
    text: str, options: Iterable[Option], instruction: str, numbers: Mapping[str, int], wording: Wording
) -> Iterator[str]:
    yield wording.question.format(text=text)
    yield from (_option_line(option, numbers, wording) for option in options)
    if instruction:
        yield wording.instruction.format(instruction=instruction)


def _option_line(option: Option, numbers: Mapping[str, int], wording: Wording) -> str:
    if option.text is not None:
        return wording.text_option.format(label=option.label, text=option.text)
    if option.picture is not None:
        return wording.picture_option.format(label=option.label, number=numbers[option.picture])
    return wording.bare_option.format(label=option.label)
