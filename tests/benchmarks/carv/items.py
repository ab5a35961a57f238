"""Items to test, without pictures: a bank that only says how much there is."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from generator_service.benchmark import Stratum, Streams
from generator_service.benchmarks.carv import BENCHMARK
from generator_service.benchmarks.carv.spec import DIRECT, Scene
from generator_service.draws import balanced_unit
from tetrad.contracts.wire import Facets
from tetrad.streams import StreamFamily

IDENTITY = b"a test's identity, of 32 bytes.."


@dataclass(frozen=True)
class Paper:
    """A bank without pictures."""

    views: int = 4
    variants: int = 4
    digest: str = "c" * 64


def item(track: str, facets: Facets, index: int, setting: str = DIRECT) -> Scene:
    made: Scene = BENCHMARK.sample(Paper(), track, setting, {}, facets, Streams(StreamFamily(IDENTITY, track, index)))
    return made


def items(track: str, count: int, setting: str = DIRECT) -> Iterator[tuple[Facets, Scene]]:
    """Yield items of a balanced block's cells, spread over the block."""
    unit = balanced_unit(BENCHMARK.strata(track, setting, {}))
    for index in range(count):
        facets = unit[index * 7919 % len(unit)]
        yield facets, item(track, facets, index, setting)


def shares(strata: Sequence[Stratum], *names: str) -> dict[tuple[str, ...], Fraction]:
    """Return the share of a block that each combination of these facets takes."""
    total = sum(cell.weight for cell in strata)
    counts: Counter[tuple[str, ...]] = Counter()
    for cell in strata:
        counts[tuple(cell.facets[name] for name in names)] += cell.weight
    return {key: Fraction(count, total) for key, count in counts.items()}
