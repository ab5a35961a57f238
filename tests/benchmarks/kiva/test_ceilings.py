"""The card's ceilings, by exact enumeration of every cell, arrangement and option set, in fractions."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from itertools import product

import pytest

from generator_service.benchmarks.kiva import BENCHMARK
from generator_service.benchmarks.kiva.arrangements import arrangements_of, list_combined
from generator_service.benchmarks.kiva.changing import combine_states
from generator_service.benchmarks.kiva.eligible import KivaBank
from generator_service.benchmarks.kiva.members import aspect_families, list_how_words, list_which_states
from generator_service.benchmarks.kiva.option_sets import Arrangement
from generator_service.benchmarks.kiva.pictures import GIVEN, holds
from generator_service.benchmarks.kiva.solver import apply_reading, readings_of
from generator_service.benchmarks.kiva.spec import (
    ADULTS,
    COMBINATIONS,
    COMPOSITIONALITY,
    DISTRACTORS,
    DOMAINS,
    EIGHT,
    EXTRAPOLATION_ONLY,
    FOUR,
    FULL,
    KIVA,
    TRACKS,
    domains_of,
)
from tests.benchmarks.kiva.trials import DEFAULTS, trials
from tetrad.contracts.benchmarks import Ceiling
from tetrad.contracts.wire import ParameterValue

Found = tuple[Arrangement, ...]
Parameters = dict[str, ParameterValue]
Seen = Callable[[Found, str], tuple[Hashable, Hashable]]
"""What is seen of the arrangement under this form of mixtures, and what is right."""


def options_only(found: Found, mixtures: str = FOUR) -> tuple[Hashable, Hashable]:
    states = list_which_states(found, mixtures)
    return frozenset(states), states[0]


def pair_blind(found: Found, mixtures: str = FOUR) -> tuple[Hashable, Hashable]:
    states = list_which_states(found, mixtures)
    return (combine_states(tuple(one.start for one in found)), frozenset(states)), states[0]


def text_only(found: Found, mixtures: str = FOUR) -> tuple[Hashable, Hashable]:
    words = list_how_words(found, mixtures)
    return frozenset(words), words[0]


VIEWS: dict[tuple[str, str], Seen] = {
    ("options-only", "extrapolation"): options_only,
    ("pair-blind", "extrapolation"): pair_blind,
    ("text-only", "specification"): text_only,
}
FORMS = [(FOUR, "2", Fraction(1, 4)), (FOUR, "3", Fraction(1, 4)), (EIGHT, "3", Fraction(1, 8))]
RULES = [(track, rule) for track in (KIVA, ADULTS) for rule in DISTRACTORS]


def drawn(track: str, distractors: str) -> Iterator[tuple[str, Found, Fraction]]:
    """Yield every change trial's domain and arrangement with its share of a balanced block."""
    strata = BENCHMARK.strata(track, "full", DEFAULTS | {"distractors": distractors, "no_change": 20})
    for cell in (cell for cell in strata if cell.facets["change"] == "yes"):
        domain = cell.facets["domain"]
        listed: list[Found] = (
            [(one,) for one in arrangements_of(track, domain, distractors, cell.facets["value"])]
            if "value" in cell.facets
            else list(product(*(list_combined(one, domains_of(domain)) for one in domains_of(domain))))
        )
        yield from ((domain, found, Fraction(cell.weight, len(listed))) for found in listed)


def best(seen: dict[Hashable, dict[Hashable, Fraction]]) -> Fraction:
    """Return what the Bayes solver gets: the most probable key of each view."""
    total = sum((sum(keys.values()) for keys in seen.values()), Fraction(0))
    return sum((max(keys.values()) for keys in seen.values()), Fraction(0)) / total


def table() -> dict[Hashable, dict[Hashable, Fraction]]:
    return defaultdict(lambda: defaultdict(Fraction))


def declared(
    solver: str, stage: str, track: str, distractors: str, parameters: Parameters | None = None, /, **where: str
) -> float:
    """Return the one value that the card declares there under these parameters, the others at their defaults."""
    under = DEFAULTS | {"distractors": distractors} | (parameters or {})
    [value] = [
        ceiling.value
        for ceiling in BENCHMARK.card.ceilings
        if (ceiling.solver, ceiling.track) == (solver, track)
        and ceiling.where.items() >= {"stage": (stage,), **{name: (one,) for name, one in where.items()}}.items()
        and ceiling.parameters.items() <= under.items()
    ]
    return value


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize(("track", "distractors"), RULES)
@pytest.mark.parametrize(("solver", "stage"), VIEWS)
def test_the_declared_ceiling_is_exact(solver: str, stage: str, track: str, distractors: str, domain: str) -> None:
    seen = table()
    for of, found, share in drawn(track, distractors):
        if of == domain:
            view, key = VIEWS[solver, stage](found, FOUR)
            seen[view][key] += share
    expected = declared(solver, stage, track, distractors, domain=domain)
    assert float(best(seen)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("mixtures", "count", "ceiling"), FORMS)
@pytest.mark.parametrize(("solver", "stage"), VIEWS)
def test_the_declared_ceiling_of_several_changes_is_exact_in_every_combination(
    solver: str, stage: str, mixtures: str, count: str, ceiling: Fraction
) -> None:
    by_domain: dict[str, dict[Hashable, dict[Hashable, Fraction]]] = defaultdict(table)
    for of, found, share in drawn(COMPOSITIONALITY, "balanced"):
        if len(found) == int(count):
            view, key = VIEWS[solver, stage](found, mixtures)
            by_domain[of][view][key] += share
    expected = declared(solver, stage, COMPOSITIONALITY, "balanced", {"mixtures": mixtures}, changes=count)
    assert {best(seen) for seen in by_domain.values()} == {ceiling}
    assert expected == ceiling


@pytest.mark.parametrize(("mixtures", "share"), [(FOUR, 1), (EIGHT, Fraction(1, 2))])
@pytest.mark.parametrize("unseen", [0, 1, 2])
def test_two_of_three_changes_settle_four_pictures_and_leave_two_of_eight(
    mixtures: str, share: Fraction, unseen: int
) -> None:
    by_domain: dict[str, dict[Hashable, dict[Hashable, Fraction]]] = defaultdict(table)
    for of, found, weight in drawn(COMPOSITIONALITY, "balanced"):
        if len(found) == 3:
            view, key = pair_blind(found, mixtures)
            seen = tuple(one.right for at, one in enumerate(found) if at != unseen)
            by_domain[of][view, seen][key] += weight
    assert {best(seen) for seen in by_domain.values()} == {share}


def classified(track: str, distractors: str, count: int) -> Fraction:
    seen = table()
    for domain, found, share in drawn(track, distractors):
        if len(found) == count:
            families = aspect_families(domain)
            for family in families:
                seen[frozenset(family)][family[0]] += share / len(families)
    return best(seen)


@pytest.mark.parametrize(("track", "distractors"), RULES)
def test_the_words_of_classification_alone_give_what_is_declared(track: str, distractors: str) -> None:
    found = classified(track, distractors, 1)
    assert found == {KIVA: Fraction(7, 15), ADULTS: Fraction(38, 87)}[track]
    assert float(found) == declared("text-only", "classification", track, distractors)


@pytest.mark.parametrize("solver", ["options-only", "pair-blind"])
@pytest.mark.parametrize(("track", "distractors"), [*RULES, (COMPOSITIONALITY, "balanced")])
def test_questions_in_words_show_the_pair_alone_so_without_it_their_words_are_all(
    blocks: KivaBank, solver: str, track: str, distractors: str
) -> None:
    for scene in trials(blocks, 2, FULL, track, distractors=distractors, presentation="composite"):
        worded = [keyed.question for keyed in BENCHMARK.questions(scene) if keyed.question.kind != "which"]
        for question in worded:
            assert [holds(scene, picture.name).keys() for picture in question.pictures] == [{GIVEN}]
    cells = [{"changes": "2"}, {"changes": "3"}] if track == COMPOSITIONALITY else [{"domain": one} for one in DOMAINS]
    for cell in cells:
        words, blind = (declared(one, "specification", track, distractors, **cell) for one in ("text-only", solver))
        assert words == blind
        where = cell if "changes" in cell else {}
        words, blind = (declared(one, "classification", track, distractors, **where) for one in ("text-only", solver))
        assert words == blind


@pytest.mark.parametrize(("mixtures", "count"), [(mixtures, int(count)) for mixtures, count, _ in FORMS])
def test_the_words_of_sets_alone_give_what_is_declared(mixtures: str, count: int) -> None:
    found = classified(COMPOSITIONALITY, "balanced", count)
    under: Parameters = {"mixtures": mixtures}
    expected = declared("text-only", "classification", COMPOSITIONALITY, "balanced", under, changes=str(count))
    assert float(found) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("track", "distractors"), [*RULES, (COMPOSITIONALITY, "balanced")])
def test_who_takes_the_answer_of_the_solved_examples_is_right_about_what_changed(
    blocks: KivaBank, track: str, distractors: str
) -> None:
    under: Parameters = {"in_context": 2, "no_change": 0}
    for scene in trials(blocks, 2, FULL, track, distractors=distractors, **under):
        keyed = BENCHMARK.questions(scene)[0]
        texts = {option.text: option.label for option in keyed.question.options}
        for example in keyed.question.examples:
            [answer] = [option.text for option in example.options if option.label == example.answer]
            assert texts[answer] == keyed.key.label
    assert declared("text-only", "classification", track, distractors, under) == 1
    assert declared("pair-blind", "extrapolation", track, distractors, under, **one_cell(track)) < 1


@pytest.mark.parametrize(("track", "distractors"), [*RULES, (COMPOSITIONALITY, "balanced")])
def test_who_reads_the_first_row_of_a_sentence_needs_no_given_pair(
    blocks: KivaBank, track: str, distractors: str
) -> None:
    under: Parameters = {"presentation": "sentence", "no_change": 0}
    for scene in trials(blocks, 6, EXTRAPOLATION_ONLY, track, distractors=distractors, **under):
        [row] = scene.rows
        led = {apply_reading(scene.test_before, reading) for reading in readings_of(row.before, row.after)}
        assert led & set(scene.extrapolation[0]) == {scene.test_after}
    assert declared("pair-blind", "extrapolation", track, distractors, under) == 1


def one_cell(track: str) -> dict[str, str]:
    return {"changes": "2"} if track == COMPOSITIONALITY else {"domain": "size"}


def test_a_composite_sheet_hides_the_pair_as_separate_pictures_do() -> None:
    for track, rule in RULES:
        for domain in DOMAINS:
            values = [
                declared("pair-blind", "extrapolation", track, rule, {"presentation": one}, domain=domain)
                for one in ("separate", "composite")
            ]
            assert values[0] == values[1] < 1


def test_the_figures_of_the_requirements() -> None:
    figures = {
        "balanced": {"color": 1 / 3, "number": 1 / 3, "rotation": 1 / 3, "size": 1 / 2, "reflection": 1 / 2},
        "published": {"color": 1 / 3, "number": 5 / 6, "rotation": 2 / 3, "size": 1 / 2, "reflection": 1 / 2},
    }
    for distractors, values in figures.items():
        for domain, value in values.items():
            assert declared("options-only", "extrapolation", KIVA, distractors, domain=domain) == value
    for domain in DOMAINS:
        assert declared("pair-blind", "extrapolation", KIVA, "balanced", domain=domain) == 1 / 2
        assert declared("pair-blind", "extrapolation", ADULTS, "balanced", domain=domain) == 1 / 2
        assert declared("options-only", "extrapolation", ADULTS, "balanced", domain=domain) == 1 / 3
    assert declared("options-only", "extrapolation", ADULTS, "published", domain="number") == 5 / 6
    assert declared("pair-blind", "extrapolation", ADULTS, "published", domain="number") == 11 / 12


def test_every_ceiling_is_of_a_track_and_of_questions_that_tell_nothing() -> None:
    found: list[Ceiling] = list(BENCHMARK.card.ceilings)
    assert {ceiling.track for ceiling in found} == set(TRACKS)
    assert all(ceiling.where["told"] == ("nothing",) and ceiling.where["change"] == ("yes",) for ceiling in found)
    assert len(COMBINATIONS) == 16


def test_rotation_weighed_a_quarter_a_quarter_a_half_would_leak() -> None:
    """Why the balanced cells do not weigh 180 degrees twice: whoever sees the test input would know better."""
    weights = {"+90": Fraction(1, 4), "-90": Fraction(1, 4), "180": Fraction(1, 2)}
    seen = table()
    for value, weight in weights.items():
        listed = arrangements_of(KIVA, "rotation", "balanced", value)
        for found in listed:
            view, key = pair_blind((found,))
            seen[view][key] += weight / len(listed)
    assert best(seen) > Fraction(1, 2)
