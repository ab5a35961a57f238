"""`tetrad baseline`: answer analogies by a model's embeddings, as they are or after training on solved items.

Items come from a folder that `tetrad items` wrote. Embeddings come from any server with OpenAI's /embeddings, such as
this service's gateway, and are kept in the folder, a file a model.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

import cyclopts
import msgspec
from cyclopts import Parameter
from cyclopts.validators import Number

from tetrad.cli.output import JsonOption, print_json, say, table
from tetrad.client import TetradError
from tetrad.extras import how_to_install

app = cyclopts.App(name="baseline", help="Answer analogies by a model's embeddings, as they are or after training.")
Form = Literal["concat", "arithmetic"]
WayName = Literal[
    "arithmetic",
    "elimination",
    "only-a",
    "only-a-prime",
    "only-b",
    "a-and-b",
    "a-and-a-prime",
    "a-prime-and-b",
]


class MissingExtraError(TetradError):
    """NumPy is not installed."""


@contextmanager
def _needing_numpy() -> Iterator[None]:
    """Import in the block what needs NumPy. Raises: MissingExtraError: it names the extra."""
    try:
        yield
    except ImportError as error:
        remedy = how_to_install("solvers")
        raise MissingExtraError(f"tetrad baseline needs NumPy, which an extra installs: {remedy}") from error


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
    with _needing_numpy():
        from tetrad.cli.team.embedded_items import BaselineError, solved_items  # noqa: PLC0415 -- of an extra
        from tetrad.solvers.embedded.asking import Embedder  # noqa: PLC0415 -- same
        from tetrad.solvers.embedded.trained import TrainingError, train  # noqa: PLC0415 -- same

    found = solved_items(folder, Embedder(embeddings, model))
    cut = len(found) - max(1, round(len(found) * held_out))
    learned, held = ([(solved.puzzle, solved.label) for solved in part] for part in (found[:cut], found[cut:]))
    try:
        trained = train(
            learned, held, form, model, seed, lambda *told: say("epoch {}: loss {:.3f}, held out {:.1%}".format(*told))
        )
    except TrainingError as error:
        raise BaselineError(str(error)) from error
    trained.save(out)
    say(f"{out}: {form} on {model}, learned on {len(learned)} items, held out {len(held)}")


@app.command
def words(folder: Path, *, out: Path) -> None:
    """Write the values of each role that solved items name: the words of image-to-text and predicted situations.

    A model of the gateway that answers in these ways reads them (docs/models.md).

    Args:
        folder: written by `tetrad items`, of vasr.
        out: the file to write, JSON: {"agent": ["cat", ...], ...}.
    """
    with _needing_numpy():
        from tetrad.cli.team.embedded_items import situation_words  # noqa: PLC0415 -- of an extra

    found = situation_words(folder)
    out.write_bytes(msgspec.json.format(msgspec.json.encode(found)) + b"\n")
    say(f"{out}: {sum(map(len, found.values()))} words of {len(found)} roles")


@app.command
def compare(
    folder: Path,
    *,
    embeddings: str,
    model: str,
    trained: list[Path] | None = None,
    texts: bool = False,
    by: str = "role",
    json: JsonOption = False,
) -> None:
    """Score every baseline on solved items: with all of A, A' and B, and with a part.

    Args:
        folder: written by `tetrad items`; items that a classifier was trained on don't count for it: export others.
        embeddings: address, ending in /v1, of a server with /embeddings; its key from $OPENAI_API_KEY.
        model: the embedding model there.
        trained: a file of `tetrad baseline train`, may be repeated.
        texts: the model embeds texts as well (CLIP, SigLIP): score image-to-text and predicted situations, too.
        by: the facet that scores are split by.
    """
    with _needing_numpy():
        from tetrad.cli.team.embedded_items import baselines, score_rows, solved_items, told_values  # noqa: PLC0415 -- of an extra
        from tetrad.solvers.embedded.asking import Embedder  # noqa: PLC0415 -- same

    embedder = Embedder(embeddings, model)
    found = solved_items(folder, embedder)
    told = told_values(folder, embedder) if texts else None
    answering = baselines(trained or [], model, told)
    rows = [row for name, choose in answering.items() for row in score_rows(name, choose, found, by)]
    if json:
        print_json(rows)
        return
    cells = [
        [
            row.baseline,
            row.group,
            f"{row.score:.3f}",
            f"{row.interval.lower:.3f} to {row.interval.upper:.3f}",
            str(row.items),
        ]
        for row in rows
    ]
    table(f"Baselines on {model}", ["baseline", by, "score", "95% interval", "items"], cells)


@app.command
def reply(
    *,
    embeddings: str,
    model: str,
    way: WayName = "arithmetic",
    trained: Path | None = None,
) -> None:
    """Read one question on standard input and print the answer: what `tetrad submit --command` runs.

    Args:
        embeddings: address, ending in /v1, of a server with /embeddings; its key from $OPENAI_API_KEY.
        model: the embedding model there.
        way: how to choose without training; only-b and the like look at a part of what is shown.
        trained: a file of `tetrad baseline train`, instead.
    """
    with _needing_numpy():
        from tetrad.cli.team.embedded_items import BaselineError, opened_classifier, puzzle_of  # noqa: PLC0415 -- of an extra
        from tetrad.solvers.embedded.asking import Embedder  # noqa: PLC0415 -- same
        from tetrad.solvers.embedded.puzzles import WAYS, PuzzleError  # noqa: PLC0415 -- same

    try:
        asked = msgspec.json.decode(sys.stdin.buffer.read(), type=_Asked)
    except msgspec.DecodeError as error:
        raise BaselineError(
            f"standard input holds no question in JSON ({error}); `tetrad submit --command` writes one"
        ) from error
    names = [picture.name for picture in asked.pictures]
    vectors = Embedder(embeddings, model).embed([Path(picture.path).read_bytes() for picture in asked.pictures])
    puzzle = puzzle_of(
        {picture.name: picture.caption for picture in asked.pictures},
        {option.label: option.picture for option in asked.options},
        dict(zip(names, vectors, strict=True)),
    )
    choose = WAYS[way].choose if trained is None else opened_classifier(trained, model).choose
    try:
        sys.stdout.write(f"({choose(puzzle)})\n")
    except PuzzleError as error:
        raise BaselineError(str(error)) from error
