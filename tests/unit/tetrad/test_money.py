import pytest

from tetrad.money import show_microdollars


@pytest.mark.parametrize(
    ("micro", "decimals", "shown"),
    [
        (1_150_000, None, "$1.15"),
        (10_000, None, "$0.01"),
        (9_999, None, "$0.009999"),
        (25, None, "$0.000025"),
        (0, None, "$0.000000"),
        (1_234_567, 4, "$1.2346"),
        (9_999, 2, "$0.01"),
    ],
)
def test_an_amount_is_shown_in_dollars(micro: int, decimals: int | None, shown: str) -> None:
    assert show_microdollars(micro, decimals) == shown
