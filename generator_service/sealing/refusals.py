"""Errors for draws that can't be made: too many items, an unknown benchmark."""

from collections.abc import Sequence

from generator_service.mounting import Mounted
from generator_service.parameters import IdentityError
from generator_service.registry import Registry
from tetrad.contracts.problems import Fault


def check_size(mounted: Mounted, size: int) -> None:
    """Check that a draw of this benchmark can have so many items.

    Raises:
        IdentityError: it can't.
    """
    largest = mounted.benchmark.card.largest_draw
    if size > largest:
        problem, remedy = "is more than a draw can have", f"use 1 to {largest}"
        raise IdentityError([Fault(field="size", value=str(size), problem=problem, remedy=remedy)])


def unknown_benchmark(registry: Registry, name: str) -> IdentityError:
    known = ", ".join(registry.names())
    return IdentityError(
        [Fault(field="benchmark", value=name[:200], problem="is unknown here", remedy=f"use one of {known}")]
    )


class SourceClosedError(Exception):
    """The caller may not draw from a source. The message names it and who may."""


def check_access(mounted: Mounted, track: str, allowed: Sequence[str]) -> None:
    """Check that the caller may draw from the sources of a track.

    `allowed` holds the sources that the caller is approved for, and "teams" where the caller is a team.

    Raises:
        SourceClosedError: the caller may not.
    """
    for kind in mounted.benchmark.kinds_of(track):
        head = mounted.heads.get(kind)
        if head is None or head.access == "public" or head.title in allowed:
            continue
        if head.access == "teams":
            if "teams" in allowed:
                continue
            raise SourceClosedError(f"source {head.title} is for teams; send a team's key")
        raise SourceClosedError(f"source {head.title} is for approved teams; ask this instance's operator")
