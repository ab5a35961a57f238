"""What no draw can be made of: more items than one holds, a benchmark that is not known here."""

from generator_service.parameters import IdentityError
from generator_service.registry import Mounted, Registry
from tetrad.contracts.problems import Fault


def check_size(mounted: Mounted, size: int) -> None:
    """Make sure that one draw holds so many items.

    Raises:
        IdentityError: it does not.
    """
    largest = mounted.benchmark.card.largest_draw
    if size > largest:
        problem, remedy = "is more than one draw holds", f"use 1 to {largest}"
        raise IdentityError([Fault(field="size", value=str(size), problem=problem, remedy=remedy)])


def unknown_benchmark(registry: Registry, name: str) -> IdentityError:
    known = ", ".join(registry.names())
    return IdentityError(
        [Fault(field="benchmark", value=name[:200], problem="is not known here", remedy=f"use one of {known}")]
    )
