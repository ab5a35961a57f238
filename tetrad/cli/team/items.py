"""`tetrad items`: fresh practice items as rows, in the form that trainers and people read."""

import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number
from msgspec.structs import replace as changed

from tetrad.cli.credentials import UrlOption, connect
from tetrad.cli.output import print_line, progress_bar, say, say_apart
from tetrad.cli.team.exports import begin_export, size_of, write_export
from tetrad.cli.team.parameters import parse_parameters
from tetrad.client import Client, TetradError
from tetrad.contracts.rows import Row
from tetrad.contracts.wire import ParameterValue
from tetrad.rows.cards import write_cards
from tetrad.rows.dataset_cards import in_words
from tetrad.rows.plan import DATA, SHARD_ITEMS, ExportError, ExportForm, Manifest, Plan, Split
from tetrad.rows.writers import with_files

LARGE_BYTES = 10**9  # more is written only if it is asked for twice
GIGABYTE = 10**9
TRAIN = "train"


class NoItemsError(TetradError):
    """No item has these parameters and facets."""


def items(  # every option is one of the endpoint's
    benchmark: str,
    *,
    track: str | None = None,
    setting: str | None = None,
    seed: str | None = None,
    count: str = "10",
    offset: Annotated[int, Parameter(validator=Number(gte=0))] = 0,
    split: list[str] | None = None,
    parameter: list[str] | None = None,
    where: list[str] | None = None,
    source: list[str] | None = None,
    out: Path | None = None,
    format: ExportForm = "jsonl",  # noqa: A002 -- the option's name
    shard_items: Annotated[int, Parameter(validator=Number(gte=1))] = SHARD_ITEMS,
    replace: bool = False,
    yes: bool = False,
    url: UrlOption = None,
    json: bool = False,
) -> None:
    """Write fresh practice items with their pictures and solutions, one row a question.

    Stopped before its end, the same command goes on where it was.

    Args:
        benchmark: for example kiva.
        track: the track; the benchmark's first by default.
        setting: what is asked and shown; the track's first by default.
        seed: an integer from 0 to 2^53-1 or 64 hex digits; a random one by default.
        count: how many items; with several splits one number for all, or one for each: 10000,500.
        offset: the place in the draw of the first item, from 0.
        split: NAME=SEED of a split, may be repeated; one named train by default.
        parameter: NAME=VALUE, may be repeated.
        where: FACET=VALUE to choose items by, may be repeated. A facet that is a parameter too sets the parameter.
        source: KIND:NAME of a source to draw from, may be repeated; the default ones otherwise.
        out: the folder to write; items-BENCHMARK-SEED by default.
        format: jsonl, lines beside pictures; hf, Parquet for `datasets` and pandas; webdataset, tar shards.
        shard_items: how many items a file holds.
        replace: replace what an earlier export wrote to the folder.
        yes: write it even if it is large.
        json: print each row on standard output too, one line of JSON a question.
    """
    splits = parse_splits(split or [], seed, count, offset)
    filters, parameters = parse_parameters(where or [], option="--where"), parse_parameters(parameter or [])
    if both := filters.keys() & parameters.keys():
        parse_parameters([*(where or []), *(parameter or [])])  # refuses two values
        filters = {name: value for name, value in filters.items() if name not in both}
    with connect(url) as client:
        first = _first_rows(client, benchmark, splits[0], track, setting, source or [], {**parameters, **filters})
        plan = _plan(client, first, splits, filters, source or [], format, shard_items)
        folder = out or Path(f"items-{benchmark}-{plan.splits[0].seed[:16]}")
        _check_room(folder, sum(map(size_of, first)) * plan.count, plan.count, yes=yes)
        manifest = begin_export(folder, plan, replace=replace)
        try:
            _write(client, folder, manifest, json=json)
        except (KeyboardInterrupt, TetradError):
            command = shlex.join([*command_of(plan), "--out", str(folder)])
            say_apart(f"{manifest.items} of {plan.count} items are in {folder}; go on with: {command}")
            raise
        write_cards(folder, client.benchmark(benchmark), manifest, command_of(plan))
    if not json:
        _say_done(folder, manifest)


def parse_splits(texts: Sequence[str], seed: str | None, count: str, offset: int) -> list[Split]:
    """Return the splits that the options name; a seed that is not given is "".

    Raises:
        ExportError: they don't fit together.
    """
    if texts and seed is not None:
        raise ExportError("--split has the seeds: leave out --seed")
    named = [text.partition("=") for text in texts] or [(TRAIN, "=", seed or "")]
    for name, equals, its_seed in named:
        if not equals or not name.isidentifier() or (texts and not its_seed):
            raise ExportError(f"--split {name}{equals}{its_seed} is not NAME=SEED, such as validation=2")
    try:
        counts = [int(text) for text in count.split(",")]
    except ValueError as error:
        raise ExportError(f"--count {count} is no whole number, nor one for each split, such as 10000,500") from error
    counts = counts * len(named) if len(counts) == 1 else counts
    if len(counts) != len(named) or min(counts) < 1:
        raise ExportError(f"--count {count} does not fit: give one number from 1 on, or one for each --split")
    if len({name for name, _, _ in named}) < len(named) or len({its_seed for _, _, its_seed in named}) < len(named):
        raise ExportError("two splits have one name, or one seed and so the same items: give each its own")
    return [
        Split(name=name, seed=its_seed, offset=offset, count=how_many)
        for (name, _, its_seed), how_many in zip(named, counts, strict=True)
    ]


def _first_rows(  # noqa: PLR0917 -- the options of the command
    client: Client,
    benchmark: str,
    split: Split,
    track: str | None,
    setting: str | None,
    source: list[str],
    parameters: dict[str, ParameterValue],
) -> list[Row]:
    """Return the rows of the first item, which tell what was left to defaults, and how large items are.

    Raises:
        NoItemsError: there is none.
    """
    rows = client.rows(
        benchmark,
        count=1,
        track=track,
        setting=setting,
        seed=split.seed or None,
        offset=split.offset,
        source=source or None,
        questions="all",
        parameters=parameters,
    )
    if found := list(rows):
        return found
    raise NoItemsError(f"{benchmark} has no items with these parameters and filters; leave one out")


def _plan(  # noqa: PLR0917 -- the options of the command
    client: Client,
    first: Sequence[Row],
    splits: Sequence[Split],
    filters: dict[str, ParameterValue],
    source: list[str],
    form: ExportForm,
    shard_items: int,
) -> Plan:
    row = first[0]
    identity = client.practice_item(row.item).identity
    seeded = [changed(split, seed=split.seed or row.seed) for split in splits]
    return Plan(
        benchmark=row.benchmark,
        version=row.version,
        track=row.track,
        setting=row.setting,
        parameters=identity.parameters,
        filters={name: value for name, value in filters.items() if name not in identity.parameters},
        digest=row.source,
        named_sources=sorted(source),
        form=form,
        questions="all",
        splits=seeded,
        shard_items=shard_items,
    )


def _write(client: Client, folder: Path, manifest: Manifest, *, json: bool) -> None:
    with progress_bar() as bar:
        task = bar.add_task("items", total=manifest.plan.count, completed=manifest.items)
        last = ""

        def tell(row: Row, shard: Path) -> None:
            nonlocal last
            if json:
                print_line(with_files(row, shard.stem))
            if row.item != last:
                last = row.item
                bar.advance(task)

        write_export(client, folder, manifest, tell)


def _say_done(folder: Path, manifest: Manifest) -> None:
    plan = manifest.plan
    beside = ", pictures beside the lines" if plan.form == "jsonl" else ""
    seeds = ", ".join(
        f"seed {split.seed}" if split.name == TRAIN else f"{split.name}: seed {split.seed}" for split in plan.splits
    )
    say(f"{manifest.items} items in {folder}/{DATA}{beside} ({seeds})")
    if plan.form == "hf":
        say(f'read them with: datasets.load_dataset("{folder}", split="{plan.splits[0].name}")')


def _check_room(folder: Path, size: int, count: int, *, yes: bool) -> None:
    """Check, by the size of the first item, that there is room for all, and that so much is meant.

    Raises:
        ExportError: there is no room, or it is large and --yes is missing.
    """
    there = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    free = shutil.disk_usage(there).free
    told = f"{count} items take about {size / GIGABYTE:.1f} GB, and {there} has {free / GIGABYTE:.1f} GB free"
    if size > free:
        raise ExportError(f"{told}; ask for fewer, or name another folder with --out")
    if size > LARGE_BYTES and not yes:
        raise ExportError(f"{told}; add --yes to write them")


def command_of(plan: Plan) -> list[str]:
    """Return the command line that makes an export again, with what was left to defaults written out."""
    words = ["tetrad", "items", plan.benchmark, "--track", plan.track, "--setting", plan.setting]
    if [split.name for split in plan.splits] == [TRAIN]:
        words += ["--seed", plan.splits[0].seed]
    else:
        words += [word for split in plan.splits for word in ("--split", f"{split.name}={split.seed}")]
    words += ["--count", ",".join(str(split.count) for split in plan.splits), "--format", plan.form]
    if plan.splits[0].offset:
        words += ["--offset", str(plan.splits[0].offset)]
    if plan.shard_items != SHARD_ITEMS:
        words += ["--shard-items", str(plan.shard_items)]
    for option, values in (("--parameter", plan.parameters), ("--where", plan.filters)):
        for name, value in sorted(values.items()):
            words += [option, f"{name}={in_words(value)}"]
    return words + [word for title in plan.named_sources for word in ("--source", title)]
