"""The stage bank: rooms and wares, drawn once, kept in the store of sources, put together in a moment."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from generator_service.drawing.stage.composing import Picture, composed
from generator_service.drawing.stage.layers import Layer
from generator_service.drawing.stage.stage_maker import RoomName, WareName


@dataclass(frozen=True, kw_only=True, eq=False)
class StageBank:
    """Layers by name; `views` and `variants` say how many there are to draw from.

    `digest` is a SHA-256 over names and decoded layers, the same on every machine.
    """

    digest: str
    views: int
    variants: int
    read: Callable[[str], Layer]

    def room(self, name: RoomName) -> Layer:
        return self.read(str(name))

    def ware(self, name: WareName) -> Layer:
        return self.read(str(name))

    def picture(self, room: RoomName, wares: Sequence[WareName], shift: tuple[int, int]) -> Picture:
        """Return the picture (512, 512, 4), opaque; KeyError for a name the bank does not have."""
        return composed(self.room(room), [self.ware(name) for name in wares], shift)
