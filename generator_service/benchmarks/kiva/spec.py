"""Define a KiVA trial: tracks, domains, values, states, and the Scene, which is pure data.

Source: Yiu et al., KiVA (2025), sections 3.1 and 3.2, and the published pictures where the text is silent.
"""

from itertools import combinations

import msgspec

from generator_service.cache_budget import cache_within_budget

NAME = "kiva"
VERSION = 1

KIVA = "kiva"
ADULTS = "kiva-adults"
COMPOSITIONALITY = "kiva-compositionality"
TRACKS = (KIVA, ADULTS, COMPOSITIONALITY)

# The 14 values of KiVA. Rotations are clockwise; "x" swaps top and bottom, "y" left and right.
VALUES: dict[str, tuple[str, ...]] = {
    "color": ("red", "green", "blue"),
    "size": ("2x", "1/2x"),
    "number": ("+1", "+2", "-1", "-2"),
    "rotation": ("+90", "-90", "180"),
    "reflection": ("x", "y"),
}
DOMAINS = tuple(VALUES)
# The 29 values of KiVA-adults: all of these, and fifteen more.
ADULT_VALUES: dict[str, tuple[str, ...]] = {
    "color": (*VALUES["color"], "yellow", "grey"),
    "size": (*VALUES["size"], "wider", "narrower", "taller", "shorter"),
    "number": (*VALUES["number"], "x2", "x3", "/2", "/3"),
    "rotation": (*VALUES["rotation"], "+45", "-45", "+135", "-135"),
    "reflection": (*VALUES["reflection"], "both"),
}
VALUES_OF = {KIVA: VALUES, ADULTS: ADULT_VALUES}

JOIN = "+"
# Two or three domains at once, never rotation with reflection: half a turn with an up-down flip is a left-right flip.
COMBINATIONS = tuple(
    JOIN.join(domains)
    for count in (2, 3)
    for domains in combinations(DOMAINS, count)
    if not {"rotation", "reflection"} <= set(domains)
)

# The names of domains in classification: turned and mirrored are one, as in the paper's options.
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

# The mistakes of the wrong options.
OTHER_DOMAIN, OTHER_VALUE, NOTHING_CHANGED = "other domain", "other value", "nothing changed"
CHANGE_IMAGINED, NONE_FITS = "a change where there is none", "none fits"

# Of several changes at once, how many mixtures of right and wrong ones are offered.
FOUR, EIGHT = "four", "eight"
MIXTURES = (FOUR, EIGHT)

BALANCED, PUBLISHED = "balanced", "published"
DISTRACTORS = (BALANCED, PUBLISHED)
SEPARATE, COMPOSITE, SENTENCE = "separate", "composite", "sentence"
PRESENTATIONS = (SEPARATE, COMPOSITE, SENTENCE)
TRANSPARENT = "transparent"
BACKGROUNDS = (TRANSPARENT, "white", "black")
WORDINGS = ("standard", "child")
FULL = "full"
EXTRAPOLATION_ONLY = "extrapolation-only"
GIVEN_CLASSIFICATION = "given-classification"
GIVEN_SPECIFICATION = "given-specification"
# The kinds of question each setting asks, in the order in which they open.
ASKS: dict[str, tuple[str, ...]] = {
    FULL: ("what", "how", "which"),
    EXTRAPOLATION_ONLY: ("which",),
    GIVEN_CLASSIFICATION: ("how", "which"),
    GIVEN_SPECIFICATION: ("which",),
}
# The stages that each setting tells beforehand. The first question after them carries the words.
TELLS = {GIVEN_CLASSIFICATION: "classification", GIVEN_SPECIFICATION: "specification"}
NOTHING_TOLD = "nothing"


class State(msgspec.Struct, frozen=True, kw_only=True, gc=False, cache_hash=True):
    """The state of one object in one picture.

    turn: degrees clockwise, 0 to 359. mirror: none, x (top and bottom swapped), y or both.
    across, down: size in halves of the object's own size, so 2 is unchanged and 4 fills the panel. Published sizes of
    kiva-adults are other parts of it, too.
    """

    color: str = "own"
    count: int = 1
    turn: int = 0
    mirror: str = "none"
    across: int | float = 2
    down: int | float = 2


PLAIN = State()

Words = tuple[str, ...]
"""One option of a verbal question: the aspects or values it names, one for each domain of the trial."""


class Showing(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One object before and after: the given pair, or a further row of a sentence sheet."""

    object: str
    before: State
    after: State


class Scene(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One trial. `given` shows the change; the test object is at `test_before` before it and at `test_after` after.

    domain: what changes; several joined by +. values: the change in each of them.
    change: whether the given object changes; in a no-change trial everything else is drawn as if it did.
    test_after: the test object's state after the change, filled in even if nothing changes in the trial.
    classification, specification, extrapolation: the options at places 1, 2, .. (A, B, ..), one tuple for each repeat.
    The verbal ones are empty if the setting does not ask them.
    rows: further objects with the same change, for the sentence sheet. examples: solved trials of the same domain.
    item: 16 hex digits that tell this trial from any other. distractors: by whose rules colors and counts are drawn.
    """

    item: str
    track: str
    setting: str
    domain: str
    values: Words
    change: bool
    given: Showing
    test: str
    test_before: State
    test_after: State
    classification: tuple[tuple[Words, ...], ...] = ()
    specification: tuple[tuple[Words, ...], ...] = ()
    extrapolation: tuple[tuple[State, ...], ...]
    rows: tuple[Showing, ...] = ()
    examples: tuple["Scene", ...] = ()
    distractors: str
    presentation: str
    background: str
    crop: int = 100
    wording: str = "standard"

    @property
    def repeats(self) -> int:
        return len(self.extrapolation)

    @property
    def domains(self) -> tuple[str, ...]:
        return domains_of(self.domain)

    @property
    def right_state(self) -> State:
        """Return the test object's state in the right picture: unchanged if nothing changes."""
        return self.test_after if self.change else self.test_before


@cache_within_budget(64)
def domains_of(domain: str) -> tuple[str, ...]:
    return tuple(domain.split(JOIN))


@cache_within_budget(64)
def aspects_of(domain: str) -> Words:
    """Return the changing aspects, named as in classification."""
    return tuple(ASPECT[part] for part in domains_of(domain))


@cache_within_budget(2048)
def state_text(state: State) -> str:
    """Name a state by its differences from the plain one: "color green", "count 3", "plain"."""
    plain = msgspec.structs.asdict(PLAIN)
    parts = [f"{name} {value}" for name, value in msgspec.structs.asdict(state).items() if value != plain[name]]
    return ", ".join(parts) or "plain"


def question_id(kind: str, repeat: int) -> str:
    """Name the question: "what" first, "what-2" when it is asked again."""
    return kind if repeat == 1 else f"{kind}-{repeat}"
