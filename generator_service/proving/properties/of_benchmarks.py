"""Properties of a benchmark as a whole: its card, and what it declares."""

import re
from collections.abc import Iterator
from itertools import product

from generator_service.mining.catalogue import jobs
from generator_service.mounting import Mounted
from generator_service.proving.blind_solvers import SIGHTS
from generator_service.proving.cases import variants_of
from generator_service.proving.knowledge import knowledge_of
from generator_service.proving.properties.questions import find_outcomes
from generator_service.proving.samples import ITEMS, Place, places, sample_at
from tetrad.contracts.benchmarks import Card

FEW = 100  # items in which most mistakes occur
NOT_THESE = "not these"  # of a figure that was measured on other pictures than are served


def check_card(mounted: Mounted) -> Iterator[str]:
    card = mounted.benchmark.card
    known = {setting.name for setting in card.settings}
    for track in card.tracks:
        if unknown := set(track.settings) - known:
            yield f"track {track.name} names settings {sorted(unknown)} that the card does not have"
    if not card.credit.url.startswith("https://"):
        yield f"credit.url {card.credit.url!r} is not an https address: give the paper's"
    if card.headline.metric not in {metric.name for metric in card.metrics}:
        yield f"headline.metric {card.headline.metric!r} is not a metric of the card"
    for setting in card.settings:
        if setting.metric and setting.metric not in {metric.name for metric in card.metrics}:
            yield f"setting {setting.name}: metric {setting.metric!r} is not a metric of the card"
    yield from _find_untrue_rows(card)
    balanced = {
        name
        for place in places(mounted)
        if not place.parameters
        for stratum in mounted.benchmark.strata(
            place.track, place.setting, mounted.identity(place.track, place.setting, {}).parameters
        )
        for name in stratum.facets
    }
    if unknown := set(card.filters) - balanced:
        yield f"filters {sorted(unknown)} are facets of no stratum: practice items are found by their strata"


def _find_untrue_rows(card: Card) -> Iterator[str]:
    """A published figure says where it is printed, and of which pictures and prompt. Only a corpus has its own."""
    for row in card.reference:
        name = f"reference row {row.name!r}, {row.source!r}"
        if not re.search(r"table|section|appendix|release", row.source) and row.kind != "baseline":
            yield f"{name}: source names no table and no section"
        if not row.prompt:
            yield f'{name}: prompt is empty: say how it was asked, or "not said"'
        if row.kind != "baseline" and (NOT_THESE in row.pictures) is (card.corpus is not None):
            yield f"{name}: pictures {row.pictures!r}: {NOT_THESE!r} is true of items that are not the paper's own"


def check_tables(mounted: Mounted) -> Iterator[str]:
    """Every table that items depend on is one that a job makes, and is named as the job names it."""
    made = {job.table(stage.name): stage.name for job in jobs().values() for stage in job.stages}
    for kind, names in mounted.benchmark.tables.items():
        for name in (name for name in names if name not in made):
            job, _, stage = name.partition("/")
            near = [table for table in made if table.startswith(f"{job}/{stage.partition('-')[0]}-")] or sorted(made)
            yield f"tables[{kind!r}] names {name!r}, which no job makes; there are {', '.join(near)}"


def check_tracks(mounted: Mounted) -> Iterator[str]:
    card = mounted.benchmark.card
    for track in card.tracks:
        if not any(ceiling.track in {None, track.name} for ceiling in card.ceilings):
            yield f"track {track.name} has no ceiling: declare the score of the best solver that sees only a part"
    known = knowledge_of(card.name)
    sights = SIGHTS | {solver.sees for variant in variants_of(card) for solver in known.solvers(variant)}
    held = sights | {model.name for model in known.models} | known.lacks.keys()
    for name in sorted({ceiling.solver for ceiling in card.ceilings} - held):
        yield (
            f"nothing is held to the ceiling of {name!r}: no solver sees that, no model of knowledge.py is called so; "
            f"there are {', '.join(sorted(held))}"
        )


def _kinds_asked(mounted: Mounted, place: Place) -> set[str]:
    return {
        kind
        for setting in mounted.benchmark.card.settings
        if setting.name == place.setting
        for kind in setting.questions
    }


def check_declared_outcomes(mounted: Mounted) -> Iterator[str]:
    """Every mistake that is declared occurs in some place: under the defaults, or under some value of a parameter."""
    waiting = {(kind, name) for kind, names in mounted.benchmark.outcomes.items() for name in names}
    by_default_first = sorted(places(mounted), key=lambda place: len(place.parameters))
    for items, place in product((FEW, ITEMS), by_default_first):
        if waiting and {kind for kind, _ in waiting} & _kinds_asked(mounted, place):
            found = sample_at(mounted, place, items).questions()
            waiting -= {(keyed.question.kind, name) for _, _, keyed in found for name in find_outcomes(keyed).values()}
    for kind, name in sorted(waiting):
        yield f"outcomes[{kind!r}] declares {name!r}, which no option of any item stands for: take it out"
