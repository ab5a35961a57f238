"""What calls cost by their usage, and what an evaluation is expected to cost before it begins."""

import pytest

from api.evaluations.calling import cost_of
from api.evaluations.expecting import REPLY_TOKENS, Prompts, estimate
from tetrad.contracts.inference import CompletionDetails, ModelPrice, PromptDetails, Usage

PRICE = ModelPrice(input=2.0, output=10.0, cached_input=0.5, source="a test", date="2026-11-01")


def usage(prompt: int, completion: int, cached: int | None = None) -> Usage:
    details = None if cached is None else PromptDetails(cached_tokens=cached)
    return Usage(
        prompt_tokens=prompt,
        completion_tokens=completion,
        total_tokens=prompt + completion,
        prompt_tokens_details=details,
        completion_tokens_details=CompletionDetails(reasoning_tokens=1),
    )


@pytest.mark.parametrize(
    ("price", "used", "nanodollars"),
    [
        (PRICE, usage(1_000_000, 0), 2_000_000_000),
        (PRICE, usage(100, 10), 100 * 2_000 + 10 * 10_000),
        (PRICE, usage(100, 10, cached=0), 100 * 2_000 + 10 * 10_000),
        (PRICE, usage(100, 0, cached=40), 60 * 2_000 + 40 * 500),
        (ModelPrice(input=2.0, source="", date=""), usage(100, 0, cached=40), 100 * 2_000),
        (PRICE, usage(0, 0), 0),
        (PRICE, None, None),
        (None, None, 0),
        (None, usage(5, 5), 0),
    ],
)
def test_a_call_costs_what_its_usage_says(
    price: ModelPrice | None, used: Usage | None, nanodollars: int | None
) -> None:
    assert cost_of(price, used) == nanodollars


def test_the_expected_cost_is_that_of_all_models_and_repeats() -> None:
    prompts = Prompts(questions=2, tokens=1000)
    one = estimate(prompts, 10, 1, 1, {"a": PRICE})
    assert one.questions == 20
    assert one.cost == 10 * (1000 * 2 + 2 * REPLY_TOKENS * 10)  # micro-dollars: dollars a million tokens
    both = estimate(prompts, 10, 1, 3, {"a": PRICE, "b": PRICE, "free": None})
    assert (both.questions, both.cost) == (20 * 3 * 3, 6 * one.cost)


@pytest.mark.parametrize(("cap", "reply"), [(50, 50), (None, REPLY_TOKENS)])
def test_a_budget_needs_room_for_the_most_that_one_call_can_cost(cap: int | None, reply: int) -> None:
    told = estimate(Prompts(questions=2, tokens=1000), 10, 1, 3, {"a": PRICE, "free": None}, caps={"a": cap})
    assert told.budget == (told.cost or 0) + 4 * 1000 * 2 + reply * 10


def test_a_strategy_sends_again_what_came_before() -> None:
    prompts = Prompts(questions=1, tokens=100)
    direct, reflect = (estimate(prompts, 1, requests, 1, {"a": PRICE}).cost for requests in (1, 3))
    assert direct is not None
    assert reflect == 3 * direct + 3 * REPLY_TOKENS * 2


def test_what_nobody_bills_is_said_to_cost_nothing() -> None:
    told = estimate(Prompts(1, 100), 250, 1, 1, {"random": None})
    assert (told.cost, told.budget, told.cost_by[:7]) == (0, 0, "nothing")


def test_more_items_decide_a_smaller_difference() -> None:
    few, many = (estimate(Prompts(1, 1), size, 1, 1, {"a": None}).least_difference for size in (50, 1000))
    assert many["paired"] < few["paired"] < few["unpaired"]
    assert many["unpaired"] < few["unpaired"]


def test_an_extraction_model_answers_no_question_and_is_expected_to_read_every_reply() -> None:
    prompts = Prompts(2, 100)
    alone = estimate(prompts, 10, 1, 1, {"a": None, "b": None})
    told = estimate(prompts, 10, 1, 1, {"a": None, "b": None}, PRICE)
    assert told.questions == alone.questions == 40
    assert (alone.cost, told.cost) == (0, round(40 * (600 * PRICE.input + 20 * PRICE.output)))
    assert "about every reply" in told.cost_by
