"""Draw a whole stage bank on all cores: every room in every view, every prop at every anchor point."""

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product

import msgspec
import numpy as np

from generator_service.drawing.bank import digest
from generator_service.drawing.exact import Dice
from generator_service.drawing.parallel import spawned_pool
from generator_service.drawing.props import PROPS
from generator_service.drawing.stage.anchor_points import Anchor
from generator_service.drawing.stage.furniture import DESIGNS, FINISHES, KINDS, piece
from generator_service.drawing.stage.layers import Layer
from generator_service.drawing.stage.views import ANCHORS, VIEWS, view_prop, view_room

VARIANTS = 4
VERSION = 2
"""Part of every layer's dice and of the recipe: other layers need another one."""


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


def plan(views: int = len(VIEWS), variants: int = VARIANTS) -> Plan:
    """Plan the first `views` views, all by default, and the first `variants` variants of every prop."""
    if not (1 <= views <= len(VIEWS) and 1 <= variants <= VARIANTS):
        most = f"views must be 1 to {len(VIEWS)} and variants 1 to {VARIANTS}"
        raise ValueError(f"{most}, got {views} and {variants}")
    rooms = tuple(RoomName(*parts) for parts in product(KINDS, FINISHES, range(DESIGNS), range(views)))
    names, anchors = ([thing.name for thing in things] for things in (PROPS, ANCHORS))
    props = tuple(PropName(*parts) for parts in product(names, range(variants), anchors, range(views)))
    return Plan(rooms, props, f"stage {VERSION}: {views} views, {variants} variants")


def draw_room(name: RoomName) -> Layer:
    return view_room(name.view, piece(name.furniture, name.finish, name.design))


def draw_prop(name: PropName) -> Layer:
    """Draw one prop, alone: the same pixels as in any bank."""
    prop = next(prop for prop in PROPS if prop.name == name.prop)
    anchor = next(anchor for anchor in ANCHORS if anchor.name == name.anchor)
    mesh = prop.build_at_scale(_dice("ware", name.prop, str(name.variant)))
    x, z = anchor.place(_dice("place", name.prop, str(name.variant), name.anchor))
    return view_prop(name.view, mesh, (x, z, _height(anchor)), anchor)


def draw_all(planned: Plan, progress: Callable[[int, int], None]) -> Iterator[Drawn]:
    """Draw everything, in order, on all cores if child processes are allowed."""
    names: list[RoomName | PropName] = [*planned.rooms, *planned.props]
    workers = len(os.sched_getaffinity(0))
    if workers == 1 or multiprocessing.current_process().daemon:
        yield from _report_each(map(_draw, names), len(names), progress)
        return
    with spawned_pool(workers) as pool:
        yield from _report_each(pool.map(_draw, names, chunksize=12), len(names), progress)


def _report_each(drawn: Iterable[Drawn], total: int, progress: Callable[[int, int], None]) -> Iterator[Drawn]:
    for done, each in enumerate(drawn, start=1):
        yield each
        progress(done, total)


def _draw(name: RoomName | PropName) -> Drawn:
    return Drawn(str(name), draw_room(name) if isinstance(name, RoomName) else draw_prop(name))


def _height(anchor: Anchor) -> float:
    return 0.0 if anchor.support == "floor" else piece(anchor.support, "red", 0).height


def _dice(*purpose: str) -> Dice:
    seed = int(digest(["tetrad stage bank", str(VERSION), *purpose]), 16)
    return Dice(np.random.default_rng(seed))
