"""List KiVA-adults' option sets: 29 values, and a given object with another start than the test object.

Balanced sets are all orders of three states of which every two are connected by some value. If two values connect two
states (2 to 4 is +2 and x2), each takes half of the order's share. If a doubling or trebling of one object looks like
an addition, the multiplication takes the whole share, because multiplications are rarer. With the weights below, every
value of number is equally likely.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations, permutations

from generator_service.benchmarks.kiva.changing import MIRRORS, MOST_OBJECTS, SIZES, apply_change, explanations
from generator_service.benchmarks.kiva.option_sets import OPPOSITE, STARTS_PUBLISHED, Arrangement
from generator_service.benchmarks.kiva.spec import ADULT_VALUES, PLAIN, State

EIGHTHS = tuple(range(0, 360, 45))
# Weights of sets of counts. tests/benchmarks/kiva/test_arrangements.py proves that they make the eight values equally
# likely.
COUNT_SETS = {
    (1, 2, 3): 8,
    (2, 3, 6): 8,
    (2, 4, 6): 8,
    (4, 6, 8): 4,
    (3, 4, 5): 1,
    (4, 5, 6): 1,
    (5, 6, 7): 1,
    (6, 7, 8): 1,
}
MOST_BALANCED = 8  # objects in a panel, but for the given pair of x3 and /3, of which few start apart
SMALL = State(across=1.25, down=1.25)  # 5/8 of the object's own size
GROWING = ("2x", "wider", "taller")
Givens = tuple[State, ...]
SHARE = 4  # shares of a step's only value; if two values fit, each has half
# Measured on the published trial_tracker files of KiVA-adults.
ADULT_STARTS = {
    **STARTS_PUBLISHED,
    "x2": range(2, 5),
    "x3": range(1, 4),
    "/2": range(4, 9, 2),
    "/3": range(3, 10, 3),
}
ADULT_OPPOSITE = {**OPPOSITE, "x2": "/2", "/2": "x2", "x3": "/3", "/3": "x3"}
ONE_OFF = {"x": 1, "+": -1, "-": 1, "/": -1}
STARTING_TURNS = (45, 90, 135, 225, 270, 315)
WRONG_TURNS = {
    "+45": ("+135", "180"),
    "-45": ("-135", "180"),
    "+135": ("+45", "180"),
    "-135": ("-45", "180"),
    "+90": ("180",),
    "-90": ("180",),
    "180": ("+45", "-45", "+90", "-90"),
}
WRONG_SIZES = {"2x": "1/2x", "wider": "taller", "narrower": "shorter"}
WRONG_MIRRORS = {"x": ("y", "both"), "y": ("x", "both"), "both": ("x", "y")}
_STARTS = {
    "color": [State(color=color) for color in ADULT_VALUES["color"]],
    "size": [State(across=across, down=down) for across in SIZES for down in SIZES],
    "number": [State(count=count) for count in range(1, MOST_OBJECTS + 1)],
    "rotation": [State(turn=turn) for turn in EIGHTHS],
    "reflection": [State(mirror=mirror) for mirror in MIRRORS],
}


def colors() -> Iterator[Arrangement]:
    for states in combinations(_STARTS["color"], 3):
        yield from _orders("color", states)


def sizes() -> Iterator[Arrangement]:
    """List nested stretches: from a size to twice one side, then to twice both."""
    for across in SIZES[:2]:
        for down in SIZES[:2]:
            for middle in (State(across=2 * across, down=down), State(across=across, down=2 * down)):
                nested = (State(across=across, down=down), middle, State(across=2 * across, down=2 * down))
                yield from _orders("size", nested)


def counts() -> Iterator[Arrangement]:
    """List the orders of each set as often as its weight says."""
    for counts_shown, weight in COUNT_SETS.items():
        for arrangement in _orders("number", [State(count=count) for count in counts_shown]):
            yield from [arrangement] * weight


def turns() -> Iterator[Arrangement]:
    for states in combinations(_STARTS["rotation"], 3):
        yield from _orders("rotation", states)


def mirrors() -> Iterator[Arrangement]:
    for states in combinations(_STARTS["reflection"], 3):
        yield from _orders("reflection", states)


def sizes_published() -> Iterator[Arrangement]:
    """Pair twice with half, wider with taller, narrower with shorter. Both objects start alike.

    What grows starts at 5/8 of its own size, and what shrinks at its own size. The wrong picture of twice and half is
    made from the object's own size: measured on the released pictures of KiVA-adults.
    """
    for first, second in WRONG_SIZES.items():
        for value, wrong_value in ((first, second), (second, first)):
            start = SMALL if value in GROWING else PLAIN
            wrong = {"2x": State(across=1, down=1), "1/2x": State(across=2.5, down=2.5)}.get(value)
            yield arrange_apart("size", value, wrong_value, start, wrong=wrong, starts=(start,))


def counts_published() -> Iterator[Arrangement]:
    """Set the wrong picture one off. The wrong words name the value that undoes the right one."""
    for value, starts in ADULT_STARTS.items():
        for start in starts:
            wrong = State(count=start + ONE_OFF[value[0]])
            elsewhere = tuple(State(count=count) for count in starts if count != start)
            undone = ADULT_OPPOSITE[value]
            yield arrange_apart("number", value, undone, State(count=start), wrong=wrong, starts=elsewhere)


def turns_published() -> Iterator[Arrangement]:
    """Give a right value each of its wrong values equally often. Both starts are tilted, and they differ."""
    for value, against in WRONG_TURNS.items():
        for wrong_value in against * (SHARE // len(against)):
            for turn in STARTING_TURNS:
                elsewhere = tuple(State(turn=other) for other in STARTING_TURNS if other != turn)
                yield arrange_apart("rotation", value, wrong_value, State(turn=turn), starts=elsewhere)


def mirrors_published() -> Iterator[Arrangement]:
    """Set every mirror against every other one. The given object starts in the mirror that its change undoes.

    So it is in all released pictures of KiVA-adults; the test object starts as it is.
    """
    for value, against in WRONG_MIRRORS.items():
        for wrong_value in against:
            yield arrange_apart("reflection", value, wrong_value, PLAIN, starts=(State(mirror=value),))


def _orders(domain: str, states: Iterable[State]) -> Iterator[Arrangement]:
    """Yield all orders, each with every pair of values that its two steps may have: `SHARE` squared of them in all."""
    for start, right, wrong in permutations(states):
        for value in _labels(domain, start, right):
            for wrong_value in _labels(domain, start, wrong):
                yield arrange_apart(domain, value, wrong_value, start)


def _labels(domain: str, before: State, after: State) -> tuple[str, ...]:
    """Return the value of the step `SHARE` times, divided between two values if both fit."""
    named = explanations(before, after, domain, ADULT_VALUES[domain])
    if 1 in (before.count, after.count):
        named = tuple(value for value in named if value[0] in "x/") or named
    return named if domain != "number" else named * (SHARE // (2 * len(named)))


def arrange_apart(
    domain: str,
    value: str,
    wrong_value: str,
    start: State,
    *,
    wrong: State | None = None,
    starts: Iterable[State] | None = None,
) -> Arrangement:
    """Return the arrangement of two values from a start, with the given starts that can be read in one way.

    wrong: the wrong option, if its value does not lead to it. starts: all that the given object may start from; else
    `_apart` chooses among all starts of the domain.

    Raises:
        ValueError: a value leads nowhere, or no given start shows it beyond doubt.
    """
    right, led = apply_change(start, domain, value), apply_change(start, domain, wrong_value)
    shown = wrong or led
    if right is None or shown is None:
        raise ValueError(f"{value} and {wrong_value} do not both lead somewhere from {start}")
    givens = tuple(
        given
        for given in (_STARTS[domain] if starts is None else starts)
        if _readable(domain, given, value, (start, shown), wrong_value)
    )
    if starts is None:
        givens = _apart(domain, value, givens, start, shown)
    if not givens:
        raise ValueError(f"no given start shows {value} beyond doubt against {wrong_value} from {start}")
    return Arrangement(
        domain=domain, value=value, wrong_value=wrong_value, start=start, right=right, wrong=shown, givens=givens
    )


def _readable(domain: str, given: State, value: str, wrong: tuple[State, State], wrong_value: str) -> bool:
    """Tell whether the pair from `given` shows the value, and no other reading of it fits a wrong option."""
    after = apply_change(given, domain, value)
    if after is None:
        return False
    others = [name for name in explanations(given, after, domain, ADULT_VALUES[domain]) if name != value]
    led = {apply_change(wrong[0], domain, name) for name in others}
    if domain == "number" and value[0] in "x/":  # 8 to 4 may be read as four fewer, although -4 is no value
        led.add(State(count=wrong[0].count + after.count - given.count))
    return wrong_value not in others and not led & set(wrong)


def _apart(domain: str, value: str, givens: Givens, start: State, wrong: State) -> Givens:
    """Keep the pairs that can be read in one way only. Someone who reads 1 to 3 as +2 would find no picture for it.

    Of these, prefer starts that differ from the test object's, then pairs of up to eight objects, then starts that
    differ from the wrong option. A preference that would leave nothing is skipped.
    """
    plain = tuple(given for given in givens if len(_ways(domain, given, value)) == 1)
    elsewhere = tuple(given for given in plain if given != start)
    # Half of six against a third of it: the pair of another start may be read in two ways. One of them has an option.
    elsewhere = elsewhere or tuple(given for given in givens if given != start) or plain
    few = tuple(given for given in elsewhere if _most(domain, given, value) <= MOST_BALANCED) or elsewhere
    return tuple(given for given in few if given != wrong) or few


def _most(domain: str, given: State, value: str) -> int:
    after = apply_change(given, domain, value)
    return max(given.count, after.count if after else 0)


def _ways(domain: str, given: State, value: str) -> tuple[str, ...]:
    after = apply_change(given, domain, value)
    return () if after is None else explanations(given, after, domain, ADULT_VALUES[domain])
