"""Draw the household bank: every kind's models from several viewpoints, each in several palettes."""

import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from generator_service.drawing.bank import Drawn, finish_drawing
from generator_service.drawing.exact import Floats
from generator_service.drawing.parallel import Progress, on_all_cores
from generator_service.drawing.portrait import View, develop, expose
from generator_service.sources.household.catalogue import CatalogueEntry, Library
from generator_service.sources.household.kinds import HouseholdKind
from generator_service.sources.household.models import Model, read_model, surface
from generator_service.sources.household.palettes import palettes_of

# The differences of a kind's viewpoints from its own view, in degrees: yaw, pitch, roll.
_VIEWPOINTS = ((-18.0, 4.0, 2.0), (-6.0, -3.0, -3.0), (6.0, 5.0, 3.0), (18.0, -1.0, -2.0))
_OUTERMOST = _VIEWPOINTS[:: len(_VIEWPOINTS) - 1]  # enough for a kind with several models


@dataclass(frozen=True)
class Task:
    """One kind to draw: `entries` are its models' in the library at `path`."""

    path: Path
    kind: HouseholdKind
    entries: tuple[CatalogueEntry, ...]


def tasks(library: Library, kinds: Sequence[HouseholdKind]) -> list[Task]:
    """Return a task for each kind of which the library has a model."""
    found = [
        Task(library.path, kind, tuple(library.entries[name] for name in kind.models if name in library.entries))
        for kind in kinds
    ]
    return [task for task in found if task.entries]


def draw_all(planned: Sequence[Task], progress: Progress) -> list[Drawn]:
    """Draw and measure every object of every task, in order, on all cores."""
    return [each for drawn in on_all_cores(draw_kind, planned, progress) for each in drawn]


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
            yield develop(exposure, palette.applied(own))


def _stood_up(model: Model, turn: Floats) -> Model:
    """Turn the model upright, by plain sums, because BLAS may fuse operations and then machines differ."""
    x, y, z = model.mesh.vertices.T
    stood = np.stack([row[0] * x + row[1] * y + row[2] * z for row in turn], axis=-1)
    return replace(model, mesh=replace(model.mesh, vertices=stood))
