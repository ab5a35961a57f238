"""The faults of a source, collected so that an operator can correct all of them together."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from generator_service.sources.store import SourceError
from tetrad.contracts.problems import Fault

MOST_SHOWN = 100


class SourceFaultsError(SourceError):
    """The source breaks the rules of its kind. `faults` are the first 100, `total` counts all."""

    def __init__(self, faults: Sequence[Fault], total: int) -> None:
        shown = "\n".join(f"  {line(fault)}" for fault in faults)
        more = f"\n  and {total - len(faults)} more" if total > len(faults) else ""
        found = "1 fault" if total == 1 else f"{total} faults"
        super().__init__(f"{found}; nothing was added:\n{shown}{more}")
        self.faults = list(faults)
        self.total = total


@dataclass
class Faults:
    """Collects faults while a source is checked, and what is left out of it because a part was asked for."""

    shown: list[Fault] = field(default_factory=list)
    total: int = 0
    left_out: list[Fault] = field(default_factory=list)

    def add(self, place: str, problem: str, remedy: str) -> None:
        """Note that the file or item `place` is wrong."""
        self.total += 1
        if len(self.shown) < MOST_SHOWN:
            self.shown.append(Fault(field=place, problem=problem, remedy=remedy))

    def leave_out(self, place: str, problem: str, remedy: str) -> None:
        """Note that the item `place` is left out, and why. That is no fault."""
        self.left_out.append(Fault(field=place, problem=problem, remedy=remedy))

    def lacks(self, place: str, problem: str, remedy: str, *, partial: bool) -> None:
        """Note that the item `place` lacks a part: it is left out where a part of the source was asked for."""
        if partial:
            self.leave_out(place, problem, remedy)
        else:
            self.add(place, problem, f"{remedy}, or mount the others with --partial")

    def check(self) -> None:
        """Check that no fault was found.

        Raises:
            SourceFaultsError: some were.
        """
        if self.total:
            raise SourceFaultsError(self.shown, self.total)


def line(fault: Fault) -> str:
    """Write a fault on one line."""
    return f"{fault.field}: {fault.problem}; {fault.remedy}"
