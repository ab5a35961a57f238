import csv
import os
from pathlib import Path

import pytest

from tetrad.extraction import extract_choice, first_mention

REPOSITORY = Path(__file__).parents[4]
DATA = Path(os.environ.get("TETRAD_DATA", REPOSITORY.parent / "shared" / "data"))
LABELS = ("A", "B", "C", "D")
# Read by eye: in 12 the model corrects the option it began with, in 1 it takes it back and is cut off before another.
CORRECTED = 13


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    path = DATA / "kiva" / "replies.csv"
    if not path.exists():
        pytest.skip(f"KiVA's published replies are not at {path}: set TETRAD_DATA to the folder that holds kiva/")
    with path.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def published(answer: str | None, key: str) -> str:
    return "Null" if answer is None else str(int(answer == key))


def test_first_mention_reproduces_every_published_score(rows: list[dict[str, str]]) -> None:
    ours = [published(first_mention(row["full_response"], LABELS).answer, row["key_letter"]) for row in rows]
    assert ours == [row["published_score"] for row in rows]


def test_the_reader_differs_from_the_published_scorer_only_where_a_model_corrects_itself(
    rows: list[dict[str, str]],
) -> None:
    replies = {row["full_response"] for row in rows}
    differing = [text for text in replies if extract_choice(text, LABELS).answer != first_mention(text, LABELS).answer]
    assert len(differing) == CORRECTED
    assert [extract_choice(text, LABELS).reason for text in differing].count("retracted") == 1
