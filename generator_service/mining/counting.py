"""Count what a step of mining kept and dropped, by reason and by role, with examples."""

from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

EXAMPLES = 3


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """The counts of a step, in ordered pairs of images (or analogies): kept by role, dropped by reason and role.

    examples: reason -> a few of those dropped, in words; "kept" -> a few of those kept.
    """

    kept: dict[str, int]
    dropped: dict[str, dict[str, int]] = {}
    examples: dict[str, list[str]] = {}
    notes: list[str] = []

    @property
    def total(self) -> int:
        return sum(self.kept.values())


class Counting:
    """Collects counts while a step runs."""

    def __init__(self) -> None:
        self._kept: Counter[str] = Counter()
        self._dropped: dict[str, Counter[str]] = {}
        self._examples: dict[str, list[str]] = {}
        self.notes: list[str] = []

    def keep(self, role: str, number: int, examples: Iterable[str] = ()) -> None:
        self._kept[role] += number
        self._show("kept", examples)

    def drop(self, reason: str, role: str, number: int, examples: Iterable[str] = ()) -> None:
        if number:
            self._dropped.setdefault(reason, Counter())[role] += number
            self._show(reason, examples)

    def counts(self) -> Counts:
        return Counts(
            kept=_sort_counts(self._kept),
            dropped={reason: _sort_counts(by_role) for reason, by_role in sorted(self._dropped.items())},
            examples=dict(sorted(self._examples.items())),
            notes=self.notes,
        )

    def _show(self, reason: str, examples: Iterable[str]) -> None:
        shown = self._examples.setdefault(reason, [])
        for example in examples:
            if len(shown) == EXAMPLES:
                return
            if example not in shown:
                shown.append(example)


def _sort_counts(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))
