"""`tetrad datasets`: order data sets of practice items by the million, list, fetch, check them, and give them up."""

import time
from itertools import chain, islice
from pathlib import Path
from typing import Annotated

import cyclopts
from cyclopts import Parameter
from cyclopts.validators import Number

from tetrad.cli.credentials import UrlOption, connect, connect_with_key
from tetrad.cli.output import JsonOption, print_json, progress_bar, say, say_apart, table
from tetrad.cli.team.fetched_datasets import fetch_dataset, find_faults
from tetrad.cli.team.items import GIGABYTE
from tetrad.cli.team.parameters import parse_parameters, random_seed
from tetrad.client import Client, TetradError
from tetrad.client.pages import every_page
from tetrad.contracts.datasets import MOST_ITEMS, MOST_SHARD_ITEMS, Dataset, DatasetForm, DatasetRequest

app = cyclopts.App(
    name="datasets", help="Order data sets of practice items by the million; list, fetch and check them."
)
LOOK_SECONDS = 2.0
PAGE = 100  # data sets
ENDED = frozenset({"done", "failed", "cancelled"})
DatasetIdOption = Annotated[str, Parameter(help="the data set's id, dst_...")]


class FaultyDatasetError(TetradError):
    """A check found faults."""


class FailedDatasetError(TetradError):
    """The data set can't be made."""


@app.command
def make(  # every option is one of the request's
    benchmark: str,
    *,
    count: Annotated[int, Parameter(validator=Number(gte=1, lte=MOST_ITEMS))],
    seed: str | None = None,
    form: DatasetForm = "parquet",
    track: str | None = None,
    setting: str | None = None,
    parameter: list[str] | None = None,
    source: list[str] | None = None,
    shard_items: Annotated[int, Parameter(validator=Number(gte=1, lte=MOST_SHARD_ITEMS))] = 1000,
    dry_run: bool = False,
    wait: bool = False,
    url: UrlOption = None,
    json: JsonOption = False,
) -> None:
    """Order a data set. The service makes it; the same order by anybody is the same data set, made once.

    Args:
        benchmark: for example kiva.
        count: how many items, up to ten million.
        seed: an integer from 0 to 2^53-1 or 64 hex digits; a random one by default.
        form: recipe (only what is needed to draw the items elsewhere), rows, parquet or webdataset.
        track: the track; the benchmark's first by default.
        setting: what is asked and shown; the track's first by default.
        parameter: NAME=VALUE, may be repeated.
        source: KIND:NAME of a source to draw from, may be repeated; the default ones otherwise.
        shard_items: how many items a file holds.
        dry_run: only estimate its bytes and core hours.
        wait: wait until it is made.
    """
    request = DatasetRequest(
        benchmark=benchmark,
        count=count,
        seed=seed or random_seed(),
        form=form,
        track=track,
        setting=setting,
        parameters=parse_parameters(parameter or []),
        source=source or [],
        shard_items=shard_items,
    )
    with connect_with_key(url) as client:
        found = client.order_dataset(request, dry_run=dry_run)
        if wait and not dry_run:
            found = wait_for(client, found)
    if json:
        print_json(found)
        return
    say(*_describe(found))
    if not dry_run:
        say(f"fetch it with: tetrad datasets get {found.id}")


@app.command(name="list")
def list_datasets(
    *,
    count: Annotated[int, Parameter(validator=Number(gte=1))] = 20,
    url: UrlOption = None,
    json: JsonOption = False,
) -> None:
    """List the data sets that your team holds orders of, newest orders first, and its quota.

    Args:
        count: how many at most.
    """
    with connect_with_key(url) as client:
        pages = every_page(lambda cursor: client.datasets(cursor=cursor, limit=min(count, PAGE)))
        first = next(pages)
        found = list(islice((dataset for page in chain([first], pages) for dataset in page.datasets), count))
    if json:
        print_json(found)
        return
    rows = [
        [dataset.id, dataset.plan.identity.benchmark, dataset.plan.form, _progress(dataset), _size(dataset.bytes)]
        for dataset in found
    ]
    table("Data sets", ["id", "benchmark", "form", "state", "size"], rows)
    bound = f" of {_size(first.quota)}" if first.quota else ""
    say(f"Your team's orders take {_size(first.used)}{bound}.")


@app.command
def get(
    dataset: DatasetIdOption,
    *,
    out: Path | None = None,
    url: UrlOption = None,
) -> None:
    """Fetch a data set as it is made. Stopped before its end, the same command goes on where it was.

    Args:
        out: the folder to write; the data set's id by default.
    """
    folder = out or Path(dataset)
    with connect_with_key(url) as client, progress_bar() as bar:
        found = client.dataset(dataset)
        task = bar.add_task("shards", total=found.shards)
        while True:
            bar.update(task, completed=0)
            manifest = fetch_dataset(client, dataset, folder, lambda _: bar.advance(task))
            if manifest.is_complete:
                break
            found = client.dataset(dataset)
            _check_going(found)
            time.sleep(LOOK_SECONDS)
    say(f"{manifest.plan.count} items in {folder}; check them with: tetrad datasets verify {folder} --sample 3")


@app.command
def verify(
    folder: Path,
    *,
    sample: Annotated[int, Parameter(validator=Number(gte=0))] = 0,
    url: UrlOption = None,
    json: JsonOption = False,
) -> None:
    """Check every shard of a fetched data set against its digest, and some against what the service makes.

    Args:
        folder: what `tetrad datasets get` wrote.
        sample: of how many shards, chosen at random, items are made anew and compared.
    """
    with connect(url) as client, progress_bar() as bar:
        task = bar.add_task("shards", total=None)
        faults = list(find_faults(client if sample else None, folder, sample, lambda _: bar.advance(task)))
    if json:
        print_json({"faults": faults})
    if faults:
        raise FaultyDatasetError("\n".join([*faults, f"fetch it again with: tetrad datasets get ID --out {folder}"]))
    if not json:
        say(f"{folder} is what its manifest says{', and what the service makes' if sample else ''}.")


@app.command
def cancel(dataset: DatasetIdOption, *, url: UrlOption = None) -> None:
    """Give your team's order of a data set up. Its shards are kept for some days, and by whoever else ordered it."""
    with connect_with_key(url) as client:
        client.cancel_dataset(dataset)
    say(f"{dataset} is given up; the same order has it again.")


def wait_for(client: Client, found: Dataset) -> Dataset:
    """Return the data set once it is made.

    Raises:
        FailedDatasetError: it can't be.
    """
    with progress_bar() as bar:
        task = bar.add_task("items", total=found.plan.count)
        reason = None
        while found.state not in ENDED:
            bar.update(task, completed=found.items_done)
            if found.reason != reason and found.reason:
                say_apart(found.reason)
            reason = found.reason
            time.sleep(LOOK_SECONDS)
            found = client.dataset(found.id)
    _check_going(found)
    return found


def _check_going(found: Dataset) -> None:
    if found.state in {"failed", "cancelled"}:
        raise FailedDatasetError(f"{found.id} is {found.state}: {found.reason or 'its order was given up'}")


def _describe(found: Dataset) -> list[str]:
    plan = found.plan
    size = f"about {_size(found.bytes_estimated)} in {found.shards} shards, {found.core_hours_estimated:.2g} core hours"
    if plan.form == "recipe":
        size = "no shards: draw the items where you train, by client.rows or make_shard"
    return [
        f"{found.id}: {plan.count} items of {plan.identity.benchmark}, seed {plan.seed}, {plan.form}",
        size,
        _progress(found),
    ]


def _progress(found: Dataset) -> str:
    """Say in a few words how far it is."""
    if found.state == "making":
        left = "" if found.seconds_left is None else f", {found.seconds_left} s left"
        return f"making: {found.shards_done} of {found.shards} shards{left}"
    return f"{found.state}: {found.reason}" if found.reason else found.state


def _size(count: int) -> str:
    return f"{count / GIGABYTE:.2f} GB"
