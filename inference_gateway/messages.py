"""Bounds on what messages carry, checked before any model sees them."""

from collections.abc import Sequence

from tetrad.contracts.inference import ImagePart, Message
from tetrad.server.problems import refuse
from tetrad.solvers.pictures import check_address

MOST_PICTURES = 64  # of a request: five pictures and a few solved examples are a dozen


def check_pictures(messages: Sequence[Message], *, largest_pixels: int) -> None:
    """Make sure that every picture is a data: address within bounds, by its header; work for a thread.

    Raises:
        PictureError: one is not.
        ProblemError: 422, there are too many.
    """
    found = [
        (f"messages[{at}].content[{place}].image_url.url", part.image_url.url)
        for at, message in enumerate(messages)
        if not isinstance(message.content, str)
        for place, part in enumerate(message.content)
        if isinstance(part, ImagePart)
    ]
    if len(found) > MOST_PICTURES:
        raise refuse(422, "messages", len(found), "show too many pictures", f"send at most {MOST_PICTURES} a request")
    for place, address in found:
        check_address(address, place, largest_pixels=largest_pixels)
