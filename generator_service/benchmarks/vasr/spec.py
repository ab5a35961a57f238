"""Say what an item of VASR is: states, which of them are shown and offered, and the values of parameters.

A state is a verb, the value of each of its roles, and a place. The role that changes is one of six; the verb is one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from generator_service.drawing.people.vocabulary import (
    BY_NAME,
    FRAMES,
    LEAST_VERBS,
    VALUES,
    VERBS,
    Role,
    values_of,
    verbs_of,
)

NAME, VERSION = "vasr", 1
COMPOSED, PHOTOGRAPHS = "composed", "photographs"
TRACKS = (COMPOSED, PHOTOGRAPHS)
VERB, PLACE = "verb", "place"
ROLES = ("agent", "verb", "item", "tool", "vehicle", "victim")
BALANCED, DIFFICULT, RANDOM = "balanced", "difficult", "random"
KINDS = (BALANCED, DIFFICULT, RANDOM)
GIVEN = ("A", "A'", "B")
FULL = "full"
WHICH, GUESSED = "which", "partial"
"""The kinds of question, of which an item asks one: where all of A, A' and B is shown, and where a part is."""
PARTIAL: Mapping[str, tuple[str, ...]] = {
    "only-a": ("A",),
    "only-a-prime": ("A'",),
    "only-b": ("B",),
    "a-and-b": ("A", "B"),
    "a-and-a-prime": ("A", "A'"),
    "a-prime-and-b": ("A'", "B"),
}
"""Settings in which a part of the input is shown (Bitton et al. 2023, partial inputs), with what they show."""
SEPARATE, COMPOSITE = "separate", "composite"
PRESENTATIONS = (SEPARATE, COMPOSITE)
SITUATIONS, TWO_ROLES = "situations", "two-roles"
CROSSED = 4
"""So many difficult options are two situations with the new value, and two mixed of both with the old one."""

# Nouns and verbs that step 2 of mining holds for indistinct (docs/mining.md); a test compares them with WordNet.
_DISTINCT_PEOPLE = frozenset(
    map(
        frozenset,
        (("man", "woman"), ("man", "girl"), ("woman", "boy"), ("boy", "girl"), ("grandfather", "grandmother")),
    )
)
_INDISTINCT = frozenset(
    map(
        frozenset,
        (
            ("cake", "doughnut"),
            ("lantern", "jack-o'-lantern"),
            ("hook", "anchor"),
            ("car", "taxi"),
            ("car", "jeep"),
            ("car", "squad car"),
            ("car", "ambulance"),
            ("car", "racing car"),
            ("car", "cable car"),
            ("bus", "trolleybus"),
            ("bus", "minibus"),
            ("bus", "passenger car"),
            ("fire engine", "truck"),
            ("truck", "trailer truck"),
            ("truck", "pickup"),
            ("motorcycle", "bicycle"),
            ("motor scooter", "scooter"),
            ("speedboat", "motorboat"),
            ("streetcar", "aerial tramway"),
            ("kicking", "throwing"),
            ("burying", "hiding"),
            ("hitting", "pelting"),
        ),
    )
)
LOOK_ALIKE = frozenset(
    map(
        frozenset,
        (
            ("tennis racket", "badminton racket"),
            ("crayon", "pencil"),
            ("knife", "dagger"),
            ("minibus", "trolleybus"),
            ("streetcar", "passenger car"),
            ("aerial tramway", "cable car"),
            ("motorboat", "ship"),
            ("jet", "propeller plane"),
            ("beaver", "otter"),
        ),
    )
)
"""Values that differ in words, and whose pictures are too alike to ask for one change into the other."""
_UNSPECIFIC = frozenset({"walking"})
_PERSONS = frozenset(value.name for value in VALUES["agent"] if value.group != "animal")


LABELS = tuple(str(place) for place in range(1, 101))


@dataclass(frozen=True)
class State:
    """A situation: a verb, and (role, value) of each of its roles in their order, the place last."""

    verb: str
    values: tuple[tuple[str, str], ...]

    def get(self, role: str) -> str:
        """Return the value of a role, of the verb, or of the place; "" where the verb has no such role."""
        return self.verb if role == VERB else dict(self.values).get(role, "")

    def change_role(self, role: str, value: str) -> "State":
        if role == VERB:
            return State(value, self.values)
        return State(self.verb, tuple((name, value if name == role else old) for name, old in self.values))

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles that an item can be about: the verb and its roles without the place."""
        return (VERB, *(name for name, _ in self.values if name != PLACE))


@dataclass(frozen=True)
class Photograph(State):
    """A state that a photograph shows, in words, and the photograph.

    frames: what each annotator says of it, (role, noun) with the verb among them, the agent's role "agent".
    """

    name: str
    frames: tuple[tuple[tuple[str, str], ...], ...]


@dataclass(frozen=True)
class Offered:
    """An option: its state, and the mistake that it stands for, "" for the right one."""

    state: State
    mistake: str


@dataclass(frozen=True)
class Scene:
    """One item, pure data. looks: of A, A', B and each label, whole numbers that say how the state is pictured.

    Photographs have no looks.
    """

    item: str
    setting: str
    role: str
    kind: str
    sort: str
    presentation: str
    given: tuple[State, State, State]
    options: tuple[Offered, ...]
    looks: Mapping[str, Mapping[str, int]]

    @property
    def shown_names(self) -> tuple[str, ...]:
        """Return which of A, A' and B are shown."""
        return PARTIAL.get(self.setting, GIVEN)

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the labels of the options, in order."""
        return LABELS[: len(self.options)]

    @property
    def pictures(self) -> Mapping[str, tuple[str, ...]]:
        """Return what each picture shows, by its name, which is its place: some of GIVEN and of the labels."""
        every = (*self.shown_names, *self.labels)
        if self.presentation == COMPOSITE:
            return {"1": every}
        return {str(place): (what,) for place, what in enumerate(every, 1)}

    def state(self, what: str) -> State:
        """Return the state of one of GIVEN, or of the option of a label."""
        return self.given[GIVEN.index(what)] if what in GIVEN else self.options[int(what) - 1].state


@cache
def frames_with(*roles: str) -> tuple[str, ...]:
    """Return the frames that have all these roles and, where the agent may change, agents that are no people.

    Each frame has the verb. Of people few are distinct: there are no three of which each can change into each other.
    """
    return tuple(
        name
        for name, own in FRAMES.items()
        if all(role == VERB or role in own for role in roles)
        and ("agent" not in roles or not _PERSONS.issuperset(members("agent", name)))
    )


def goes_with(verb: str, role: str, value: str) -> bool:
    """Return whether a value can fill a role of a verb."""
    return value in _fitting(verb, role)


@cache
def _fitting(verb: str, role: str) -> frozenset[str]:
    """Return the values that can fill a role of a verb."""
    return frozenset(value.name for value in values_of(BY_NAME[verb], _role(role)))


@cache
def members(role: str, frame: str) -> tuple[str, ...]:
    """Return the values of a role that go with verbs enough of a frame; of the verb the frame's verbs."""
    verbs = tuple(verb.name for verb in VERBS if verb.frame == frame and verb.name not in _UNSPECIFIC)
    if role == VERB:
        return verbs
    names = tuple(value.name for value in VALUES[_role(role)])
    return tuple(name for name in names if sum(goes_with(verb, role, name) for verb in verbs) >= LEAST_VERBS)


@cache
def distinct(role: str, value: str, other: str) -> bool:
    """Return whether a change of the role from one value to the other stands out, and occurs under verbs enough."""
    if value == other or frozenset((value, other)) in _INDISTINCT | LOOK_ALIKE:
        return False
    if role == VERB:
        return not {value, other} & _UNSPECIFIC
    if role == "agent" and value in _PERSONS and other in _PERSONS:
        return frozenset((value, other)) in _DISTINCT_PEOPLE
    return len(verbs_of(_role(role), value) & verbs_of(_role(role), other)) >= LEAST_VERBS


def _role(role: str) -> Role:
    return next(name for name in VALUES if name == role)


LOOKS: Mapping[str, int] = {
    "who": 4,
    "complexion": 3,
    "hair": 4,
    "top": 9,
    "legs": 5,
    "shoes": 4,
    "ground": 6,
    "mirrored": 2,
    "shift": 9,
    "closeness": 6,
    "light": 6,
    "animal": 6,
    "item": 6,
    "tool": 6,
    "vehicle": 6,
    "victim": 6,
    "passer_by": 8,
}
"""What differs between two pictures of one state, and how many choices there are of each."""
