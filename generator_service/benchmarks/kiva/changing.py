"""Apply a value to a state: the arithmetic of the option sets."""

from functools import cache

from generator_service.benchmarks.kiva.spec import State
from generator_service.cache_budget import cache_within_budget

MOST_OBJECTS = 9  # measured: the published adults' pictures hold up to nine
SIZES = (1, 2, 4)
LEAST_SIZE, LARGEST_SIZE = SIZES[0], SIZES[-1]
FACTORS = {"x2": (2, 1), "x3": (3, 1), "/2": (1, 2), "/3": (1, 3)}
SCALES = {
    "2x": (2, 2),
    "1/2x": (0.5, 0.5),
    "wider": (2, 1),
    "narrower": (0.5, 1),
    "taller": (1, 2),
    "shorter": (1, 0.5),
}
MIRRORS = ("none", "x", "y", "both")
FULL_TURN = 360


@cache
def apply_change(state: State, domain: str, value: str) -> State | None:
    """Return the state after the change; None if no picture can show it."""
    if domain == "color":
        return None if state.color == value else State(color=value)
    if domain == "number":
        return _change_count(state.count, value)
    if domain == "rotation":
        return State(turn=(state.turn + int(value)) % FULL_TURN)
    if domain == "reflection":
        return State(mirror=MIRRORS[MIRRORS.index(state.mirror) ^ MIRRORS.index(value)])
    across, down = (side * by for side, by in zip((state.across, state.down), SCALES[value], strict=True))
    fits = all(LEAST_SIZE <= side <= LARGEST_SIZE for side in (across, down))
    return State(across=_short(across), down=_short(down)) if fits else None


def _short(side: float) -> int | float:
    """Return a whole number as such: a state is told in the scene's data and in the values of options."""
    return int(side) if side == int(side) else side


def _change_count(count: int, value: str) -> State | None:
    if value in FACTORS:
        times, over = FACTORS[value]
        after, rest = divmod(count * times, over)
    else:
        after, rest = count + int(value), 0
    return State(count=after) if not rest and 1 <= after <= MOST_OBJECTS else None


def explanations(before: State, after: State, domain: str, values: tuple[str, ...]) -> tuple[str, ...]:
    """List the values that lead from one state to the other: 2 to 4 is +2 and x2."""
    return tuple(value for value in values if apply_change(before, domain, value) == after)


@cache_within_budget(16384)  # the states of three domains together are some thousands
def combine_states(states: tuple[State, ...]) -> State:
    """Return one state that combines the states of several domains."""
    if len(states) == 1:
        return states[0]
    parts: dict[str, object] = {}
    plain = State()
    for state in states:
        parts |= {
            name: getattr(state, name)
            for name in State.__struct_fields__
            if getattr(state, name) != getattr(plain, name)
        }
    return State(**parts)  # type: ignore[arg-type]
