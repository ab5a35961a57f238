"""Strategies by name. A change of a strategy's messages is a new version: scores carry name and version."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tetrad.contracts.inference import Message
from tetrad.contracts.items import Question
from tetrad.prompting import direct
from tetrad.prompting.wording import Wording


class UnknownStrategyError(Exception):
    """No strategy has this name; the message lists those there are."""


@dataclass(frozen=True, kw_only=True)
class Strategy:
    """`messages`: (question, PNG bytes by picture name, wording) -> the messages of one chat request."""

    name: str
    version: int
    messages: Callable[[Question, Mapping[str, bytes], Wording], list[Message]]


STRATEGIES: Mapping[str, Strategy] = {
    strategy.name: strategy for strategy in (Strategy(name="direct", version=1, messages=direct.messages),)
}


def find_strategy(name: str) -> Strategy:
    """Return the strategy of this name.

    Raises:
        UnknownStrategyError: there is none.
    """
    if name not in STRATEGIES:
        raise UnknownStrategyError(f"strategy {name!r} is unknown; choose one of {', '.join(sorted(STRATEGIES))}")
    return STRATEGIES[name]
