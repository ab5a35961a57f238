"""Define an edition of the stage: all that its layers are drawn from. Older ones stay, for draws that need them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from generator_service.drawing.exact import Dice
from generator_service.drawing.mesh import Mesh
from generator_service.drawing.props.prop import Prop
from generator_service.drawing.stage.anchor_points import Anchor
from generator_service.drawing.stage.furniture import Piece
from generator_service.drawing.stage.layers import Layer


@dataclass(frozen=True, kw_only=True)
class Edition:
    """One edition. `digest` is that of the whole stage; other pixels are another edition.

    version: part of every layer's dice. views: their number. room: draws a view with a piece of furniture. prop: draws
    a mesh at (x, z, height) by an anchor. made: builds one variant of a prop. pans: by relation, pixels by which the
    picture's frame moves to the right over the canvas.
    """

    version: int
    digest: str
    views: int
    anchors: tuple[Anchor, ...]
    props: tuple[Prop, ...]
    room: Callable[[int, Piece], Layer]
    prop: Callable[[int, Mesh, tuple[float, float, float], Anchor], Layer]
    made: Callable[[Prop, Dice], Mesh]
    pans: Mapping[str, int]
