"""The stage as a source: layers by name, drawn by our own code.

Rooms are stored uncompressed, so that all processes of a machine share one copy and none takes time to unpack it. Props
are small and compressed. The digest is over names and decoded layers.
"""

import hashlib
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec
import numpy as np

from generator_service.drawing.bank import digest, silent
from generator_service.drawing.deflate import decompress
from generator_service.drawing.stage import stage_maker
from generator_service.drawing.stage.layers import Layer
from generator_service.drawing.stage.stage_bank import StageBank
from generator_service.drawing.stage.stage_maker import Drawn
from generator_service.drawing.stage.views import VIEWS
from generator_service.sources.kinds import OBJECT_LIMITS, Kind
from generator_service.sources.parts import Part
from generator_service.sources.store import Head, Payload, SourceStore, of_folder

STAGE = "stage"
NAME = "stage"
_LARGE = 1 << 20  # bytes; a layer of this size or more is stored uncompressed


class LayerAbout(msgspec.Struct, frozen=True, kw_only=True):
    """A layer's window of the canvas; `shadowed`: a shadow of the same size follows its depth."""

    packed: bool
    left: int
    top: int
    height: int
    width: int
    shadowed: bool


def load_stage(
    store: SourceStore | Path,
    *,
    progress: Callable[[int, int], None] | None = None,
    views: int = len(VIEWS),
    variants: int = stage_maker.VARIANTS,
) -> StageBank:
    """Open the stage of a store, or of the store in a folder; draw it where it is absent.

    `progress` is called with (done, of) while drawing. `views` and `variants` ask for the first few only, for tests.
    """
    store = of_folder(store) if isinstance(store, Path) else store
    plan = stage_maker.plan(views, variants)

    def draw() -> Head:
        return keep_stage(store, stage_maker.draw_all(plan, progress or silent), plan.recipe)

    return open_stage(store, store.drawn_once(STAGE, plan.recipe, draw))


def keep_stage(store: SourceStore, drawn: Iterable[Drawn], recipe: str) -> Head:
    """Store layers as they come and publish them."""
    names: list[str] = []
    head = Head(
        kind=STAGE,
        name=NAME,
        digest="",
        recipe=recipe,
        access="public",
        labels_public=True,
    )
    return store.write(head, _payloads(drawn, names), digest=lambda: digest(names))


def open_stage(store: SourceStore, head: Head, _part: Part | None = None) -> StageBank:
    """Open a stage; its views and variants are those of its recipe."""
    source = store.open(head)

    def read(name: str) -> Layer:
        about = msgspec.json.decode(source.by_name[name].about, type=LayerAbout)
        content = source.read(name)
        return _unpack(about, decompress(content) if about.packed else content)

    names = [name.split() for name in source.by_name]
    views = 1 + max(int(words[-1]) for words in names)
    variants = 1 + max((int(words[2]) for words in names if words[0] == "ware"), default=0)
    return StageBank(digest=head.digest, views=views, variants=variants, read=read)


def _payloads(drawn: Iterable[Drawn], names: list[str]) -> Iterator[Payload]:
    for drawing in drawn:
        layer, raw = drawing.layer, _raw(drawing.layer)
        names += [drawing.name, hashlib.sha256(raw).hexdigest()]
        height, width = layer.depth.shape
        about = LayerAbout(
            packed=len(raw) < _LARGE,
            left=layer.left,
            top=layer.top,
            height=height,
            width=width,
            shadowed=layer.shadow.size > 0,
        )
        body = zlib.compress(raw, 6) if about.packed else raw
        yield Payload(name=drawing.name, body=body, about=msgspec.Raw(msgspec.json.encode(about)))


def _raw(layer: Layer) -> bytes:
    return layer.pixels.tobytes() + layer.depth.astype("<u2").tobytes() + layer.shadow.tobytes()


def _unpack(about: LayerAbout, content: bytes | memoryview) -> Layer:
    shape, area = (about.height, about.width), about.height * about.width
    pixels = np.frombuffer(content, np.uint8, 4 * area).reshape(*shape, 4)
    depth = np.frombuffer(content, np.dtype("<u2"), area, 4 * area).reshape(shape)
    kept = area if about.shadowed else 0
    shadow = np.frombuffer(content, np.uint8, kept, 6 * area) if kept else np.zeros(0, np.uint8)
    return Layer(about.left, about.top, pixels, depth, shadow.reshape(shape) if kept else shadow)


KIND = Kind(
    name=STAGE,
    help="furniture and props in views with anchor points; drawn by our own code",
    limits=OBJECT_LIMITS,
    open=open_stage,
    access="public",
)
