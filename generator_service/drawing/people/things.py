"""Things as cut-out pictures: which picture shows each value, how a thing is held, and where one sits on it.

The pictures are Fluent Emoji in 3D, by their code points. Of those that face a side all but a few face left.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from generator_service.drawing.people.vocabulary import ANIMALS, ITEMS, MORE_VICTIMS, TOOLS, VEHICLES, Value

CORNERS: Mapping[str, tuple[float, float]] = {
    "N": (0.5, 0.04),
    "S": (0.5, 0.96),
    "NE": (0.9, 0.1),
    "NW": (0.1, 0.1),
    "SE": (0.9, 0.9),
    "SW": (0.1, 0.9),
}
"""Places on a thing's box, as shares of its width and height."""


@dataclass(frozen=True)
class Thing:
    """A picture by its code point; `grip`: the corner at which a hand holds it (the tip is opposite).

    held: where the hand is, seat: where somebody sits, mouth: where an animal holds something, as shares of the box.
    size: how large its box is beside others of its role.
    faces_right: the picture faces right. Whoever lays it has it flipped, so that it faces left as all others.
    """

    code: str
    grip: str = "S"
    held: tuple[float, float] = CORNERS["S"]
    seat: tuple[float, float] = (0.5, 0.06)
    size: float = 1.0
    mouth: tuple[float, float] = (0.05, 0.36)
    faces_right: bool = False


# Where the handle is not in the corner of the box.
_HELD = {
    "saw": (0.8, 0.76),
    "tennis racket": (0.28, 0.95),
    "badminton racket": (0.1, 0.94),
    "hook": (0.18, 0.06),
    "flag": (0.08, 0.93),
}


def _codes(values: tuple[Value, ...], text: str) -> dict[str, Thing]:
    """Pair values, in their order, with code points; a corner after a slash is the grip."""
    words = text.split()
    found = {}
    for value, word in zip(values, words, strict=True):
        code, _, grip = word.partition("/")
        grip = grip or "S"
        found[value.name] = Thing(code, grip, _HELD.get(value.name, CORNERS[grip]))
    return found


_ANIMALS = _codes(
    ANIMALS + MORE_VICTIMS,
    """1f415 1f408 1f40e 1f404 1f416 1f411 1f410 1f42a 1f418 1f98f 1f405 1f406 1f407 1f412 1f998 1f992 1f993 1f413
    1f427 1f98d 1f99b 1f98c
    1f422 1f401 1f9a7 1f994 1f986 1f9a2 1f983 1f99a 1f9a9 1f9ab 1f9a8 1f999 1f989 1f99c 1f40c 1f995 1f9ac 1f9a6
    1f9ad 1f980""",
)
_ITEMS = _codes(
    ITEMS,
    """1f34e 1f34c 1f34d 1f35e 1f9c0 1f354 1f355 1f382 1f366 1f369 1fad6 1f4d5 1f381 2602 1f4bc 1f392 1f3a9 1f451
    1f45f 1f3c8 26bd 1f3c0 1f3c6 1f3b8 1f941 1f3bb 1f3b7 1fa97 1f4fa 1f4fb 1f4bb 260e 23f0 1f33b 1f335 1f490 1f4e6
    1fa91 1fa9e 1f3fa 1f6e2 1f9f3 1f514 1f3ee 1f6de 1faa8 1f4f7 1f3b2 1f383 1f9f8""",
)
_TOOLS = _codes(
    TOOLS,
    """1f528/SE 1fa93/SE 1fa9a/SE 1fa9b/SE 1f527/SE 26cf/SE 1f52a/NW 1f5e1/NE 1f944/SE 1f58c/NE 1f58d/NE 270f/NE
    1f9f9/NE 1faa0/NE 1faa5/SE 1fa92/SW 2702/N 1f50d/SE 1f526/SE 1f388/S 1f3cf/NE 1f3be/SW 1f3f8/SW 1f3d3/SW
    1fa83/SE 1fa84/SW 1fa7c/NE 1f489/SW 1f321/NW 1f531/S 1fab6/SW 1fa9d/N 1f3a4/SW 1f4e3/SW 1f9ea/NE 1f4cf/SE
    1f339/S 1faa3/N 1f9ef/N 1f6a9/S 2693/N 1f9b4/SW 1f956/SW 1faae/N 1f56f/S 1f9f2/N""",
)
_VEHICLES = _codes(
    VEHICLES,
    """1f697 1f695 1f699 1f68c 1f68e 1f693 1f691 1f692 1f690 1f69a 1f69b 1f69c 1f3ce 1f3cd 1f6f5 1f6fa 1f6b2 1f6f4
    1f6f9 1f6fc 1f6f7 1f6f6 26f5 1f6a4 1f6e5 2708 1f6e9 1f681 1f680 1f6f8 1f682 1f683 1f68b 1f6a1 1f6a0 1f9bd 1f6fb
    1f6d2 1f686 1f6a2""",
)
# Where a rider sits on what is open, or low at that place.
_SEATS = {
    "motorcycle": (0.62, 0.36),
    "motor scooter": (0.66, 0.36),
    "bicycle": (0.62, 0.2),
    "sled": (0.5, 0.24),
    "canoe": (0.5, 0.45),
    "wheelchair": (0.5, 0.55),
    "tractor": (0.62, 0.1),
    "racing car": (0.55, 0.2),
    "pickup": (0.72, 0.42),
    "horse": (0.55, 0.34),
    "rhinoceros": (0.7, 0.16),
    "cow": (0.6, 0.18),
    "giraffe": (0.6, 0.52),
    "camel": (0.55, 0.12),
    "llama": (0.6, 0.52),
    "goat": (0.6, 0.36),
    "deer": (0.6, 0.52),
    "kangaroo": (0.55, 0.4),
    "swan": (0.6, 0.5),
    "duck": (0.65, 0.45),
    "dinosaur": (0.6, 0.55),
    "rooster": (0.55, 0.45),
    "flamingo": (0.55, 0.45),
    "skunk": (0.35, 0.45),
    "zebra": (0.6, 0.32),
    "chair": (0.45, 0.5),
}
_SIZES = {
    **dict.fromkeys(("elephant", "giraffe", "dinosaur"), 1.7),
    **dict.fromkeys(("rhinoceros", "hippopotamus", "horse", "cow", "camel", "bison"), 1.5),
    **dict.fromkeys(("zebra", "deer", "tiger", "gorilla", "kangaroo", "llama"), 1.3),
    **dict.fromkeys(("cat", "rabbit", "rooster", "duck", "owl", "parrot", "skunk", "monkey", "turtle"), 0.75),
    **dict.fromkeys(("mouse", "hedgehog", "snail", "crab"), 0.65),
    **dict.fromkeys(("apple", "banana", "shoe", "doughnut", "die", "ice cream", "camera", "alarm clock", "bell"), 0.7),
    **dict.fromkeys(("chair", "barrel", "television", "guitar", "umbrella"), 1.3),
    **dict.fromkeys(("roller skate", "skateboard"), 0.45),
    **dict.fromkeys(("scooter", "sled", "shopping cart", "wheelchair", "bicycle"), 0.75),
    **dict.fromkeys(("bus", "trolleybus", "trailer truck", "train", "ship", "jet", "steam locomotive"), 1.2),
}
_FACING_RIGHT = frozenset({"roller skate", "jet", "propeller plane", "rocket"})
THINGS: Mapping[str, Thing] = {
    name: replace(
        thing,
        seat=_SEATS.get(name, thing.seat),
        size=_SIZES.get(name, 1.0),
        faces_right=name in _FACING_RIGHT,
    )
    for name, thing in {**_ANIMALS, **_ITEMS, **_TOOLS, **_VEHICLES}.items()
}
"""The picture of every value but people and places."""

SCENERY: Mapping[str, str] = {
    "bubbles": "1fae7",
    "sleep": "1f4a4",
    "impact": "1f4a5",
    "dizzy": "1f4ab",
    "dust": "1f4a8",
    "drops": "1f4a6",
    "heart": "2764",
    "exclamation": "2757",
    "pump": "26fd",
    "tree": "1f333",
    "pine": "1f332",
    "palm": "1f334",
    "sparkles": "2728",
    "camera": "1f4f7",
    "package": "1f4e6",
    "sponge": "1f9fd",
    "lens": "1f50d",
    "wrench": "1f527",
    "gear": "2699",
    "brush": "1f58c",
    "ladder": "1fa9c",
    "herb": "1f33f",
    "cactus": "1f335",
    "parasol": "26f1",
    "pot": "1f372",
    "screen": "1f5a5",
    "bed": "1f6cf",
    "snowman": "26c4",
    "house": "1f3e0",
    "office": "1f3e2",
    "mountain": "1f3d4",
    "sunflower": "1f33b",
    "notes": "1f3b6",
    "ribbon": "1f3c5",
    "hoop": "2b55",
    "speaker": "1f50a",
    "laugh": "1f923",
    "frame": "1f5bc",
    "plant": "1fab4",
    "sheaf": "1f33e",
    "weight": "1f3cb",
    "window": "1fa9f",
    "couch": "1f6cb",
    "cloud": "2601",
}
"""Pictures for motion marks and for what belongs to a place."""


def codes() -> tuple[str, ...]:
    """Return every code point that is needed, once, sorted."""
    return tuple(sorted({thing.code for thing in THINGS.values()} | set(SCENERY.values())))
