"""Mounting an operator's own pictures as a bank: each is checked, fitted and measured, and all of them or none kept."""

import math
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath

import numpy as np
from PIL import Image, UnidentifiedImageError

from generator_service.banks.shelf import NAME, OURS, Shelf
from generator_service.banks.sources import LARGEST_FILE, Named, UnreadableSource, read_source
from generator_service.drawing.bank_file import Drawn, Index, finished
from generator_service.drawing.canvas import Picture, place, resize
from generator_service.drawing.parallel import Progress, on_all_cores
from generator_service.drawing.portrait import RADIUS, SIDE

LEAST_SIDE = 48  # pixels of the thing itself: smaller ones are a blur at 256
LEAST_CLEAR = 20  # permille of a picture that must be transparent
LARGEST_SIDE = 4096
SHOWN_FAULTS = 100
_SOLID = 128  # of 255, the alpha from which on a pixel counts
_FEW = 8  # pictures measured sooner than processes start
_NUMBER = re.compile(r"[\s_.-]*\d+$")


@dataclass(frozen=True)
class Refusal:
    """One picture that can't be mounted: its path in the source, what is wrong with it, and what to do."""

    path: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}; {self.remedy}"


class PicturesRefused(Exception):  # noqa: N818 - named for what went wrong
    """Some pictures can't be mounted, so none was."""

    def __init__(self, refusals: Sequence[Refusal], total: int) -> None:
        super().__init__(f"{len(refusals)} of {total} pictures are refused, nothing was mounted")
        self.refusals = list(refusals)
        self.total = total


class NameTaken(Exception):  # noqa: N818 - named for what went wrong
    """The name can't be given to a mounted bank; the message says why."""


@dataclass(frozen=True, kw_only=True)
class Mounting:
    """What was mounted, and what was left out of it because the operator said so."""

    index: Index
    left_out: Sequence[Refusal]


def mount_pictures(shelf: Shelf, source: Path, name: str, progress: Progress, *, leave_out: bool = False) -> Mounting:
    """Mount a folder's or archive's pictures as the bank `name`, whole or not at all.

    Folders are groups. A picture's kind is its file's name without the number at its end ("mug-2.png" is a mug) or,
    where nothing else is left of it, its folder's. `leave_out` mounts the rest where some are refused.

    Raises:
        NameTaken: the name is one of ours, no name, or another mounted bank's.
        UnreadableSource: there is no picture to read.
        PicturesRefused: some pictures can't be mounted, or all of them.
    """
    _check_name(shelf, name)
    found = list(read_source(source))
    if not found:
        raise UnreadableSource(f"{source} holds no pictures; give a folder or archive of PNG or WebP files")
    drawn, refusals = _told_apart(found, on_all_cores(drawn_or_refused, found, progress, few=_FEW, chunk=8))
    if not drawn or (refusals and not leave_out):
        raise PicturesRefused(refusals, len(found))
    return Mounting(index=shelf.keep(name, drawn), left_out=refusals)


def _check_name(shelf: Shelf, name: str) -> None:
    if not NAME.fullmatch(name):
        raise NameTaken(
            f"{name!r} is no bank's name; use up to 32 lowercase letters, digits and dashes, a letter first"
        )
    if name in OURS:
        raise NameTaken(f"{name!r} is a bank of our own; choose another name")
    if any(index.name == name for _, index in shelf.kept()):
        raise NameTaken(
            f"{name!r} is mounted already; remove it first (tetrad corpus remove {name}), or choose another"
        )


def _told_apart(found: Sequence[Named], results: Sequence[Drawn | Refusal]) -> tuple[list[Drawn], list[Refusal]]:
    """Return what can be mounted and what is refused: pictures that are there twice, and names that are, too."""
    kept: list[Drawn] = []
    refusals: list[Refusal] = []
    pixels: dict[str, str] = {}
    ids: dict[str, str] = {}
    for named, result in zip(found, results, strict=True):
        path = str(named.path)
        if isinstance(result, Refusal):
            refusals.append(result)
        elif result.pixels in pixels:
            refusals.append(Refusal(path, f"is the same picture as {pixels[result.pixels]}", "keep one of them"))
        elif result.id in ids:
            refusals.append(Refusal(path, f"has the name of {ids[result.id]}", "rename one of them"))
        else:
            pixels[result.pixels] = ids[result.id] = path
            kept.append(result)
    return kept, refusals


def kind_of(path: PurePosixPath) -> str:
    """Return the kind that a picture's path names; a number in a code, such as 1f431, is no number at its end."""
    word = _NUMBER.sub("", path.stem)
    if not word:
        return path.parent.name.lower() or path.stem
    return (path.stem if any(letter.isdigit() for letter in word) else word).lower()


def drawn_or_refused(named: Named) -> Drawn | Refusal:
    """Return the picture fitted to the bank's canvas and measured, or why it can't be mounted."""
    path = str(named.path)
    if named.content is None:
        return Refusal(path, f"is larger than {LARGEST_FILE // 2**20} MiB", "make it smaller")
    try:
        picture = _decoded(named.content)
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, Image.DecompressionBombWarning) as error:
        return Refusal(
            path, f"can't be read as a picture ({str(error)[:80]})", "save it again as PNG with transparency"
        )
    group = "" if named.path.parent == PurePosixPath() else str(named.path.parent)
    return _faults(path, picture) or finished(
        fit(picture), name=str(named.path.with_suffix("")), kind=kind_of(named.path), variant=0, group=group
    )


def _decoded(content: bytes) -> Picture:
    with warnings.catch_warnings():
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        with Image.open(BytesIO(content)) as image:
            if max(image.size) > LARGEST_SIDE:
                raise ValueError(f"{image.width} x {image.height} pixels are more than {LARGEST_SIDE} a side")
            return np.asarray(image.convert("RGBA"))


def _faults(path: str, picture: Picture) -> Refusal | None:
    solid = picture[..., 3] >= _SOLID
    if not solid.any():
        return Refusal(path, "is empty: no pixel is solid", "leave it out")
    if 1000 * int((~solid).sum()) < LEAST_CLEAR * solid.size:
        return Refusal(path, "is opaque: it has no transparent background", "cut the object out")
    rows, columns = np.flatnonzero(solid.any(axis=1)), np.flatnonzero(solid.any(axis=0))
    height, width = int(rows[-1] - rows[0]) + 1, int(columns[-1] - columns[0]) + 1
    if max(height, width) < LEAST_SIDE:
        return Refusal(path, f"is tiny: its object has {width} x {height} pixels", f"give one of {LEAST_SIDE} or more")
    return None


def fit(picture: Picture) -> Picture:
    """Centre what is there on 256 x 256 and scale it so that it touches the circle that every turn stays in."""
    alpha = picture[..., 3] > 0
    rows, columns = np.flatnonzero(alpha.any(axis=1)), np.flatnonzero(alpha.any(axis=0))
    thing = picture[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    solid_rows, solid_columns = np.nonzero(thing[..., 3] > 0)
    height, width = thing.shape[:2]
    # Twice the distance from the middle to the outer corners of pixels: whole numbers, so that machines agree.
    down = np.abs(2 * solid_rows + 1 - height) + 1
    across = np.abs(2 * solid_columns + 1 - width) + 1
    reach = int((down.astype(np.int64) ** 2 + across.astype(np.int64) ** 2).max())
    return place(SIDE, resize(thing, _scaled(width, reach), _scaled(height, reach)), (SIDE // 2, SIDE // 2))


def _scaled(length: int, reach: int) -> int:
    """Return floor(length * 2 * RADIUS / sqrt(reach)), at least 1, in whole numbers."""
    return max(1, math.isqrt((2 * RADIUS * length) ** 2 // reach))


def fault_lines(refusals: Sequence[Refusal]) -> Iterator[str]:
    """Yield the first hundred as lines, and how many more there are."""
    for refusal in refusals[:SHOWN_FAULTS]:
        yield str(refusal)
    if len(refusals) > SHOWN_FAULTS:
        yield f"... and {len(refusals) - SHOWN_FAULTS} more"
