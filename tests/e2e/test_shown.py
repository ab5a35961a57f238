"""Every track and setting, answered over HTTP by who can solve it and by who guesses: each gets what is declared."""

from dataclasses import replace
from pathlib import Path

import pytest
from scipy.stats import binom

from generator_service.finding import find_benchmarks
from generator_service.proving.bounds import ABOVE, AT_MOST, BROKEN, EQUAL, HOLDS, UNDECIDED, Bound, tails, verdict
from generator_service.proving.findings import mounted_of
from generator_service.proving.golden import golden_of
from generator_service.proving.knowledge import knowledge_of
from generator_service.proving.pages import digests
from generator_service.proving.report import BEHIND
from generator_service.registry import mount
from generator_service.sources.store import open_sources
from tests.instance import Instance
from tests.people import mounted_for_tests, waits_for_people
from tests.shown.answering import Site, site_at
from tests.shown.places import Place, boards
from tests.shown.report import PAGE
from tests.shown.showing import Try, shown, shown_benchmarks, tries
from tetrad.client import Client

SIZE = 4
NAMES = shown_benchmarks()


def site_of(instance: Instance, team: Client, bank_folder: Path, name: str) -> Site:
    """Mount the benchmark from what the instance draws from."""
    mounted = mounted_of(name, bank_folder)
    if waits_for_people(mounted):
        both = open_sources(f"file://{instance.data_directory.folder / 'sources'},file://{bank_folder}")
        found = mount((one for one in find_benchmarks() if one.name == name), both).newest(name)
        assert found is not None
        mounted = found
    return site_at(instance, team, mounted)


@pytest.mark.parametrize("name", NAMES)
def test_the_solver_gets_what_is_declared_on_every_track_and_in_every_setting_and_a_guesser_on_every_track(
    instance: Instance, team: Client, bank_folder: Path, name: str
) -> None:
    """At a small size; docs/shown.md has every model on every board, and is held to these items below."""
    site = site_of(instance, team, bank_folder, name)
    card, unsolvable = site.mounted.benchmark.card, site.mounted.benchmark.exempt
    first = {(track.name, track.settings[0]) for track in card.tracks}
    # A benchmark says of a kind of question that nobody can solve it; some settings ask no other.
    kinds = {setting.name: setting.questions for setting in card.settings}
    solvable = [
        (place.track, place.setting)
        for place in boards(card)
        if any(f"key/{kind}" not in unsolvable for kind in kinds[place.setting])
    ]
    every = first.intersection(solvable) | set({setting: (track, setting) for track, setting in solvable}.values())
    solver = knowledge_of(name).models[0].name
    answering = {solver: every, "random": first}
    planned = [
        one
        for one in tries(name, card)
        if (one.place.track, one.place.setting) in answering.get(one.model.name, ()) and not one.place.parameters
    ]
    rows = shown(site, planned, SIZE)
    assert [row for row in rows if row.verdict == BROKEN] == []
    for model, places in answering.items():
        assert {(row.place.track, row.place.setting) for row in rows if row.model.name == model} == places
    for track in card.tracks:
        solved = [row for row in rows if row.place.track == track.name and row.model.name == solver]
        bounds = [bound for row in solved for bound in row.bounds]
        assert verdict(sum(row.right for row in solved), bounds) != BROKEN, "of many settings' few questions together"


@pytest.mark.parametrize("name", NAMES)
def test_the_page_is_of_these_items_and_all_on_it_holds_or_it_says_that_it_is_of_earlier_ones(
    bank_folder: Path, name: str
) -> None:
    mounted = mounted_for_tests((one for one in find_benchmarks() if one.name == name), bank_folder).newest(name)
    assert mounted is not None
    golden = golden_of(mounted.benchmark)
    assert golden is not None
    [submitted], models = PAGE.rows_about(name)
    said = {row[-1] for row in [submitted, *models]}
    remedy = f"docs/shown.md is stale: run `python -m tests.shown --benchmark {name}`, or say so: with --behind"
    if digests(PAGE.name).get(name) != golden.digest:
        assert said == {BEHIND}, remedy
        return
    assert submitted[1] == str(mounted.benchmark.version), remedy
    assert said == {"all hold"}, remedy
    named = {model for row in models for model in row[1].split(", ")}
    assert named == {model.name for model in knowledge_of(name).models}, remedy


def test_tails_are_those_of_a_binomial_where_all_chances_are_alike() -> None:
    low, high = tails(7, [0.3] * 20)
    assert low == pytest.approx(binom.cdf(7, 20, 0.3))
    assert high == pytest.approx(binom.sf(6, 20, 0.3))
    assert tails(2, [1.0, 0.0, 1.0]) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("relation", "chance", "right", "count", "expected"),
    [
        (EQUAL, 1.0, 40, 40, HOLDS),
        (EQUAL, 1.0, 39, 40, BROKEN),
        (EQUAL, 0.0, 0, 40, HOLDS),
        (EQUAL, 0.0, 1, 40, BROKEN),
        (EQUAL, 0.25, 50, 200, HOLDS),
        (EQUAL, 0.25, 90, 200, BROKEN),
        (EQUAL, 0.25, 20, 200, BROKEN),
        (AT_MOST, 0.25, 20, 200, HOLDS),
        (AT_MOST, 0.25, 90, 200, BROKEN),
        (ABOVE, 0.97, 195, 200, HOLDS),
        (ABOVE, 0.97, 194, 200, UNDECIDED),
        (ABOVE, 0.97, 170, 200, BROKEN),
    ],
)
def test_a_score_that_is_not_what_was_declared_does_not_hold(
    relation: str, chance: float, right: int, count: int, expected: str
) -> None:
    assert verdict(right, [Bound(relation=relation, chance=chance)] * count) == expected


def test_a_guesser_held_to_a_solver_s_bound_does_not_hold(instance: Instance, team: Client, bank_folder: Path) -> None:
    site = site_of(instance, team, bank_folder, "marvel")
    solver, *others = knowledge_of("marvel").models
    guesser = replace(next(one for one in others if one.name == "random"), declared=solver.declared)
    [row] = shown(site, [Try(place=Place(track="marvel", setting="avr-only"), model=guesser)], 20)
    assert (row.model.name, row.count, row.verdict) == ("random", 20, BROKEN)


def test_a_score_with_a_part_that_may_lie_lower_is_held_from_above_alone() -> None:
    bounds = [Bound(relation=EQUAL, chance=0.5)] * 100 + [Bound(relation=AT_MOST, chance=2 / 3)] * 100
    assert [verdict(right, bounds) for right in (20, 116, 180)] == [HOLDS, HOLDS, BROKEN]
