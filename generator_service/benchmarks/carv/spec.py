"""Define a CARV item: states, changes, operations on sets of changes, and the Scene, which is pure data.

Source: Du et al., CARV (2026), sections 3.1 to 4.2.
"""

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from generator_service.cache_budget import cache_within_budget

NAME = "carv"
VERSION = 1

# A state's properties, by the paper's names, and their values: 9 x 2 x 2 x 3 x 4 = 432 states.
VALUES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "subject": ("book", "bottle", "bowl", "candle", "clock", "mug", "plant", "scissors", "toilet paper"),
        "subject_number": ("one", "two"),
        "object": ("table", "chair"),
        "object_color": ("wood", "red", "blue"),
        "spatial_relation": ("on", "under", "left", "right"),
    }
)
PROPERTIES = tuple(VALUES)

APPLY, UNION, INTERSECTION, DIFFERENCE = "apply", "union", "intersection", "difference"
OPERATIONS = (APPLY, UNION, INTERSECTION, DIFFERENCE)

SINGLE, SHARED, DIFFERENT, SCALING_3, SCALING_4, CARDINALITY = (
    "single",
    "shared-source",
    "different-source",
    "scaling-3",
    "scaling-4",
    "cardinality",
)
DIRECT, PUBLISHED, DIAGNOSIS, FREE_FORM, ORACLE, SYMBOLIC = (
    "direct",
    "direct-as-published",
    "diagnosis",
    "diagnosis-free-form",
    "oracle-decomposition",
    "symbolic",
)
SETTINGS = (DIRECT, PUBLISHED, DIAGNOSIS, FREE_FORM, ORACLE, SYMBOLIC)


class Track(msgspec.Struct, frozen=True, kw_only=True):
    """`atomic`: changes of each pair; `shared`: both pairs and the query start alike."""

    atomic: int
    operations: tuple[str, ...]
    shared: bool = True


TRACKS: Mapping[str, Track] = MappingProxyType(
    {
        SINGLE: Track(atomic=2, operations=(APPLY,), shared=False),
        SHARED: Track(atomic=2, operations=(UNION, INTERSECTION, DIFFERENCE)),
        DIFFERENT: Track(atomic=2, operations=(UNION, INTERSECTION, DIFFERENCE), shared=False),
        SCALING_3: Track(atomic=3, operations=(UNION, INTERSECTION)),
        SCALING_4: Track(atomic=4, operations=(UNION, INTERSECTION)),
        CARDINALITY: Track(atomic=2, operations=(UNION,)),
    }
)


class State(msgspec.Struct, frozen=True):
    """The content of a picture: "two bottles on a red table"."""

    subject: str
    subject_number: str
    object: str
    object_color: str
    spatial_relation: str


class Change(msgspec.Struct, frozen=True, order=True):
    """An atomic transformation: one property goes from one value to another."""

    property: str
    old: str
    new: str


Changes = frozenset[Change]


class Pair(msgspec.Struct, frozen=True):
    """A state before and after."""

    before: State
    after: State


class Look(msgspec.Struct, frozen=True):
    """One way to picture a state. With the state it fixes every pixel.

    variants: of the first and the second prop. way: one of the relation's ways to stand, by number. shift: of the
    frame.
    """

    view: int
    design: int
    variants: tuple[int, int]
    way: int
    shift: tuple[int, int]


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """One item: one or two pairs, an operation on what changes in them, and the state it is applied to.

    looks: one a picture, in order. tempting: the query also holds the old values of changes outside the target.
    item: 16 hex digits that tell this item from any other.
    """

    item: str
    track: str
    setting: str
    operation: str
    pairs: tuple[Pair, ...]
    query: State
    looks: tuple[Look, ...]
    near_miss: bool
    tempting: bool


@cache_within_budget(1 << 16)
def changes(pair: Pair) -> Changes:
    """Return T(before, after), the paper's equation 1."""
    return frozenset(
        Change(name, old, new)
        for name in PROPERTIES
        if (old := getattr(pair.before, name)) != (new := getattr(pair.after, name))
    )


def target(scene: Scene) -> Changes:
    """Return O(T1, T2), on whole triples. With a single pair, its changes are the target."""
    first, *rest = (changes(pair) for pair in scene.pairs)
    if scene.operation == APPLY:
        return first
    [second] = rest
    if scene.operation == UNION:
        return first | second
    return first & second if scene.operation == INTERSECTION else first - second


def apply_changes(state: State, wanted: Changes) -> State:
    """Return the state with these changes made.

    Raises:
        ValueError: a change's old value is not the state's, or two changes touch one property.
    """
    if len({change.property for change in wanted}) != len(wanted):
        raise ValueError(f"{sorted(wanted)} change a property twice")
    for change in wanted:
        if getattr(state, change.property) != change.old:
            raise ValueError(f"{change} does not fit {state}: its {change.property} is another")
    return msgspec.structs.replace(state, **{change.property: change.new for change in wanted})


def answer(scene: Scene) -> State:
    return apply_changes(scene.query, target(scene))


def shown_states(scene: Scene) -> tuple[State, ...]:
    """Return the states of the pictures, in order: each pair's before and after, then the query."""
    return (*(state for pair in scene.pairs for state in (pair.before, pair.after)), scene.query)
