"""Trials to test: every parameter combination, every cell."""

from collections.abc import Iterator
from itertools import product

from generator_service.benchmark import Streams
from generator_service.benchmarks.kiva import BENCHMARK
from generator_service.benchmarks.kiva.eligible import KivaBank
from generator_service.benchmarks.kiva.spec import DISTRACTORS, EXTRAPOLATION_ONLY, FULL, PRESENTATIONS, Scene
from tetrad.contracts.wire import Facets, ParameterValue
from tetrad.streams import StreamFamily

IDENTITY = b"a test's identity, of 32 bytes.."
DEFAULTS: dict[str, ParameterValue] = {parameter.name: parameter.default for parameter in BENCHMARK.card.parameters}
COMBINATIONS = [
    (setting, {"distractors": distractors, "presentation": presentation, "repeats": repeats, "no_change": 30})
    for setting, distractors, presentation, repeats in product(
        (FULL, EXTRAPOLATION_ONLY), DISTRACTORS, PRESENTATIONS, (1, 3)
    )
]


def trial(
    bank: KivaBank,
    facets: Facets,
    index: int,
    setting: str = FULL,
    **parameters: ParameterValue,
) -> Scene:
    given: Scene = BENCHMARK.sample(
        bank, "kiva", setting, DEFAULTS | parameters, facets, Streams(StreamFamily(IDENTITY, index))
    )
    return given


def trials(bank: KivaBank, each: int, setting: str = FULL, **parameters: ParameterValue) -> Iterator[Scene]:
    """Yield `each` trials of every cell."""
    cells = BENCHMARK.cells("kiva", setting, DEFAULTS | parameters)
    for index in range(each * len(cells)):
        yield trial(bank, cells[index % len(cells)].facets, index, setting, **parameters)


def cell(domain: str, value: str, change: str = "yes") -> Facets:
    return {"domain": domain, "value": value, "change": change}
