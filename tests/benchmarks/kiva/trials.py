"""Trials to test: every parameter combination that makes sense, every cell."""

from collections.abc import Iterator
from itertools import product

from generator_service.benchmark import Streams
from generator_service.benchmarks.kiva import BENCHMARK
from generator_service.benchmarks.kiva.eligible import KivaBank
from generator_service.benchmarks.kiva.spec import (
    ASKS,
    COMPOSITIONALITY,
    DISTRACTORS,
    EIGHT,
    FULL,
    KIVA,
    PRESENTATIONS,
    TRACKS,
    VALUES_OF,
    Scene,
)
from generator_service.parameters import IdentityError, resolve
from tetrad.contracts.wire import Facets, ParameterValue
from tetrad.streams import StreamFamily

IDENTITY = b"a test's identity, of 32 bytes.."
DEFAULTS: dict[str, ParameterValue] = {parameter.name: parameter.default for parameter in BENCHMARK.card.parameters}
ALL_VALUES = [
    (track, domain, value)
    for track, domains in VALUES_OF.items()
    for domain, values in domains.items()
    for value in values
]


def makes_sense(track: str, setting: str, parameters: dict[str, ParameterValue]) -> bool:
    try:
        resolve(BENCHMARK.card, track, setting, parameters)
    except IdentityError:
        return False
    return True


def _parameters() -> Iterator[dict[str, ParameterValue]]:
    for distractors, presentation, repeats, solved in product(DISTRACTORS, PRESENTATIONS, (1, 3), (0, 2)):
        shown: dict[str, ParameterValue] = {"distractors": distractors, "presentation": presentation}
        yield shown | {"repeats": repeats, "no_change": 30, "in_context": solved}
    for presentation, solved in product(PRESENTATIONS, (0, 2)):
        yield {"mixtures": EIGHT, "presentation": presentation, "no_change": 30, "in_context": solved}


PLACES: list[tuple[str, str, dict[str, ParameterValue]]] = [
    (track, setting, parameters)
    for track, setting in product(TRACKS, ASKS)
    for parameters in _parameters()
    if makes_sense(track, setting, parameters)
]


def trial(
    bank: KivaBank,
    facets: Facets,
    index: int,
    setting: str = FULL,
    track: str | None = None,
    **parameters: ParameterValue,
) -> Scene:
    """Draw one trial, of compositionality where several domains are named."""
    place = track or (COMPOSITIONALITY if "+" in facets["domain"] else KIVA)
    given: Scene = BENCHMARK.sample(
        bank, place, setting, DEFAULTS | parameters, facets, Streams(StreamFamily(IDENTITY, index))
    )
    return given


def trials(
    bank: KivaBank, each: int, setting: str = FULL, track: str = KIVA, **parameters: ParameterValue
) -> Iterator[Scene]:
    """Yield `each` trials of every cell."""
    strata = BENCHMARK.strata(track, setting, DEFAULTS | parameters)
    for index in range(each * len(strata)):
        yield trial(bank, strata[index % len(strata)].facets, index, setting, track, **parameters)


def cell(domain: str, value: str | None = None, change: str = "yes") -> Facets:
    facets = {"domain": domain, "change": change}
    return facets if value is None else {**facets, "value": value}
