"""Every track says what may be done with its pictures, and names exactly the sources that it draws from."""

from pathlib import Path

import pytest

from generator_service.benchmark import Benchmark
from generator_service.finding import benchmark_folders, find_benchmarks
from generator_service.registry import mount
from generator_service.sources import licences
from generator_service.sources.licences import NOT_STATED, SPDX, terms_of
from generator_service.sources.store import Head, of_folder
from tests.instance import ROOT
from tetrad.contracts.benchmarks import BenchmarkInfo
from tetrad.rows.licences import licences_of

OURS = {"objects": ("builtin", "household", "household-by"), "stage": ("stage",), "people": ("people",)}
OURS |= {"photographs": ("packaged",)}
BROUGHT = {"situations"}
"""Kinds whose sources only an operator brings: their terms are the operator's words."""
TRACKS = [
    (benchmark, track.name) for benchmark in find_benchmarks(benchmark_folders({})) for track in benchmark.card.tracks
]


@pytest.mark.parametrize(("benchmark", "track"), TRACKS, ids=lambda one: one if isinstance(one, str) else one.name)
def test_every_track_draws_from_sources_whose_terms_are_known(benchmark: Benchmark, track: str) -> None:
    for kind in set(benchmark.kinds_of(track)) - BROUGHT:
        for name in OURS[kind]:
            terms = terms_of(Head(kind=kind, name=name, digest="d", credits=("a line",)))
            assert terms.spdx != NOT_STATED
            assert SPDX.fullmatch(terms.spdx)
            assert terms.credits
            assert terms.may_train
            assert terms.may_redistribute


def test_what_an_operator_does_not_say_is_not_allowed() -> None:
    silent = terms_of(Head(kind="photographs", name="mine", digest="d", licence="research only"))
    assert (silent.spdx, silent.may_train, silent.may_redistribute) == (NOT_STATED, False, False)
    told = Head(kind="photographs", name="mine", digest="d", licence="CC-BY-4.0", credits=("Ann",), may_train=True)
    assert terms_of(told) == ("CC-BY-4.0", ("Ann",), True, False)


def test_a_served_benchmark_lists_the_sources_of_each_track_alone(bank_folder: Path) -> None:
    store = of_folder(bank_folder)
    registry = mount(find_benchmarks(benchmark_folders({})), store)
    for mounted in registry.all():
        card = mounted.benchmark.card
        info = BenchmarkInfo(card=card, bank=mounted.bank_digest, sources=registry.sources(mounted))
        for track in card.tracks:
            kinds = {one.source.partition(":")[0] for one in licences_of(info, track.name)[1:]}
            there = {source.kind for source in info.sources}
            assert kinds == set(mounted.benchmark.kinds_of(track.name)) & there


def test_the_page_of_sources_tells_the_terms_of_each_that_is_made_here() -> None:
    page = (ROOT / "docs" / "sources.md").read_text()
    words = {True: "yes", False: "no"}
    for (kind, name), terms in licences._KNOWN.items():
        cells = [f"`{kind}:{name}`", terms.spdx, words[terms.may_train], words[terms.may_redistribute]]
        (line,) = (line for line in page.splitlines() if line.startswith(f"| {' | '.join(cells)} |"))
        assert all(credit in line for credit in terms.credits)
