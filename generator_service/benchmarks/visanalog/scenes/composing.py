"""Compose a scene of people: who and what stands where, in which colours. It draws from the stream that it is handed.

The place is seen from above, so nobody stands on a horizon, and everything has one size wherever it stands. Every
quarter has somebody whole, and a small thing in the outer corner, which a zoom takes away. Some have a larger thing at
the rim, which a zoom cuts in half, and a board with a sign, a clock or an arrow. Nothing crosses a middle line. All are
of different names, everybody looks to a side, and clothes, things and boards have drawn colours. So any two programs
give different pictures.

Who stands where is drawn, and so is which thing lies where, and which way each looks. Places lie alike about all axes
of the square. So each pose that a scene is shown in is as likely as any other, whatever stands where.
"""

from collections.abc import Collection

import msgspec

from generator_service.benchmarks.visanalog.programs import MATRICES, PRODUCTS
from generator_service.benchmarks.visanalog.spec import (
    BOARD,
    PERSON,
    SIGN,
    SPECIAL,
    THING,
    WORDS,
    Gathering,
    Stander,
)
from tetrad.streams import Stream

PERSONS: dict[str, tuple[str, ...]] = {
    "man": ("man", "man stout"),
    "woman": ("woman", "woman stout"),
    "boy": ("boy",),
    "girl": ("girl",),
    "old man": ("grandfather",),
    "old woman": ("grandmother",),
}
"""Who stands about, and the people of the source that show them."""
POSES = (
    *("carry", "catch", "offer", "draw", "wash", "repair", "run", "stop", "photograph", "paint", "load"),
    *("lure", "shelter", "dangle", "aim", "award"),
)
"""Poses in which somebody looks to the side, with both hands there, and that fit into PERSON_SIZE."""
THINGS = (
    *("car", "bus", "truck", "tractor", "racing car", "motorcycle", "motor scooter", "bicycle", "sled"),
    *("helicopter", "propeller plane", "wheelchair", "shopping cart", "steam locomotive", "sailboat", "rocket"),
    *("umbrella", "backpack", "crown", "trophy", "guitar", "saxophone", "television", "telephone", "vase"),
    *("suitcase", "bell", "camera", "teddy bear", "teapot", "chair", "shoe", "cactus", "bucket", "flag"),
    *("anchor", "fire extinguisher", "wheel", "drum", "ice cream"),
)
PERSON_SIZE, THING_SIDE, BOARD_SIDE, SMALL_SIDE = (96, 116), 84, 84, 48
"""Sizes of boxes, in pixels."""
COMPLEXIONS, HAIR = 3, 4
TONES = COMPLEXIONS * HAIR
_CORNER, _RIM, _BESIDE = 230, 205, 49
_PERSON_AT, _BOARD_AT = ((63, 63), (142, 142)), ((53, 53), (157, 157))  # near the picture's centre, and far from it
_JITTER = 4
_MOVES = 2 * _JITTER + 1
_GROUNDS = 1 << 16
_SIDEWAYS = (0, 4)  # the poses of what stands upright: it looks right, or left
_UPRIGHT = 0
_TURNS = MATRICES.tolist()  # NumPy takes longer for two numbers


def compose_scene(wanted: Collection[str], stream: Stream, *, rims: bool, posed: bool) -> Gathering:
    """Compose a scene that has the wanted ones of sign, clock and arrow, and others.

    rims: whether every quarter has a thing at the rim. posed: whether the scene is shown in one of the eight
    symmetries of the square; upright otherwise.
    """
    pose = stream.below(len(MATRICES)) if posed else _UPRIGHT
    people, names = list(stream.sample(sorted(PERSONS), 4)), list(stream.sample(THINGS, 8))
    ring = 4 * stream.below(2)
    boards = [name for name in SPECIAL if name in wanted or stream.below(2)] or [stream.choice(SPECIAL)]
    board_of = dict(zip(stream.sample(range(4), len(boards)), boards, strict=True))
    things: list[Stander] = []
    for quarter in range(4):
        across, down = 1 if quarter % 2 else -1, 1 if quarter > 1 else -1

        def at(x: int, y: int, across: int = across, down: int = down) -> tuple[int, int]:
            right, below = stream.below_each(_MOVES, _MOVES)
            return across * (x + right - _JITTER), down * (y + below - _JITTER)

        is_far = stream.below(2)
        things.append(_thing(names.pop(), (across * _CORNER, down * _CORNER), SMALL_SIDE, stream))
        things.append(_person(people.pop(), at(*_PERSON_AT[is_far]), stream))
        if quarter in board_of:
            things.append(_board(board_of[quarter], at(*_BOARD_AT[1 - is_far]), stream))
        if rims or stream.below(4):
            beside = (_RIM, _BESIDE) if stream.below(2) else (_BESIDE, _RIM)
            things.append(_thing(names.pop(), at(*beside), THING_SIDE, stream))
    colours = stream.below_each(*[4] * len(things))
    shown = [
        msgspec.structs.replace(_in_pose(thing, pose), colour=ring + colour)
        for thing, colour in zip(things, colours, strict=True)
    ]
    return Gathering(tuple(shown), stream.below(_GROUNDS), pose)


def _thing(name: str, at: tuple[int, int], side: int, stream: Stream) -> Stander:
    return Stander(name, name, at, (side, side), THING, stream.choice(_SIDEWAYS), 0)


def _person(name: str, at: tuple[int, int], stream: Stream) -> Stander:
    look = f"{stream.choice(PERSONS[name])}/{stream.choice(POSES)}"
    return Stander(name, look, at, PERSON_SIZE, PERSON, stream.choice(_SIDEWAYS), 0, stream.below(TONES))


def _board(name: str, at: tuple[int, int], stream: Stream) -> Stander:
    """Put up a sign, upright, or a clock or an arrow, in any pose."""
    look, pose = (stream.choice(WORDS), _UPRIGHT) if name == SIGN else (name, stream.below(len(MATRICES)))
    return Stander(name, look, at, (BOARD_SIDE, BOARD_SIDE), BOARD, pose, 0)


def upright(gathering: Gathering) -> list[Stander]:
    """Return who and what stands in a scene before it is posed: where it is, of which size, in which pose."""
    back = next(back for back in range(len(MATRICES)) if PRODUCTS[back][gathering.pose] == _UPRIGHT)
    return [_in_pose(thing, back) for thing in gathering.things]


def _in_pose(one: Stander, pose: int) -> Stander:
    """Return what stands there once the scene is turned and mirrored."""
    if pose == _UPRIGHT:
        return one
    (a, b), (c, d) = _TURNS[pose]
    (x, y), (wide, high) = one.at, one.size
    at = (a * x + b * y, c * x + d * y)
    return msgspec.structs.replace(one, at=at, size=(high, wide) if b else (wide, high), pose=PRODUCTS[pose][one.pose])
