"""Define VASR as published: the columns of its CSV files, and one analogy as pure data (Bitton et al., 2023).

The published A : B :: C : D is A : A' :: B : B' here.
"""

from collections.abc import Mapping

import msgspec

from generator_service.benchmarks.vasr.spec import PARTIAL

NAME = "vasr-published"
VERSION = 1
GIVEN_COLUMNS = {"A": "A_img", "A'": "B_img", "B": "C_img"}
"""What is given, and the columns that name its photographs."""
MINED, DISTRACTORS, CHOSEN = "D_img", "distractors", "workers_most_common_answer"
CHANGED = "different_key"
"""A column that a CSV may have, as the pairs do that were mined: the role that changes."""
COLUMNS = (*GIVEN_COLUMNS.values(), MINED, DISTRACTORS, CHOSEN)
SETTING = "as-published"
PARTS = ("only-a-prime", "only-b", "a-prime-and-b")
"""Settings in which a part of the input is shown: those of table 3."""
SHOWN: Mapping[str, tuple[str, ...]] = {SETTING: (*GIVEN_COLUMNS,), **{name: PARTIAL[name] for name in PARTS}}
FEWEST, MOST = 2, 9  # candidates


class Analogy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One item. Photographs are named by the SHA-256 of what is shown.

    place: its row in the CSV, from 1. given: A, A' and B. gold: the candidate that most people chose; it is right.
    mined: whether the mined label says the same. role: the one that changes, "" where the CSV does not say.
    """

    place: int
    given: tuple[str, str, str]
    candidates: tuple[str, ...]
    gold: int
    mined: bool
    role: str = ""


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """An analogy in a setting, with its candidates in drawn places: indices into `candidates`."""

    analogy: Analogy
    order: tuple[int, ...]
    setting: str

    @property
    def pictures(self) -> tuple[str, ...]:
        """The photographs in the order of their names, which are their places."""
        given = dict(zip(GIVEN_COLUMNS, self.analogy.given, strict=True))
        shown = (given[name] for name in SHOWN[self.setting])
        return (*shown, *(self.analogy.candidates[place] for place in self.order))
