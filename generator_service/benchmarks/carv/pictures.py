"""List the pictures of an item in order, with their content: each pair's two, then the query."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec

from generator_service.benchmarks.carv.spec import SYMBOLIC, Scene, State, shown_states

BEFORE, AFTER, QUERY = "before", "after", "query"


@lru_cache(maxsize=4)
def picture_names(pairs: int) -> tuple[str, ...]:
    """Name the pictures by place: each pair's two, then the query."""
    return tuple(str(place) for place in range(1, 2 * pairs + 2))


def shown_state(scene: Scene, name: str) -> tuple[int, State]:
    """Return the picture's place, from 0, and the state it shows; KeyError for a name the scene does not have."""
    names = () if scene.setting == SYMBOLIC else picture_names(len(scene.pairs))
    if name not in names:
        raise KeyError(f"picture {name!r} is not among {', '.join(names)}")
    place = names.index(name)
    return place, shown_states(scene)[place]


def holds(scene: Scene, name: str) -> Mapping[str, Any]:
    """Return the state under its part: before, after or query."""
    place, state = shown_state(scene, name)
    part = QUERY if place == 2 * len(scene.pairs) else (BEFORE, AFTER)[place % 2]
    return {part: msgspec.structs.asdict(state)}
