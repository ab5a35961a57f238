"""Define KiVA as published: its files' names, the values they stand for, and one trial as pure data.

Source: Yiu et al., KiVA (2025), and the released pictures and trackers. Where the authors' scripts differ from what
they released, the release counts.
"""

import msgspec

NAME = "kiva-published"
VERSION = 1

# A file is <prefix>_<trial>_<part>.png, its tracker trial_tracker/output_<prefix>.txt.
VALUES: dict[str, tuple[str, str]] = {
    "ColourRed": ("color", "red"),
    "ColourGreen": ("color", "green"),
    "ColourBlue": ("color", "blue"),
    "Resize2XY": ("size", "2x"),
    "Resize0.5XY": ("size", "1/2x"),
    "Counting+1": ("number", "+1"),
    "Counting+2": ("number", "+2"),
    "Counting-1": ("number", "-1"),
    "Counting-2": ("number", "-2"),
    "2DRotation+90": ("rotation", "+90"),
    "2DRotation-90": ("rotation", "-90"),
    "2DRotation180": ("rotation", "180"),
    "ReflectX": ("reflection", "x"),
    "ReflectY": ("reflection", "y"),
}
DOMAINS = tuple(dict.fromkeys(domain for domain, _ in VALUES.values()))
STEM = {"color": "Colour", "size": "Resize", "number": "Counting", "rotation": "2DRotation", "reflection": "Reflect"}
UNDONE = {"+1": "-1", "-1": "+1", "+2": "-2", "-2": "+2"}
"""The wrong words of a counting trial, by its value. Its wrong picture is one off on the other side of the start."""

BEFORE, AFTER, TEST, RIGHT, WRONG = (
    "train_0_input",
    "train_0_output",
    "test_0_input",
    "test_mc_0_input",
    "test_mc_1_input",
)
PARTS = (BEFORE, AFTER, TEST, RIGHT, WRONG)

ASPECT = {
    "color": "color",
    "size": "size",
    "number": "number",
    "rotation": "orientation",
    "reflection": "orientation",
}
ASPECTS = ("number", "size", "orientation", "color")
NO_CHANGE, OTHER, NONE_SHOWN = "no change", "doesn't apply", "none of them"
# The mistakes of the wrong options, named as in fresh trials.
OTHER_DOMAIN, OTHER_VALUE = "other domain", "other value"
NOTHING_CHANGED, NONE_FITS = "nothing changed", "none fits"
FULL, EXTRAPOLATION_ONLY = "full", "extrapolation-only"


class Trial(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One published trial. Pictures are named by the SHA-256 of their bytes.

    wrong: the value of the wrong words. right_picture, wrong_picture: the test object after the right and the wrong
    change.
    """

    id: str
    domain: str
    value: str
    wrong: str
    before: str
    after: str
    test: str
    right_picture: str
    wrong_picture: str


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """A trial with its options in places: one tuple for each repeat, the verbal ones empty where not asked.

    `extrapolation` holds "right", "wrong" and "same", the last one being no change.
    """

    trial: Trial
    classification: tuple[tuple[str, ...], ...]
    specification: tuple[tuple[str, ...], ...]
    extrapolation: tuple[tuple[str, ...], ...]

    @property
    def repeats(self) -> int:
        return len(self.extrapolation)


def value_named(domain: str, text: str) -> str | None:
    """Return the value that a tracker's text stands for, or None: "Red", "0.5XY", "+90", "X"."""
    known = VALUES.get(STEM[domain] + text)
    return None if known is None else known[1]
