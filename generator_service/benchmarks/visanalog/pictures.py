"""List the pictures of an item by name, and say what each of them holds."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from generator_service.benchmarks.visanalog.facts import GONE
from generator_service.benchmarks.visanalog.photographs.pictures import photograph_holds
from generator_service.benchmarks.visanalog.programs import HALF, LAYOUT_OF, MATRICES, PLACED, PRODUCTS, place_things
from generator_service.benchmarks.visanalog.spec import (
    COLOURS,
    END_TO_END,
    LADDER,
    ORACLE,
    PROGRAM,
    SIGN,
    WRONG_IMAGE,
    Photograph,
    Scene,
    Stander,
    Thing,
)

BEFORE, AFTER, QUERY, TARGET, INSTEAD = "before", "after", "query", "target", "instead"
"""A, B, C, D, and C in D's place."""
_ROLES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        END_TO_END: (BEFORE, AFTER, QUERY),
        ORACLE: (TARGET,),
        WRONG_IMAGE: (INSTEAD,),
        PROGRAM: (QUERY,),
        LADDER: (INSTEAD, BEFORE, AFTER, QUERY, TARGET),
    }
)
_OF_RUNG: Mapping[str, tuple[str, ...]] = MappingProxyType({name: of for name, of in _ROLES.items() if name != LADDER})
_WAYS = {(0, -1): "up", (-1, 0): "left", (0, 1): "down", (1, 0): "right"}
_WHOLE = 100  # percent


def shown_names(setting: str, rung: str) -> tuple[str, ...]:
    """Return the names of the pictures that a question of a setting shows, in order."""
    roles = _ROLES[setting]
    return tuple(str(1 + roles.index(role)) for role in _OF_RUNG[rung])


def role_of(scene: Scene, name: str) -> str:
    """Return the part that a picture plays; KeyError for a name that the scene does not have."""
    names = {str(place): role for place, role in enumerate(_ROLES[scene.setting], 1)}
    if name not in names:
        raise KeyError(f"picture {name!r} is not among {', '.join(names)}")
    return names[name]


def holds(scene: Scene, name: str) -> Mapping[str, Any]:
    """Return what is to be seen in a picture: its things, each with its visible box in pixels from the upper left.

    Of a photograph: the colours of its cells, and the boxes of things that annotations name.
    """
    role = role_of(scene, name)
    picture = scene.source if role in {BEFORE, AFTER} else scene.query
    program = scene.program if role in {AFTER, TARGET} else 0
    if isinstance(picture, Photograph):
        return {role: photograph_holds(picture, program)}
    return {role: list_seen(picture.things, program)}


def list_seen(things: Sequence[Thing | Stander], program: int) -> list[dict[str, Any]]:
    """Return what is to be seen of things under a program. A thing that is cut off says how much of it is left."""
    half = np.array([thing.half for thing in things])
    places = place_things(np.array([thing.at for thing in things], dtype=np.float64), half)
    made, layout = PLACED[program], LAYOUT_OF[program]
    turn, found = MATRICES[made.symmetry], []
    for place, thing in enumerate(things):
        share = places.share[layout, place]
        middle, size = turn @ places.centre[layout, place], np.abs(turn) @ places.half[layout, place]
        if share < GONE:
            continue
        pose = PRODUCTS[made.symmetry][thing.pose]
        up = MATRICES[pose] @ (0, -1)
        found.append(
            {
                "name": thing.name,
                "box": [round(float(value)) for value in (*(middle - size + HALF), *(middle + size + HALF))],
                "percent": round(_WHOLE * float(share)),
                **_own(thing),
                "color": COLOURS[(thing.colour & 4) + ((thing.colour + made.hue) & 3)],
                "top": _WAYS[int(up[0]), int(up[1])],
                "mirrored": pose >= 4,  # noqa: PLR2004 - the second half of the symmetries
            }
            | ({"word": thing.look} if thing.name == SIGN else {})
        )
    return found


def _own(one: Thing | Stander) -> dict[str, Any]:
    """Return what is told of a thing in one kind of picture alone: whether its mat is round; its kind, in a scene."""
    return {"round": one.round} if isinstance(one, Thing) else {"kind": one.kind}
