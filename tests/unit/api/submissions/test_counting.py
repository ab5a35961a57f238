"""What is said of the number of items that count, before a draw is opened."""

import pytest

from api.submissions.counting import counted_of


@pytest.mark.parametrize(
    ("found", "sampled", "size", "expected", "lower", "upper"),
    [
        (198, 220, 220, 198, 189, 207),
        (12, 12, 12, 12, 12, 12),
        (0, 5, 5, 0, 0, 0),
        (900, 1000, 10_000, 9_000, 8_941, 9_059),
    ],
)
def test_a_draw_counts_about_as_many_as_practice_does(  # noqa: PLR0917 - a row of figures
    found: int, sampled: int, size: int, expected: int, lower: int, upper: int
) -> None:
    counted = counted_of(found, sampled, size, 200)
    assert (counted.expected, counted.lower, counted.upper, counted.size) == (expected, lower, upper, size)
