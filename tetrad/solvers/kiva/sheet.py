"""Cut up pictures of several pairs. Their shape tells the layout, and cuts are in proportion.

- A sheet of three: the given pair above three lettered pairs in a row, measured at 1696 x 702.
- A sheet of four: the given pair above two rows of two, measured at 1136 x 1026.
- A sheet of eight: the given pair above two rows of four, measured at 2256 x 1026.
- A sentence: three pairs one above the other, 520 x 784, without the last right panel.
Pairs are 520 x 256, in frames; words and letters stand in strips above them.
"""

from dataclasses import dataclass

from tetrad.solvers.kiva.panels import Pair, Thumb, cut_pair, shrink
from tetrad.solvers.pictures import PictureArray

_PAIR = (520, 256)
_PANEL = (256, 256)


@dataclass(frozen=True)
class Plan:
    """The top left of each pair in a picture of this size."""

    size: tuple[int, int]
    given_at: tuple[tuple[int, int], ...]
    options_at: tuple[tuple[int, int], ...]

    @property
    def shape(self) -> float:
        return self.size[0] / self.size[1]


SHEETS = (
    Plan((1696, 702), ((588, 72),), ((28, 418), (588, 418), (1148, 418))),
    Plan((1136, 1026), ((308, 72),), ((28, 418), (588, 418), (28, 742), (588, 742))),
    Plan(
        (2256, 1026),
        ((868, 72),),
        (
            *((28, 418), (588, 418), (1148, 418), (1708, 418)),
            *((28, 742), (588, 742), (1148, 742), (1708, 742)),
        ),
    ),
)
SENTENCE = Plan((520, 784), ((0, 0), (0, 264)), ())
_LAST_ROW = (0, 528)
_TOLERANCE = 0.03  # of the shape


def plan_of(picture: PictureArray) -> Plan | None:
    """Return the sheet plan that fits the picture's shape; None for a pair or a single panel."""
    height, width = picture.shape[:2]
    plans = (plan for plan in (*SHEETS, SENTENCE) if abs(width / height - plan.shape) < _TOLERANCE * plan.shape)
    return next(plans, None)


def cut_sheet(picture: PictureArray, plan: Plan) -> tuple[list[Pair], list[Pair]]:
    """Return the given pairs, and the options' from left to right, then down."""
    given, options = (
        [cut_pair(_part(picture, plan, at, _PAIR)) for at in places] for places in (plan.given_at, plan.options_at)
    )
    return given, options


def last_input(picture: PictureArray) -> Thumb:
    """Return the left panel of a sentence's last row."""
    return shrink(_part(picture, SENTENCE, _LAST_ROW, _PANEL))


def _part(picture: PictureArray, plan: Plan, at: tuple[int, int], size: tuple[int, int]) -> PictureArray:
    scale = picture.shape[1] / plan.size[0]
    left, top, right, bottom = (round(edge * scale) for edge in (*at, at[0] + size[0], at[1] + size[1]))
    return picture[top:bottom, left:right]
