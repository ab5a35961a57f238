"""Supervised baselines on embeddings, in NumPy: which of the options goes with this input?

Each option's vector stands beside the input's: A, A' and B one after the other (`concat`), or B + A' - A
(`arithmetic`). A linear layer, its activation and a classifier give it a score. The softmax over the options is fitted
by Adam (Bitton et al. 2023, section 4.3: learning rate .001, batches of 128, 5 epochs, the best of which on held-out
items is kept).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from tetrad.files import whole_file
from tetrad.solvers.embedded.puzzles import GIVEN, Puzzle, Vector, arithmetic_of, part_of

CONCAT, ARITHMETIC = "concat", "arithmetic"
FORMS = (CONCAT, ARITHMETIC)
RATE, BATCH, EPOCHS, HIDDEN = 0.001, 128, 5, 256
_BETAS, _TINY = (0.9, 0.999), 1e-8
_Weights = dict[str, Vector]
Told = Callable[[int, float, float], None]
"""Called after each epoch with its number, the mean loss, and the share of held-out items that are right."""


class TrainingError(ValueError):
    """Items can't be trained on; the message says why and what to do."""


@dataclass(frozen=True)
class Trained:
    """A classifier: its form, the model whose embeddings it reads, and the weights of its two layers."""

    form: str
    model: str
    weights: _Weights

    @property
    def dimension(self) -> int:
        """Return the length of the vectors that it reads."""
        return len(self.weights["first"]) // (1 + (len(GIVEN) if self.form == CONCAT else 1))

    def choose(self, puzzle: Puzzle) -> str:
        """Return the option with the highest score. Raises: PuzzleError: A, A' or B is not shown."""
        rows = _rows([part_of(puzzle, *GIVEN)], self.form, self.weights["mean"], self.weights["scale"])
        return puzzle.labels[int(np.argmax(_scores(self.weights, rows)[1][0]))]

    def save(self, path: Path) -> None:
        """Write the file, whole or not at all. Anybody may read it: a gateway may run as another user."""
        with whole_file(path) as file:
            np.savez(file, form=np.array(self.form), model=np.array(self.model), **self.weights)  # type: ignore[arg-type]
        path.chmod(0o644)


def load_trained(path: Path) -> Trained:
    """Read a classifier that `save` wrote.

    Raises:
        TrainingError: the file holds none.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
            weights = {name: kept[name] for name in ("mean", "scale", "first", "bias", "second")}
            return Trained(FORMS[FORMS.index(str(kept["form"]))], str(kept["model"]), weights)
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise TrainingError(
            f"{path} holds no trained baseline ({error}); write one with tetrad baseline train"
        ) from error


def train(  # noqa: PLR0917 - what, of which model, and how it goes
    learned: Sequence[tuple[Puzzle, str]],
    held_out: Sequence[tuple[Puzzle, str]],
    form: str,
    model: str,
    seed: int = 0,
    told: Told = lambda _epoch, _loss, _share: None,
) -> Trained:
    """Fit a classifier to puzzles with their right labels; keep the epoch that is best on those held out.

    Raises:
        TrainingError: there are none, they have different numbers of options, or A, A' or B is missing.
    """
    _check(learned, held_out)
    rng = np.random.default_rng(seed)
    plain = _rows([puzzle for puzzle, _ in learned], form, np.float32(0), np.float32(1))
    mean = plain.mean(axis=(0, 1), dtype=np.float64).astype(np.float32)
    scale = np.maximum(plain.std(axis=(0, 1), dtype=np.float64), 1e-6).astype(np.float32)
    rows, keys = (plain - mean) / scale, _keys(learned)
    held_rows, held_keys = _rows([puzzle for puzzle, _ in held_out], form, mean, scale), _keys(held_out)
    width = rows.shape[2]
    weights: _Weights = {
        "first": (rng.standard_normal((width, HIDDEN)) / width**0.5).astype(np.float32),
        "bias": np.zeros(HIDDEN, np.float32),
        "second": (rng.standard_normal(HIDDEN) / HIDDEN**0.5).astype(np.float32),
    }
    moments = {name: (np.zeros_like(value), np.zeros_like(value)) for name, value in weights.items()}
    best, highest, step = dict(weights), -1.0, 0
    for epoch in range(1, EPOCHS + 1):
        losses, order = [], rng.permutation(len(rows))
        for start in range(0, len(order), BATCH):
            batch, step = order[start : start + BATCH], step + 1
            loss, slopes = _slopes(weights, rows[batch], keys[batch])
            losses.append(loss)
            weights = {name: _step(value, slopes[name], moments[name], step) for name, value in weights.items()}
        share = float((_scores(weights, held_rows)[1].argmax(axis=1) == held_keys).mean())
        told(epoch, float(np.mean(losses)), share)
        if share > highest:
            best, highest = weights, share
    return Trained(form, model, {**best, "mean": mean, "scale": scale})


def _check(learned: Sequence[tuple[Puzzle, str]], held_out: Sequence[tuple[Puzzle, str]]) -> None:
    every = [puzzle for puzzle, _ in (*learned, *held_out)]
    if not learned or not held_out:
        raise TrainingError(f"{len(learned)} items to learn on and {len(held_out)} held out: give more items")
    if len({len(puzzle.labels) for puzzle in every}) > 1:
        raise TrainingError(
            "some items have more options than others: export items of one setting and one `candidates`"
        )
    if any(set(puzzle.given) != set(GIVEN) for puzzle in every):
        raise TrainingError("some items lack A, A' or B: export items of the setting that shows all three")


def _keys(puzzles: Sequence[tuple[Puzzle, str]]) -> npt.NDArray[np.int64]:
    return np.array([puzzle.labels.index(key) for puzzle, key in puzzles])


def _rows(puzzles: Sequence[Puzzle], form: str, mean: Vector | np.float32, scale: Vector | np.float32) -> Vector:
    """Return (puzzles, options, width): the input's vector and the option's, side by side."""
    found = []
    for puzzle in puzzles:
        seen = np.concatenate([puzzle.given[name] for name in GIVEN]) if form == CONCAT else arithmetic_of(puzzle)
        found.append(np.concatenate([np.tile(seen, (len(puzzle.labels), 1)), puzzle.options], axis=1))
    return ((np.stack(found) - mean) / scale).astype(np.float32)


def _scores(weights: _Weights, rows: Vector) -> tuple[Vector, Vector]:
    """Return the hidden layer, and the score of each option."""
    hidden: Vector = np.tanh(rows @ weights["first"] + weights["bias"])
    return hidden, hidden @ weights["second"]


def _slopes(weights: _Weights, rows: Vector, keys: npt.NDArray[np.int64]) -> tuple[float, _Weights]:
    """Return the mean cross-entropy over the options, and its slope by each weight."""
    hidden, scores = _scores(weights, rows)
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    places = np.arange(len(keys))
    loss = float(-np.log(np.maximum(shares[places, keys], 1e-12)).mean())
    by_score = shares.copy()
    by_score[places, keys] -= 1
    by_score /= len(keys)
    by_hidden = by_score[..., None] * weights["second"] * (1 - hidden**2)
    flat = by_hidden.reshape(-1, by_hidden.shape[2])
    return loss, {
        "first": rows.reshape(-1, rows.shape[2]).T @ flat,
        "bias": flat.sum(axis=0),
        "second": np.einsum("nk,nkh->h", by_score, hidden),
    }


def _step(value: Vector, slope: Vector, moments: tuple[Vector, Vector], step: int) -> Vector:
    """Take one step of Adam (Kingma and Ba 2015); the moments are kept in place."""
    first, second = moments
    first += (1 - _BETAS[0]) * (slope - first)
    second += (1 - _BETAS[1]) * (slope**2 - second)
    mean, spread = first / (1 - _BETAS[0] ** step), second / (1 - _BETAS[1] ** step)
    stepped: Vector = (value - RATE * mean / (np.sqrt(spread) + _TINY)).astype(np.float32)
    return stepped
