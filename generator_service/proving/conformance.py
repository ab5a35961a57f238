"""Properties of every benchmark at every track, setting and parameter value: one suite over the whole registry.

`python -m generator_service.proving.conformance [NAME ...] [--folder DIR] [--bank FOLDER]` runs it; so do the tests.
Properties have names. A benchmark that can't have one of them exempts itself by that name and says why
(`Benchmark.exempt`).
"""

import argparse
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from generator_service.finding import RegistryError
from generator_service.mounting import Mounted
from generator_service.proving.choosing import Chosen, add_arguments, choose
from generator_service.proving.golden import card_faults, sample_faults
from generator_service.proving.properties.asking import (
    check_asked,
    check_facets,
    check_opening,
    check_order,
    check_secrecy,
    check_solution,
)
from generator_service.proving.properties.keys import (
    check_ceilings,
    check_clue,
    check_judging,
    check_key,
    check_options,
    check_outcomes,
    check_shortcuts,
    check_view,
)
from generator_service.proving.properties.making import check_labels, check_pictures, check_reproducible, check_variety
from generator_service.proving.properties.of_benchmarks import (
    check_card,
    check_declared_outcomes,
    check_tables,
    check_tracks,
)
from generator_service.proving.properties.pictures import check_low_level, check_pixels
from generator_service.proving.properties.places import check_places
from generator_service.proving.samples import Sample, places, sample_at

SHOWN = 3  # problems of one property that are reported


@dataclass(frozen=True)
class Fault:
    """A property that does not hold: of which benchmark, where, and what is wrong."""

    property: str
    benchmark: str
    where: str
    problem: str

    def __str__(self) -> str:
        where = f", {self.where}" if self.where else ""
        return f"{self.benchmark}{where}: {self.property}: {self.problem}"


def faults(mounted: Mounted, samples: Iterable[Sample] | None = None) -> Iterator[Fault]:
    """Yield the faults of a benchmark, property by property: at all its places, unless samples are given."""
    for name, check in OF_BENCHMARKS.items():
        yield from _find_faults(mounted, name, "", lambda check=check: check(mounted))  # type: ignore[misc]
    for sample in samples if samples is not None else (sample_at(mounted, place) for place in places(mounted)):
        yield from faults_of(sample)


def faults_of(sample: Sample, properties: Collection[str] | None = None) -> Iterator[Fault]:
    """Yield the faults at one track, setting and parameter value: of all properties, or of those named."""
    for name in OF_SAMPLES if properties is None else properties:
        check = OF_SAMPLES[name]
        yield from _find_faults(sample.mounted, name, str(sample.place), lambda check=check: check(sample))  # type: ignore[misc]


def _find_faults(mounted: Mounted, name: str, where: str, check: Callable[[], Iterator[str]]) -> Iterator[Fault]:
    benchmark = mounted.benchmark
    if name in benchmark.exempt:
        return
    try:
        problems = list(islice(check(), SHOWN))
    except Exception as error:  # noqa: BLE001 - whatever a benchmark raises is a fault of this property
        problems = [f"{type(error).__name__}: {error}"]
    for problem in problems:
        yield Fault(name, benchmark.name, where, problem)


def check_exempt(mounted: Mounted) -> Iterator[str]:
    for name, reason in mounted.benchmark.exempt.items():
        if name.partition("/")[0] not in {*OF_BENCHMARKS, *OF_SAMPLES}:
            yield f"exempt names {name!r}, which is not a property: use {', '.join((*OF_BENCHMARKS, *OF_SAMPLES))}"
        if not reason:
            yield f"exempt[{name!r}] gives no reason: say why it can't hold"


OF_BENCHMARKS: Mapping[str, Callable[[Mounted], Iterator[str]]] = {
    "card": check_card,
    "exempt": check_exempt,
    "ceilings": check_tracks,
    "golden": card_faults,
    "outcomes": check_declared_outcomes,
    "tables": check_tables,
}
OF_SAMPLES: Mapping[str, Callable[[Sample], Iterator[str]]] = {
    "reproducible": check_reproducible,
    "variety": check_variety,
    "labels": check_labels,
    "pictures": check_pictures,
    "order": check_order,
    "opening": check_opening,
    "asked": check_asked,
    "facets": check_facets,
    "secrecy": check_secrecy,
    "solution": check_solution,
    "view": check_view,
    "key": check_key,
    "judging": check_judging,
    "options": check_options,
    "places": check_places,
    "clue": check_clue,
    "shortcuts": check_shortcuts,
    "ceilings": check_ceilings,
    "outcomes": check_outcomes,
    "pixels": check_pixels,
    "low-level": check_low_level,
    "golden": sample_faults,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the faults. Return 0 for none, 1 for some or a track that can't be checked, 2 for an unknown name."""
    parser = argparse.ArgumentParser(prog="python -m generator_service.proving.conformance")
    add_arguments(parser)
    try:
        asked_for = choose(parser.parse_args(arguments))
    except RegistryError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    found = 0
    for fault in chain(_unserved_faults(asked_for), *map(faults, asked_for.mounted_benchmarks())):
        found += 1
        sys.stdout.write(f"{fault}\n")
    sys.stdout.write(f"{len(asked_for.benchmarks)} benchmarks, {found} faults\n")
    return 1 if found else 0


def _unserved_faults(asked_for: Chosen) -> Iterator[Fault]:
    for benchmark, track, lacking in asked_for.unserved_tracks():
        yield Fault("sources", benchmark.name, track, f"not looked at: {lacking}")


if __name__ == "__main__":
    sys.exit(main())
