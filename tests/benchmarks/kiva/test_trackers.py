"""The published rules of track kiva are those of the released trackers: all fourteen values, each option and start."""

import os
from collections import Counter
from pathlib import Path

import pytest

from generator_service.benchmarks.kiva.arrangements import arrangements_of, value_weights
from generator_service.benchmarks.kiva.option_sets import STARTS_PUBLISHED
from generator_service.benchmarks.kiva.spec import KIVA, PLAIN, PUBLISHED, VALUES

DATA = Path(os.environ.get("TETRAD_DATA", Path(__file__).parents[4] / "shared" / "data"))
TRACKERS = DATA / "kiva" / "released" / "trial_tracker"
LINES = ("train_0_input", "train_0_output", "test_input", "mc")
TRIALS = 50
PREFIX = {"color": "Colour", "size": "Resize", "number": "Counting", "rotation": "2DRotation", "reflection": "Reflect"}
NAMED = {"2x": "2XY", "1/2x": "0.5XY", "x": "X", "y": "Y", "red": "Red", "green": "Green", "blue": "Blue"}
"""What trackers call a value, where they don't call it as we do."""
UNTOLD = "0"
"""What trackers write for the start of everything but counts."""

Row = tuple[str, ...]
EVERY = [(domain, value) for domain, values in VALUES.items() for value in values]


def tracked(domain: str, value: str) -> list[Row]:
    """Read the tracker of a value: given before, given after, test before, wrong option, of each trial."""
    path = TRACKERS / f"output_{PREFIX[domain]}{NAMED.get(value, value)}.txt"
    if not path.is_file():
        pytest.skip(f"KiVA's tracker is not at {path}: set TETRAD_DATA to the folder that holds kiva/")
    lines = [line.split(": ") for line in path.read_text().splitlines()]
    assert [name for name, _ in lines] == list(LINES) * (len(lines) // len(LINES))
    texts = [text for _, text in lines]
    return [tuple(texts[at : at + len(LINES)]) for at in range(0, len(texts), len(LINES))]


def ours(domain: str, value: str) -> set[Row]:
    """Write our arrangements as a tracker does."""
    rows: set[Row] = set()
    for found in arrangements_of(KIVA, domain, PUBLISHED, value):
        assert found.givens == (found.start,), "both objects start alike"
        if domain == "number":
            counts = (found.start.count, found.right.count, found.start.count, found.wrong.count)
            rows.add(tuple(str(count) for count in counts))
        else:
            rows.add((UNTOLD, NAMED.get(value, value), UNTOLD, NAMED.get(found.wrong_value, found.wrong_value)))
    return rows


@pytest.mark.parametrize(("domain", "value"), EVERY)
def test_options_and_starts_are_those_of_the_tracker(domain: str, value: str) -> None:
    rows = tracked(domain, value)
    assert set(rows) == ours(domain, value)
    assert len(rows) == TRIALS
    if domain == "number":
        assert {int(row[0]) for row in rows} == set(STARTS_PUBLISHED[value])


@pytest.mark.parametrize(("domain", "value"), EVERY)
def test_no_option_is_much_likelier_than_on_the_tracker(domain: str, value: str) -> None:
    """Fifty draws among at most three alternatives leave each within 8 of its expectation, save once in 50 times."""
    rows = Counter(row[-1] for row in tracked(domain, value))
    listed = Counter(row[-1] for row in ours(domain, value))
    for wrong, count in rows.items():
        assert abs(count - TRIALS * listed[wrong] / listed.total()) <= 8


@pytest.mark.parametrize("domain", VALUES)
def test_a_domain_s_values_have_as_many_trials_each(domain: str) -> None:
    assert len({len(tracked(domain, value)) for value in VALUES[domain]}) == 1
    assert len(set(value_weights(KIVA, domain, PUBLISHED).values())) == 1


@pytest.mark.parametrize("value", VALUES["rotation"])
def test_turns_start_upright(value: str) -> None:
    assert {found.start for found in arrangements_of(KIVA, "rotation", PUBLISHED, value)} == {PLAIN}
