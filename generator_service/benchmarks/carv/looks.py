"""Draw how states are pictured: view, design, variants, places and framing, one draw a picture."""

from typing import Protocol

from generator_service.benchmarks.carv.spec import Look, Pair, State
from generator_service.drawing.stage.camera import MARGIN
from generator_service.drawing.stage.furniture import DESIGNS
from tetrad.streams import Stream

_SHIFTS = 2 * MARGIN + 1
_WAYS = 2  # a single prop to the left or right has two possible places


class SeenBank(Protocol):
    """A bank's numbers of views and variants to draw from."""

    @property
    def views(self) -> int: ...
    @property
    def variants(self) -> int: ...


def looks(bank: SeenBank, pairs: tuple[Pair, ...], query: State, stream: Stream) -> tuple[Look, ...]:
    """Draw a look for every picture. Equal states among pairs' first pictures and the query get equal looks."""
    start = look(bank, stream)
    found: list[Look] = []
    for pair in pairs:
        found += [start if pair.before == query else look(bank, stream), look(bank, stream)]
    return (*found, start)


def look(bank: SeenBank, stream: Stream) -> Look:
    """Draw one look, all equally likely, by one number."""
    views, variants = bank.views, bank.variants
    rest, view = divmod(stream.below(views * DESIGNS * variants * variants * _WAYS * _SHIFTS * _SHIFTS), views)
    rest, design = divmod(rest, DESIGNS)
    rest, one = divmod(rest, variants)
    rest, two = divmod(rest, variants)
    rest, way = divmod(rest, _WAYS)
    y, x = divmod(rest, _SHIFTS)
    return Look(view, design, (one, two), way, (x - MARGIN, y - MARGIN))
