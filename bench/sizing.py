"""Rows of what a team's day costs each part of a deployment, and which part is full first at 50, 500 and 5,000 teams.

The chart for one node runs as processes, over Postgres, Valkey and an object store of its own (`make chart` fetches
helm). Work of each kind is done over HTTP; what it takes is read from the processor time of each part's processes.
"""

import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import httpx
import yaml

from bench.datasets import order_anew
from bench.measuring import BENCHMARK, Bench, Line, load
from bench.processes import core_seconds_by_program, core_seconds_of
from bench.training import REPLIES, THOUGHTS
from bench.trial import answer_a_submission, fetch_practice
from tests.answering import patiently
from tests.deployed.chart import CHART
from tests.deployed.cluster import Cluster, make_store_secrets, start_cluster
from tests.waiting import wait_until
from tetrad.client import Client
from tetrad.contracts.accounts import ModelRequest
from tetrad.contracts.evaluations import EvaluationRequest
from tetrad.contracts.training import PracticeReply

TEAMS = (50, 500, 5000)
BUSIEST_HOUR = 0.1  # of a day's work
HOUR_SECONDS = 3600.0
PATIENCE_SECONDS = 120.0
MODEL = "random"  # of the gateway itself: what a provider's machine does is not ours
READS = 200
LEAST_SHOWN = 0.01

Cores = Mapping[str, float]


class Kind(NamedTuple):
    """A kind of work: what one of it is, how many a team does in a day, how many are measured, and by what."""

    name: str
    a_day: float
    measured: int
    do: Callable[[int], object]


class Capacity(NamedTuple):
    """Processor cores that the chart gives a part: as installed, and with scaling at its most."""

    installed: float
    most: float


def sizing(bench: Bench) -> Iterator[Line]:
    """Do work of each kind, then say what a day of so many teams needs of each part in its busiest hour."""
    a_day: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="tetrad-sizing-") as name:
        folder = Path(name)
        with start_cluster(folder, make_store_secrets(folder)) as cluster, _register(cluster) as team:
            for kind in _kinds(bench, cluster, team):
                kind.do(max(1, kind.measured // 10))  # what a process loads once
                before = _read_cores(cluster)
                kind.do(kind.measured)
                costs = {part: (cores - before[part]) / kind.measured for part, cores in _read_cores(cluster).items()}
                a_day.update({part: kind.a_day * cost for part, cost in costs.items()})
                yield _show_kind(kind, costs)
    for teams in TEAMS:
        yield _show_needs(teams, {part: teams * cores * BUSIEST_HOUR / HOUR_SECONDS for part, cores in a_day.items()})


def _register(cluster: Cluster) -> Client:
    with Client(cluster.url("api")) as anybody:
        team = Client(cluster.url("api"), anybody.register_team("sizing").key)
    team.register_model(ModelRequest(name="constant"))
    return team


def _kinds(bench: Bench, cluster: Cluster, team: Client) -> list[Kind]:
    """Return the kinds of work. A team's day is four submissions, two evaluations, and ten steps of training."""
    items = bench.scale.fetched

    def read_boards(count: int) -> None:
        for _ in range(count):
            team.leaderboard(BENCHMARK)

    def open_pages(count: int) -> None:
        for _ in range(count):
            page = httpx.get(f"{cluster.url('api')}/boards/{BENCHMARK}", headers={"Accept": "text/html"})
            page.raise_for_status()

    return [
        Kind("an item of KiVA to practise on, with its pictures", 2000, items, lambda n: fetch_practice(team, n, n)),
        Kind("an item of a submission: asked, shown, sealed, scored", 1000, items, lambda n: _submit(team, n)),
        Kind("an item of an evaluation", 500, items, lambda n: _evaluate(team, n)),
        Kind(f"a row of training with {REPLIES} verdicts", 5000, items, lambda n: _train(team, n)),
        Kind("an item of a data set", 5000, 5 * items, lambda n: _make(team, n)),
        Kind("a board over the API", 100, READS, read_boards),
        Kind("a board's page", 100, READS, open_pages),
    ]


def _submit(team: Client, count: int) -> None:
    answer_a_submission(team, count)
    newest = team.submissions(limit=1).submissions[0].id
    _wait(lambda: team.submission(newest).state == "scored")


def _evaluate(team: Client, count: int) -> None:
    started = team.evaluate(EvaluationRequest(benchmark=BENCHMARK, models=[MODEL], size=count)).id
    _wait(lambda: team.evaluation(started).state == "done")


def _train(team: Client, count: int) -> None:
    rows = list(team.rows(BENCHMARK, count=count, seed=count))
    replies = [
        PracticeReply(item=row.item, question=row.question, response=THOUGHTS.format(row.index, number))
        for row in rows
        for number in range(REPLIES)
    ]
    team.judge(BENCHMARK, replies)


def _make(team: Client, count: int) -> None:
    ordered = order_anew(team, count).id
    _wait(lambda: team.dataset(ordered).state == "done")


def _wait(is_done: Callable[[], bool]) -> None:
    wait_until(partial(patiently, is_done, PATIENCE_SECONDS), PATIENCE_SECONDS, "it is done")


def _read_cores(cluster: Cluster) -> Cores:
    """Return the processor seconds so far of each part and server."""
    pods = {part: core_seconds_of(pod.process.pid) for part, pod in cluster.processes.items()}
    postmaster = (Path(cluster.servers.postgres) / ".s.PGSQL.5432.lock").read_text().split()[0]
    own = core_seconds_by_program(os.getpid())
    return {**pods, "postgres": core_seconds_of(int(postmaster)), "valkey": own["valkey"], "objects": own["objects"]}


def _show_kind(kind: Kind, costs: Cores) -> Line:
    parts = ", ".join(f"{part} {1000 * cost:.2f}" for part, cost in _sort_by_cores(costs) if 1000 * cost > LEAST_SHOWN)
    return Line(name=kind.name, value=f"{1000 * sum(costs.values()):.1f} core ms", ratio=f"{parts}; {load()}")


def _show_needs(teams: int, needs: Cores) -> Line:
    parts = ", ".join(f"{part} {cores:.2f}" for part, cores in _sort_by_cores(needs) if cores > LEAST_SHOWN)
    return Line(
        name=f"cores in the busiest hour of {teams:,} teams",
        value=f"{sum(needs.values()):.1f} cores",
        ratio=f"{parts}; {_name_fullest(needs)}",
    )


@cache
def _find_capacities() -> Mapping[str, Capacity]:
    """Return what the chart's values give each part that scales: replicas times their processes, of a core each."""
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    scaled = {name: part for name, part in values.items() if isinstance(part, dict) and "scale" in part}
    return {
        name: Capacity(*(count * part.get("workers", 1) for count in (part["replicas"], part["scale"]["most"])))
        for name, part in scaled.items()
    }


def _name_fullest(needs: Cores) -> str:
    """Name the part that takes the largest share of what the chart gives it, as installed and scaled."""
    found = []
    for where in Capacity._fields:
        shares = {part: needs[part] / getattr(given, where) for part, given in _find_capacities().items()}
        part = max(shares, key=shares.__getitem__)
        found.append(f"{where}: {part} at {100 * shares[part]:.0f}%")
    return "; ".join(found)


def _sort_by_cores(cores: Cores) -> list[tuple[str, float]]:
    return sorted(cores.items(), key=lambda entry: -entry[1])
