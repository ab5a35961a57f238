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
    *("carry", "throw", "catch", "kick", "offer", "draw", "pull", "wash", "repair", "run", "stop"),
    *("photograph", "paint", "load", "poke", "lure", "shelter", "fence", "dangle", "aim", "award", "lead"),
)
"""Poses in which somebody looks to the side, and that fit into PERSON_SIZE."""
THINGS = (
    *("car", "bus", "truck", "tractor", "racing car", "motorcycle", "motor scooter", "bicycle", "sled"),
    *("helicopter", "propeller plane", "wheelchair", "shopping cart", "steam locomotive", "sailboat", "rocket"),
    *("umbrella", "backpack", "crown", "trophy", "guitar", "saxophone", "television", "telephone", "vase"),
    *("suitcase", "bell", "camera", "teddy bear", "teapot", "chair", "shoe", "cactus", "bucket", "flag"),
    *("anchor", "fire extinguisher", "wheel", "scissors", "ice cream"),
)
PERSON_SIZE, THING_SIDE, BOARD_SIDE, SMALL_SIDE = (96, 116), 84, 84, 48
"""Sizes of boxes, in pixels."""
COMPLEXIONS, HAIR = 3, 4
TONES = COMPLEXIONS * HAIR
_CORNER, _RIM, _BESIDE = 230, 205, 49
_PERSON_AT, _BOARD_AT = (63, 142), (53, 157)  # near the picture's centre, and far from it
_JITTER = 4
_MOVES = 2 * _JITTER + 1
_GROUNDS = 1 << 16
_SIDEWAYS = (0, 4)  # the poses of what stands upright: it looks right, or left
_UPRIGHT = 0


def compose_scene(wanted: Collection[str], stream: Stream, *, rims: bool, posed: bool) -> Gathering:
    """Compose a scene that has the wanted ones of sign, clock and arrow, and others.

    rims: whether every quarter has a thing at the rim. posed: whether the scene is shown in one of the eight
    symmetries of the square; upright otherwise.
    """
    pose = stream.below(len(MATRICES)) if posed else _UPRIGHT
    people, names = list(stream.sample(sorted(PERSONS), 4)), list(stream.sample(THINGS, 8))
    ring = 4 * stream.below(2)
    boards = [name for name in SPECIAL if name in wanted or stream.below(2)] or [stream.choice(SPECIAL)]
    quarters = dict(zip(stream.sample(range(4), len(boards)), boards, strict=True))
    things: list[Stander] = []

    def put(name: str, look: str, at: tuple[int, int], size: tuple[int, int], kind: str, own: int, tone: int = 0) -> None:
        x, y = MATRICES[pose] @ at
        wide, high = abs(MATRICES[pose]) @ size
        colour = ring + stream.below(4)
        things.append(
            Stander(name, look, (int(x), int(y)), (int(wide), int(high)), kind, PRODUCTS[pose][own], colour, tone)
        )

    for quarter in range(4):
        across, down = 1 if quarter % 2 else -1, 1 if quarter > 1 else -1

        def at(x: int, y: int, across: int = across, down: int = down) -> tuple[int, int]:
            right, below = stream.below_each(_MOVES, _MOVES)
            return across * (x + right - _JITTER), down * (y + below - _JITTER)

        small, person = names.pop(), people.pop()
        corner, size = (across * _CORNER, down * _CORNER), (SMALL_SIDE, SMALL_SIDE)
        put(small, small, corner, size, THING, _SIDEWAYS[stream.below(2)])
        whos, place = PERSONS[person], _PERSON_AT[far := stream.below(2)]
        who, does, tone, side = stream.below_each(len(whos), len(POSES), TONES, 2)
        look = f"{whos[who]}/{POSES[does]}"
        put(person, look, at(place, place), PERSON_SIZE, PERSON, _SIDEWAYS[side], tone)
        if quarter in quarters:
            name, place = quarters[quarter], _BOARD_AT[1 - far]
            word = WORDS[stream.below(len(WORDS))] if name == SIGN else name
            own = _UPRIGHT if name == SIGN else stream.below(8)
            put(name, word, at(place, place), (BOARD_SIDE, BOARD_SIDE), BOARD, own)
        if rims or stream.below(4):
            name, beside = names.pop(), (_RIM, _BESIDE) if stream.below(2) else (_BESIDE, _RIM)
            put(name, name, at(*beside), (THING_SIDE, THING_SIDE), THING, _SIDEWAYS[stream.below(2)])
    return Gathering(tuple(things), stream.below(_GROUNDS), pose)


def upright(gathering: Gathering) -> list[Stander]:
    """Return who and what stands in a scene as before its pose: places, sizes and poses are those of the upright one."""
    back = _inverse(gathering.pose)
    found = []
    for one in gathering.things:
        x, y = MATRICES[back] @ one.at
        wide, high = abs(MATRICES[back]) @ one.size
        at, size = (int(x), int(y)), (int(wide), int(high))
        found.append(msgspec.structs.replace(one, at=at, size=size, pose=PRODUCTS[back][one.pose]))
    return found


def _inverse(pose: int) -> int:
    return next(back for back in range(len(MATRICES)) if PRODUCTS[back][pose] == _UPRIGHT)

