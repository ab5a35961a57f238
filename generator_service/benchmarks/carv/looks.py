"""How states are pictured: view, design, variants, places and framing, one draw a picture."""

from typing import Protocol

from generator_service.benchmarks.carv.spec import Look, Pair, State
from generator_service.drawing.stage.camera import MARGIN
from generator_service.drawing.stage.furniture import DESIGNS
from tetrad.streams import Stream

_SHIFTS = 2 * MARGIN + 1
_WAYS = 2  # one ware to the left or right stands in one of two places


class SeenBank(Protocol):
    """How much there is to draw from."""

    @property
    def views(self) -> int: ...
    @property
    def variants(self) -> int: ...


def looks(bank: SeenBank, pairs: tuple[Pair, ...], query: State, stream: Stream) -> tuple[Look, ...]:
    """Draw a look for every picture. States that start a pair or are the query look alike where they are alike."""
    start = look(bank, stream)
    found: list[Look] = []
    for pair in pairs:
        found += [start if pair.before == query else look(bank, stream), look(bank, stream)]
    return (*found, start)


def look(bank: SeenBank, stream: Stream) -> Look:
    """Draw one look, all equally likely, by one number."""
    places = (bank.views, DESIGNS, bank.variants, bank.variants, _WAYS, _SHIFTS, _SHIFTS)
    total = 1
    for count in places:
        total *= count
    rest, parts = stream.below(total), []
    for count in places:
        rest, part = divmod(rest, count)
        parts.append(part)
    view, design, one, two, way, x, y = parts
    return Look(view, design, (one, two), way, (x - MARGIN, y - MARGIN))
