"""Pictures as pages show them: those that a question is about, and their place before they have come.

Pages of the api and of reports in one file share this.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tetrad.contracts.items import Picture, Question

PAIR, SQUARE, SHEET = (520, 256), (512, 512), (836, 668)
"""Usual sizes of a picture: before and after side by side, one scene, and a whole puzzle with its choices. A page gives
its pictures their place by them before they have come. Sheets have many sizes: one stays within its place.
"""
Size = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class ShownPicture:
    """A picture. `width` and `height` are what is usual of its kind, in pixels."""

    src: str
    caption: str
    width: int
    height: int


def shown_picture(picture: Picture, size: Size) -> ShownPicture:
    return ShownPicture(src=picture.url or "", caption=picture.caption, width=size[0], height=size[1])


def usual_size(questions: Sequence[Question]) -> Size:
    """Return the size that pictures of an item usually have, by how its questions use them."""
    if max((len(about_pictures(question)) for question in questions), default=0) > 1:
        return SQUARE
    return PAIR if any(option.picture for question in questions for option in question.options) else SHEET


def about_pictures(question: Question) -> list[Picture]:
    """Return the pictures that a question is about: those that are no option, and of no solved example."""
    aside = {option.picture for option in question.options}
    for example in question.examples:
        aside |= {*example.pictures, *(option.picture for option in example.options)}
    return [picture for picture in question.pictures if picture.name not in aside]
