"""Solvers that look at option pictures and nothing else: a learned probe, and one that sees only file sizes."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
from PIL import Image
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from generator_service.benchmark import PictureArray
from generator_service.drawing.png import encode_png
from generator_service.mounting import Mounted
from generator_service.proving.blind_solvers import Guesser, Solver
from generator_service.proving.cases import Case

Row = npt.NDArray[np.float32]
SMALL = 8  # rows of a downsampled picture
GREY = 128


@dataclass(frozen=True)
class Shot:
    """Features of one option picture: the whole with the difference of its halves, the option alone, bytes as PNG."""

    whole: Row
    alone: Row
    size: int


@dataclass(frozen=True, kw_only=True)
class Album:
    """Renders option pictures and remembers them by what they hold, where the benchmark says what that is."""

    mounted: Mounted
    cut: Callable[[PictureArray], PictureArray]
    holds: Callable[[Any, str], Hashable] | None
    _kept: dict[Hashable, Shot] = field(default_factory=dict)

    def shots(self, case: Case) -> tuple[tuple[str, ...], list[Shot]]:
        shown = [option for option in case.keyed.question.options if option.picture is not None]
        return tuple(option.label for option in shown), [self._shot(case, str(option.picture)) for option in shown]

    def _shot(self, case: Case, name: str) -> Shot:
        key = _whole(case.scene, name) if self.holds is None else self.holds(case.scene, name)
        if key not in self._kept:
            self._kept[key] = self._take_shot(case, name)
        return self._kept[key]

    def _take_shot(self, case: Case, name: str) -> Shot:
        pixels = self.mounted.benchmark.render(self.mounted.bank, case.scene, name)
        whole = np.concatenate([small(pixels), _halves_apart(pixels)])
        return Shot(whole, small(self.cut(pixels)), len(encode_png(pixels)))


def _whole(scene: Any, name: str) -> Hashable:
    """Return everything that a picture's pixels can depend on, for benchmarks that don't say what they depend on."""
    return msgspec.json.encode(scene, order="deterministic"), name


def small(pixels: PictureArray) -> Row:
    """Scale the picture down, lay it on grey and flatten it; a last number is its ink."""
    height, width = pixels.shape[:2]
    image = Image.fromarray(np.ascontiguousarray(pixels))
    shrunk = image.resize((max(1, SMALL * width // height), SMALL), Image.Resampling.BOX)
    flat = Image.alpha_composite(Image.new("RGBA", shrunk.size, (GREY, GREY, GREY, 255)), shrunk).convert("RGB")
    ink = np.float32((pixels[..., 3] > 0).mean())
    return np.append(np.asarray(flat, np.float32).ravel() / 255, ink).astype(np.float32)


def _halves_apart(pixels: PictureArray) -> Row:
    """Compare left with right: pictures often show a before and an after."""
    half = pixels.shape[1] // 2
    apart = np.abs(small(pixels[:, :half]) - small(pixels[:, -half:]))
    return np.append(apart, apart.mean()).astype(np.float32)


def picture_solvers(album: Album) -> list[Solver]:
    """Return a probe for each of the two sights, and the solver that sees only file sizes."""

    def alone(case: Case) -> tuple[tuple[str, ...], Row]:
        labels, shots = album.shots(case)
        return labels, np.stack([shot.alone for shot in shots])

    def whole(case: Case) -> tuple[tuple[str, ...], Row]:
        labels, shots = album.shots(case)
        return labels, np.stack([shot.whole for shot in shots])

    def sizes(case: Case) -> tuple[tuple[str, ...], Row]:
        labels, shots = album.shots(case)
        return labels, _size_rows(np.array([shot.size for shot in shots], np.float32))

    return [
        Solver(name="probe on pixels", sees="options-only", exact=False, look=alone, learn=_learn_rows, pictured=True),
        Solver(name="probe on pixels", sees="pair-blind", exact=False, look=whole, learn=_learn_rows, pictured=True),
        Solver(name="sizes of files", sees="pair-blind", exact=False, look=sizes, learn=_learn_rows, pictured=True),
    ]


def _size_rows(sizes: Row) -> Row:
    """Describe each size by its rank among the options and its distance from their mean."""
    rank = (sizes[:, None] > sizes[None, :]).sum(axis=1)
    ranks = np.eye(len(sizes), dtype=np.float32)[rank]
    return np.concatenate([ranks, (sizes / sizes.mean() - 1)[:, None]], axis=1)


def _relative(rows: Row) -> Row:
    """Compare every option with the mean of all: signed, and how far off."""
    off = rows - rows.mean(axis=0)
    return np.concatenate([off, np.abs(off)], axis=1)


def _learn_rows(views: Sequence[tuple[tuple[str, ...], Row]], labels: Sequence[str]) -> Guesser:
    rows = np.concatenate([_relative(view) for _, view in views])
    is_right = [label == right for (shown, _), right in zip(views, labels, strict=True) for label in shown]
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=60, tol=1e-3))
    model.fit(rows, is_right)

    def guess(views: Sequence[tuple[tuple[str, ...], Row]]) -> list[str]:
        odds = model.decision_function(np.concatenate([_relative(view) for _, view in views]))
        found, start = [], 0
        for shown, _ in views:
            found.append(shown[int(np.argmax(odds[start : start + len(shown)]))])
            start += len(shown)
        return found

    return guess
