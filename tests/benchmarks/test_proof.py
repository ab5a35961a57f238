"""The proof at small n: nothing is broken, every leak is caught, and the committed report is of this code."""

from dataclasses import replace
from pathlib import Path

import pytest

from generator_service.registry import Mounted, find_benchmarks
from tests.proof.cases import cases_of, draw_of, variants_of
from tests.proof.digest import SHARED, digest_of, item_modules
from tests.proof.equivalence import BROKEN, FAMILY, HOLDS, UNDECIDED, WEAK, Score, holm, verdicts
from tests.proof.findings import Finding, Sizes, caught, leak_findings, mounted_of, seeing_findings, variant_findings
from tests.proof.report import digest_in, written
from tests.proof.study import place_scores, shuffled_labels

# Counting lines would take as long again; what the proof runs is covered by the benchmarks' own tests.
pytestmark = pytest.mark.no_cover
TOYS = Path(__file__).parents[1] / "toy_benchmarks"
SMALL = Sizes(items=500, pictures=45, leaks=700, leaky_pictures=300, seen=5)
PROVEN = sorted({one.name for one in find_benchmarks()} - {"toy"})


@pytest.fixture(scope="module", params=PROVEN)
def mounted(request: pytest.FixtureRequest, bank_folder: Path) -> Mounted:
    return mounted_of(str(request.param), bank_folder)


def test_the_committed_report_is_of_these_items(mounted: Mounted) -> None:
    name = mounted.benchmark.name
    assert digest_in(name) == digest_of(mounted), f"docs/proof/{name}.md is stale: run `make proof`"


def test_no_blind_solver_breaks_a_ceiling_and_the_seeing_ones_solve_all(mounted: Mounted) -> None:
    for variant in variants_of(mounted.benchmark.card):
        blind = variant_findings(mounted, variant, SMALL, looks=1)
        assert not [one for one in blind if one.verdict in {BROKEN, WEAK}]
        assert {one.verdict for one in seeing_findings(mounted, variant, SMALL)} <= {"all right", "above"}


def test_every_check_can_fail_and_fails_where_a_generator_leaks(mounted: Mounted) -> None:
    found = [caught(one) for one in leak_findings(mounted, SMALL)]
    assert not [one for one in found if one.verdict != "caught"]
    variant = variants_of(mounted.benchmark.card)[0]
    checks = {(one.solver, one.sees) for one in variant_findings(mounted, variant, SMALL.scaled(0.1), looks=1)}
    assert {(one.solver, one.sees) for one in found} == checks


@pytest.fixture(scope="module")
def toy(bank_folder: Path) -> Mounted:
    return mounted_of("toy", bank_folder, [TOYS])


def test_a_benchmark_that_the_proof_knows_nothing_of_is_held_to_its_chance_levels(toy: Mounted) -> None:
    [variant] = variants_of(toy.benchmark.card)
    found = variant_findings(toy, variant, Sizes(items=800, pictures=600), looks=1)
    assert {one.sees for one in found} == {"options-only", "pair-blind", "text-only", "order", "place"}
    assert not [one for one in found if one.verdict in {BROKEN, WEAK}]
    assert not leak_findings(toy, SMALL)
    assert not seeing_findings(toy, variant, SMALL)


def test_places_that_always_hold_the_same_are_no_drawn_places(mounted: Mounted) -> None:
    [variant, *_] = variants_of(mounted.benchmark.card)
    cases = list(cases_of(mounted, draw_of(mounted, variant, "5"), range(200)))
    for kind in {case.keyed.question.kind for case in cases if case.labels}:
        of_kind = [case for case in cases if case.keyed.question.kind == kind]
        assert 1 < len(shuffled_labels(of_kind)) <= len(of_kind[0].labels)
    assert all(score.n for score in place_scores(cases).values())


@pytest.mark.parametrize(
    ("right", "n", "exact", "verdict"),
    [
        (5000, 10_000, True, HOLDS),
        (4900, 10_000, True, HOLDS),
        (5290, 10_000, True, UNDECIDED),
        (5600, 10_000, True, BROKEN),
        (5600, 10_000, False, BROKEN),
        (4000, 10_000, True, WEAK),
        (4000, 10_000, False, HOLDS),
        (50, 100, True, UNDECIDED),
        (10, 10, True, UNDECIDED),
    ],
)
def test_verdicts_tell_equivalence_from_lack_of_data(right: int, n: int, exact: bool, verdict: str) -> None:  # noqa: FBT001
    score = Score(right=right, n=n, ceiling=0.5 if n > 10 else 0.8, exact=exact)
    assert verdicts([score], FAMILY) == [verdict]


def test_holm_steps_down_and_stops_at_the_first_that_is_not_rejected() -> None:
    assert holm([0.01, 0.04, 0.02], 0.05) == [True, True, True]
    assert holm([0.01, 0.04, 0.03], 0.05) == [True, False, False]
    assert holm([0.02, 0.001, 0.2, 0.012], 0.05) == [True, True, False, True]


def test_the_digest_counts_what_items_depend_on_and_nothing_else(mounted: Mounted) -> None:
    package = f"generator_service.benchmarks.{mounted.benchmark.name}"
    modules = item_modules(mounted.benchmark)
    assert {f"{package}.{name}" for name in ("sampler", "question", "renderer", "spec")} <= modules
    assert f"{package}.card" not in modules
    assert digest_of(replace(mounted, bank_digest="another")) != digest_of(mounted)
    assert "generator_service.drawing.canvas" in SHARED, "no bank's digest tells of it"


def test_a_report_says_what_does_not_hold(mounted: Mounted) -> None:
    score = Score(right=90, n=100, ceiling=0.5, exact=True)
    finding = Finding(part="p", solver="s", sees="options-only", cell="c", score=score, verdict=BROKEN)
    text = written(mounted.benchmark.card, "0" * 64, [finding], [caught(finding)], "## More\n")
    assert text.endswith("## More\n")
    assert "**1 do not hold**" in text
    assert "| options-only | s | c | = 0.500 | 0.9000 |" in text
