"""Read trackers: four lines a trial, which describe its pictures. They hold the answers."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from generator_service.sources.faults import Faults

_LINE = re.compile(r"([a-z0-9_]+): *(\S+)")


class Tracked(NamedTuple):
    """One trial of a tracker, as written: the given object's start and end, the test object's, the wrong one's."""

    before: str
    after: str
    test: str
    wrong: str


def read_tracker(name: str, body: bytes, fields: Sequence[str], faults: Faults) -> list[Tracked]:
    """Return the tracker's trials. A trial's number is its place in the list, from 0. fields: its lines' names."""
    try:
        lines = [line for line in body.decode("ascii").splitlines() if line.strip()]
    except UnicodeDecodeError:
        faults.add(name, "is no plain text", "give the tracker as it was published")
        return []
    found = [_LINE.fullmatch(line.strip()) for line in lines]
    named = [match[1] if match else "" for match in found]
    wanted = [fields[place % len(fields)] for place in range(len(lines))]
    if named != wanted or len(lines) % len(fields):
        wrong = next(
            (place for place, (has, want) in enumerate(zip(named, wanted, strict=True)) if has != want), len(lines)
        )
        problem = f"line {wrong + 1} does not fit: four lines a trial, {', '.join(fields)}"
        faults.add(name, problem, "give the tracker as it was published; KiVA and KiVA-adults are two layouts")
        return []
    texts = [match[2] for match in found if match]
    return [Tracked(*texts[place : place + len(fields)]) for place in range(0, len(texts), len(fields))]
