"""The direct strategy: one request with pictures, question, options and instruction; the reply is the answer."""

import base64
from collections.abc import Iterator, Mapping

from tetrad.contracts.inference import ContentPart, ImageAddress, ImagePart, Message, TextPart
from tetrad.contracts.items import Option, Picture, Question
from tetrad.prompting.wording import Wording


class MissingPictureError(Exception):
    """A question names a picture whose bytes were not given."""


def messages(question: Question, pictures: Mapping[str, bytes], wording: Wording) -> list[Message]:
    """Write the request: a system message, then one user message with captioned pictures and the words.

    Raises:
        MissingPictureError: `pictures` lacks one that the question shows.
    """
    shown = _shown(question)
    numbers = {picture.name: number for number, picture in enumerate(shown, start=1)}
    parts: list[ContentPart] = []
    for picture in shown:
        if picture.name not in pictures:
            raise MissingPictureError(f"question {question.id}: picture {picture.name!r} was not given as PNG bytes")
        parts += _picture_parts(picture, numbers[picture.name], question.options, pictures[picture.name], wording)
    parts.append(TextPart(text="\n".join(filter(None, _lines(question, numbers, wording)))))
    user = Message(role="user", content=parts)
    return [Message(role="system", content=wording.system), user] if wording.system else [user]


def picture_address(png: bytes) -> str:
    """Return the data: address of a PNG."""
    return "data:image/png;base64," + base64.b64encode(png).decode("ascii")


def _shown(question: Question) -> list[Picture]:
    """All pictures in order: the question's own, then those that only an option names."""
    listed = {picture.name: picture for picture in question.pictures}
    for option in question.options:
        if option.picture is not None:
            listed.setdefault(option.picture, Picture(name=option.picture, caption=""))
    return list(listed.values())


def _picture_parts(
    picture: Picture, number: int, options: tuple[Option, ...], png: bytes, wording: Wording
) -> Iterator[ContentPart]:
    owners = [option.label for option in options if option.picture == picture.name]
    if len(owners) == 1:
        words = wording.option_picture.format(number=number, caption=picture.caption, label=owners[0])
    else:
        words = wording.picture.format(number=number, caption=picture.caption)
    if words.strip():
        yield TextPart(text=words.strip())
    yield ImagePart(image_url=ImageAddress(url=picture_address(png)))


def _lines(question: Question, numbers: Mapping[str, int], wording: Wording) -> Iterator[str]:
    yield wording.question.format(text=question.text)
    yield from (_option_line(option, numbers, wording) for option in question.options)
    if question.instruction:
        yield wording.instruction.format(instruction=question.instruction)


def _option_line(option: Option, numbers: Mapping[str, int], wording: Wording) -> str:
    if option.text is not None:
        return wording.text_option.format(label=option.label, text=option.text)
    if option.picture is not None:
        return wording.picture_option.format(label=option.label, number=numbers[option.picture])
    return wording.bare_option.format(label=option.label)
