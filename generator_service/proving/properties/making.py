"""Properties of a sample: how its items and pictures are made."""

from collections.abc import Callable, Iterator

import msgspec
import numpy as np

from generator_service.drawing.png import encode_png
from generator_service.draws import Draw
from generator_service.items import Item, make_item
from generator_service.proving.properties.questions import LOOKED_AT, list_questions, name_pictures
from generator_service.proving.samples import Sample
from tetrad.contracts.items import Choice
from tetrad.extraction.answers import is_legal

UNKNOWN_PICTURE = "999"


def check_reproducible(sample: Sample) -> Iterator[str]:
    """An item alone equals the same item in a run; a picture has the same pixels each time."""
    mounted, draw = sample.mounted, sample.draw
    alone = Draw(mounted.benchmark, draw.identity, draw.seed)
    for index in (len(sample.items) - 1, min(3, len(sample.items) - 1)):
        again, item = make_item(mounted, alone, index), sample.items[index]
        if (again.scene, again.questions) != (item.scene, item.questions):
            yield f"item {index} made alone differs from the same item in a run: draw from `streams` and nothing else"
    first = sample.items[0]
    for name in name_pictures(first.questions) if sample.is_default else ():
        one, two = (mounted.benchmark.render(mounted.bank, first.scene, name) for _ in range(2))
        if not np.array_equal(one, two):
            yield f"picture {name} of item 0 has other pixels when it is drawn again"


def check_variety(sample: Sample) -> Iterator[str]:
    few = sample.items[:LOOKED_AT]
    different = {msgspec.json.encode(item.scene) for item in few}
    if len(different) <= 0.9 * len(few):
        yield f"{len(few)} items have {len(different)} different scenes: draw more of each item from its streams"


def check_labels(sample: Sample) -> Iterator[str]:
    """Keys are among the options; options are labelled once."""
    for index, _, keyed in list_questions(sample, "labels", LOOKED_AT):
        question, labels = keyed.question, tuple(option.label for option in keyed.question.options)
        where = f"item {index}, question {question.id}"
        if not is_legal(question.shape, keyed.key.label):
            yield f"{where}: key {keyed.key.label!r} is not an answer of its shape {question.shape}"
        if not isinstance(question.shape, Choice):
            if labels:
                yield f"{where}: it offers options {labels}, and its shape is not a choice"
        elif labels != question.shape.labels or len({*labels}) != len(labels) or len(labels) < 2:  # noqa: PLR2004 - a choice
            yield f"{where}: options {labels} are not the shape's {question.shape.labels}: two or more, once each"


def check_pictures(sample: Sample) -> Iterator[str]:
    """Questions name their own pictures by position, and every picture renders."""
    for index, item in enumerate(sample.items[: 3 if sample.is_default else 1]):
        for keyed in item.questions:
            names = {picture.name for picture in keyed.question.pictures}
            where = f"item {index}, question {keyed.question.id}"
            if odd := sorted(name for name in names if not name.isdecimal()):
                yield f"{where}: picture names {odd} are not positions"
            if foreign := {option.picture for option in keyed.question.options} - {None} - names:
                yield f"{where}: options show pictures {foreign} that the question does not list"
        yield from (f"item {index}: {problem}" for problem in _check_drawn(sample, item))
    benchmark, scene = sample.mounted.benchmark, sample.items[0].scene
    yield from _check_unknown("render", lambda name: benchmark.render(sample.mounted.bank, scene, name))
    if "view" not in benchmark.exempt:
        yield from _check_unknown("holds", lambda name: benchmark.holds(scene, name))


def _check_drawn(sample: Sample, item: Item) -> Iterator[str]:
    for name in name_pictures(item.questions):
        pixels = sample.mounted.benchmark.render(sample.mounted.bank, item.scene, name)
        if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 4:  # noqa: PLR2004 - rows, columns, RGBA
            yield f"picture {name} has {pixels.dtype} {pixels.shape}, not uint8 (height, width, 4)"
        elif sample.is_default and not encode_png(pixels).startswith(b"\x89PNG"):
            yield f"picture {name} can't be written as PNG"


def _check_unknown(what: str, part: Callable[[str], object]) -> Iterator[str]:
    try:
        part(UNKNOWN_PICTURE)
    except KeyError:
        return
    except Exception as error:  # noqa: BLE001 - any other exception is the fault
        yield f"{what} raises {type(error).__name__} for {UNKNOWN_PICTURE!r}, a picture no scene has: raise KeyError"
        return
    yield f"{what} raises no KeyError for picture {UNKNOWN_PICTURE!r}, which no scene has"
