"""The card's published figures are what the released replies give, and a board shows only what it can compare."""

import csv
import os
from collections import defaultdict
from collections.abc import Mapping
from itertools import product
from pathlib import Path

import pytest

from generator_service.benchmarks.kiva import BENCHMARK
from generator_service.benchmarks.kiva.reference import (
    EXTRAPOLATION,
    GIVEN_SPECIFICATION,
    NO_CHANGE,
    OTHER_PICTURES,
    REPEATS,
    STAGES,
    Right,
)

REPOSITORY = Path(__file__).parents[3]
DATA = Path(os.environ.get("TETRAD_DATA", REPOSITORY.parent / "shared" / "data"))
RUNS = {
    "gpt4_single_image_ground_truth_within": ("GPT-4V", GIVEN_SPECIFICATION),
    "llava_single_image_ground_truth_within": ("LLaVA-1.5", GIVEN_SPECIFICATION),
    "gpt4_single_image_no_change": ("GPT-4V", NO_CHANGE),
    "llava_single_image_no_change": ("LLaVA-1.5", NO_CHANGE),
}
DOMAINS = {
    "Colour": "color",
    "Resize": "size",
    "Counting": "number",
    "2DRotation": "rotation",
    "Reflect": "reflection",
}


def counted(path: Path) -> Mapping[str, Right]:
    """Count right replies and trials by run and domain; refuse a trial that was not asked three times."""
    trials: dict[tuple[str, str], dict[tuple[str, str], list[int]]] = defaultdict(lambda: defaultdict(list))
    with path.open(newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            domain = next(name for prefix, name in DOMAINS.items() if row["subdomain"].startswith(prefix))
            trials[row["run"], domain][row["subdomain"], row["variation"]].append(int(row["published_score"]))
    found: dict[str, dict[str, tuple[int, int]]] = defaultdict(dict)
    for (run, domain), scores in trials.items():
        assert {len(repeats) for repeats in scores.values()} == {REPEATS}
        found[run][domain] = (sum(map(sum, scores.values())), len(scores))
    return found


def test_the_figures_are_those_of_the_released_replies() -> None:
    path = DATA / "kiva" / "replies.csv"
    if not path.exists():
        pytest.skip(f"KiVA's published replies are not at {path}: set TETRAD_DATA to the folder that holds kiva/")
    found = counted(path)
    assert set(found) == set(RUNS)
    for run, (model, table) in RUNS.items():
        assert found[run] == table[model], run


def test_a_figure_says_where_it_is_from_and_is_of_a_metric_the_card_declares() -> None:
    card = BENCHMARK.card
    metrics = {metric.name for metric in card.metrics}
    parameters = {parameter.name: parameter for parameter in card.parameters}
    for row in card.reference:
        assert row.metric in metrics
        assert "Yiu" in row.source
        assert row.value is not None or row.words
        assert all(row.parameters[name] in (parameters[name].values or range(1, 4)) for name in row.parameters)


def test_every_domain_of_the_released_replies_has_a_figure_beside_the_whole() -> None:
    rows = [row for row in BENCHMARK.card.reference if row.where.get("setting") == ("given-specification",)]
    assert {(row.name, row.where.get("domain", ("all",))[0]) for row in rows} == {
        (f"{model}, one picture", domain) for model in GIVEN_SPECIFICATION for domain in ("all", *DOMAINS.values())
    } | {("GPT-4V, several pictures", "all")}
    whole = next(row for row in rows if row.name == "GPT-4V, one picture" and "domain" not in row.where)
    assert whole.value == pytest.approx((33 / 45 + 17 / 30 + 24 / 60 + 15 / 45 + 20 / 60) / 5, abs=1e-4)
    assert whole.items == 80


def test_the_default_board_has_numbers_and_says_that_they_are_of_other_items() -> None:
    default = {"track": (BENCHMARK.card.tracks[0].name,), "setting": ("full",)}
    rows = [
        row
        for row in BENCHMARK.card.reference
        if row.metric == "extrapolation" and not row.parameters and default.items() <= row.where.items()
    ]
    numbers = {row.name: row.value for row in rows if row.value is not None and "domain" not in row.where}
    assert numbers == pytest.approx(
        {
            "GPT-4V, several pictures": (96.1 + 77.3 + 25.5 + 28.9 + 29.7) / 500,
            "GPT-4V, one picture": (76.4 + 55.3 + 33.5 + 36.0 + 34.7) / 500,
            "LLaVA-1.5, one picture": (29.8 + 29.3 + 28.3 + 33.3 + 28.3) / 500,
            "MANTIS, several pictures": (36.4 + 34.3 + 32.8 + 37.1 + 32.0) / 500,
            "40 adults": (117 / 120 + 78 / 80 + 155 / 160 + 109 / 120 + 79 / 80) / 5,
            "40 children of 3 to 7": (73 / 81 + 69 / 80 + 66 / 82 + 47 / 81 + 59 / 80) / 5,
        },
        abs=1e-4,
    )
    assert {row.pictures for row in rows} == {OTHER_PICTURES}


def test_what_how_and_which_were_counted_in_one_table_that_gives_the_extrapolations_too() -> None:
    """The release's own means of extrapolation were counted elsewhere: the tables were read whole and right."""
    mantis = next(stages for stages in STAGES["kiva"] if stages.name.startswith("MANTIS"))
    found = [100 * which / number for number, _, _, which in mantis.by_domain.values()]
    assert found == pytest.approx(EXTRAPOLATION["MANTIS, several pictures", "full"], abs=0.06)
    for stages in (stages for tables in STAGES.values() for stages in tables):
        assert all(told <= what <= number >= which for number, what, told, which in stages.by_domain.values())


def test_boards_of_both_tracks_have_numbers_for_what_and_how() -> None:
    shown = {(row.where["track"], row.metric) for row in BENCHMARK.card.reference if row.value is not None}
    wanted = product([("kiva",), ("kiva-adults",)], ("classification", "specification", "extrapolation"))
    assert set(wanted) <= shown
