"""Estimates the questions and the cost of an evaluation before anything is spent.

Questions and the length of prompts are those of a few practice items, which are drawn as the evaluation's own are.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

from api.errors import DomainError
from api.upstream.generator import Generator
from tetrad.contracts.benchmarks import Card, Conversation
from tetrad.contracts.evaluations import Expected
from tetrad.contracts.inference import ModelPrice
from tetrad.contracts.items import Question
from tetrad.internal.practice import PracticeRequest
from tetrad.statistics.deciding import least_drop, least_unpaired_drop

SAMPLED = 6  # practice items
SEED = "0"
BYTES_A_TOKEN, PICTURE_TOKENS, REPLY_TOKENS = 4, 1000, 300
"""Of a prompt's text, of a picture, of a reply: rough numbers for an estimate, never for a bill."""
UNREAD_TOKENS, FOUND_TOKENS = 600, 20
"""Of a question without its pictures and the reply to it, and of what an extraction model says to them."""
DISCORDANCE = 0.1
"""The share of items on which two runs of one model differ, for the least difference of paired items."""
METHOD = (
    f"an estimate from {SAMPLED} practice items: {BYTES_A_TOKEN} bytes of text a token, {PICTURE_TOKENS} tokens a "
    f"picture, {REPLY_TOKENS} tokens a reply, at the prices that GET /v1/models of the gateway lists"
)
NO_CAPS: Mapping[str, int | None] = {}
UNREAD = ", and an extraction model asked about every reply, which is the most that it can be"
NO_PRICE = "unknown: the gateway's registry has no price for a model"
FREE = "nothing: calls of these models are not billed"


class Prompts(NamedTuple):
    """Of one item: its questions at most, and the tokens of their prompts."""

    questions: float
    tokens: float


def estimate(  # noqa: PLR0917 - what the answer depends on
    prompts: Prompts,
    size: int,
    requests: int,
    repeats: int,
    prices: Mapping[str, ModelPrice | None],
    extraction: ModelPrice | None = None,
    caps: Mapping[str, int | None] = NO_CAPS,
) -> Expected:
    """Return the questions and the cost of answering `size` items with each of these models, `repeats` times.

    `requests` is how many calls the strategy makes for a question. A price of None is that of calls that nobody bills.
    `extraction` is the price of a model that is asked about replies that can't be read: here, about all of them.
    `caps` are the most tokens of a reply, by model.
    """
    asked = math.ceil(prompts.questions * size)
    reply = prompts.questions * REPLY_TOKENS
    sent = prompts.tokens + (requests - 1) / 2 * reply  # each request of a strategy sends what came before it again
    micro = [
        size * requests * (sent * price.input + reply * price.output) for price in prices.values() if price is not None
    ]
    if extraction is not None:
        unread = prompts.questions * size * len(prices)
        micro.append(unread * (UNREAD_TOKENS * extraction.input + FOUND_TOKENS * extraction.output))
    cost = round(sum(micro) * repeats)
    dearest = max((_most_of_call(prompts.tokens, price, caps.get(name)) for name, price in prices.items()), default=0)
    if extraction is not None:
        dearest = max(dearest, _most_of_call(UNREAD_TOKENS, extraction, None))
    return Expected(
        questions=asked * len(prices) * repeats,
        cost=cost,
        budget=cost + dearest,
        cost_by=(METHOD + (UNREAD if extraction is not None else "")) if micro else FREE,
        least_difference={"paired": least_drop(size, DISCORDANCE), "unpaired": least_unpaired_drop(size, size)},
    )


def _most_of_call(tokens: float, price: ModelPrice | None, cap: int | None) -> int:
    """Return about the most micro-dollars that the gateway reserves for a call: it takes every byte for a token."""
    if price is None:
        return 0
    most = BYTES_A_TOKEN * tokens * price.input + (REPLY_TOKENS if cap is None else cap) * price.output
    return math.ceil(most)


def sampled_prompts(generator: Generator, card: Card, request: PracticeRequest, conversation: Conversation) -> Prompts:
    """Return the questions and prompts of an item: the mean of a few practice items, or the card's where none is made.

    In a conversation, a prompt carries the ones before it.
    """
    try:
        items = [item.questions for item in generator.items(request).items]
    except DomainError:  # a fixed corpus has no practice
        items = []
    if not items:
        kinds = next((setting.questions for setting in card.settings if setting.name == request.setting), ("",))
        return Prompts(len(kinds), len(kinds) * (4 * PICTURE_TOKENS))
    tokens = [_prompt_tokens(questions, conversation) for questions in items]
    return Prompts(sum(map(len, items)) / len(items), sum(tokens) / len(items))


def _prompt_tokens(questions: list[Question], conversation: Conversation) -> float:
    total = carried = 0.0
    seen: set[str] = set()
    for question in questions:
        text = len(question.text.encode()) + sum(
            len((option.text or option.label).encode()) for option in question.options
        )
        own = text / BYTES_A_TOKEN
        new = {picture.name for picture in question.pictures} - seen if conversation == "joined" else question.pictures
        own += len(new) * PICTURE_TOKENS
        total += own + carried
        if conversation == "joined":
            seen |= {picture.name for picture in question.pictures}
            carried += own + REPLY_TOKENS
    return total
