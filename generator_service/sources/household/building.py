"""Build the household bank: libraries in, a source out."""

from pathlib import Path

from generator_service.drawing.parallel import Progress
from generator_service.sources.fetching import PackageUnavailable
from generator_service.sources.household import maker, package
from generator_service.sources.household.catalogue import UnreadableLibrary, read_library
from generator_service.sources.household.kinds import ATTRIBUTION, PUBLIC_DOMAIN
from generator_service.sources.objects import WITH_CREDITS, keep_objects
from generator_service.sources.store import Head, SourceStore

LICENCE = "CC BY 3.0"


def build(store: SourceStore, name: str, given: Path | None, progress: Progress) -> Head:
    """Draw the bank of this name from `given` or Debian's package, and store it.

    Raises:
        PackageUnavailable: there is no library to draw from.
    """
    with package.libraries(given) as found:
        tasks, credit = _planned(name, found)
        if not tasks:
            raise PackageUnavailable(f"the libraries {', '.join(found)} hold none of the models of {name}")
        drawn = maker.draw_all(tasks, progress)
        with store.locked():
            return keep_objects(store, name, drawn, credit=credit)


def _planned(name: str, found: dict[str, Path]) -> tuple[list[maker.Task], tuple[str, ...]]:
    """Return the tasks, and the lines that the licences of their models ask for."""
    tasks: list[maker.Task] = []
    credit: list[str] = []
    try:
        if package.PUBLIC_DOMAIN in found:
            tasks += maker.tasks(read_library(found[package.PUBLIC_DOMAIN]), PUBLIC_DOMAIN)
        for source, kinds in ATTRIBUTION.items() if name == WITH_CREDITS else ():
            if source in found:
                more = maker.tasks(read_library(found[source]), kinds)
                credit += [
                    f"{entry.title} by {entry.creator} ({LICENCE}, {source})" for task in more for entry in task.entries
                ]
                tasks += more
    except UnreadableLibrary as error:
        raise PackageUnavailable(str(error)) from error
    return tasks, tuple(credit)
