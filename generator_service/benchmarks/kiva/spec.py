"""What a KiVA trial can be: domains, values, states, and the Scene, which is pure data.

Source: Yiu et al., KiVA (2025), sections 3.1 and 3.2, and the published pictures where the text is silent.
"""

from functools import lru_cache

import msgspec

NAME = "kiva"
VERSION = 1

# The 14 values of KiVA. Rotations are clockwise; "x" swaps top and bottom, "y" left and right.
VALUES: dict[str, tuple[str, ...]] = {
    "color": ("red", "green", "blue"),
    "size": ("2x", "1/2x"),
    "number": ("+1", "+2", "-1", "-2"),
    "rotation": ("+90", "-90", "180"),
    "reflection": ("x", "y"),
}
DOMAINS = tuple(VALUES)

# What classification calls a domain: turned and mirrored are one there, as in the paper's options.
ASPECT = {
    "color": "color",
    "size": "size",
    "number": "number",
    "rotation": "orientation",
    "reflection": "orientation",
}
ASPECTS = ("number", "size", "orientation", "color")

NO_CHANGE = "no change"
OTHER = "doesn't apply"
NONE_SHOWN = "none of them"

DISTRACTORS = ("balanced", "published")
PRESENTATIONS = ("separate", "composite")
BACKGROUNDS = ("transparent", "white", "black")
FULL = "full"
EXTRAPOLATION_ONLY = "extrapolation-only"


class State(msgspec.Struct, frozen=True, kw_only=True):
    """How one object stands in one picture.

    turn: degrees clockwise, 0 to 359. mirror: none, x (top and bottom swapped), y or both.
    across, down: size in halves of a trial's first size, so that 2 is "as at first".
    """

    color: str = "own"
    count: int = 1
    turn: int = 0
    mirror: str = "none"
    across: int = 2
    down: int = 2


PLAIN = State()


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """One trial. The given object goes from `given_before` to `given_after`, the test object starts at `test_before`.

    change: whether the given object changes; in a no-change trial everything else is drawn as if it did.
    classification, specification, extrapolation: what places 1, 2, .. (A, B, C) hold, one tuple for each repeat;
    the verbal ones are empty where the setting does not ask.
    item: 16 hex digits that tell this trial from any other.
    """

    item: str
    track: str
    domain: str
    value: str
    change: bool
    given: str
    test: str
    given_before: State
    given_after: State
    test_before: State
    classification: tuple[tuple[str, ...], ...]
    specification: tuple[tuple[str, ...], ...]
    extrapolation: tuple[tuple[State, ...], ...]
    presentation: str
    background: str

    @property
    def repeats(self) -> int:
        return len(self.extrapolation)


@lru_cache(maxsize=512)  # a card's worth of states is a few dozen
def state_text(state: State) -> str:
    """Name a state by what differs from the plain one: "color green", "count 3", "plain"."""
    plain = msgspec.structs.asdict(PLAIN)
    parts = [f"{name} {value}" for name, value in msgspec.structs.asdict(state).items() if value != plain[name]]
    return ", ".join(parts) or "plain"


def question_id(kind: str, repeat: int) -> str:
    """Name the question: "what" first, "what-2" when it is asked again."""
    return kind if repeat == 1 else f"{kind}-{repeat}"
