"""One set of properties for every benchmark of the registry, at every track, setting and parameter value."""

from functools import cache
from pathlib import Path

import pytest

from generator_service.proving.conformance import OF_BENCHMARKS, faults, faults_of
from generator_service.proving.samples import places, sample_at
from generator_service.registry import Mounted, find_benchmarks, mount
from generator_service.sources.people.bank import PEOPLE

TOYS = Path(__file__).parents[1] / "toy_benchmarks"
FOUND = list(find_benchmarks([TOYS]))
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
]


def kinds_drawn(name: str) -> set[str]:
    """Return the kinds of source that a benchmark draws from."""
    return {kind for one in FOUND if one.name == name for track in one.card.tracks for kind in one.kinds_of(track.name)}


@cache
def opened(name: str, version: int, bank_folder: Path) -> Mounted:
    """Open one benchmark alone, so that nothing is drawn but what it draws from.

    What takes a quarter of an hour to draw is not drawn for tests: they say so, and how to have it.
    """
    mounted = mount([one for one in FOUND if one.name == name], bank_folder).version(name, version)
    if mounted is None and PEOPLE in kinds_drawn(name):
        pytest.skip(f"no people in {bank_folder}: python -m generator_service.sources build people")
    assert mounted is not None
    return mounted


@pytest.mark.parametrize(("name", "version"), [(one.name, one.version) for one in FOUND])
def test_what_is_said_of_a_benchmark_as_a_whole_holds(name: str, version: int, bank_folder: Path) -> None:
    assert OF_BENCHMARKS
    assert not [str(fault) for fault in faults(opened(name, version, bank_folder), samples=[])]


@pytest.mark.parametrize(("name", "version", "track", "setting"), PLACES)
def test_every_property_holds_at_every_track_setting_and_value(
    name: str, version: int, track: str, setting: str, bank_folder: Path
) -> None:
    mounted = opened(name, version, bank_folder)
    chosen = [one for one in places(mounted) if (one.track, one.setting) == (track, setting)]
    values = sum(len(one.values) or 2 for one in mounted.benchmark.card.parameters)
    assert 1 <= len(chosen) <= 1 + values
    assert not [str(fault) for place in chosen for fault in faults_of(sample_at(mounted, place))]


def test_a_benchmark_that_draws_from_no_source_is_opened_without_making_any(tmp_path: Path) -> None:
    for one in FOUND:
        if not one.kinds:
            assert mount([one], tmp_path).newest(one.name) is not None
    assert not list(tmp_path.iterdir()), "no bank was drawn"
