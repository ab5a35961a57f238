"""Compose a picture: which things lie where, on mats of which colours. It draws from the stream that it is handed.

Every quarter has a small thing in the outer corner, which a zoom takes away, and one whole thing on a round mat. Some
have a thing at the rim, which a zoom cuts in half, and a sign, a clock or an arrow. No thing crosses a middle line. All
things are of different kinds, of which none could be called by another's name, and look different from every side: so
any two programs give different pictures.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from generator_service.benchmarks.visanalog.spec import SIGN, SPECIAL, WORDS, Picture, Thing
from tetrad.streams import Stream

KINDS = 12
"""Kinds of objects that the largest picture shows."""
SMALL, MIDDLE_SIZE, AT_RIM = 46, 84, 88
_CORNER, _NEAR, _FAR, _RIM = 230, 53, 153, 205
_JITTER = 4
_MOVES = 2 * _JITTER + 1
_GROUNDS = 1 << 16


@lru_cache(maxsize=8)
def called_alike(kinds: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Return kinds in groups of which a picture shows one: those whose last word is, or ends, another's.

    A corner sofa is a sofa, too, and an armchair a chair: a question about "the sofa" would be about both.
    """
    groups: list[list[str]] = []
    for kind in kinds:
        alike = [group for group in groups if any(_end_alike(kind, other) for other in group)]
        rest = [group for group in groups if group not in alike]
        groups = [*rest, sorted([kind, *(other for group in alike for other in group)])]
    return tuple(sorted(map(tuple, groups)))


def _end_alike(kind: str, other: str) -> bool:
    one, another = kind.rpartition("-")[2], other.rpartition("-")[2]
    return one.endswith(another) or another.endswith(one)


def compose(kinds: Mapping[str, Sequence[str]], wanted: Collection[str], stream: Stream, *, rims: bool) -> Picture:
    """Compose a picture that has the wanted ones of sign, clock and arrow, and others; `rims`: a thing at every rim."""
    names = [
        stream.choice(alike) if len(alike) > 1 else alike[0]
        for alike in stream.sample(called_alike(tuple(sorted(kinds))), KINDS)
    ]
    ring = 4 * stream.below(2)
    special = [name for name in SPECIAL if name in wanted or stream.below(2)] or [stream.choice(SPECIAL)]
    quarters = dict(zip(stream.sample(range(4), len(special)), special, strict=True))
    things: list[Thing] = []

    def put_thing(name: str, at: tuple[int, int], side: int, *, is_round: bool = False) -> None:
        if name in SPECIAL and name != SIGN:
            look, (pose, colour) = name, stream.below_each(8, 4)
        else:
            looks = WORDS if name == SIGN else kinds[name]
            place, pose, colour = stream.below_each(len(looks), 8, 4)
            look = looks[place]
        things.append(Thing(name, look, at, side, is_round, pose, ring + colour))

    for quarter in range(4):
        across, down = 1 if quarter % 2 else -1, 1 if quarter > 1 else -1

        def at(x: int, y: int, across: int = across, down: int = down) -> tuple[int, int]:
            right, below = stream.below_each(_MOVES, _MOVES)
            return across * (x + right - _JITTER), down * (y + below - _JITTER)

        put_thing(names.pop(), (across * _CORNER, down * _CORNER), SMALL)
        inner = (_NEAR, _FAR) if stream.below(2) else (_FAR, _NEAR)
        put_thing(names.pop(), at(inner[0], inner[0]), MIDDLE_SIZE, is_round=True)
        if quarter in quarters:
            put_thing(quarters[quarter], at(inner[1], inner[1]), MIDDLE_SIZE)
        if rims or stream.below(4):
            upright = stream.below(2)
            put_thing(names.pop(), at(_RIM, _NEAR) if upright else at(_NEAR, _RIM), AT_RIM)
    return Picture(tuple(things), stream.below(_GROUNDS))
