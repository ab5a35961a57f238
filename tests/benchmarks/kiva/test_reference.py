"""The card's published figures are what the released replies give."""

import csv
import os
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest

from generator_service.benchmarks.kiva.reference import (
    GIVEN_SPECIFICATION,
    NO_CHANGE,
    REPEATS,
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
