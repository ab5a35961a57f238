"""The catalogue: each solver says what it answers, and is refused elsewhere with the name of one that does."""

import re
from pathlib import Path

import pytest

from generator_service.benchmarks.carv import BENCHMARK as CARV
from generator_service.benchmarks.kiva import BENCHMARK as KIVA
from generator_service.benchmarks.marvel import BENCHMARK as MARVEL
from generator_service.benchmarks.vasr import BENCHMARK as VASR
from generator_service.benchmarks.visanalog import BENCHMARK as VISANALOG
from tetrad.solvers import SOLVERS, NotCoveredError, UnknownSolverError, check_covered

ROOT = Path(__file__).parents[4]
CARDS = {one.card.name: one.card for one in (CARV, KIVA, MARVEL, VASR, VISANALOG)}


@pytest.mark.parametrize("name", SOLVERS)
def test_what_a_solver_covers_is_there(name: str) -> None:
    for one in SOLVERS[name].covers or ():
        card = CARDS[one.benchmark]
        assert set(one.tracks) <= {track.name for track in card.tracks}
        assert set(one.settings) <= {setting.name for setting in card.settings}


@pytest.mark.parametrize("name", ["program-search", "copy-c", "not-c", "random"])
def test_visanalog_s_baselines_answer_photographs(name: str) -> None:
    check_covered(name, benchmark="visanalog", track="photographs", setting="end-to-end")


@pytest.mark.parametrize("track", ["scenes", "composed"])
@pytest.mark.parametrize("name", ["program-search", "copy-c", "not-c"])
def test_what_needs_things_recognised_is_refused_with_the_track_that_does_not(name: str, track: str) -> None:
    with pytest.raises(NotCoveredError, match=rf"{name}.* does not answer visanalog, track {track}.*photographs"):
        check_covered(name, benchmark="visanalog", track=track, setting="end-to-end")


def test_pixel_solver_is_refused_where_it_solves_nothing_with_the_names_of_others() -> None:
    check_covered("pixel-solver", benchmark="kiva", track="kiva", setting="full")
    with pytest.raises(NotCoveredError, match=r"it answers kiva(.|\n)*made for it: program-search, copy-c, not-c"):
        check_covered("pixel-solver", benchmark="visanalog", track="photographs", setting="end-to-end")
    with pytest.raises(NotCoveredError, match=r"but program-search answers visanalog \(track photographs"):
        check_covered("pixel-solver", benchmark="visanalog", track="scenes", setting="end-to-end")
    with pytest.raises(NotCoveredError, match=r"tetrad baseline reply(.|\n)*of any benchmark: random, constant"):
        check_covered("pixel-solver", benchmark="vasr", track="composed", setting="full")


def test_copies_of_c_need_c() -> None:
    with pytest.raises(NotCoveredError, match="settings end-to-end, wrong-image, program"):
        check_covered("copy-c", benchmark="visanalog", track="photographs", setting="oracle")


def test_a_judge_answers_no_benchmark_and_random_any() -> None:
    check_covered("random", benchmark="toy", track="toy", setting="brief")
    with pytest.raises(NotCoveredError, match="it answers no benchmark"):
        check_covered("caption-judge", benchmark="carv", track="photos", setting="free-form")
    with pytest.raises(UnknownSolverError):
        check_covered("psychic", benchmark="kiva", track="kiva", setting="full")


def test_the_page_on_models_lists_every_solver_with_what_it_answers() -> None:
    page = (ROOT / "docs" / "models.md").read_text()
    rows = {row[0]: row[1] for row in re.findall(r"^\| `([a-z0-9-]+)` \| [^|]+ \| ([^|]+) \|$", page, re.MULTILINE)}
    told = {
        name: "any benchmark" if one.covers is None else ", ".join(map(str, one.covers)) or "none"
        for name, one in SOLVERS.items()
    }
    assert rows == told
