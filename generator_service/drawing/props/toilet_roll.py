"""A roll of toilet paper on its end: white paper round a cardboard tube, one sheet hanging off."""

import numpy as np

from generator_service.drawing.exact import Dice, cosine, sine
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.props.prop import Prop
from generator_service.drawing.solids import lathe, patch

PAPERS: tuple[Colour, ...] = ((252, 252, 248), (248, 246, 238), (250, 250, 252), (246, 250, 244))
_CARD: Colour = (188, 172, 146)
_HOLE: Colour = (84, 76, 66)
_DENT: Colour = (214, 212, 204)


def build(dice: Dice) -> Mesh:
    paper = dice.pick(PAPERS)
    wide, tall = dice.between(0.48, 0.54), dice.between(0.84, 0.94)
    wall = lathe([(0.0, 0.0), (wide, 0.0), (wide, tall), (0.2, tall)], paper, sides=48).polish(0.0)
    windings = [lathe([(r, tall + 0.004), (r + 0.018, tall + 0.004)], _DENT, sides=48) for r in (0.27, 0.35, 0.43)]
    card = lathe([(0.2, tall + 0.006), (0.165, tall + 0.006), (0.165, tall - 0.3)], _CARD, sides=32).polish(0.0)
    hole = lathe([(0.165, tall - 0.22), (0.0, tall - 0.22)], _HOLE, sides=32).polish(0.0)
    return join(wall, *[winding.polish(0.0) for winding in windings], card, hole, _sheet(paper, wide, tall))


def _sheet(paper: Colour, wide: float, tall: float) -> Mesh:
    """Hang the loose end off the roll's right, in front."""
    around = [(wide + 0.01) * np.array([sine(a), 0.0, cosine(a)]) for a in range(20, 91, 10)]
    ahead = [np.array([wide + 0.012 + 0.012 * k, 0.0, -0.05 * k]) for k in range(1, 6)]
    columns = [*around, *ahead]
    rows = np.array([[point + np.array([0.0, height, 0.0]) for point in columns] for height in (0.02, tall - 0.02)])
    edge = np.array(
        [[columns[-1] + np.array([0.0, h, 0.0]), columns[-2] + np.array([0.0, h, 0.0])] for h in (0.0, tall)]
    )
    return join(patch(rows, paper).polish(0.0), patch(edge, _DENT).polish(0.0))


PROP = Prop("toilet-roll", build, size=0.27, sway=20.0)
