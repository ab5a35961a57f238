"""Tests of the cost of calls, in whole nanodollars."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference_gateway.gates import Estimate, Price

dollars = st.decimals(min_value=0, max_value=1000, places=6)
tokens = st.integers(0, 10**6)


def test_a_price_is_dollars_a_million_tokens() -> None:
    price = Price(input=Decimal("0.15"), output=Decimal("0.60"), cached_input=Decimal("0.075"))
    assert price.cost(1_000_000, 1_000_000) == 750_000_000
    assert price.cost(1_000_000, 0, 1_000_000) == 75_000_000
    assert price.cost(1, 0) == 150
    assert Price(input=Decimal("0.0001"), output=Decimal(0)).cost(1, 0) == 1  # rounded up: never free


def test_a_cached_token_without_a_price_of_its_own_costs_what_any_does() -> None:
    assert Price(input=Decimal(1), output=Decimal(1)).cost(10, 0, 10) == 10_000
    assert Price(input=Decimal(1), output=Decimal(1), cached_input=Decimal(0)).cost(10, 0, 10) == 0


@given(price=st.builds(Price, input=dollars, output=dollars, cached_input=st.none() | dollars),
       most=st.tuples(tokens, tokens), used=st.tuples(tokens, tokens), cached=tokens)  # fmt: skip
def test_a_call_within_its_estimate_never_costs_more_than_its_bound(
    price: Price, most: tuple[int, int], used: tuple[int, int], cached: int
) -> None:
    estimate = Estimate(input_tokens=most[0], output_tokens=most[1])
    input_tokens, output_tokens = min(used[0], most[0]), min(used[1], most[1])
    assert price.cost(input_tokens, output_tokens, min(cached, input_tokens)) <= price.bound(estimate)


@pytest.mark.parametrize("amount", ["-1", "NaN", "Infinity"])
def test_a_price_that_is_none_is_refused_by_name(amount: str) -> None:
    with pytest.raises(ValueError, match=r"output: .* is not a price"):
        Price(input=Decimal(1), output=Decimal(amount))
