"""The proof of KiVA's ceilings notices claims of too much or too little."""

from dataclasses import replace
from pathlib import Path

import pytest
from msgspec.structs import replace as replaced

from generator_service.benchmarks.kiva.knowledge import KNOWLEDGE
from generator_service.mounting import Mounted
from generator_service.proving.cases import Variant, cases_of, draw_of, reached_from, variants_of
from generator_service.proving.equivalence import BROKEN, WEAK
from generator_service.proving.findings import mounted_of
from tests.benchmarks.refuting import refuted
from tetrad.contracts.wire import ParameterValue

# Counting lines would take as long again; what the proof runs is covered by the benchmark's own tests.
pytestmark = pytest.mark.no_cover


def test_kiva_s_parameters_are_each_reached_on_every_track_that_takes_them(bank_folder: Path) -> None:
    card = mounted_of("kiva", bank_folder).benchmark.card
    of_track = {
        variant.track: {list(one.parameters)[-1] for one in reached_from(card, variant)}
        for variant in variants_of(card)
    }
    every = {parameter.name for parameter in card.parameters} - {"distractors", "mixtures"}
    assert of_track == {track.name: every for track in card.tracks}


def claiming_of(mounted: Mounted, **where: object) -> Mounted:
    """Declare what ceilings say under one parameter set of every other one, as kiva's card once did."""
    card = mounted.benchmark.card
    general = tuple(
        replaced(one, parameters={"distractors": one.parameters["distractors"]})
        for one in card.ceilings
        if all(one.parameters.get(name, value) == value for name, value in where.items())
    )
    return replace(mounted, benchmark=replace(mounted.benchmark, card=replaced(card, ceilings=general)))


def reached_by(mounted: Mounted, name: str) -> list[Variant]:
    card = mounted.benchmark.card
    return [one for one in reached_from(card, variants_of(card)[0]) if name in one.parameters]


def test_a_ceiling_that_claims_too_much_blindness_is_found_out(bank_folder: Path) -> None:
    mounted = mounted_of("kiva", bank_folder)
    claiming = claiming_of(mounted, presentation="separate", in_context=0)
    examples, sheets = (reached_by(mounted, name) for name in ("in_context", "presentation"))
    found = refuted(claiming, [*examples, *sheets])
    assert {(part.rpartition(", ")[2], sees): one.verdict for (part, sees), one in found.items()} == {
        ("in_context=2", "text-only"): BROKEN,
        ("in_context=2", "pair-blind"): BROKEN,
        ("presentation=sentence", "pair-blind"): BROKEN,
    }


def test_a_ceiling_that_nobody_reaches_is_found_out(bank_folder: Path) -> None:
    mounted = mounted_of("kiva", bank_folder)
    claiming = claiming_of(mounted, presentation="sentence", in_context=2)
    found = refuted(claiming, reached_by(mounted, "crop"))
    assert {sees: one.verdict for (_, sees), one in found.items()} == {"text-only": WEAK, "pair-blind": WEAK}


def test_kiva_s_pair_blind_solver_finds_the_way_out_of_a_sentence_in_which_nothing_changes(bank_folder: Path) -> None:
    mounted = mounted_of("kiva", bank_folder)
    parameters: dict[str, ParameterValue] = {"distractors": "balanced", "presentation": "sentence", "no_change": 50}
    for track in ("kiva", "kiva-compositionality"):
        variant = Variant(track=track, setting="extrapolation-only", parameters=parameters)
        cases = list(cases_of(mounted, draw_of(mounted, variant, "3"), range(60)))
        [solver] = [one for one in KNOWLEDGE.solvers(variant) if one.sees == "pair-blind"]
        guesses = solver.learn([], [])([solver.look(case) for case in cases])
        assert guesses == [case.label for case in cases]
