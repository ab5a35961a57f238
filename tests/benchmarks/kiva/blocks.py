"""A bank of coloured blocks, drawn in a moment: what KiVA asks of a bank and nothing more."""

from dataclasses import dataclass, field

import numpy as np

from generator_service.benchmark import PictureArray
from generator_service.benchmarks.kiva.eligible import KivaBank, prepare

KINDS = ("arch", "bolt", "crane", "dish")
VARIANTS = 4


@dataclass(frozen=True)
class Block:
    id: str
    kind: str
    chiral: bool = True
    stretches: bool = True
    handed: bool = True
    quarters: bool = True
    eighths: bool = True
    compact: bool = True
    scales: bool = True


BLOCKS = tuple(Block(f"{kind}-{variant}", kind) for kind in KINDS for variant in range(VARIANTS))


@dataclass(frozen=True, eq=False)
class BlockBank:
    """`alike` names objects whose states of a domain ("color", ...) can't be told apart.

    `off_color` names objects and colors that they can't take on. `lost` names states of objects that a backdrop
    swallows.
    """

    objects: tuple[Block, ...] = BLOCKS
    alike: frozenset[tuple[str, str]] = field(default=frozenset())
    lost: frozenset[tuple[str, str, str]] = field(default=frozenset())
    off_color: frozenset[tuple[str, str]] = field(default=frozenset())

    def picture(self, object_id: str) -> PictureArray:
        kind, variant = object_id.split("-")
        return draw(KINDS.index(kind), int(variant))

    def visible(self, object_id: str, state_a: str, state_b: str) -> bool:
        domains = {state.partition(":")[0] for state in (state_a, state_b)}
        return not any((object_id, domain) in self.alike for domain in domains)

    def lands(self, object_id: str, color: str) -> bool:
        return (object_id, color) not in self.off_color

    def stands_out(self, object_id: str, state: str, backdrop: str) -> bool:
        return (object_id, state, backdrop) not in self.lost


def draw(kind: int, variant: int) -> PictureArray:
    """Draw an L with a mark on its foot, (256, 256, 4): no turn and no mirror image of it is itself."""
    picture = np.zeros((256, 256, 4), np.uint8)
    picture[40:216, 60 : 90 + 10 * kind] = (200, 60 + 40 * kind, 40, 255)
    picture[180:216, 60:200] = (40, 90, 60 + 40 * variant, 255)
    picture[150:180, 170:200] = (230, 230, 20 * kind, 255)
    return picture


def block_bank() -> KivaBank:
    return prepare(BlockBank())
