"""Object banks as sources: drawn by our own code, or an operator's own cut-out pictures.

A bank's digest is over ids and decoded pixels. A table of the source holds the differences that a viewer can see.
"""

import hashlib
import math
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

import msgspec
import numpy as np

from generator_service.drawing import bank_maker, visibility
from generator_service.drawing.bank import Drawn, ObjectBank, ObjectRecord, bank_digest, silent
from generator_service.drawing.canvas import Picture, place, resize
from generator_service.drawing.deflate import decompress
from generator_service.drawing.parallel import Progress, on_all_cores
from generator_service.drawing.portrait import RADIUS, SIDE
from generator_service.drawing.visibility import Appearance, measure
from generator_service.sources.decoding import CUT_OUT, UnreadablePictureError, decode_picture
from generator_service.sources.kinds import OBJECT_LIMITS, PICTURES, Given, Kind
from generator_service.sources.parts import Part
from generator_service.sources.store import (
    Head,
    Payload,
    SourceMissingError,
    SourceStore,
    StoredFile,
    of_folder,
)
from generator_service.sources.tables import find_table, table_name, write_table
from tetrad.contracts.problems import Fault

OBJECTS = "objects"
BUILTIN = "builtin"
HOUSEHOLD = "household"
WITH_CREDITS = "household-by"
OURS = (BUILTIN, HOUSEHOLD, WITH_CREDITS)
VISIBILITY = table_name("visibility", visibility.VERSION)
LEAST_SIDE = 48  # pixels of the thing itself: smaller ones are a blur at 256
LEAST_CLEAR = 20  # permille of a picture that must be transparent
_SOLID = 128  # of 255; a pixel of this alpha or more counts as solid
_FEW = 64  # this many pictures are measured faster than processes start
_NUMBER = re.compile(r"[\s_.-]*\d+$")


class ObjectAbout(msgspec.Struct, frozen=True, kw_only=True):
    """The facts about an object beside its pixels. `group`: the folder it came from; `path`: its file's name there."""

    kind: str
    variant: int
    pixels: str
    group: str = ""
    path: str = ""


def load_bank(
    store: SourceStore | Path,
    *,
    progress: Progress | None = None,
    kinds: int | None = None,
    variants: int = bank_maker.VARIANTS,
) -> ObjectBank:
    """Open the built-in bank of a store, or of the store in a folder; draw it where it is absent.

    `progress` is called with (done, of) while drawing. `kinds` and `variants` ask for the first few only, for tests.
    """
    store = of_folder(store) if isinstance(store, Path) else store
    plan = bank_maker.plan(kinds, variants)

    def draw() -> Head:
        return keep_objects(store, BUILTIN, bank_maker.draw_all(plan, progress or silent), recipe=plan.recipe)

    return open_objects(store, store.drawn_once(OBJECTS, plan.recipe, draw))


def open_bank(store: SourceStore, name: str) -> ObjectBank:
    """Open the newest bank of this name; the built-in one is drawn where it is absent.

    Raises:
        SourceMissingError: there is none, and it is not ours to draw.
    """
    if name == BUILTIN:
        return load_bank(store)
    try:
        return open_objects(store, store.head(OBJECTS, name))
    except SourceMissingError as error:
        if name in OURS:
            raise SourceMissingError(
                f"the store has no object bank {name}; draw it: python -m generator_service.commands build {name}"
            ) from error
        raise


def keep_objects(
    store: SourceStore,
    name: str,
    drawn: Sequence[Drawn],
    *,
    recipe: str = "",
    credit: tuple[str, ...] = (),
) -> Head:
    """Store objects that were drawn, in their order, with their table, and publish them as the newest of this name."""
    digest = bank_digest((drawing.id, drawing.pixels) for drawing in drawn)
    write_table(store, digest, VISIBILITY, ((drawing.id, drawing.appearance) for drawing in drawn))
    head = Head(
        kind=OBJECTS,
        name=name,
        digest=digest,
        recipe=recipe,
        credits=credit,
        access="public",
        labels_public=True,
    )
    return store.write(head, map(_payload_of, drawn))


def open_objects(store: SourceStore, head: Head, _part: Part | None = None) -> ObjectBank:
    """Open a bank. If this version of the measuring code has not made its table yet, make it first."""
    source = store.open(head)

    def read(name: str) -> Picture:
        return np.frombuffer(decompress(source.read(name)), np.uint8).reshape(SIDE, SIDE, 4)

    table = find_table(store, head.digest, VISIBILITY)
    if table is None:
        with store.lock():
            _measure(store, head, lambda _done, _of: None)
        table = find_table(store, head.digest, VISIBILITY)
        assert table is not None  # noqa: S101 - it was just written
    seen = {name: msgspec.convert(row, type=Appearance) for name, row in table.rows()}
    records = []
    for name, file in source.by_name.items():
        about = msgspec.json.decode(file.about, type=ObjectAbout)
        records.append(
            ObjectRecord(
                id=name,
                kind=about.kind,
                variant=about.variant,
                chiral=seen[name].chiral,
                stretches=seen[name].stretches,
                handed=seen[name].handed,
                quarters=seen[name].quarters,
                eighths=seen[name].eighths,
                compact=seen[name].compact,
                scales=seen[name].scales,
                group=about.group,
            )
        )
    return ObjectBank(
        name=head.name,
        objects=tuple(records),
        digest=head.digest,
        read=read,
        visibility=seen,
        credits=head.credits,
    )


def _payload_of(drawn: Drawn) -> Payload:
    about = ObjectAbout(kind=drawn.kind, variant=drawn.variant, pixels=drawn.pixels, group=drawn.group)
    return Payload(name=drawn.id, body=drawn.compressed, about=msgspec.Raw(msgspec.json.encode(about)))


def kind_of(path: PurePosixPath) -> str:
    """Return the kind that a picture's path names: its file's name without the number at its end.

    A name with digits elsewhere, such as 1f431, is a code and stays whole.
    """
    word = _NUMBER.sub("", path.stem)
    if not word:
        return path.parent.name.lower() or path.stem
    return (path.stem if any(letter.isdigit() for letter in word) else word).lower()


def take_picture(given: Given) -> Payload | Fault:
    """Return the picture fitted to the bank's canvas, or the fault that it is refused for."""
    try:
        picture = decode_picture(given.body, CUT_OUT)
    except UnreadablePictureError as error:
        return Fault(field=given.name, problem=str(error), remedy="save it again as PNG with transparency")
    fault = _fault(given.name, picture)
    if fault is not None:
        return fault
    path = PurePosixPath(given.name)
    group = "" if path.parent == PurePosixPath() else str(path.parent)
    pixels = np.ascontiguousarray(fit(picture)).tobytes()
    about = ObjectAbout(
        kind=kind_of(path), variant=0, pixels=hashlib.sha256(pixels).hexdigest(), group=group, path=given.name
    )
    return Payload(
        name=str(path.with_suffix("")),
        body=zlib.compress(pixels, 6),
        about=msgspec.Raw(msgspec.json.encode(about)),
    )


def _fault(path: str, picture: Picture) -> Fault | None:
    solid = picture[..., 3] >= _SOLID
    if not solid.any():
        return Fault(field=path, problem="is empty: no pixel is solid", remedy="leave it out")
    if 1000 * int((~solid).sum()) < LEAST_CLEAR * solid.size:
        return Fault(field=path, problem="is opaque: it has no transparent background", remedy="cut the object out")
    rows, columns = np.flatnonzero(solid.any(axis=1)), np.flatnonzero(solid.any(axis=0))
    height, width = int(rows[-1] - rows[0]) + 1, int(columns[-1] - columns[0]) + 1
    if max(height, width) < LEAST_SIDE:
        remedy = f"give one of {LEAST_SIDE} or more"
        return Fault(field=path, problem=f"is tiny: its object has {width} x {height} pixels", remedy=remedy)
    return None


def fit(picture: Picture) -> Picture:
    """Centre the object on 256 x 256, scaled so that it touches the circle that it stays in however it is turned."""
    alpha = picture[..., 3] > 0
    rows, columns = np.flatnonzero(alpha.any(axis=1)), np.flatnonzero(alpha.any(axis=0))
    thing = picture[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    solid_rows, solid_columns = np.nonzero(thing[..., 3] > 0)
    height, width = thing.shape[:2]
    # Twice the distance from the middle to the outer corners of pixels: whole numbers, so that machines agree.
    down = np.abs(2 * solid_rows + 1 - height) + 1
    across = np.abs(2 * solid_columns + 1 - width) + 1
    reach = int((down.astype(np.int64) ** 2 + across.astype(np.int64) ** 2).max())
    return place(SIDE, resize(thing, _scale(width, reach), _scale(height, reach)), (SIDE // 2, SIDE // 2))


def _scale(length: int, reach: int) -> int:
    """Return floor(length * 2 * RADIUS / sqrt(reach)), at least 1, in whole numbers."""
    return max(1, math.isqrt((2 * RADIUS * length) ** 2 // reach))


def _clashes(files: Iterable[StoredFile]) -> Iterator[Fault]:
    """Yield a fault for each picture and each name that is there twice."""
    pixels: dict[str, str] = {}
    names: dict[str, str] = {}
    for file in _by_path(files):
        about = msgspec.json.decode(file.about, type=ObjectAbout)
        if about.pixels in pixels:
            problem = f"is the same picture as {pixels[about.pixels]}"
            yield Fault(field=about.path, value=file.name, problem=problem, remedy="keep one of them")
        elif file.name in names:
            problem = f"has the name of {names[file.name]}"
            yield Fault(field=about.path, value=file.name, problem=problem, remedy="rename one of them")
        else:
            pixels[about.pixels] = names[file.name] = about.path


def _by_path(files: Iterable[StoredFile]) -> list[StoredFile]:
    return sorted(files, key=lambda file: PurePosixPath(msgspec.json.decode(file.about, type=ObjectAbout).path))


def _digest(files: Sequence[StoredFile]) -> str:
    return bank_digest((file.name, msgspec.json.decode(file.about, type=ObjectAbout).pixels) for file in files)


def _measure(store: SourceStore, head: Head, progress: Callable[[int, int], None]) -> None:
    """Make the table of the differences that can be seen in each picture."""
    if find_table(store, head.digest, VISIBILITY) is not None:
        return
    source = store.open(head)
    bodies = [bytes(source.read(name)) for name in source.by_name]
    rows = zip(source.by_name, on_all_cores(_measure_picture, bodies, progress, few=_FEW, chunk=8), strict=True)
    write_table(store, head.digest, VISIBILITY, rows)


def _measure_picture(body: bytes) -> Appearance:
    return measure(np.frombuffer(decompress(body), np.uint8).reshape(SIDE, SIDE, 4))


KIND = Kind(
    name=OBJECTS,
    help="cut-out pictures with transparency; folders are groups, a file's name without its number is the kind",
    limits=OBJECT_LIMITS,
    suffixes=PICTURES,
    take=take_picture,
    clashes=_clashes,
    order=_by_path,
    digest=_digest,
    finish=_measure,
    open=open_objects,
    access="public",  # as an operator's own objects always were
)
