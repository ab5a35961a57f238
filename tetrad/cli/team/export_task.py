"""`tetrad export-task`: fresh practice items as a task of another harness, which its own command line runs."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from tetrad.cli.credentials import UrlOption
from tetrad.cli.output import say
from tetrad.cli.team.items import items
from tetrad.cli.team.parameters import random_seed
from tetrad.rows.lmms_task import TEST, write_task
from tetrad.rows.plan import SHARD_ITEMS, ExportError, load_manifest


def export_task(  # every option is one of `tetrad items`
    benchmark: str,
    folder: Path,
    *,
    for_: Annotated[Literal["lmms-eval"], Parameter(name="--for")] = "lmms-eval",
    track: str | None = None,
    setting: str | None = None,
    seed: str | None = None,
    count: Annotated[int, Parameter(validator=Number(gte=1))] = 250,
    offset: Annotated[int, Parameter(validator=Number(gte=0))] = 0,
    parameter: list[str] | None = None,
    where: list[str] | None = None,
    source: list[str] | None = None,
    shard_items: Annotated[int, Parameter(validator=Number(gte=1))] = SHARD_ITEMS,
    replace: bool = False,
    yes: bool = False,
    url: UrlOption = None,
) -> None:
    """Write practice items with their pictures and solutions as a task of another harness: its data and its files.

    Prompts and verdicts are those of submissions. Scores on practice items are no scores of the board.

    Args:
        benchmark: for example kiva.
        folder: the folder to write.
        for_: the harness.
        track: the track; the benchmark's first by default.
        setting: what is asked and shown; the track's first by default.
        seed: an integer from 0 to 2^53-1 or 64 hex digits; a random one by default.
        count: how many items.
        offset: the place in the draw of the first item, from 0.
        parameter: NAME=VALUE, may be repeated.
        where: FACET=VALUE to choose items by, may be repeated.
        source: KIND:NAME of a source to draw from, may be repeated; the default ones otherwise.
        shard_items: how many items a file holds.
        replace: replace what an earlier export wrote to the folder.
        yes: write it even if it is large.
    """
    items(
        benchmark,
        track=track,
        setting=setting,
        count=str(count),
        offset=offset,
        split=[f"{TEST}={seed or random_seed()}"],
        parameter=parameter,
        where=where,
        source=source,
        out=folder,
        format="hf",
        shard_items=shard_items,
        replace=replace,
        yes=yes,
        url=url,
    )
    manifest = load_manifest(folder)
    if manifest is None:
        raise ExportError(f"{folder} holds no export any more; run the command again")
    name = write_task(folder, manifest)
    say(f"ask it with: python -m lmms_eval --include_path {folder} --tasks {name} --model ... ({for_})")
