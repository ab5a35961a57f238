"""One set of properties for every benchmark of the registry, at every track, setting and parameter value."""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from generator_service.benchmark import Benchmark
from generator_service.finding import find_benchmarks
from generator_service.mounting import Mounted
from generator_service.proving.conformance import OF_BENCHMARKS, OF_SAMPLES, Fault, faults, faults_of
from generator_service.proving.knowledge import knowledge_of
from generator_service.proving.samples import ITEMS, Place, places, sample_at
from generator_service.registry import mount
from tests.benchmarks.proved import PART_OF_A_PLACE, PART_OF_A_VALUE, is_proved
from tests.people import mounted_for_tests, without_people

FOLDERS = [Path(__file__).parents[1] / name for name in ("toy_benchmarks", "older_benchmarks")]
FOUND = list(find_benchmarks(FOLDERS))
VERSIONS = [(one.name, one.version) for one in FOUND]
NEWEST = set(dict(sorted(VERSIONS)).items())
PLAIN = re.compile(r"[a-z]{2,}([ +-][a-z]{2,})*")  # a value that can be read as it is
EVERY = 3  # places of an older version
PLACES = [
    # One worker a place, so that the benchmark is opened once there.
    pytest.param(
        *(one.name, one.version, track.name, setting),
        marks=pytest.mark.xdist_group(f"{one.name} {one.version} {track.name} {setting}"),
    )
    for one in FOUND
    for track in one.card.tracks
    if track.name not in one.brought_tracks  # tested beside their benchmarks, on sources of their own
    for setting in track.settings
    # Of an older version one place: each property held everywhere when it was the newest.
    if (one.name, one.version) in NEWEST or (track, setting) == (one.card.tracks[0], one.card.tracks[0].settings[0])
]


@cache
def opened(name: str, version: int, bank_folder: Path) -> Mounted:
    """Open one benchmark alone, so that nothing is drawn but what it draws from."""
    mounted = mounted_for_tests([one for one in FOUND if one.name == name], bank_folder).version(name, version)
    assert mounted is not None
    return mounted


def told(found: Iterable[Fault], mounted: Mounted) -> list[str]:
    """Return what does not hold; tiles are not the pixels that are written down, and nothing else may differ."""
    tiled = without_people(mounted)

    def of_tiles(one: Fault) -> bool:
        return one.where.partition(", ")[0] in tiled and one.property == "golden" and "its pixels" in one.problem

    return [str(one) for one in found if not of_tiles(one)]


@pytest.mark.parametrize(("name", "version"), [(one.name, one.version) for one in FOUND])
def test_what_is_said_of_a_benchmark_as_a_whole_holds(name: str, version: int, bank_folder: Path) -> None:
    assert OF_BENCHMARKS
    mounted = opened(name, version, bank_folder)
    assert not told(faults(mounted, samples=[]), mounted)


@pytest.mark.parametrize("found", [one for one in FOUND if (one.name, one.version) in NEWEST], ids=lambda one: one.name)
def test_a_card_has_a_sentence_for_each_mistake_and_a_word_for_each_value_that_says_little(found: Benchmark) -> None:
    card = found.card
    assert {mistake for mistakes in found.outcomes.values() for mistake in mistakes} <= {*card.mistakes}
    assert all(sentence.endswith(".") and " " in sentence for sentence in card.mistakes.values())
    shown = {value for values in card.filters.values() for value in values if not value.isdecimal() or len(value) > 1}
    assert [value for value in sorted(shown) if not (PLAIN.fullmatch(value) or value in card.value_words)] == []


@pytest.mark.parametrize(("name", "version", "track", "setting"), PLACES)
def test_every_property_holds_at_every_track_setting_and_value(
    name: str, version: int, track: str, setting: str, bank_folder: Path
) -> None:
    mounted = opened(name, version, bank_folder)
    chosen = [one for one in places(mounted) if (one.track, one.setting) == (track, setting)]
    values = sum(len(one.values) or 2 for one in mounted.benchmark.card.parameters)
    assert 1 <= len(chosen) <= 1 + values
    card = mounted.benchmark.card
    first = next(one.settings[0] for one in card.tracks if one.name == track)
    looked_for = list(OF_SAMPLES)
    if (name, version) not in NEWEST or (is_proved(name) and setting != first):
        chosen = chosen[:1]  # settings ask other questions about the same scenes
        seeing = knowledge_of(name).seeing
        if is_proved(name) and seeing is not None and seeing.setting is None:
            looked_for.remove("pixels")  # read at the first setting: a quarter of a core second a question of KiVA
    samples = (sample_at(mounted, place, items_of(mounted, place)) for place in chosen)
    assert not told((fault for sample in samples for fault in faults_of(sample, looked_for)), mounted)


def items_of(mounted: Mounted, place: Place) -> int:
    """Return how many items to look at: all, unless the benchmark is proved as it is."""
    if not is_proved(mounted.benchmark.name):
        return ITEMS
    return PART_OF_A_VALUE if place.parameters else PART_OF_A_PLACE


@pytest.mark.parametrize(("name", "version"), [one for one in VERSIONS if one not in NEWEST])
def test_an_older_version_draws_what_was_written_down(name: str, version: int, bank_folder: Path) -> None:
    """`make golden` compares every place."""
    mounted = opened(name, version, bank_folder)
    compared = list(places(mounted))[::EVERY]
    assert compared
    assert not list(
        map(str, (fault for place in compared for fault in faults_of(sample_at(mounted, place), ("golden",))))
    )


def test_a_benchmark_that_draws_from_no_source_is_opened_without_making_any(tmp_path: Path) -> None:
    for one in FOUND:
        if not one.kinds:
            assert mount([one], tmp_path).newest(one.name) is not None
    assert not list(tmp_path.iterdir()), "no bank was drawn"
