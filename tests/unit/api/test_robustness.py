"""How many items would have to be judged the other way, against trying all ways to turn so many."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from api.boards.robustness import flips_to_swap

COUNTS = st.integers(1, 12)


def least_by_trying(above: tuple[int, int], below: tuple[int, int]) -> int | None:
    """Return the least number of items that swap two rows: any of the right ones above, any of the wrong ones below."""
    (high, high_items), (low, low_items) = above, below
    found = [
        fewer + more
        for fewer, more in product(range(high + 1), range(low_items - low + 1))
        if (low + more) * high_items > (high - fewer) * low_items
    ]
    return min(found, default=None)


@given(st.data(), COUNTS, COUNTS)
def test_no_fewer_flips_swap_two_rows(data: st.DataObject, first_items: int, second_items: int) -> None:
    rows = [(data.draw(st.integers(0, items)), items) for items in (first_items, second_items)]
    above, below = sorted(rows, key=lambda row: -row[0] / row[1])
    assert flips_to_swap(above, below) == least_by_trying(above, below)
