"""Solve puzzles over captioned states, from the states that a question gives in words.

The scores of copying, counting and applying too much are points of comparison. `symbolic` shows that the words suffice.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import product

import msgspec

from tetrad.contracts.inference import Message, TextPart
from tetrad.extraction.captions.caption import extract_state
from tetrad.extraction.captions.text import caption_text
from tetrad.late_regex import late_regex
from tetrad.streams import Stream

State = dict[str, str]
Change = tuple[str, str, str]
"""Property, old and new value."""

VALUES: Mapping[str, tuple[str, ...]] = {
    "subject": ("book", "bottle", "bowl", "candle", "clock", "mug", "plant", "scissors", "toilet paper"),
    "subject_number": ("one", "two"),
    "object": ("table", "chair"),
    "object_color": ("wood", "red", "blue"),
    "spatial_relation": ("on", "under", "left", "right"),
}
NO_STATES = "I see no states in words to work on."
_LINE = late_regex(r"^Picture \d+: (.+)\.$", re.MULTILINE)
_UNION, _INTERSECTION, _DIFFERENCE = (
    late_regex(words) for words in (r"\bunion\b", r"\bintersection\b", r"\bwithout\b")
)
_LEAST = 3  # pictures: a pair and a query


def asks_for_caption(messages: Sequence[Message]) -> bool:
    return '"caption"' in words_of(messages)


def random_caption(messages: Sequence[Message], seed: int) -> str:
    """Write one of the 432 states, all equally likely, by a stream keyed with the seed and the whole request."""
    stream = Stream("tetrad.solvers/random-caption", 1, seed, msgspec.json.encode(messages))
    return _caption({name: stream.choice(values) for name, values in VALUES.items()})


def first_caption() -> str:
    return _caption({name: values[0] for name, values in VALUES.items()})


def all_states() -> list[State]:
    return [dict(zip(VALUES, values, strict=True)) for values in product(*VALUES.values())]


def words_of(messages: Sequence[Message]) -> str:
    """Return all texts of the last user message."""
    content = next((message.content for message in reversed(messages) if message.role == "user"), "")
    return (
        content if isinstance(content, str) else "\n".join(part.text for part in content if isinstance(part, TextPart))
    )


Rule = Callable[[Sequence[State], str], State]
"""(states in order, the question's words) -> the state that is answered."""


class StateSolver:
    """Finds states and operation in the words, and answers with the state that `choose` returns."""

    def __init__(self, choose: Rule) -> None:
        self._choose = choose

    def reply(self, messages: Sequence[Message]) -> str:
        words = words_of(messages)
        states = [_state(caption) for caption in _LINE.findall(words)]
        return _caption(self._choose(states, words)) if len(states) >= _LEAST else NO_STATES


def copy_query(states: Sequence[State], _words: str) -> State:
    return states[-1]


def copy_first(states: Sequence[State], _words: str) -> State:
    """Copy the state after the first pair's changes."""
    return states[1]


def copy_second(states: Sequence[State], _words: str) -> State:
    """Copy the state after the second pair's changes, or after the only pair's."""
    return states[-2]


def majority(states: Sequence[State], _words: str) -> State:
    """Take, for every property, the value that most pictures have; among equals the earliest."""
    return {name: Counter(state[name] for state in states).most_common(1)[0][0] for name in VALUES}


def everything(states: Sequence[State], _words: str) -> State:
    """Make the changes of both pairs, whatever the operation. If they clash, the second pair's win."""
    return _apply_changes(states[-1], [change for pair in _pairs(states) for change in _changes(*pair)])


def symbolic(states: Sequence[State], words: str) -> State:
    """Apply the operation that the words name to the query."""
    first, *rest = (_changes(*pair) for pair in _pairs(states))
    second = rest[0] if rest else []
    if _UNION.search(words):
        return _apply_changes(states[-1], [*first, *second])
    if _INTERSECTION.search(words):
        return _apply_changes(states[-1], [change for change in first if change in second])
    if _DIFFERENCE.search(words):
        return _apply_changes(states[-1], [change for change in first if change not in second])
    return _apply_changes(states[-1], first)


def _pairs(states: Sequence[State]) -> list[tuple[State, State]]:
    return list(zip(states[:-1:2], states[1:-1:2], strict=True))


def _changes(before: State, after: State) -> list[Change]:
    return [(name, before[name], after[name]) for name in VALUES if before[name] != after[name]]


def _apply_changes(state: State, changes: Sequence[Change]) -> State:
    return state | {name: new for name, _, new in changes}


def _state(caption: str) -> State:
    return dict(zip(VALUES, extract_state(caption, VALUES).split(", "), strict=True))


def _caption(state: State) -> str:
    return msgspec.json.encode({"caption": caption_text(state)}).decode()
