"""A mounted corpus is held to what holds of every benchmark, but for what it exempts by name."""

from pathlib import Path

import pytest

from generator_service.proving.conformance import OF_BENCHMARKS, OF_SAMPLES, faults
from generator_service.registry import mount
from generator_service.sources.published import EXEMPT, add_published, layouts
from generator_service.sources.store import SourceStore


@pytest.mark.parametrize("name", list(layouts()))
def test_every_property_that_a_corpus_is_not_exempt_from_holds(
    name: str, store: SourceStore, released: dict[str, Path]
) -> None:
    add_published(store, layouts()[name], str(released[name]))
    [mounted] = mount([], store, published=True).all()
    assert mounted.benchmark.exempt == EXEMPT
    assert {*OF_BENCHMARKS, *OF_SAMPLES} - set(EXEMPT) >= {"labels", "judging", "options", "opening", "reproducible"}
    assert not [str(fault) for fault in faults(mounted)]
