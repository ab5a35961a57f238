"""`tetrad baseline`: answer analogies by a model's embeddings, as they are or after training on solved items.

Items come from a folder that `tetrad items` wrote. Embeddings come from any server with OpenAI's /embeddings, such as
this service's gateway, and are kept in the folder, a file a model.
"""

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import cyclopts
import msgspec
from cyclopts import Parameter
from cyclopts.validators import Number

from tetrad.cli.output import print_json, progress_bar, say, table
from tetrad.cli.team.exports import LINES, SavedItem
from tetrad.client import TetradError
from tetrad.contracts.items import Question
from tetrad.solvers.embedded.asking import Embedder, embedded_files
from tetrad.solvers.embedded.puzzles import GIVEN, WAYS, Puzzle, Vector, part_of
from tetrad.solvers.embedded.trained import Trained, TrainingError, load_trained, train
from tetrad.statistics.interval import Interval
from tetrad.statistics.wilson import wilson_interval

app = cyclopts.App(name="baseline", help="Answer analogies by a model's embeddings, as they are or after training.")
Form = Literal["concat", "arithmetic"]
_GIVEN = re.compile(r"\bpicture (A'|A|B)(?![\w'])")


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


class _Piece(msgspec.Struct):
    name: str
    path: str
    caption: str = ""


class _Offered(msgspec.Struct):
    label: str
    picture: str | None = None


class _Asked(msgspec.Struct):
    """Of what `tetrad submit --command` writes, what is needed here."""

    options: list[_Offered]
    pictures: list[_Piece]


@app.command(name="train")
def train_baseline(
    folder: Path,
    *,
    embeddings: str,
    model: str,
    out: Path,
    form: Form = "concat",
    held_out: Annotated[float, Parameter(validator=Number(gt=0, lt=1))] = 0.2,
    seed: int = 0,
) -> None:
    """Train a classifier on solved items: five epochs, the one that is best on items held out is kept.

    Args:
        folder: written by `tetrad items`, of a setting that shows A, A' and B.
        embeddings: address, ending in /v1, of a server with /embeddings; its key from $OPENAI_API_KEY.
        model: the embedding model there.
        out: the file to write.
        form: what stands beside each option: A, A' and B (concat), or B + A' - A (arithmetic).
        held_out: the share of the items, the last ones, that is not learned on.
        seed: of the first weights and of the order of items.
    """
    found = _solved(folder, Embedder(embeddings, model))
    cut = len(found) - max(1, round(len(found) * held_out))
    learned, held = ([(one.puzzle, one.label) for one in part] for part in (found[:cut], found[cut:]))
    try:
        trained = train(
            learned, held, form, model, seed, lambda *told: say("epoch {}: loss {:.3f}, held out {:.1%}".format(*told))
        )
    except TrainingError as error:
        raise BaselineError(str(error)) from error
    trained.save(out)
    say(f"{out}: {form} on {model}, learned on {len(learned)} items, held out {len(held)}")


@app.command
def compare(
    folder: Path,
    *,
    embeddings: str,
    model: str,
    trained: list[Path] | None = None,
    by: str = "role",
    json: bool = False,
) -> None:
    """Score every baseline on solved items: with all of A, A' and B, and with a part.

    Args:
        folder: written by `tetrad items`; items that a classifier was trained on don't count for it: export others.
        embeddings: address, ending in /v1, of a server with /embeddings; its key from $OPENAI_API_KEY.
        model: the embedding model there.
        trained: a file of `tetrad baseline train`, may be repeated.
        by: the facet that scores are split by.
        json: print JSON.
    """
    found = _solved(folder, Embedder(embeddings, model))
    rows = [row for name, choose in _baselines(trained or [], model).items() for row in _rows(name, choose, found, by)]
    if json:
        print_json(rows)
        return
    cells = [
        [
            one.baseline,
            one.group,
            f"{one.score:.3f}",
            f"{one.interval.lower:.3f} to {one.interval.upper:.3f}",
            str(one.items),
        ]
        for one in rows
    ]
    table(f"Baselines on {model}", ["baseline", by, "score", "95% interval", "items"], cells)


@app.command
def reply(
    *,
    embeddings: str,
    model: str,
    way: Literal["arithmetic", "elimination"] = "arithmetic",
    trained: Path | None = None,
) -> None:
    """Read one question on standard input and print the answer: what `tetrad submit --command` runs.

    Args:
        embeddings: address, ending in /v1, of a server with /embeddings; its key from $OPENAI_API_KEY.
        model: the embedding model there.
        way: how to choose without training.
        trained: a file of `tetrad baseline train`, instead.
    """
    asked = msgspec.json.decode(sys.stdin.buffer.read(), type=_Asked)
    names = [one.name for one in asked.pictures]
    vectors = Embedder(embeddings, model).embed([Path(one.path).read_bytes() for one in asked.pictures])
    puzzle = _puzzle(
        {one.name: one.caption for one in asked.pictures},
        {one.label: one.picture for one in asked.options},
        dict(zip(names, vectors, strict=True)),
    )
    choose = WAYS[way] if trained is None else _opened(trained, model).choose
    sys.stdout.write(f"({choose(puzzle)})\n")


def _baselines(trained: list[Path], model: str) -> dict[str, Callable[[Puzzle], str]]:
    arithmetic, elimination = WAYS["arithmetic"], WAYS["elimination"]
    found: dict[str, Callable[[Puzzle], str]] = {
        "arithmetic": arithmetic,
        "elimination": elimination,
        "A' alone": lambda puzzle: arithmetic(part_of(puzzle, "A'")),
        "B alone": lambda puzzle: arithmetic(part_of(puzzle, "B")),
        "A' and B": lambda puzzle: arithmetic(part_of(puzzle, "A'", "B")),
    }
    for path in trained:
        opened = _opened(path, model)
        found[f"trained {opened.form}"] = opened.choose
    return found


def _opened(path: Path, model: str) -> Trained:
    try:
        opened = load_trained(path)
    except TrainingError as error:
        raise BaselineError(str(error)) from error
    if opened.model != model:
        raise BaselineError(f"{path} was trained on embeddings of {opened.model}, not of {model}: name that --model")
    return opened


def _rows(name: str, choose: Callable[[Puzzle], str], found: list[Solved], by: str) -> list[Scored]:
    """Return the score over all items, then that of each value of the facet."""
    rights: dict[str, list[bool]] = defaultdict(list)
    for one in found:
        right = choose(one.puzzle) == one.label
        rights["all"].append(right)
        if by in one.facets:
            rights[one.facets[by]].append(right)
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


def _solved(folder: Path, embedder: Embedder) -> list[Solved]:
    """Read the items of a folder, and ask for the vectors that it does not keep yet."""
    try:
        lines = (folder / LINES).read_bytes().splitlines()
        saved = [msgspec.json.decode(line, type=SavedItem) for line in lines]
    except (OSError, msgspec.DecodeError) as error:
        raise BaselineError(f"{folder} is no folder of items ({error}); write one with tetrad items") from error
    files = [file for one in saved for file in one.pictures.values()]
    kept = folder / f"embeddings-{re.sub(r'[^A-Za-z0-9._-]+', '-', embedder.model)}.jsonl"
    vectors: dict[str, Vector] = {}
    with progress_bar() as bar:
        task = bar.add_task("pictures embedded", total=len(files))
        for batch in embedded_files(embedder, folder, files, kept):
            vectors.update(batch)
            bar.advance(task, len(batch))
    return [_of_item(one, {name: vectors[file] for name, file in one.pictures.items()}) for one in saved]


def _of_item(saved: SavedItem, vectors: Mapping[str, Vector]) -> Solved:
    question: Question = saved.item.questions[-1]
    puzzle = _puzzle(
        {one.name: one.caption for one in question.pictures},
        {one.label: one.picture for one in question.options},
        vectors,
    )
    solution = saved.solution
    return Solved(puzzle=puzzle, label=solution.keys[question.id].label, facets=solution.facets.get(question.id, {}))


def _puzzle(captions: Mapping[str, str], options: Mapping[str, str | None], vectors: Mapping[str, Vector]) -> Puzzle:
    """Find A, A' and B by the captions of pictures, and each option by its picture."""
    import numpy as np  # noqa: PLC0415 -- an extra: the other commands need none

    given = {match[1]: vectors[name] for name, text in captions.items() if (match := _GIVEN.search(text)) is not None}
    shown = {label: name for label, name in options.items() if name is not None}
    if not given or len(shown) < len(options):
        raise BaselineError(
            f"captions {', '.join(captions.values())!r}: embeddings answer questions whose options are pictures, "
            f"beside at least one of {', '.join(GIVEN)}"
        )
    rows = np.stack([vectors[name] for name in shown.values()])
    return Puzzle(given=given, labels=tuple(shown), options=rows)
