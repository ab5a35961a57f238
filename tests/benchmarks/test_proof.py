"""The proof at small n: nothing is broken, every leak is caught, and the committed report is of this code."""

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from generator_service.finding import find_benchmarks
from generator_service.mounting import Mounted
from generator_service.proving.cases import Variant, cases_of, draw_of, reached_from, variants_of
from generator_service.proving.equivalence import (
    BROKEN,
    FAMILY,
    HOLDS,
    NOT_REFUTED,
    UNDECIDED,
    WEAK,
    Score,
    holm,
    verdicts,
)
from generator_service.proving.findings import (
    TELLING_PART,
    Finding,
    Sizes,
    derived_findings,
    judge_leak,
    leak_findings,
    mounted_of,
    probe_findings,
    seeing_findings,
    variant_findings,
)
from generator_service.proving.golden import golden_of
from generator_service.proving.knowledge import knowledge_of
from generator_service.proving.pages import digests
from generator_service.proving.report import BEHIND, PAGE, page_rows, write_report
from generator_service.proving.study import cells_of, place_scores, shuffled_labels
from generator_service.registry import mount
from tests.benchmarks.proved import FULL, MORE, PART, in_the_tree, is_proved, sizes_of
from tests.benchmarks.refuting import refuted
from tests.people import mounted_for_tests
from tetrad.contracts.wire import ParameterValue

# Counting lines would take as long again; what the proof runs is covered by the benchmarks' own tests.
pytestmark = pytest.mark.no_cover
TOYS = Path(__file__).parents[1] / "toy_benchmarks"


@pytest.fixture(scope="module", params=in_the_tree())
def mounted(request: pytest.FixtureRequest, bank_without_people: Path) -> Mounted:
    name = str(request.param)
    mounted = mounted_for_tests((one for one in find_benchmarks() if one.name == name), bank_without_people).newest(
        name
    )
    assert mounted is not None
    return mounted


def test_the_committed_report_is_of_these_items_or_says_that_it_is_of_earlier_ones(mounted: Mounted) -> None:
    golden, name = golden_of(mounted.benchmark), mounted.benchmark.name
    assert golden is not None
    [first], highest, _ = PAGE.rows_about(name)
    said = first[-1], {row[-1] for row in highest}
    if digests(PAGE.name).get(name) == golden.digest:
        assert said == ("all hold", {HOLDS})
        assert first[1] == str(mounted.benchmark.version)
    else:
        remedy = (
            f"docs/proof.md is stale: run `make proof`, or say so: python -m generator_service.proving {name} --behind"
        )
        assert said == (BEHIND, {BEHIND}), remedy


def looked_at(mounted: Mounted) -> list[Variant]:
    """Return all variants, or the first where the benchmark is proved as it is."""
    variants = variants_of(mounted.benchmark.card)
    return variants[:1] if is_proved(mounted.benchmark.name) else variants


def test_no_blind_solver_breaks_a_ceiling_and_the_seeing_ones_solve_all(mounted: Mounted) -> None:
    sizes = sizes_of(mounted.benchmark.name)
    wrong = {BROKEN} if sizes is PART else {BROKEN, WEAK}  # some learn too little from few items to reach a ceiling
    for variant in looked_at(mounted):
        blind = variant_findings(mounted, variant, sizes, looks=1)
        assert blind
        assert not [finding for finding in blind if finding.verdict in wrong]
        assert {finding.verdict for finding in seeing_findings(mounted, variant, sizes)} <= {"all right", "above"}


def test_no_probe_that_is_trained_on_practice_breaks_a_ceiling(mounted: Mounted) -> None:
    known, variants = knowledge_of(mounted.benchmark.name), looked_at(mounted)
    sizes = sizes_of(mounted.benchmark.name)
    found = [finding for variant in variants for finding in probe_findings(mounted, variant, sizes)]
    assert not [finding for finding in found if finding.verdict == BROKEN]
    assert bool(found) == any(known.probes(mounted, variant) for variant in variants)


def test_ceilings_hold_under_the_parameters_that_no_ceiling_names(mounted: Mounted) -> None:
    """Each value is looked at in one of the tracks that take it, in turn; `make proof` does all.

    Where the benchmark is proved as it is, each third value.
    """
    card = mounted.benchmark.card
    takers: dict[tuple[str, ParameterValue], list[Variant]] = {}
    for variant in looked_at(mounted):
        for one in reached_from(card, variant):
            takers.setdefault(list(one.parameters.items())[-1], []).append(one)
    chosen = [found[number % len(found)] for number, found in enumerate(takers.values())]
    assert bool(chosen) == bool(card.parameters)
    if is_proved(card.name):
        chosen = chosen[::3]
    found = refuted(mounted, chosen, sizes_of(card.name).reached)
    assert not [finding for finding in found.values() if finding.verdict == BROKEN or not is_proved(card.name)]


def test_every_check_can_fail_and_fails_where_a_generator_leaks(mounted: Mounted) -> None:
    """Where the benchmark is proved as it is, one of the solvers that must catch a leak is enough."""
    sizes = sizes_of(mounted.benchmark.name)
    found = [judge_leak(finding) for finding in leak_findings(mounted, sizes)]
    caught = {finding.part for finding in found if finding.verdict == "caught"}
    if sizes is PART:
        for larger in (MORE, FULL):
            if escaped := {finding.part for finding in found} - caught:
                again = map(judge_leak, leak_findings(mounted, larger, escaped))
                caught |= {finding.part for finding in again if finding.verdict == "caught"}
        assert found
        assert {finding.part for finding in found} == caught
        return
    assert not [finding for finding in found if finding.verdict != "caught"]
    variant, few = variants_of(mounted.benchmark.card)[0], FULL.scale(0.1)
    checks = {(finding.solver, finding.sees) for finding in variant_findings(mounted, variant, few, looks=1)}
    checks |= {(finding.solver, finding.sees) for finding in probe_findings(mounted, variant, few)}
    assert {(one.solver, one.sees) for one in found if one.part != TELLING_PART} == checks


def test_no_learner_that_is_derived_from_the_clues_finds_what_no_ceiling_declares(mounted: Mounted) -> None:
    sizes = sizes_of(mounted.benchmark.name)
    found = [
        finding
        for variant in variants_of(mounted.benchmark.card)
        for finding in derived_findings(mounted, variant, sizes)
    ]
    assert not [finding for finding in found if finding.verdict == BROKEN]


@pytest.fixture(scope="module")
def toy(bank_folder: Path) -> Mounted:
    return mounted_of("toy", bank_folder, [TOYS])


def test_a_benchmark_that_the_proof_knows_nothing_of_is_held_to_its_chance_levels(toy: Mounted) -> None:
    [variant] = variants_of(toy.benchmark.card)
    found = variant_findings(toy, variant, Sizes(items=800, pictures=600), looks=1)
    assert {one.sees for one in found} == {"options-only", "pair-blind", "text-only", "order", "place"}
    assert not [one for one in found if one.verdict in {BROKEN, WEAK}]
    words, part = leak_findings(toy, FULL)
    assert (words.part, words.solver) == ("telling words", "question and options")
    assert (part.part, part.sees) == (TELLING_PART, "all but shown")
    assert {judge_leak(leak).verdict for leak in (words, part)} == {"caught"}
    assert [one.verdict for one in seeing_findings(toy, variant, FULL)] == ["all right"]


def test_questions_without_a_ceiling_of_a_sight_are_held_to_chance(bank_folder: Path) -> None:
    mounted = mount((one for one in find_benchmarks() if one.name == "marvel"), bank_folder).newest("marvel")
    assert mounted is not None
    card, [variant, *_] = mounted.benchmark.card, variants_of(mounted.benchmark.card)
    cases = list(cases_of(mounted, draw_of(mounted, variant, "6"), range(60)))

    of_options = [one for one in card.ceilings if one.solver == "options-only"]
    assert {one.where["stage"] for one in of_options} == {("avr",)}
    found = cells_of(card, variant, "options-only", cases)
    assert [cell.where for cell in found] == [*(one.where for one in of_options), {"stage": ("fine",)}]
    silent = msgspec.structs.replace(card, ceilings=())
    assert [cell.where for cell in cells_of(silent, variant, "options-only", cases)] == [
        {"stage": ("avr",)},
        {"stage": ("fine",)},
    ]


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


def test_who_is_never_wrong_holds_a_ceiling_of_1_and_who_errs_more_than_the_margin_does_not() -> None:
    scores = [Score(right=right, n=2000, ceiling=1.0, exact=True) for right in (2000, 1995, 1900)]
    assert [verdicts([score], FAMILY)[0] for score in scores] == [HOLDS, HOLDS, WEAK]
    none = [Score(right=right, n=2000, ceiling=0.0, exact=True) for right in (0, 100)]
    assert [verdicts([score], FAMILY)[0] for score in none] == [HOLDS, BROKEN]


def test_holm_steps_down_and_stops_at_the_first_that_is_not_rejected() -> None:
    assert holm([0.01, 0.04, 0.02], 0.05) == [True, True, True]
    assert holm([0.01, 0.04, 0.03], 0.05) == [True, False, False]
    assert holm([0.02, 0.001, 0.2, 0.012], 0.05) == [True, True, False, True]


def test_a_report_says_what_does_not_hold(mounted: Mounted) -> None:
    score = Score(right=90, n=100, ceiling=0.5, exact=True)
    finding = Finding(part="p", solver="s", sees="options-only", cell="c", score=score, verdict=BROKEN)
    elsewhere = replace(finding, part="q", verdict=NOT_REFUTED)
    others = [elsewhere, replace(elsewhere, verdict=WEAK)]
    text = write_report(mounted, [finding], [judge_leak(finding)], elsewhere=others, section="## More\n")
    assert text.endswith("## More\n")
    assert "**2 do not hold**" in text
    assert "1 checks, 2 under other parameters, 1 on leaky generators" in text
    assert (mounted.bank_digest[:12] in text) == (mounted.bank is not None)
    assert "| q | options-only | s | c | = 0.500 |" in text
    assert "| options-only | s | c | = 0.500 | 0.9000 |" in text
    [first], highest, _ = page_rows(mounted, FULL, [finding], [judge_leak(finding), finding], others)
    assert first[3:] == (f"{FULL.items}", "1", "2", "1 of 2 caught", "**3 do not hold**: p, s")
    assert [row[1:5] for row in highest] == [("options-only", "p: c", "0.500", "0.9000")]
