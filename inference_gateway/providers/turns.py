"""Messages for providers that take instructions separately from turns, and pictures as bytes with a media type."""

from collections.abc import Sequence
from dataclasses import dataclass

from inference_gateway.providers import UnsupportedError
from tetrad.contracts.inference import ContentPart, ImageAddress, ImagePart, Message, TextPart

INSTRUCTING = frozenset({"system", "developer"})


@dataclass(frozen=True)
class Inline:
    """A picture out of a data: address: its media type, and its bytes still as base64."""

    media_type: str
    data: str


def instructions_of(messages: Sequence[Message]) -> tuple[list[str], Sequence[Message]]:
    """Return the texts of the system and developer messages at the start, and the turns after them.

    Raises:
        UnsupportedError: there is one after the first turn, one shows a picture, or there is no turn.
    """
    begin = next((at for at, message in enumerate(messages) if message.role not in INSTRUCTING), len(messages))
    for at, message in enumerate(messages[begin:], start=begin):
        if message.role in INSTRUCTING:
            problem, remedy = (
                "stands after a turn, and this model takes instructions only before the first turn",
                "put it before the first turn",
            )
            raise UnsupportedError(f"messages[{at}].role", message.role, problem, remedy)
    if begin == len(messages):
        raise UnsupportedError("messages", len(messages), "have no turn of the user", "add one with role user")
    return [_text(at, message) for at, message in enumerate(messages[:begin])], messages[begin:]


def parts_of(message: Message) -> list[ContentPart]:
    """Return a turn's parts, without empty texts: these APIs refuse them."""
    content = [TextPart(text=message.content)] if isinstance(message.content, str) else message.content
    if message.refusal:
        content = [*content, TextPart(text=message.refusal)]
    return [part for part in content if not isinstance(part, TextPart) or part.text]


def inline(address: ImageAddress) -> Inline:
    """Split a data: address; the gateway has checked its form."""
    head, _, data = address.url.partition(";base64,")
    return Inline(head.removeprefix("data:").lower(), data)


def _text(at: int, message: Message) -> str:
    if isinstance(message.content, str):
        return message.content
    for place, part in enumerate(message.content):
        if isinstance(part, ImagePart):
            problem, remedy = "is a picture in an instruction, which this model takes as text", "show it in a turn"
            raise UnsupportedError(f"messages[{at}].content[{place}]", "image_url", problem, remedy)
    return "\n".join(part.text for part in message.content if isinstance(part, TextPart))
