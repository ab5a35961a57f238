"""Draw a whole stage bank on all cores: every room in every view, every prop at every anchor point."""

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product

import msgspec
import numpy as np

from generator_service.drawing.bank import digest
from generator_service.drawing.exact import Dice
from generator_service.drawing.parallel import spawned_pool
from generator_service.drawing.stage.anchor_points import Anchor
from generator_service.drawing.stage.edition import Edition
from generator_service.drawing.stage.first_stage import FIRST
from generator_service.drawing.stage.furniture import DESIGNS, FINISHES, KINDS, piece
from generator_service.drawing.stage.layers import Layer
from generator_service.drawing.stage.second_stage import SECOND

VARIANTS = 4
EDITIONS = {edition.version: edition for edition in (FIRST, SECOND)}
NEWEST = max(EDITIONS)
_BEGINS = "stage "


class RoomName(msgspec.Struct, frozen=True, order=True):
    """One room with furniture in it."""

    furniture: str
    finish: str
    design: int
    view: int

    def __str__(self) -> str:
        return f"room {self.furniture} {self.finish} {self.design} {self.view}"


class PropName(msgspec.Struct, frozen=True, order=True):
    """One prop at one anchor point. Variants of a prop differ in shape, colours, turn and distance from the point."""

    prop: str
    variant: int
    anchor: str
    view: int

    def __str__(self) -> str:
        # Stored layers keep the name that they were drawn under, as their digest holds it.
        return f"ware {self.prop} {self.variant} {self.anchor} {self.view}"


@dataclass(frozen=True, eq=False)
class Drawn:
    """A layer fresh from drawing, by its name."""

    name: str
    layer: Layer


@dataclass(frozen=True)
class Plan:
    """The layers to draw, and the recipe that names the bank."""

    rooms: tuple[RoomName, ...]
    props: tuple[PropName, ...]
    recipe: str
    edition: Edition = SECOND


def plan(views: int | None = None, variants: int = VARIANTS, edition: Edition = SECOND) -> Plan:
    """Plan the first `views` views, all by default, and the first `variants` variants of every prop."""
    views = edition.views if views is None else views
    if not (1 <= views <= edition.views and 1 <= variants <= VARIANTS):
        most = f"views must be 1 to {edition.views} and variants 1 to {VARIANTS}"
        raise ValueError(f"{most}, got {views} and {variants}")
    rooms = tuple(RoomName(*one) for one in product(KINDS, FINISHES, range(DESIGNS), range(views)))
    names, anchors = ([one.name for one in those] for those in (edition.props, edition.anchors))
    props = tuple(PropName(*one) for one in product(names, range(variants), anchors, range(views)))
    return Plan(rooms, props, f"{_BEGINS}{edition.version}: {views} views, {variants} variants", edition)


def edition_of(recipe: str) -> Edition:
    """Return the edition of a stage that was drawn by this recipe. One without a recipe is of before there were two."""
    version = recipe.removeprefix(_BEGINS).split(":")[0] if recipe.startswith(_BEGINS) else "1"
    return EDITIONS[int(version)]


def draw_room(name: RoomName, edition: Edition = SECOND) -> Layer:
    return edition.room(name.view, piece(name.furniture, name.finish, name.design))


def draw_prop(name: PropName, edition: Edition = SECOND) -> Layer:
    """Draw one prop, alone: the same pixels as in any bank of this edition."""
    prop = next(one for one in edition.props if one.name == name.prop)
    anchor = next(one for one in edition.anchors if one.name == name.anchor)
    mesh = edition.made(prop, _dice(edition, "ware", name.prop, str(name.variant)))
    x, z = anchor.place(_dice(edition, "place", name.prop, str(name.variant), name.anchor))
    return edition.prop(name.view, mesh, (x, z, _height(anchor)), anchor)


def draw_all(planned: Plan, progress: Callable[[int, int], None]) -> Iterator[Drawn]:
    """Draw everything, in order, on all cores if child processes are allowed."""
    names: list[RoomName | PropName] = [*planned.rooms, *planned.props]
    draw = partial(_drawn, planned.edition.version)
    workers = len(os.sched_getaffinity(0))
    if workers == 1 or multiprocessing.current_process().daemon:
        yield from _counted(map(draw, names), len(names), progress)
        return
    with spawned_pool(workers) as pool:
        yield from _counted(pool.map(draw, names, chunksize=12), len(names), progress)


def _counted(drawn: Iterable[Drawn], total: int, progress: Callable[[int, int], None]) -> Iterator[Drawn]:
    for done, each in enumerate(drawn, start=1):
        yield each
        progress(done, total)


def _drawn(version: int, name: RoomName | PropName) -> Drawn:
    edition = EDITIONS[version]
    drawn = draw_room(name, edition) if isinstance(name, RoomName) else draw_prop(name, edition)
    return Drawn(str(name), drawn)


def _height(anchor: Anchor) -> float:
    return 0.0 if anchor.support == "floor" else piece(anchor.support, "red", 0).height


def _dice(edition: Edition, *purpose: str) -> Dice:
    seed = int(digest(["tetrad stage bank", str(edition.version), *purpose]), 16)
    return Dice(np.random.default_rng(seed))
