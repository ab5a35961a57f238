"""`tetrad benchmarks` and `tetrad items`: the benchmarks, and fresh practice items as pictures and JSON lines."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter
from cyclopts.validators import Number

from tetrad.cli.credentials import connect
from tetrad.cli.output import print_json, print_line, progress_bar, say, table
from tetrad.cli.team.parameters import named, parse_parameters
from tetrad.client import Client, TetradError
from tetrad.contracts.items import PracticeItem, Solution
from tetrad.contracts.wire import Wire

PAGE = 20


class NoItemsError(TetradError):
    """No item has these parameters and facets."""


class SavedItem(Wire, frozen=True, kw_only=True):
    """One line of items.jsonl: the item, its solution, and its picture files by name."""

    item: PracticeItem
    solution: Solution
    pictures: dict[str, str]


def benchmarks(*, url: str | None = None, json: bool = False) -> None:
    """List the benchmarks with their tracks, settings and parameters.

    Args:
        url: address of the service; $TETRAD_URL, else http://127.0.0.1:8000.
        json: print JSON.
    """
    with connect(url) as client:
        found = client.benchmarks()
    if json:
        print_json(found)
        return
    rows = [
        [
            f"{info.card.name} {info.card.version}",
            track.name,
            ", ".join(track.settings),
            "\n".join(f"{one.name}={one.default}" for one in info.card.parameters),
            info.card.title,
        ]
        for info in found.benchmarks
        for track in info.card.tracks
    ]
    table("Benchmarks", ["benchmark", "track", "settings", "parameters (default)", "title"], rows, lines=True)
    for info in found.benchmarks:
        say(*(f"{info.card.name}, track {track}: not served: {lacking}" for track, lacking in info.lacking.items()))


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
    url: str | None = None,
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
        where: FACET=VALUE to choose items by, may be repeated.
        source: KIND:NAME of a source to draw from, may be repeated; the default ones otherwise.
        out: the folder to write; items-BENCHMARK-SEED by default.
        url: address of the service.
        json: print each saved line on standard output too, one line of JSON an item.
    """
    chosen = parse_parameters([*(parameter or []), *(where or [])])
    with connect(url) as client, progress_bar() as bar:
        query = {**named(track=track, setting=setting, seed=seed, source=",".join(source or []) or None), **chosen}
        task = bar.add_task("items", total=count)
        place = 0
        for place, item in enumerate(_pages(client, benchmark, query, count), 1):
            folder = out or Path(f"items-{benchmark}-{item.seed[:16]}")
            folder.mkdir(parents=True, exist_ok=True)
            saved = _save(client, item, folder)
            with (folder / "items.jsonl").open("wb" if place == 1 else "ab") as file:
                file.write(msgspec.json.encode(saved) + b"\n")
            if json:
                print_line(saved)
            bar.advance(task)
    if place == 0:
        raise NoItemsError(f"{benchmark} has no items with these parameters and filters; leave one out")
    if not json:
        say(f"{place} items in {folder}/items.jsonl, pictures beside it (seed {item.seed})")


def _pages(client: Client, benchmark: str, query: dict[str, str | int | bool], count: int) -> Iterator[PracticeItem]:
    offset, left = 0, count
    while left > 0:
        page = client.practice(benchmark, **{**query, "offset": offset, "limit": min(left, PAGE)})
        yield from page.items
        if not page.items or page.next is None:
            return
        query = {**query, "seed": page.seed}
        left -= len(page.items)
        offset = page.items[-1].index + 1


def _save(client: Client, item: PracticeItem, folder: Path) -> SavedItem:
    pictures: dict[str, str] = {}
    for picture in (picture for question in item.questions for picture in question.pictures):
        if picture.name not in pictures and picture.url is not None:
            path = folder / f"{item.index:05d}-{picture.name}.png"
            path.write_bytes(client.picture(picture.url))
            pictures[picture.name] = path.name
    return SavedItem(item=item, solution=client.solution(item.id), pictures=pictures)
