"""Read what annotations in COCO's form name: boxes with labels, by photograph.

An annotation file is JSON with `images` (id, file_name, width, height), `annotations` (image_id, category_id, bbox as
left, top, width and height in pixels, iscrowd) and `categories` (id, name), as COCO publishes its instances. Files of
another form say nothing of boxes. They are passed over, and the report of the job tells why.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

import msgspec

from generator_service.benchmarks.visanalog.programs import HALF, SIDE
from generator_service.benchmarks.visanalog.spec import Labelled
from generator_service.mining.counting import Counting

LEAST_SIDE, MOST_SIDE = 40, 320
"""Pixels of 512: a smaller thing is hard to see, a larger one lies in no quarter."""
MOST_THINGS = 6
OTHER_FORM = "not in COCO's form"
LACKING = "annotated, but not in the source"


class _Image(msgspec.Struct):
    id: int
    file_name: str
    width: int
    height: int


class _Annotation(msgspec.Struct):
    image_id: int
    category_id: int
    bbox: tuple[float, float, float, float]
    iscrowd: int = 0


class _Category(msgspec.Struct):
    id: int
    name: str


class _Instances(msgspec.Struct):
    images: list[_Image]
    annotations: list[_Annotation]
    categories: list[_Category]


def boxes(
    files: Iterator[tuple[str, bytes]], names: Sequence[str], counting: Counting
) -> Iterator[tuple[str, list[Labelled]]]:
    """Yield photographs with the things in them that can be asked about.

    files: annotation files. names: of the source's photographs; one is meant by its whole name, or by its last part if
    no other has that. counting: told of files of another form, and of photographs that the source lacks.
    """
    last = Counter(PurePosixPath(name).name for name in names)
    by_name = {name: name for name in names} | {
        PurePosixPath(name).name: name for name in names if last[PurePosixPath(name).name] == 1
    }
    for file, body in files:
        try:
            found = msgspec.json.decode(body, type=_Instances)
        except msgspec.ValidationError as error:
            counting.drop(OTHER_FORM, "annotation files", 1, [f"{file}: {error}"])
            continue
        called = {category.id: category.name for category in found.categories}
        of_image: dict[int, list[_Annotation]] = defaultdict(list)
        for each in found.annotations:
            of_image[each.image_id].append(each)
        for image in found.images:
            name = by_name.get(image.file_name)
            if name is None:
                counting.drop(LACKING, "photographs", 1, [f"{file}: {image.file_name}"])
            elif things := _things(image, of_image[image.id], called):
                yield name, things


def _things(image: _Image, annotations: Sequence[_Annotation], called: Mapping[int, str]) -> list[Labelled]:
    """Return the things that are alone of their name, whole in the middle square, and neither tiny nor huge."""
    counted = Counter(annotation.category_id for annotation in annotations)
    crowds = {annotation.category_id for annotation in annotations if annotation.iscrowd}
    found = []
    for annotation in annotations:
        if (
            counted[annotation.category_id] == 1
            and annotation.category_id not in crowds
            and annotation.category_id in called
        ):
            thing = _thing(image, annotation, called[annotation.category_id])
            inside = all(abs(at) + half <= HALF for at, half in zip(thing.at, thing.half, strict=True))
            if inside and 2 * min(thing.half) >= LEAST_SIDE and 2 * max(thing.half) <= MOST_SIDE:
                found.append(thing)
    return sorted(found, key=lambda thing: thing.name)[:MOST_THINGS]


def _thing(image: _Image, one: _Annotation, name: str) -> Labelled:
    """Return a thing's place in the middle square at 512 pixels a side."""
    scale = SIDE / min(image.width, image.height)
    left, top, width, height = one.bbox
    at = (scale * (left + width / 2 - image.width / 2), scale * (top + height / 2 - image.height / 2))
    return Labelled(
        name, (round(at[0], 1), round(at[1], 1)), (round(scale * width / 2, 1), round(scale * height / 2, 1))
    )


def things_of(row: Sequence[Any]) -> tuple[Labelled, ...]:
    """Return the things of a row of a table."""
    return tuple(msgspec.convert(thing, type=Labelled) for thing in row)
