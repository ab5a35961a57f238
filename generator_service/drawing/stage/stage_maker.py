"""Drawing a whole stage bank: every room in every view, every ware in every slot, on all cores."""

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product

import msgspec
import numpy as np

from generator_service.drawing.bank import digest
from generator_service.drawing.exact import Dice
from generator_service.drawing.stage.furniture import DESIGNS, FINISHES, KINDS, piece
from generator_service.drawing.stage.layers import Layer, room_layer, ware_layer
from generator_service.drawing.stage.slots import SLOTS, Slot
from generator_service.drawing.stage.views import VIEWS
from generator_service.drawing.wares import WARES

VERSION = 1
"""Part of every layer's dice. It goes up when the drawing code changes pixels; the stage then has another digest."""
VARIANTS = 4
DIGEST = "38f86cac1cba40a55055de9e05834e5dfa4d738e0dd2ff0642820790bbfd1922"
"""Of the whole stage of this version."""
_WARES = {ware.name: ware for ware in WARES}
_SLOTS = {slot.name: slot for slot in SLOTS}


class RoomName(msgspec.Struct, frozen=True, order=True):
    """One room with furniture in it."""

    furniture: str
    finish: str
    design: int
    view: int

    def __str__(self) -> str:
        return f"room {self.furniture} {self.finish} {self.design} {self.view}"


class WareName(msgspec.Struct, frozen=True, order=True):
    """One ware in one slot. The variants of a ware differ in shape, colours, turn and place within the slot."""

    ware: str
    variant: int
    slot: str
    view: int

    def __str__(self) -> str:
        return f"ware {self.ware} {self.variant} {self.slot} {self.view}"


@dataclass(frozen=True, eq=False)
class Drawn:
    """A layer fresh from drawing, by its name."""

    name: str
    layer: Layer


@dataclass(frozen=True)
class Plan:
    """What to draw, and the recipe that names it."""

    rooms: tuple[RoomName, ...]
    wares: tuple[WareName, ...]
    recipe: str


def plan(views: int, variants: int) -> Plan:
    """Plan the first `views` views and the first `variants` variants of every ware."""
    if not (1 <= views <= len(VIEWS) and 1 <= variants <= VARIANTS):
        raise ValueError(f"views must be 1 to {len(VIEWS)} and variants 1 to {VARIANTS}, got {views} and {variants}")
    rooms = tuple(RoomName(*one) for one in product(KINDS, FINISHES, range(DESIGNS), range(views)))
    wares = tuple(WareName(*one) for one in product(_WARES, range(variants), _SLOTS, range(views)))
    return Plan(rooms, wares, f"stage {VERSION}: {views} views, {variants} variants")


def draw_room(name: RoomName) -> Layer:
    return room_layer(VIEWS[name.view], piece(name.furniture, name.finish, name.design))


def draw_ware(name: WareName) -> Layer:
    """Draw one ware, alone: the same pixels as in any bank of this version."""
    ware, slot = _WARES[name.ware], _SLOTS[name.slot]
    mesh = ware.made(_dice("ware", name.ware, str(name.variant)))
    x, z = slot.place(_dice("place", name.ware, str(name.variant), name.slot))
    return ware_layer(VIEWS[name.view], mesh, x, z, _height(slot))


def draw_all(planned: Plan, progress: Callable[[int, int], None]) -> Iterator[Drawn]:
    """Draw everything, in order; on all cores where child processes are allowed."""
    names: list[RoomName | WareName] = [*planned.rooms, *planned.wares]
    workers = len(os.sched_getaffinity(0))
    if workers == 1 or multiprocessing.current_process().daemon:
        yield from _counted(map(_drawn, names), len(names), progress)
        return
    # A fresh interpreter a worker: a fork would copy the threads' locks of the server that asks.
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from _counted(pool.map(_drawn, names, chunksize=12), len(names), progress)


def _counted(drawn: Iterable[Drawn], total: int, progress: Callable[[int, int], None]) -> Iterator[Drawn]:
    for done, each in enumerate(drawn, start=1):
        yield each
        progress(done, total)


def _drawn(name: RoomName | WareName) -> Drawn:
    return Drawn(str(name), draw_room(name) if isinstance(name, RoomName) else draw_ware(name))


def _height(slot: Slot) -> float:
    return 0.0 if slot.support == "floor" else piece(slot.support, "red", 0).height


def _dice(*purpose: str) -> Dice:
    seed = int(digest(["tetrad stage bank", str(VERSION), *purpose]), 16)
    return Dice(np.random.default_rng(seed))
