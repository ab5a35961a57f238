"""Analogies of a folder of items as vectors, and the scores of what answers them, for `tetrad baseline`.

It stands alone because it needs NumPy, of an extra, and the command line is imported without.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from tetrad.cli.output import progress_bar
from tetrad.client import TetradError
from tetrad.contracts.rows import Row
from tetrad.rows.making import key_of, question_of
from tetrad.rows.plan import DATA, ExportError, written_shards
from tetrad.rows.writers import read_lines
from tetrad.solvers.embedded.asking import Embedder, embedded_files
from tetrad.solvers.embedded.puzzles import GIVEN, WAYS, Puzzle, PuzzleError, Vector, find_puzzle
from tetrad.solvers.embedded.told import Told, told_by, values_of
from tetrad.solvers.embedded.trained import Trained, TrainingError, load_trained
from tetrad.statistics.interval import Interval
from tetrad.statistics.wilson import wilson_interval

SHOWN_WAYS: Mapping[str, str] = {
    "arithmetic": "arithmetic",
    "elimination": "elimination",
    "A' alone": "only-a-prime",
    "B alone": "only-b",
    "A' and B": "a-prime-and-b",
}
"""The ways that are compared, by what tables call them."""


class BaselineError(TetradError):
    """The items, or what answers, don't fit; the message says how to go on."""


@dataclass(frozen=True, kw_only=True)
class Solved:
    """A puzzle with its right label, and the facets that scores are split by."""

    puzzle: Puzzle
    label: str
    facets: Mapping[str, str]


class Scored(msgspec.Struct, frozen=True, kw_only=True):
    """The score of a baseline on all items, or on those with one value of the facet."""

    baseline: str
    group: str
    score: float
    interval: Interval
    items: int


def baselines(trained: list[Path], model: str, told: Told | None = None) -> dict[str, Callable[[Puzzle], str]]:
    """Return what answers, by name. told: captions in the model's space, where it embeds texts as well."""
    found: dict[str, Callable[[Puzzle], str]] = {shown: WAYS[way].choose for shown, way in SHOWN_WAYS.items()}
    if told is not None:
        found["image to text"] = told.choose_by_caption
        found["predicted situations"] = told.choose_by_situation
    for path in trained:
        opened = opened_classifier(path, model)
        found[f"trained {opened.form}"] = opened.choose
    return found


def opened_classifier(path: Path, model: str) -> Trained:
    try:
        opened = load_trained(path)
    except TrainingError as error:
        raise BaselineError(str(error)) from error
    if opened.model != model:
        raise BaselineError(f"{path} was trained on embeddings of {opened.model}, not of {model}: name that --model")
    return opened


def told_values(folder: Path, embedder: Embedder) -> Told:
    """Embed captions of all values that the states of the folder's solutions name.

    Raises:
        BaselineError: the solutions name none.
    """
    return told_by(situation_words(folder), embedder.embed_texts)


def situation_words(folder: Path) -> dict[str, list[str]]:
    """Return the values by role that the states of the folder's solutions name.

    Raises:
        BaselineError: they name none.
    """
    scenes = [msgspec.json.decode(row.scene or "{}", type=dict[str, Any]) for row in _read_items(folder)]
    states = [text for scene in scenes for text in _states(scene)]
    if not states:
        raise BaselineError(f"{folder}: the solutions name no situations; words are of items of vasr")
    return values_of(sorted(set(states)))


def _states(scene: Mapping[str, Any]) -> Iterator[str]:
    """Yield the states in words of a solution of VASR."""
    options = scene.get("options")
    for found in ({name: scene.get(name) for name in GIVEN}, options if isinstance(options, dict) else {}):
        yield from (text for text in found.values() if isinstance(text, str))


def _read_items(folder: Path) -> list[Row]:
    """Return the row of each item's last question."""
    try:
        last = {row.item: row for shard in written_shards(folder) for row in read_lines(shard)}
    except ExportError as error:
        raise BaselineError(str(error)) from error
    except (OSError, ValueError) as error:  # msgspec's errors are ValueErrors
        remedy = "write one with tetrad items"
        raise BaselineError(f"{folder} is no folder of items as lines ({error}); {remedy}") from error
    return list(last.values())


def score_rows(name: str, choose: Callable[[Puzzle], str], found: list[Solved], by: str) -> list[Scored]:
    """Return the score over all items, then that of each value of the facet.

    Raises:
        BaselineError: items don't show what it needs.
    """
    rights: dict[str, list[bool]] = defaultdict(list)
    for solved in found:
        right = _choose(name, choose, solved.puzzle) == solved.label
        rights["all"].append(right)
        if by in solved.facets:
            rights[solved.facets[by]].append(right)
    return [
        Scored(
            baseline=name,
            group=value,
            score=sum(of) / len(of),
            interval=wilson_interval(sum(of), len(of)),
            items=len(of),
        )
        for value, of in rights.items()
    ]


def _choose(name: str, choose: Callable[[Puzzle], str], puzzle: Puzzle) -> str:
    try:
        return choose(puzzle)
    except PuzzleError as error:
        raise BaselineError(f"{name}: {error}; export items of the setting that shows all three") from error


def solved_items(folder: Path, embedder: Embedder) -> list[Solved]:
    """Read the items of a folder, and ask for the vectors that it does not keep yet."""
    saved = _read_items(folder)
    files = [file for row in saved for file in _files(row).values()]
    kept = folder / f"embeddings-{re.sub(r'[^A-Za-z0-9._-]+', '-', embedder.model)}.jsonl"
    vectors: dict[str, Vector] = {}
    with progress_bar() as bar:
        task = bar.add_task("pictures embedded", total=len(files))
        for batch in embedded_files(embedder, folder / DATA, files, kept):
            vectors.update(batch)
            bar.advance(task, len(batch))
    return [_of_row(row, {name: vectors[file] for name, file in _files(row).items()}) for row in saved]


def _files(row: Row) -> dict[str, str]:
    return {picture.name: picture.image or "" for picture in row.pictures}


def _of_row(row: Row, vectors: Mapping[str, Vector]) -> Solved:
    question = question_of(row)
    puzzle = puzzle_of(
        {picture.name: picture.caption for picture in question.pictures},
        {option.label: option.picture for option in question.options},
        vectors,
    )
    facets = msgspec.json.decode(row.facets or "{}", type=dict[str, str])
    return Solved(puzzle=puzzle, label=key_of(row).label, facets=facets)


def puzzle_of(captions: Mapping[str, str], options: Mapping[str, str | None], vectors: Mapping[str, Vector]) -> Puzzle:
    """Find A, A' and B by the captions of pictures, and each option by its picture.

    Raises:
        BaselineError: the question is no analogy of pictures.
    """
    try:
        return find_puzzle(captions, options).with_vectors(vectors)
    except PuzzleError as error:
        raise BaselineError(str(error)) from error
