"""Draw the built-in bank on all cores, each object from its own dice."""

from dataclasses import dataclass

import numpy as np

from generator_service.drawing.bank import Drawn, digest, finish_drawing
from generator_service.drawing.canvas import Picture
from generator_service.drawing.exact import Dice
from generator_service.drawing.kinds import KINDS
from generator_service.drawing.parallel import Progress, on_all_cores

VERSION = 2
"""Part of every object's dice. It goes up when the drawing code changes pixels; the bank then has another digest."""
VARIANTS = 43  # of 24 kinds: 1,032 objects
DIGEST = "d5b0ebb7b28bf1d5832bfcd1f19768876b226962e1901dc08bc35c20c111aa6c"
"""Of the whole bank of this version."""
_FEW = 16  # this many objects are drawn faster than processes start
_BY_NAME = {kind.name: kind for kind in KINDS}


@dataclass(frozen=True)
class Plan:
    """The objects to draw, as (kind, variant), and the recipe that names the bank."""

    objects: tuple[tuple[str, int], ...]
    recipe: str


def plan(kinds: int | None, variants: int) -> Plan:
    """Plan the first `kinds` kinds (None: all) in the first `variants` variants each."""
    if not 1 <= variants <= VARIANTS or (kinds is not None and not 1 <= kinds <= len(KINDS)):
        raise ValueError(
            f"kinds must be 1 to {len(KINDS)} and variants 1 to {VARIANTS}, got kinds={kinds}, variants={variants}"
        )
    chosen = [kind.name for kind in KINDS[:kinds]]
    recipe = f"builtin {VERSION}: {len(chosen)} kinds, {variants} variants"
    return Plan(tuple((name, variant) for name in chosen for variant in range(variants)), recipe)


def draw(kind: str, variant: int) -> Picture:
    """Draw one object, alone: the same pixels as in any bank of this version."""
    seed = int(digest(["tetrad object bank", str(VERSION), kind, str(variant)]), 16)
    return _BY_NAME[kind].draw(Dice(np.random.default_rng(seed)))


def draw_all(planned: Plan, progress: Progress) -> list[Drawn]:
    """Draw and measure everything, in order, on all cores if that pays and child processes are allowed."""
    return on_all_cores(_draw_object, planned.objects, progress, few=_FEW, chunk=4)


def _draw_object(planned: tuple[str, int]) -> Drawn:
    kind, variant = planned
    return finish_drawing(draw(kind, variant), name=f"{kind}-{variant:02}", kind=kind, variant=variant)
