"""Draw a Scene from random streams: the only user of randomness.

Streams, one per purpose: "changes" (the plan, the values, the states) and "looks" (how each state is pictured). A
context that breaks a condition is drawn again under the same changes; acceptance never looks at a picture.
"""

from collections.abc import Mapping

from generator_service.benchmark import Parameters, Streams
from generator_service.benchmarks.carv.looks import SeenBank, looks
from generator_service.benchmarks.carv.plans import BOTH, DIFFER, FIRST, NEITHER, SECOND, Plan
from generator_service.benchmarks.carv.spec import (
    APPLY,
    DIFFERENCE,
    PROPERTIES,
    TRACKS,
    UNION,
    VALUES,
    Pair,
    Scene,
    State,
)
from generator_service.benchmarks.carv.strata import matching
from tetrad.contracts.wire import Facets
from tetrad.streams import Stream

Values = dict[str, str]
_MOST_DRAWS = 1000  # draws of a context; even the rarest kind is accepted once in about six


class NoContext(RuntimeError):  # noqa: N818 - named for what went wrong
    """No states fit the changes: a plan is impossible, which is a defect."""


class _Changes:
    """The changes of both pairs: old and new values by property."""

    __slots__ = ("first", "second")

    def __init__(self) -> None:
        self.first: dict[str, tuple[str, str]] = {}
        self.second: dict[str, tuple[str, str]] = {}


def sample(
    bank: SeenBank, track: str, setting: str, _parameters: Parameters, facets: Facets, streams: Streams
) -> Scene:
    """Draw an item of a stratum: the plan, the changes, the states, and their looks."""
    stream = streams("changes")
    operation, tempting = facets["operation"], facets["tempting"] == "yes"
    stratum = (operation, facets["target"], facets["near_miss"], facets["tempting"], facets["first"])
    plan = stream.choice(matching(track, stratum))
    drawn = _changes(plan, stream, same_start=TRACKS[track].shared or tempting)
    pairs: tuple[Pair, ...]
    if TRACKS[track].shared:
        query = _fill_state({**_old(drawn.first), **_old(drawn.second)}, stream)
        pairs = (_pair(query, drawn.first), _pair(query, drawn.second))
    else:
        pairs, query = _context(plan, drawn, operation, stream, tempting=tempting)
    return Scene(
        item=f"{stream.word():016x}",
        track=track,
        setting=setting,
        operation=operation,
        pairs=pairs,
        query=query,
        looks=looks(bank, pairs, query, streams("looks")),
        near_miss=plan.near_miss,
        tempting=tempting,
    )


def _changes(plan: Plan, stream: Stream, *, same_start: bool) -> _Changes:
    drawn = _Changes()
    for name, role in zip(PROPERTIES, plan.roles, strict=True):
        if role == NEITHER:
            continue
        old = stream.choice(VALUES[name])
        new = _other(stream, name, old)
        if role in (BOTH, FIRST, DIFFER):
            drawn.first[name] = (old, new)
        if role in (BOTH, SECOND):
            drawn.second[name] = (old, new)
        if role == DIFFER:
            drawn.second[name] = _differing(stream, name, old, new, same_start=same_start)
    return drawn


def _other(stream: Stream, name: str, *but: str) -> str:
    return stream.choice([value for value in VALUES[name] if value not in but])


def _differing(stream: Stream, name: str, old: str, new: str, *, same_start: bool) -> tuple[str, str]:
    """Draw another change of the property, to another new value."""
    start = old if same_start else stream.choice([value for value in VALUES[name] if {value, new} != set(VALUES[name])])
    return start, _other(stream, name, start, new)


def _context(
    plan: Plan, drawn: _Changes, operation: str, stream: Stream, *, tempting: bool
) -> tuple[tuple[Pair, ...], State]:
    """Draw sources and a query that differ beyond what changes, until no given state is the answer."""
    target = _target(plan, drawn, operation)
    outside = {
        name: old for moves in (drawn.first, drawn.second) for name, old in _old(moves).items() if name not in target
    }
    fixed = {name: old for name, (old, _) in target.items()} | (outside if tempting else {})
    for _ in range(_MOST_DRAWS):
        query = _fill_state(fixed, stream)
        pairs = tuple(
            _pair(_fill_state(_old(moves), stream), moves)
            for moves in ((drawn.first, drawn.second) if drawn.second else (drawn.first,))
        )
        if _stands(pairs, query, target, drawn) and (tempting or not _holds(query, outside)):
            return pairs, query
    raise NoContext(f"no states in {_MOST_DRAWS} draws for {plan} under {operation}")


def _target(plan: Plan, drawn: _Changes, operation: str) -> dict[str, tuple[str, str]]:
    if operation == APPLY:
        return drawn.first
    if operation == UNION:
        return {**drawn.first, **drawn.second}
    wanted = (FIRST, DIFFER) if operation == DIFFERENCE else (BOTH,)
    roles = dict(zip(PROPERTIES, plan.roles, strict=True))
    return {name: change for name, change in drawn.first.items() if roles[name] in wanted}


def _stands(pairs: tuple[Pair, ...], query: State, target: dict[str, tuple[str, str]], drawn: _Changes) -> bool:
    """Check that sources and query all differ, and each source from the query in a property its pair leaves alone."""
    sources = [pair.before for pair in pairs]
    if len({*sources, query}) != len(sources) + 1:
        return False
    for source, of in zip(sources, (drawn.first, drawn.second), strict=False):
        if all(getattr(source, name) == getattr(query, name) for name in PROPERTIES if name not in of):
            return False
    return _change_state(query, target) not in {
        query,
        *(state for pair in pairs for state in (pair.before, pair.after)),
    }


def _holds(query: State, outside: Mapping[str, str]) -> bool:
    return bool(outside) and all(getattr(query, name) == old for name, old in outside.items())


def _old(of: Mapping[str, tuple[str, str]]) -> Values:
    return {name: old for name, (old, _) in of.items()}


def _fill_state(fixed: Mapping[str, str], stream: Stream) -> State:
    """Draw a value for each property that is not fixed."""
    return State(*[fixed[name] if name in fixed else stream.choice(VALUES[name]) for name in PROPERTIES])


def _pair(before: State, of: Mapping[str, tuple[str, str]]) -> Pair:
    return Pair(before, _change_state(before, of))


def _change_state(state: State, of: Mapping[str, tuple[str, str]]) -> State:
    return State(*[of[name][1] if name in of else getattr(state, name) for name in PROPERTIES])
