"""Define KiVA and KiVA-adults as published: their files' names, the values these stand for, one trial as pure data.

Source: Yiu et al., KiVA (2025), and the released pictures and trackers. Where the authors' scripts differ from what
they released, the release counts.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

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
ADULT_VALUES: dict[str, tuple[str, str]] = {
    **VALUES,
    "ColourYellow": ("color", "yellow"),
    "ColourGrey": ("color", "grey"),
    "Resize2X": ("size", "wider"),
    "Resize0.5X": ("size", "narrower"),
    "Resize2Y": ("size", "taller"),
    "Resize0.5Y": ("size", "shorter"),
    "Countingx2": ("number", "x2"),
    "Countingx3": ("number", "x3"),
    "Countingd2": ("number", "/2"),
    "Countingd3": ("number", "/3"),
    "2DRotation+45": ("rotation", "+45"),
    "2DRotation-45": ("rotation", "-45"),
    "2DRotation+135": ("rotation", "+135"),
    "2DRotation-135": ("rotation", "-135"),
    "ReflectXY": ("reflection", "both"),
}
STEM = {"color": "Colour", "size": "Resize", "number": "Counting", "rotation": "2DRotation", "reflection": "Reflect"}
UNDONE = {"+1": "-1", "-1": "+1", "+2": "-2", "-2": "+2", "x2": "/2", "/2": "x2", "x3": "/3", "/3": "x3"}
"""The wrong words of a counting trial, by its value. Its wrong picture is one off the test object's start."""


@dataclass(frozen=True, kw_only=True)
class Release:
    """One published set: the layout's name, the values by prefix, and the names of a trial's files and lines.

    parts: the given object before and after, the test object before, after the right change, after the wrong one.
    fields: a tracker's four lines a trial. starts: whether the trackers tell where objects start.
    options_only: by domain, the best score of a solver that sees the option pictures alone.
    """

    layout: str
    title: str
    values: Mapping[str, tuple[str, str]]
    parts: tuple[str, str, str, str, str]
    fields: tuple[str, str, str, str]
    starts: bool
    options_only: Mapping[str, float]

    @property
    def name(self) -> str:
        """Return the name of the corpus."""
        return f"{self.layout}-published"

    def value_named(self, domain: str, text: str) -> str | None:
        """Return the value that a tracker's text stands for, or None: "Red", "0.5XY", "+90", "X"."""
        known = self.values.get(STEM[domain] + text)
        return None if known is None else known[1]


KIVA = Release(
    layout="kiva",
    title="KiVA",
    values=VALUES,
    parts=("train_0_input", "train_0_output", "test_0_input", "test_mc_0_input", "test_mc_1_input"),
    fields=("train_0_input", "train_0_output", "test_input", "mc"),
    starts=False,
    options_only={"color": 1 / 3, "size": 1 / 2, "number": 5 / 6, "rotation": 2 / 3, "reflection": 1 / 2},
)
ADULTS = Release(
    layout="kiva-adults",
    title="KiVA-adults",
    values=ADULT_VALUES,
    parts=("train_input", "train_output", "test_input", "test_mc_0_input", "test_mc_1_input"),
    fields=("train_input", "train_output", "test_input", "mc"),
    starts=True,
    # Twice and half are told by how much smaller or larger the wrong picture is: 4/5 or 5/4 of the unchanged one.
    options_only={"color": 1 / 3, "size": 2 / 3, "number": 5 / 6, "rotation": 5 / 7, "reflection": 1 / 2},
)


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

    `extrapolation` holds "right", "wrong" and "same", the last one being no change. change: whether the given pair
    shows the trial's change; if not, its second picture is its first one.
    """

    trial: Trial
    setting: str
    presentation: str
    change: bool
    classification: tuple[tuple[str, ...], ...]
    specification: tuple[tuple[str, ...], ...]
    extrapolation: tuple[tuple[str, ...], ...]

    @property
    def repeats(self) -> int:
        return len(self.extrapolation)

    @property
    def right_picture(self) -> str:
        """Return which of the three pictures shows what the given pair shows."""
        return "right" if self.change else "same"
