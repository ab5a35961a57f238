"""Answer analogies of pictures by plain measures of whole pictures, which know no thing, no person and no place.

    hue      a histogram of hue and value over saturated pixels
    pixels   the picture at 32 x 32
    edges    how much the picture changes at each of 32 x 32 places, across and down

The option nearest to B + A' - A is taken, or the one nearest to B, A' or A. Such a solver sees all that a model sees.
So its score is no leak: a card declares it, as the bar that a model must pass before it is said to see more.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image

from tetrad.contracts.inference import Message
from tetrad.solvers.pictures import PictureArray
from tetrad.solvers.seen_question import SeenQuestion, recover_question

Row = npt.NDArray[np.float32]
NO_ANALOGY = (
    "I see no analogy of pictures: I need A, A' and B, or a pair and a third picture, and options that are pictures."
)
HUES, VALUES = 48, 3
_TERMS, _LEAST_OPTIONS = 3, 2  # A, A' and B; pictures to choose from
_SIDE = 32  # of a small picture
_LOOKED_AT = 256  # the longer side at which pixels are counted
_LEAST_CHROMA, _LEAST_SHARE = 30, 0.15  # of 255, and of the value: below that a pixel has no hue to speak of
_WIDE = 2  # a picture so many times as wide as high shows a pair
_GREY = 128  # behind what is transparent


def measure_hue(picture: PictureArray) -> Row:
    """Return the shares of the picture's pixels by 48 hues and 3 values, (144,); pixels without a hue are left out."""
    pixels = _shrink(picture, _LOOKED_AT).reshape(-1, 3).astype(np.int32)
    red, green, blue = pixels.T
    value, least = pixels.max(axis=1), pixels.min(axis=1)
    chroma = value - least
    coloured = (chroma >= _LEAST_CHROMA) & (chroma >= _LEAST_SHARE * value)
    red, green, blue, value, chroma = (channel[coloured] for channel in (red, green, blue, value, chroma))
    sixths = np.where(
        value == red,
        (green - blue) / chroma % 6,
        np.where(value == green, (blue - red) / chroma + 2, (red - green) / chroma + 4),
    )
    place = (sixths * HUES / 6).astype(np.int32) % HUES * VALUES + value * VALUES // 256
    return (np.bincount(place, minlength=HUES * VALUES) / len(pixels)).astype(np.float32)


def measure_pixels(picture: PictureArray) -> Row:
    """Return the colours of the picture at 32 x 32, 0 to 1, (3072,)."""
    return (_square(picture) / np.float32(255)).ravel()


def measure_edges(picture: PictureArray) -> Row:
    """Return how much the light changes across and down at 32 x 32 places, (2048,)."""
    light = _square(picture, 2 * _SIDE + 2).mean(axis=2) / np.float32(255)
    across, down = np.abs(light[1:-1, 2:] - light[1:-1, :-2]), np.abs(light[2:, 1:-1] - light[:-2, 1:-1])
    maps = [edges.reshape(_SIDE, 2, _SIDE, 2).mean(axis=(1, 3)) for edges in (across, down)]
    return np.stack(maps).astype(np.float32).ravel()


MEASURES: Mapping[str, Callable[[PictureArray], Row]] = {
    "hue": measure_hue,
    "pixels": measure_pixels,
    "edges": measure_edges,
}


@dataclass(frozen=True)
class Way:
    """A measure, and what A, A' and B count for."""

    measure: str
    signs: tuple[int, int, int]

    def choose(self, given: Sequence[Row], options: Mapping[str, Row]) -> str:
        """Return the label of the option that is nearest, from the measures of A, A' and B and of each option."""
        wanted = sum(sign * row for sign, row in zip(self.signs, given, strict=True))
        return min(options, key=lambda label: float(((options[label] - wanted) ** 2).sum()))


_ANALOGY = (-1, 1, 1)
WAYS: Mapping[str, Way] = {
    **{f"low-level-{name}": Way(name, _ANALOGY) for name in MEASURES},
    "low-level-hue-b": Way("hue", (0, 0, 1)),
    "low-level-hue-a-prime": Way("hue", (0, 1, 0)),
    "low-level-hue-a": Way("hue", (1, 0, 0)),
}
"""By the name of the solver: nearest to B + A' - A, or to one of the three alone."""


class LowLevelSolver:
    """Answers in one of `WAYS`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def reply(self, messages: Sequence[Message]) -> str:
        chosen = choose_by_each(messages, (self._name,))
        return f"({chosen[self._name]})" if chosen else NO_ANALOGY


def choose_by_each(messages: Sequence[Message], names: Iterable[str] = tuple(WAYS)) -> Mapping[str, str]:
    """Return the label that each of these ways chooses, by its name; nothing where no analogy of pictures is asked.

    Raises:
        PictureError: a picture can't be decoded within bounds.
    """
    given, options = find_analogy(recover_question(messages))
    if not given:
        return {}
    ways = {name: WAYS[name] for name in names}
    rows = {
        measure: ([take(of) for of in given], {label: take(of) for label, of in options.items()})
        for measure, take in MEASURES.items()
        if any(way.measure == measure for way in ways.values())
    }
    return {name: way.choose(*rows[way.measure]) for name, way in ways.items()}


def find_analogy(question: SeenQuestion) -> tuple[tuple[PictureArray, ...], Mapping[str, PictureArray]]:
    """Return A, A' and B, and the options that are pictures by label; nothing where the question is no such analogy.

    A, A' and B are the last three pictures of the context. A pair may be one picture, its halves side by side: then B
    is the left half of every option, and an option is the right one.
    """
    given = [picture.pixels() for picture in question.context[-_TERMS:]]
    options = {option.label: option.picture.pixels() for option in question.options if option.picture is not None}
    if len(options) < _LEAST_OPTIONS:
        return (), {}
    if len(given) == 1 and all(map(_is_pair, (*given, *options.values()))):
        (a, changed), (b, _) = _halves(given[0]), _halves(next(iter(options.values())))
        return (a, changed, b), {label: _halves(option)[1] for label, option in options.items()}
    return (tuple(given), options) if len(given) == _TERMS else ((), {})


def _is_pair(picture: PictureArray) -> bool:
    height, width = picture.shape[:2]
    return int(width) >= _WIDE * int(height)


def _halves(picture: PictureArray) -> tuple[PictureArray, PictureArray]:
    side = picture.shape[0]
    return picture[:, :side], picture[:, -side:]


def _shrink(picture: PictureArray, longest: int) -> npt.NDArray[np.uint8]:
    """Return the picture on grey, (h, w, 3), its longer side at most so many pixels."""
    image = _on_grey(picture)
    share = longest / max(image.size)
    if share < 1:
        image = image.resize(
            (max(1, round(image.width * share)), max(1, round(image.height * share))), Image.Resampling.NEAREST
        )
    return np.asarray(image)


def _square(picture: PictureArray, side: int = _SIDE) -> Row:
    """Return the picture on grey, (side, side, 3), 0 to 255."""
    return np.asarray(_on_grey(picture).resize((side, side), Image.Resampling.BOX), np.float32)


def _on_grey(picture: PictureArray) -> Image.Image:
    image = Image.fromarray(np.ascontiguousarray(picture))
    return Image.alpha_composite(Image.new("RGBA", image.size, (_GREY, _GREY, _GREY, 255)), image).convert("RGB")
