"""Build the household bank: libraries in, a source out.

Every kind's models are drawn from several viewpoints, each in several palettes. A palette shows the same thing in other
colours, by exact arithmetic on the colour of each sample. It swaps the channels (an orange chair turns blue), then
multiplies each. Greys have equal channels, so only the multipliers tint them. Natural things only get lighter, darker,
warmer or colder.
"""

import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from generator_service.drawing.bank import Drawn, finish_drawing
from generator_service.drawing.exact import Floats, Singles
from generator_service.drawing.parallel import Progress, on_all_cores
from generator_service.drawing.portrait import View, develop, expose
from generator_service.sources.fetching import PackageUnavailable
from generator_service.sources.household import package
from generator_service.sources.household.catalogue import CatalogueEntry, Library, UnreadableLibrary, read_library
from generator_service.sources.household.kinds import ATTRIBUTION, PUBLIC_DOMAIN, HouseholdKind
from generator_service.sources.household.models import Model, read_model, surface
from generator_service.sources.objects import WITH_CREDITS, keep_objects
from generator_service.sources.store import Head, SourceStore

LICENCE = "CC BY 3.0"
_DARKEST = 20  # of 255; black things keep some light, so that their shape can be seen

# The differences of a kind's viewpoints from its own view, in degrees: yaw, pitch, roll.
_VIEWPOINTS = ((-18.0, 4.0, 2.0), (-6.0, -3.0, -3.0), (6.0, 5.0, 3.0), (18.0, -1.0, -2.0))
_OUTERMOST = _VIEWPOINTS[:: len(_VIEWPOINTS) - 1]  # enough for a kind with several models


@dataclass(frozen=True)
class Palette:
    """Channel k takes the place `order[k]`, times `tint[k]`."""

    order: tuple[int, int, int]
    tint: tuple[float, float, float]

    def apply(self, colour: list[Singles]) -> list[Singles]:
        """Return red, green and blue, 0..255, in the colours of this palette."""
        lift = np.float32((255 - _DARKEST) / 255)
        return [
            (colour[place] * lift + np.float32(_DARKEST)) * np.float32(factor)
            for place, factor in zip(self.order, self.tint, strict=True)
        ]


_OWN = Palette((0, 1, 2), (1.0, 1.0, 1.0))
_MADE = (_OWN, Palette((2, 0, 1), (0.72, 0.92, 1.0)), Palette((1, 2, 0), (1.0, 0.8, 0.62)))
_NATURAL = (_OWN, Palette((0, 1, 2), (1.0, 0.93, 0.84)), Palette((0, 1, 2), (0.84, 0.9, 0.96)))


def palettes_of(*, natural: bool) -> tuple[Palette, ...]:
    """Return the palettes of a kind of thing, its own colours first."""
    return _NATURAL if natural else _MADE


@dataclass(frozen=True)
class Task:
    """One kind to draw: `entries` are its models' in the library at `path`."""

    path: Path
    kind: HouseholdKind
    entries: tuple[CatalogueEntry, ...]


def tasks_of(library: Library, kinds: Sequence[HouseholdKind]) -> list[Task]:
    """Return a task for each kind of which the library has a model."""
    found = [
        Task(library.path, kind, tuple(library.entries[name] for name in kind.models if name in library.entries))
        for kind in kinds
    ]
    return [task for task in found if task.entries]


def draw_all(planned: Sequence[Task], progress: Progress) -> list[Drawn]:
    """Draw and measure every object of every task, in order, on all cores."""
    return [drawn for objects in on_all_cores(draw_kind, planned, progress) for drawn in objects]


def draw_kind(task: Task) -> list[Drawn]:
    """Draw one kind: models, then viewpoints, then palettes."""
    pictures = (picture for entry in task.entries for picture in _pictures(task, entry))
    return [
        finish_drawing(picture, name=f"{task.kind.name}-{number:02}", kind=task.kind.name, variant=number)
        for number, picture in enumerate(pictures)
    ]


def _pictures(task: Task, entry: CatalogueEntry) -> Iterator[np.ndarray]:
    with zipfile.ZipFile(task.path) as archive:
        model = _stood_up(read_model(archive, entry.path), entry.rotation())
    shown = _VIEWPOINTS if len(task.entries) == 1 else _OUTERMOST
    view = task.kind.view
    for yaw, pitch, roll in shown:
        exposure = expose(model.mesh, View(view.yaw + yaw, view.pitch + pitch, view.roll + roll))
        own = surface(model, exposure)
        for palette in palettes_of(natural=task.kind.natural):
            yield develop(exposure, palette.apply(own))


def _stood_up(model: Model, turn: Floats) -> Model:
    """Turn the model upright, by plain sums, because BLAS may fuse operations and then machines differ."""
    x, y, z = model.mesh.vertices.T
    stood = np.stack([row[0] * x + row[1] * y + row[2] * z for row in turn], axis=-1)
    return replace(model, mesh=replace(model.mesh, vertices=stood))


def build(store: SourceStore, name: str, given: Path | None, progress: Progress) -> Head:
    """Draw the bank of this name from `given` or Debian's package, and store it.

    Raises:
        PackageUnavailable: there is no library to draw from.
    """
    with package.libraries(given) as found:
        tasks, credit = _plan(name, found)
        if not tasks:
            raise PackageUnavailable(f"the libraries {', '.join(found)} hold none of the models of {name}")
        drawn = draw_all(tasks, progress)
        with store.lock():
            return keep_objects(store, name, drawn, credit=credit)


def _plan(name: str, found: dict[str, Path]) -> tuple[list[Task], tuple[str, ...]]:
    """Return the tasks, and the lines that the licences of their models ask for."""
    tasks: list[Task] = []
    credit: list[str] = []
    try:
        if package.PUBLIC_DOMAIN in found:
            tasks += tasks_of(read_library(found[package.PUBLIC_DOMAIN]), PUBLIC_DOMAIN)
        for source, kinds in ATTRIBUTION.items() if name == WITH_CREDITS else ():
            if source in found:
                more = tasks_of(read_library(found[source]), kinds)
                credit += [
                    f"{entry.title} by {entry.creator} ({LICENCE}, {source})" for task in more for entry in task.entries
                ]
                tasks += more
    except UnreadableLibrary as error:
        raise PackageUnavailable(str(error)) from error
    return tasks, tuple(credit)
