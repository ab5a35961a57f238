"""What is wrong with a corpus, all of it at once, so that an operator mends it in one go."""

from dataclasses import dataclass, field

from tetrad.contracts.problems import Fault

MOST_SHOWN = 100


class CorpusError(Exception):
    """A corpus can't be mounted, read or removed; the message says why and what to do."""


class CorpusFaultsError(CorpusError):
    """The corpus breaks its layout's rules. `faults` are the first 100, `total` counts all."""

    def __init__(self, faults: list[Fault], total: int) -> None:
        shown = "\n".join(f"  {fault.field}: {fault.problem}; {fault.remedy}" for fault in faults)
        more = f"\n  and {total - len(faults)} more" if total > len(faults) else ""
        found = "1 fault" if total == 1 else f"{total} faults"
        super().__init__(f"{found}; nothing was mounted:\n{shown}{more}")
        self.faults = faults
        self.total = total


@dataclass
class Faults:
    """Collects faults while a corpus is looked through."""

    shown: list[Fault] = field(default_factory=list)
    total: int = 0

    def add(self, place: str, problem: str, remedy: str) -> None:
        """Note that the file or item `place` is wrong."""
        self.total += 1
        if len(self.shown) < MOST_SHOWN:
            self.shown.append(Fault(field=place, problem=problem, remedy=remedy))

    def check(self) -> None:
        """Let a corpus without faults pass.

        Raises:
            CorpusFaultsError: there are some.
        """
        if self.total:
            raise CorpusFaultsError(self.shown, self.total)
