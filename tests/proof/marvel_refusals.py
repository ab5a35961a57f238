"""How often MARVEL's sampler refuses a context, and why: a table for the report."""

from collections import Counter

from generator_service.benchmarks.marvel.sampler import draw_puzzle
from generator_service.benchmarks.marvel.spec import CELLS, SHAPES
from tetrad.streams import Stream

DROPPED = "set dropped"
_NOTE = (
    "A refused context is drawn again with the same choices and key, so that refusals tell nothing of the key; when "
    "none of many stands, the choices are dropped as a whole. Of {count:,} puzzles a cell:"
)


def refusals(count: int) -> str:
    """Return a section with a row for each cell: contexts tried a puzzle, at most, and refused by reason."""
    rows = {cell: _row(cell, count) for cell in CELLS}
    reasons = [*sorted({reason for _, found in rows.values() for reason in found} - {DROPPED}), DROPPED]
    head = ["cell", "contexts a puzzle", "at most", *reasons]
    lines = [head, ["---"] * len(head)]
    for cell, (tries, refused) in rows.items():
        mean = f"{sum(tries) / len(tries):.2f}"
        lines.append([", ".join(cell), mean, str(max(tries)), *(f"{refused[reason]:,}" for reason in reasons)])
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return f"## Contexts refused\n\n{_NOTE.format(count=count)}\n\n{table}"


def _row(cell: tuple[str, str], count: int) -> tuple[list[int], Counter[str]]:
    refused: Counter[str] = Counter()
    streams = [Stream("tests/proof/marvel/refusals", *cell, number) for number in range(count)]
    shapes = (SHAPES[number % len(SHAPES)] for number in range(count))
    tries = [draw_puzzle(*cell, shape, stream, refused).tries for shape, stream in zip(shapes, streams, strict=True)]
    return tries, refused
