"""Compose a scene of people: who and what stands where, in which colours. It draws from the stream that it is handed.

The place is seen from above, so nobody stands on a horizon, and everything has one size wherever it stands. Every
quarter has somebody whole, and a small thing in the outer corner, which a zoom takes away. Some have a vehicle at the
rim, which a zoom cuts in half, and a board with a sign, a clock or an arrow. Nothing crosses a middle line. All are of
different kinds, everybody looks to a side, and clothes, things and boards have drawn colours: so any two programs give
different pictures.

Who, which vehicle and which small thing stands where is drawn, as is the way in which each looks. Places lie alike
about all axes of the square. So a scene that is shown in a pose is as likely as any other, whatever stands in it.
"""

from collections.abc import Collection
from math import lcm

import msgspec

from generator_service.benchmarks.visanalog.programs import MATRICES, PRODUCTS
from generator_service.benchmarks.visanalog.spec import (
    BOARD,
    ITEM,
    PERSON,
    SIGN,
    SPECIAL,
    VEHICLE,
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
VEHICLES = (
    *("car", "bus", "truck", "tractor", "racing car", "motorcycle", "motor scooter", "bicycle", "sled"),
    *("helicopter", "propeller plane", "wheelchair", "shopping cart", "steam locomotive", "sailboat", "rocket"),
)
ITEMS = (
    *("umbrella", "backpack", "crown", "trophy", "guitar", "saxophone", "television", "telephone", "vase"),
    *("suitcase", "bell", "camera", "teddy bear", "teapot", "chair", "shoe", "cactus", "bucket", "flag"),
    *("anchor", "fire extinguisher", "wheel", "scissors", "ice cream"),
)
PERSON_SIZE, VEHICLE_SIDE, BOARD_SIDE, ITEM_SIDE = (96, 116), 84, 84, 48
"""Sizes of boxes, in pixels."""
COMPLEXIONS, HAIR = 3, 4
TONES = COMPLEXIONS * HAIR
_CORNER, _RIM, _BESIDE = 230, 205, 49
_PERSON_AT, _BOARD_AT = (66, 142), (53, 157)  # near the picture's centre, and far from it
_JITTER = 4
_MOVES = 2 * _JITTER + 1
_GROUNDS = 1 << 16
_LOOKS = lcm(*map(len, PERSONS.values())) * len(POSES)
_SIDEWAYS = (0, 4)  # the poses of what stands upright: it looks right, or left
_UPRIGHT = 0


def compose_scene(wanted: Collection[str], stream: Stream, *, rims: bool, posed: bool) -> Gathering:
    """Compose a scene that has the wanted ones of sign, clock and arrow, and others.

    rims: whether every quarter has a vehicle at the rim. posed: whether the scene is shown in one of the eight
    symmetries of the square; upright otherwise.
    """
    pose = stream.below(len(MATRICES)) if posed else _UPRIGHT
    people, vehicles = list(stream.sample(sorted(PERSONS), 4)), list(stream.sample(VEHICLES, 4))
    items, ring = list(stream.sample(ITEMS, 4)), 4 * stream.below(2)
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

        item, person = items.pop(), people.pop()
        put(item, item, (across * _CORNER, down * _CORNER), (ITEM_SIDE, ITEM_SIDE), ITEM, _SIDEWAYS[stream.below(2)])
        far, look, tone, side = stream.below_each(2, _LOOKS, TONES, 2)
        who = PERSONS[person][look % len(PERSONS[person])]
        place = _PERSON_AT[far]
        stands = f"{who}/{POSES[look % len(POSES)]}"
        put(person, stands, at(place, place), PERSON_SIZE, PERSON, _SIDEWAYS[side], tone)
        if quarter in quarters:
            name, place = quarters[quarter], _BOARD_AT[1 - far]
            word = WORDS[stream.below(len(WORDS))] if name == SIGN else name
            own = _UPRIGHT if name == SIGN else stream.below(8)
            put(name, word, at(place, place), (BOARD_SIDE, BOARD_SIDE), BOARD, own)
        if rims or stream.below(4):
            vehicle, beside = vehicles.pop(), (_RIM, _BESIDE) if stream.below(2) else (_BESIDE, _RIM)
            put(vehicle, vehicle, at(*beside), (VEHICLE_SIDE, VEHICLE_SIDE), VEHICLE, _SIDEWAYS[stream.below(2)])
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

