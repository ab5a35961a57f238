"""Gauges of the api: what its database and its neighbours say when somebody looks. Nothing of it is worked out before.

All that comes from the database is one statement, whose rows are kept for some seconds: several who scrape cost no more
than one. What hangs is waited for only for some seconds, so that a database or a neighbour that hangs is a number, and
not a service that shows none.
"""

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime
from typing import Any, Generic, NamedTuple, TypeVar

import sqlalchemy as sa
from prometheus_client.core import GaugeMetricFamily, Metric

from api.context import AppContext
from api.database.schema import (
    commitments,
    damages,
    dataset_events,
    dataset_shards,
    datasets,
    evaluation_runs,
    evaluations,
    rescorings,
    scoring_slices,
    spending,
    submissions,
    verifications,
)
from tetrad.internal.jobs import ATTEMPTS_A_QUEUEING
from tetrad.money import NANODOLLARS_A_DOLLAR
from tetrad.server.clock import now_ms
from tetrad.server.database import read_rows
from tetrad.server.dataset_tables import WORK_STATES
from tetrad.server.outbox import due_rows

KEPT_SECONDS = 5.0
PATIENCE_SECONDS = 3.0  # Prometheus waits for all together, ten seconds by default
SECONDS_A_MS = 1e-3

T = TypeVar("T")


class Gauge(NamedTuple):
    """A gauge of the statement's rows: its name, what it says, the label of its rows, and what one unit of a row is."""

    name: str
    about: str
    label: str = ""
    unit: float = 1.0

    def family(self) -> GaugeMetricFamily:
        return GaugeMetricFamily(self.name, self.about, labels=(self.label,) if self.label else ())


GAUGES: Mapping[str, Gauge] = {
    "submissions": Gauge("tetrad_submissions", "Submissions by state", "state"),
    "verifications": Gauge("tetrad_verifications", "Verifications by state", "state"),
    "datasets": Gauge("tetrad_datasets", "Data sets by state", "state"),
    "shards": Gauge("tetrad_dataset_shards", "Shards of data sets, done and still to be made", "state"),
    "due": Gauge("tetrad_due_rows", "Rows of work that no worker is at", "outbox"),
    "oldest": Gauge("tetrad_oldest_due_seconds", "Age of the oldest of these rows", "outbox", SECONDS_A_MS),
    "evaluations": Gauge("tetrad_evaluations_open", "Evaluations that have not ended"),
    "entries": Gauge("tetrad_log_entries", "Entries of the public log of commitments"),
    "damages": Gauge("tetrad_damages", "Things that are not what was written, and not yet whole again"),
    "spent": Gauge("tetrad_spent_dollars", "What calls of models have cost in all", unit=1 / NANODOLLARS_A_DOLLAR),
}


class Asked(Generic[T]):
    """Asks something that may hang, in a thread of its own; only one question waits at a time."""

    def __init__(self, ask: Callable[[], T]) -> None:
        self._ask = ask
        self._thread = ThreadPoolExecutor(1, "gauges")
        self._guard = threading.Lock()
        self._answer: Future[T] | None = None
        self._asked_at = 0.0

    def ask(self) -> Callable[[], T | None]:
        """Ask, and return what waits for the answer. It is None if it has not come in time.

        While a question hangs no other is asked, and nobody waits for it again.
        """
        with self._guard:
            if self._answer is None or self._answer.done():
                self._answer, self._asked_at = self._thread.submit(self._ask), time.monotonic()
            answer, until = self._answer, self._asked_at + PATIENCE_SECONDS

        def wait() -> T | None:
            try:
                return answer.result(max(0.0, until - time.monotonic()))
            except TimeoutError:
                return None

        return wait


class DatabaseGauges:
    """The gauges that the rows of the database give."""

    def __init__(self, engine: Callable[[], sa.Engine], clock: Callable[[], float] = time.monotonic) -> None:
        self._rows = Asked(lambda: read_rows(engine(), statement(now_ms())))
        self._clock = clock
        self._guard = threading.Lock()
        self._kept: Sequence[Metric] = ()
        self._until = float("-inf")

    def __call__(self) -> Sequence[Metric]:
        """Return the gauges; none but the one that says so while the database is away."""
        with self._guard:
            if self._clock() >= self._until:
                self._kept = list(self._read())
                self._until = self._clock() + KEPT_SECONDS
            return self._kept

    def _read(self) -> Iterable[Metric]:
        about = "1 while the database answers"
        try:
            rows = self._rows.ask()()
        except sa.exc.SQLAlchemyError:
            rows = None
        if rows is None:
            return [GaugeMetricFamily("tetrad_database_up", about, 0)]
        found = {kind: gauge.family() for kind, gauge in GAUGES.items()}
        age = GaugeMetricFamily("tetrad_log_age_seconds", "Age of the newest entry of the log of commitments")
        for row in rows:
            gauge = GAUGES[row.kind]
            found[row.kind].add_metric((row.label,) if gauge.label else (), float(row.value or 0) * gauge.unit)
            if row.kind == "entries":
                age.add_metric((), max(0.0, time.time() - datetime.fromisoformat(row.label).timestamp()))
        return [GaugeMetricFamily("tetrad_database_up", about, 1), *found.values(), age]


def statement(now: int) -> sa.CompoundSelect[Any]:
    """Return the one statement: rows of a kind (a key of GAUGES), a label, and a number."""
    c, e = commitments.c, evaluations.c
    newest = sa.select(sa.func.max(c.number)).scalar_subquery()
    is_team = spending.c.budget.startswith("team|", autoescape=True)
    return sa.union_all(
        *(_by_state(table) for table in (submissions, verifications, datasets)),
        *_due(submissions, submissions.c.finished_at, now),
        *_due(rescorings, rescorings.c.created_at, now),
        *_due(verifications, verifications.c.created_at, now),
        *_due(evaluation_runs, evaluation_runs.c.queued_at, now),
        *_due_shards(now),
        *_shards_by_state(),
        _row("evaluations", sa.func.count()).select_from(evaluations).where(e.ended_at.is_(None)),
        _row("entries", c.number, c.at).where(c.number == newest),
        _row("damages", sa.func.count()).select_from(damages),
        _row("spent", sa.func.coalesce(sa.func.sum(spending.c.spent), 0)).where(is_team),
    )


def _row(kind: str, value: Any, label: Any = sa.literal("")) -> sa.Select[Any]:  # noqa: B008 -- it never changes
    return sa.select(sa.literal(kind).label("kind"), label.label("label"), sa.cast(value, sa.Float).label("value"))


def _by_state(table: sa.Table) -> sa.Select[Any]:
    return _row(table.name, sa.func.count(), table.c.state).group_by(table.c.state)


def _due(table: sa.Table, since: sa.ColumnElement[int], now: int) -> Iterable[sa.Select[Any]]:
    """Yield how many rows are due, and how long the oldest has waited: since its last slice, if it has one."""
    outbox = sa.literal(table.name)
    is_due = table.c.id.in_(due_rows(table, now, ATTEMPTS_A_QUEUEING))
    slices = sa.select(sa.func.max(scoring_slices.c.at)).where(scoring_slices.c.job_id == table.c.id).scalar_subquery()
    waits_since = sa.func.min(sa.func.coalesce(slices, since, now))
    yield _row("due", sa.func.count(), outbox).select_from(table).where(is_due)
    yield _row("oldest", now - sa.func.coalesce(waits_since, now), outbox).select_from(table).where(is_due)


def _due_shards(now: int) -> Iterable[sa.Select[Any]]:
    """Yield how many shards are due, and how long nothing has happened to the data set that has waited longest."""
    outbox, d, e = sa.literal(dataset_shards.name), datasets.c, dataset_events.c
    is_wanted = d.state.in_(("queued", "making"))
    is_due = dataset_shards.c.id.in_(due_rows(dataset_shards, now, ATTEMPTS_A_QUEUEING))
    shards = dataset_shards.join(datasets)
    yield _row("due", sa.func.count(), outbox).select_from(shards).where(is_wanted, is_due)
    last = sa.select(sa.func.max(e.at)).where(e.dataset_id == d.id).scalar_subquery()
    since = sa.func.min(sa.func.coalesce(last, d.created_at))
    yield _row("oldest", now - sa.func.coalesce(since, now), outbox).select_from(datasets).where(is_wanted)


def _shards_by_state() -> Iterable[sa.Select[Any]]:
    """Yield how many shards are done, and how many are still to be made: data sets know it, and are few rows."""
    d = datasets.c
    waiting = sa.case((d.state.in_(WORK_STATES), d.shards - d.shards_done), else_=0)
    for state, shards in (("done", d.shards_done), ("queued", waiting)):
        yield _row("shards", sa.func.coalesce(sa.func.sum(shards), 0), sa.literal(state)).select_from(datasets)


def gauges_of(context: AppContext, state: Callable[[], Mapping[str, Any]]) -> Callable[[], Iterable[Metric]]:
    """Return the gauges of the api's database and of what else it stands on; `state` is what /health/ready shows."""
    database, asked = DatabaseGauges(lambda: context.engine), Asked(state)

    def look() -> Iterable[Metric]:
        wait = asked.ask()  # before the database is asked: if both hang, one patience is enough
        of_database = database()
        up = GaugeMetricFamily("tetrad_dependency_up", "1 while a part answers the api", labels=("part",))
        shown = wait() or {}
        for part in PARTS:
            if shown.get(part, "unknown") not in UNKNOWN:
                up.add_metric((part,), shown[part] in IS_UP)
        free = GaugeMetricFamily("tetrad_free_disk_bytes", "Room on a disk", labels=("disk",))
        least = GaugeMetricFamily("tetrad_least_free_bytes", "With less the api is not ready")
        for name, mebibytes in context.disks.free_mib().items():
            free.add_metric((name,), mebibytes * 2**20)
        least.add_metric((), context.settings.least_free_mib * 2**20)
        return *of_database, up, free, least

    return look


PARTS = ("database", "generator", "store", "practice", "redis", "gateway", "scoring")
IS_UP = frozenset({"up", "working", "idle"})
UNKNOWN = ("not configured", "unknown")
