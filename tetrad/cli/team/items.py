"""`tetrad items`: fresh practice items as pictures and JSON lines."""

import shutil
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated, TypeAlias

from cyclopts import Parameter
from cyclopts.validators import Number

from tetrad.cli.credentials import UrlOption, connect
from tetrad.cli.output import print_line, progress_bar, say
from tetrad.cli.team.exports import CARD, ExportError, Fetched, Form, data_card, remove_export, writer_of
from tetrad.cli.team.parameters import keep_given, parse_parameters
from tetrad.client import Client, TetradError
from tetrad.contracts.items import PracticeItem

PAGE = 20
PICTURES_TOGETHER = 32  # in a request: the most that the service takes
LARGE_BYTES = 10**9  # more is written only if it is asked for twice
GIGABYTE = 10**9
Query: TypeAlias = dict[str, str | int | bool]


class NoItemsError(TetradError):
    """No item has these parameters and facets."""


def items(  # every option is one of the endpoint's
    benchmark: str,
    *,
    track: str | None = None,
    setting: str | None = None,
    seed: str | None = None,
    count: Annotated[int, Parameter(validator=Number(gte=1))] = 10,
    parameter: list[str] | None = None,
    where: list[str] | None = None,
    source: list[str] | None = None,
    out: Path | None = None,
    format: Form = "folder",  # noqa: A002 -- the option's name
    replace: bool = False,
    yes: bool = False,
    url: UrlOption = None,
    json: bool = False,
) -> None:
    """Fetch fresh practice items with their pictures and solutions.

    Args:
        benchmark: for example kiva.
        track: the track; the benchmark's first by default.
        setting: what is asked and shown; the track's first by default.
        seed: an integer from 0 to 2^53-1 or 64 hex digits; a random one by default.
        count: how many.
        parameter: NAME=VALUE, may be repeated.
        where: FACET=VALUE to choose items by, may be repeated. A facet that is a parameter too sets the parameter.
        source: KIND:NAME of a source to draw from, may be repeated; the default ones otherwise.
        out: the folder to write; items-BENCHMARK-SEED by default.
        format: folder, pictures beside items.jsonl; hf, Parquet for `datasets` and pandas; webdataset, tar shards.
        replace: replace what an earlier export wrote to the folder.
        yes: write it even if it is large.
        json: print each saved line on standard output too, one line of JSON an item.
    """
    chosen = parse_parameters([*(parameter or []), *(where or [])])
    with connect(url) as client, progress_bar() as bar:
        query = {**keep_given(track=track, setting=setting, seed=seed, source=",".join(source or []) or None), **chosen}
        found = _pages(client, benchmark, query, count)
        if (first := next(found, None)) is None:
            raise NoItemsError(f"{benchmark} has no items with these parameters and filters; leave one out")
        folder = out or Path(f"items-{benchmark}-{first.seed[:16]}")
        fetched = _fetch(client, first)
        _check_room(folder, fetched.size * count, count, yes=yes)
        _make_ready(folder, replace=replace)
        query = {**query, "seed": first.seed}
        roles = _roles(client, benchmark, query, count) if format == "hf" else []
        task = bar.add_task("items", total=count)
        written = 0
        with writer_of(format, folder, roles) as write:
            for fetched_item in chain([fetched], (_fetch(client, item) for item in found)):
                write(fetched_item)
                written += 1
                if json:
                    print_line(fetched_item.as_saved_item())
                bar.advance(task)
        if format != "folder":
            command = _command(benchmark, first, [*(where or [])], count=count, form=format, source=source or [])
            (folder / CARD).write_text(data_card(client.benchmark(benchmark), first, format, command))
    if not json:
        named_files = {"folder": f"{folder}/items.jsonl, pictures beside it", "hf": f"{folder}/data"}
        say(f"{written} items in {named_files.get(format, str(folder))} (seed {first.seed})")
        if format == "hf":
            say(f'read them with: datasets.load_dataset("{folder}", split="train")')


def _pages(client: Client, benchmark: str, query: Query, count: int) -> Iterator[PracticeItem]:
    offset, left = 0, count
    while left > 0:
        page = client.practice(benchmark, **{**query, "offset": offset, "limit": min(left, PAGE)})
        yield from page.items
        if not page.items or page.next is None:
            return
        query = {**query, "seed": page.seed}
        left -= len(page.items)
        offset = page.items[-1].index + 1


def _fetch(client: Client, item: PracticeItem) -> Fetched:
    names = list(dict.fromkeys(picture.name for question in item.questions for picture in question.pictures))
    pictures: dict[str, bytes] = {}
    for first in range(0, len(names), PICTURES_TOGETHER):
        pictures |= client.practice_pictures(item.id, names[first : first + PICTURES_TOGETHER])
    return Fetched(item=item, solution=client.solution(item.id), pictures=pictures)


def _roles(client: Client, benchmark: str, query: Query, count: int) -> list[str]:
    """Return the names of all pictures of all items, in the order of their first question."""
    pages = _pages(client, benchmark, query, count)
    return list(dict.fromkeys(picture.name for item in pages for asked in item.questions for picture in asked.pictures))


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


def _make_ready(folder: Path, *, replace: bool) -> None:
    """Make the folder, or see that it is empty: pictures of an earlier export would pass for these items'.

    Raises:
        ExportError: it is not empty.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if replace:
        remove_export(folder)
    elif any(folder.iterdir()):
        raise ExportError(f"{folder} is not empty; name another folder, or add --replace if it holds an earlier export")


def _command(
    benchmark: str, first: PracticeItem, where: list[str], *, count: int, form: Form, source: list[str]
) -> list[str]:
    """Return the command line that makes an export again, with what was left to defaults written out."""
    identity = first.identity
    words = ["tetrad", "items", benchmark, "--track", identity.track, "--setting", identity.setting]
    words += ["--seed", first.seed, "--count", str(count), "--format", form]
    for name, value in sorted(identity.parameters.items()):
        words += ["--parameter", f"{name}={str(value).lower() if isinstance(value, bool) else value}"]
    for option, values in (("--where", where), ("--source", source)):
        words += [word for value in values for word in (option, value)]
    return words
