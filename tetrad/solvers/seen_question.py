"""Recover a request's question from its messages alone: words, options and pictures."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from tetrad.contracts.inference import ContentPart, Message, TextPart
from tetrad.late_regex import late_regex
from tetrad.solvers.pictures import PictureArray, decode_address

_OPTION_LINE = late_regex(r"^[ \t]*\((?P<label>[A-Za-z0-9]{1,16})\)[ \t]*(?P<text>.*?)[ \t]*$", re.MULTILINE)
_NUMBERED = late_regex(r"^Picture (?P<number>[^\s.,]+)[.,]")
_AGAIN = late_regex(r"^Picture (?P<number>[^\s.,]+), shown above\b")
_NUMBER_WANTED = "whole number"
_CAPTION_WANTED = '"caption"'
_BRACKETED = late_regex(r"\(([A-Za-z0-9]{1,16})\)")


@dataclass(frozen=True, kw_only=True)
class SeenPicture:
    """A picture of a request. `place` is its place in the request, for errors."""

    caption: str
    address: str
    place: str

    def pixels(self) -> PictureArray:
        """Decode to (height, width, 4) RGBA; PictureError if that fails."""
        return decode_address(self.address, self.place)


@dataclass(frozen=True, kw_only=True)
class SeenOption:
    """`picture` is the one captioned with this label alone."""

    label: str
    text: str
    picture: SeenPicture | None


@dataclass(frozen=True, kw_only=True)
class SeenQuestion:
    """The question that is asked last. `context` are the pictures that belong to no single option.

    asks_number: it has no options and asks for a whole number. words: all texts of the message that asks it.
    """

    options: tuple[SeenOption, ...]
    context: tuple[SeenPicture, ...]
    asks_number: bool = False
    words: str = ""


def recover_question(messages: Sequence[Message]) -> SeenQuestion:
    """Recover the question from the last user message that has option lines, or wants a number or a caption.

    Without option lines it has no options. A conversation may go on after it ("look once more"), may have shown its
    pictures before it, and may have asked other questions before.
    """
    asked = [(at, _parts(message)) for at, message in enumerate(messages) if message.role == "user"]
    if not asked:
        return SeenQuestion(options=(), context=())
    asking = [at for at, parts in asked if _asks(_words(parts))]
    last = asking[-1] if asking else asked[-1][0]
    words = _words(dict(asked)[last])
    texts = _option_texts(words)
    known: dict[str, SeenPicture] = {}
    shown = [found for at, parts in asked if at <= last and (found := _pictures(parts, at, known))]
    pictures = shown[-1] if shown else []
    owners = {picture.place: _owner(picture, texts.keys()) for picture in pictures}
    owned = {owners[picture.place]: picture for picture in pictures}
    options = tuple(SeenOption(label=label, text=text, picture=owned.get(label)) for label, text in texts.items())
    context = tuple(picture for picture in pictures if owners[picture.place] is None)
    asks_number = not options and _NUMBER_WANTED in words
    return SeenQuestion(options=options, context=context, asks_number=asks_number, words=words)


def shown_pictures(messages: Sequence[Message]) -> list[SeenPicture]:
    """Return the pictures of the last user message, in order."""
    asked = [(at, _parts(message)) for at, message in enumerate(messages) if message.role == "user"]
    return _pictures(asked[-1][1], asked[-1][0], {}) if asked else []


def _asks(words: str) -> bool:
    return _NUMBER_WANTED in words or _CAPTION_WANTED in words or bool(_option_texts(words))


def _parts(message: Message) -> Sequence[ContentPart]:
    return [TextPart(text=message.content)] if isinstance(message.content, str) else message.content


def _words(parts: Sequence[ContentPart]) -> str:
    return "\n".join(part.text for part in parts if isinstance(part, TextPart))


def _pictures(parts: Sequence[ContentPart], message: int, known: dict[str, SeenPicture]) -> list[SeenPicture]:
    """Return every picture, with the last line of the words just before it as caption.

    `known` are the pictures so far by number or name: a line "Picture 1, shown above" stands for the one that it names.
    """
    found, caption = [], ""
    for at, part in enumerate(parts):
        if isinstance(part, TextPart):
            caption = part.text.strip().rpartition("\n")[2]
            again = _AGAIN.match(caption)
            if again is not None and again["number"] in known:
                found.append(replace(known[again["number"]], caption=caption))
        else:
            place = f"messages[{message}].content[{at}].image_url.url"
            picture = SeenPicture(caption=caption, address=part.image_url.url, place=place)
            found.append(picture)
            if numbered := _NUMBERED.match(caption):
                known[numbered["number"]] = picture
            caption = ""
    return found


def _option_texts(words: str) -> dict[str, str]:
    """Return the option lines by label, in order of appearance. The first line with words wins."""
    texts: dict[str, str] = {}
    for line in _OPTION_LINE.finditer(words):
        texts[line["label"]] = texts.get(line["label"]) or line["text"]
    return texts


def _owner(picture: SeenPicture, labels: Collection[str]) -> str | None:
    named = {label for label in _BRACKETED.findall(picture.caption) if label in labels}
    return named.pop() if len(named) == 1 else None
