"""Preconditions of conversations, for every benchmark: ids tell repeats apart, cards say what is joined."""

from pathlib import Path

import pytest

from api.boards.queries import resolve_conversation
from api.errors import InvalidInputError
from generator_service.benchmark import Benchmark
from generator_service.draws import Draw
from generator_service.finding import find_benchmarks
from generator_service.items import make_item
from generator_service.registry import Registry
from tests.people import mounted_for_tests

TOYS = Path(__file__).parents[1] / "toy_benchmarks"
FOUND = list(find_benchmarks([TOYS]))
PLACES = [
    (one.name, track.name, setting)
    for one in FOUND
    for track in one.card.tracks
    if track.name not in one.brought_tracks  # tested beside their benchmarks, on sources of their own
    for setting in track.settings
]


@pytest.fixture(scope="module")
def registry(bank_folder: Path) -> Registry:
    return mounted_for_tests(FOUND, bank_folder)


@pytest.mark.parametrize("place", PLACES, ids="-".join)
def test_a_question_s_id_is_its_kind_and_what_tells_its_repeats_apart(
    registry: Registry, place: tuple[str, str, str]
) -> None:
    name, track, setting = place
    mounted = registry.newest(name)
    assert mounted is not None
    knobs = {knob.name: knob.maximum for knob in mounted.benchmark.card.parameters}
    most = {"repeats": knobs["repeats"] or 1} if "repeats" in knobs else {}
    draw = Draw(mounted.benchmark, mounted.identity(track, setting, most), "20")
    repeats = set()
    for keyed in make_item(mounted, draw, 0).questions:
        question = keyed.question
        assert question.id.startswith(question.kind)
        number = keyed.facets.get("repeat", "1")
        assert question.repeat == ("" if number == "1" else f"-{number}")
        repeats.add(question.repeat)
    assert len(repeats) == most.get("repeats", 1)


@pytest.mark.parametrize("one", FOUND, ids=[one.name for one in FOUND])
def test_only_a_setting_with_several_questions_is_a_conversation(one: Benchmark) -> None:
    for setting in one.card.settings:
        assert setting.can_join or not setting.conversation


def test_kiva_s_trials_are_dialogues_as_in_the_paper_and_other_items_are_not() -> None:
    cards = {one.name: one.card for one in FOUND}
    joined = {name: [one.name for one in card.settings if one.conversation] for name, card in cards.items()}
    assert joined.pop("kiva") == ["full", "given-classification"]
    assert not any(joined.values())
    assert cards["kiva"].conversation("full") == "joined"
    assert cards["kiva"].conversation("full", "fresh") == "fresh"
    assert cards["kiva"].conversation("extrapolation-only") == "fresh"


def test_the_rungs_of_visanalog_s_ladder_are_never_joined() -> None:
    card = {one.name: one.card for one in FOUND}["visanalog"]
    for setting in card.settings:
        assert not setting.can_join
        assert resolve_conversation(card, setting.name, "as-card") == "fresh"
    with pytest.raises(InvalidInputError, match="setting ladder puts each question in a fresh context"):
        resolve_conversation(card, "ladder", "joined")
