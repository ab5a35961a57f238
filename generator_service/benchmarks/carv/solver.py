"""Solve an item independently, from the pictures' contents and the words.

It uses no table, set or function of the sampler or of the question. It takes the properties one by one and finds, from
each pair's two states, what happens to each. An item is valid only if this agrees with its key.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from generator_service.benchmark import View
from tetrad.extraction.captions.caption import extract_state

_NAMES = ("subject", "subject_number", "object", "object_color", "spatial_relation")
_TOLD = re.compile(r"^Picture \d+: (.+)\.$", re.MULTILINE)
_OPERATIONS = (
    ("union", re.compile(r"\bunion of T1 and T2\b")),
    ("intersection", re.compile(r"\bintersection of T1 and T2\b")),
    ("difference", re.compile(r"\bT1 without T2\b")),
    ("apply", re.compile(r"\btarget is T1\.")),
)

State = Mapping[str, str]
Move = tuple[str, str]
"""A property's value before and after."""


class Unsolvable(ValueError):  # noqa: N818 - named for what went wrong
    """The pictures lead to no state, or to several."""


def solve(view: View) -> str | None:
    """Return the state that the query becomes; for a diagnosis, all four of its stages.

    Raises:
        Unsolvable: the pictures lead to no state, or to several.
    """
    operation = next((name for name, words in _OPERATIONS if words.search(view.question.text)), None)
    pairs, query = _read_view(view)
    if operation is None or query is None or len(pairs) != (1 if operation == "apply" else 2):
        return None
    moves = [{name: _read_move(pair, name) for name in _NAMES} for pair in pairs]
    caption = _join_values({name: _value(query, name, moves, operation) for name in _NAMES})
    return _stages(pairs, moves, operation, caption) if view.question.kind == "diagnosis" else caption


def _read_view(view: View) -> tuple[list[tuple[State, State]], State | None]:
    """Return the pairs and the query, from the pictures or, if there are none, from the words."""
    shown = view.parts("before"), view.parts("after"), view.parts("query")
    if not view.question.pictures:
        told = [_read_state(view, words) for words in _TOLD.findall(view.question.text)]
        shown = told[:-1:2], told[1::2], told[-1:]
    before, after, query = shown
    return list(zip(before, after, strict=True)), query[0] if query else None


def _read_state(view: View, words: str) -> State:
    shape: Any = view.question.shape
    return dict(zip(_NAMES, extract_state(words, shape.properties).split(", "), strict=True))


def _read_move(pair: tuple[State, State], name: str) -> Move:
    return pair[0][name], pair[1][name]


def _value(query: State, name: str, moves: Sequence[Mapping[str, Move]], operation: str) -> str:
    """Follow one property: the query's value, or what the wanted change makes of it."""
    wanted = _select_target([pair[name] for pair in moves], operation)
    if not wanted:
        return query[name]
    if len(wanted) > 1:
        raise Unsolvable(f"{name} is to change twice: {sorted(wanted)}")
    [(old, new)] = wanted
    if old != query[name]:
        raise Unsolvable(f"{name} is to change from {old}, and the query has {query[name]}")
    return new


def _select_target(moves: list[Move], operation: str) -> set[Move]:
    changing = {move for move in moves if move[0] != move[1]}
    if operation == "intersection":
        return {move for move in changing if all(other == move for other in moves)}
    if operation == "difference":
        return changing & {moves[0]} - {moves[1]}
    return changing


def _stages(
    pairs: Sequence[tuple[State, State]], moves: Sequence[Mapping[str, Move]], operation: str, caption: str
) -> str:
    changes = [[_line(name, pair[name]) for name in _NAMES if pair[name][0] != pair[name][1]] for pair in moves]
    target = [
        _line(name, move) for name in _NAMES for move in _select_target([pair[name] for pair in moves], operation)
    ]
    captions = [[_join_values(before), _join_values(after)] for before, after in pairs]
    stages = {"captions": captions, "changes": changes, "target": target, "caption": caption}
    return msgspec.json.encode(stages).decode()


def _line(name: str, move: Move) -> str:
    return f"{name}: {move[0]} > {move[1]}"


def _join_values(state: State) -> str:
    return ", ".join(state[name] for name in _NAMES)
