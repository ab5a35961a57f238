"""Read rooms and props, drawn once and kept in the store of sources, and compose pictures of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from generator_service.drawing.stage.composing import Picture, compose_picture
from generator_service.drawing.stage.layers import Layer
from generator_service.drawing.stage.stage_maker import PropName, RoomName


@dataclass(frozen=True, kw_only=True, eq=False)
class StageBank:
    """Layers by name. `views` and `variants` are the numbers of views and variants.

    `digest` is a SHA-256 over names and decoded layers, the same on every machine.
    """

    digest: str
    views: int
    variants: int
    read: Callable[[str], Layer]

    def room(self, name: RoomName) -> Layer:
        return self.read(str(name))

    def prop(self, name: PropName) -> Layer:
        return self.read(str(name))

    def picture(self, room: RoomName, props: Sequence[PropName], shift: tuple[int, int]) -> Picture:
        """Return the picture (512, 512, 4), opaque; KeyError for a name the bank does not have."""
        return compose_picture(self.room(room), [self.prop(name) for name in props], shift)
