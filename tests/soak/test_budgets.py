"""Real kills of every subset of gateway, Redis, api and supervisor, TETRAD_SOAK_BUDGET_TRIALS (8) times each.

In each trial callers spend a budget until it is refused for good, and the programs of a subset are killed together
meanwhile. At no moment is more owed than the budget, and an open ledger holds no less than that, and no more than the
budget. When all has settled, the database, the ledger and the upstream agree.

TETRAD_SOAK_INSTANCES (3) run side by side: a trial waits most of its time for leases of 15 s to end.
TETRAD_SOAK_SUBSETS picks some, as gateway+valkey,api.
"""

import logging
import os
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import sqlalchemy as sa
from redis import Redis

from api.database.schema import settlements
from api.spending import read_spent
from tests.evaluating import models_file
from tests.instance import Instance, running
from tests.integration.inference_gateway.upstream import running as running_upstream
from tests.soak.spending import CALLERS, Bill, BillingUpstream, Spending, read_ledger
from tetrad.server.database import make_engine

TRIALS = int(os.environ.get("TETRAD_SOAK_BUDGET_TRIALS", "8"))
INSTANCES = int(os.environ.get("TETRAD_SOAK_INSTANCES", "3"))
SEED = int(os.environ.get("TETRAD_SOAK_SEED", "1"))
PROGRAMS = ("gateway", "valkey", "api", "supervisor")
SUBSETS = [subset for size in range(1, len(PROGRAMS) + 1) for subset in combinations(PROGRAMS, size)]
KILLED_AT = (0.05, 0.6)  # of the budget
SETTLED_SECONDS = 150

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Trial:
    subset: tuple[str, ...]
    bill: Bill
    looks: int

    def difference(self, instance: Instance, engine: sa.Engine) -> str:
        """Return in what database, ledger and upstream differ; "" where they agree.

        Of a call whose gateway was killed nobody knows whether its usage arrived: it may be booked at its reservation.
        A call that a gateway gave up before it sent it is booked at nothing, and the upstream never heard of it.
        """
        budget, bill = f"token|{self.bill.name}", self.bill
        with engine.connect() as connection:
            found = connection.execute(sa.select(settlements).where(settlements.c.budgets.contains(budget))).all()
            rows = [row for row in found if row.cost]
        with Redis.from_url(instance.admin_redis_url()) as redis:
            ledger = read_ledger(redis, budget)
        booked, upstream = read_spent(engine, budget), bill.snapshot()
        measured = Counter(row.cost for row in rows if not row.estimated)
        unknown = CALLERS if {"gateway", "supervisor"} & set(self.subset) else 0
        wanted = {
            "no call in flight": not upstream.in_flight,
            "ledger": ledger == (booked, 0),
            "settlements": sum(row.cost for row in rows) == booked <= bill.budget,
            "estimates": all(row.cost == bill.reservation for row in rows if row.estimated),
            "usages": not measured - Counter(upstream.billed.values()),
            "calls": 0 <= len(rows) - len(upstream.billed) <= unknown,
            "sums": 0 <= booked - sum(upstream.billed.values()) <= unknown * bill.reservation,
        }
        unbilled = dict(measured - Counter(upstream.billed.values()))
        text = (
            f"never billed {unbilled}; database {booked} in {len(rows)}, ledger {ledger}, "
            f"upstream {bill.owed()} in {len(upstream.billed)}"
        )
        return ", ".join(name for name, is_so in wanted.items() if not is_so) and f"{wanted}: {text}"


class KilledInstance:
    """An instance whose programs are killed, and which is started again where its supervisor was."""

    def __init__(self, stack: ExitStack, folder: Path, bank: Path, rng: random.Random) -> None:
        self._stack, self._folder, self._bank, self._rng = stack, folder, bank, rng
        self._started = stack.enter_context(ExitStack())
        upstream = stack.enter_context(running_upstream())
        self._billing = BillingUpstream(rng)
        upstream.otherwise = self._billing.handle
        folder.mkdir()
        self._models = models_file(folder, upstream)
        self.instance = self._start()
        self._engine = make_engine(f"sqlite:///{self.instance.data_directory.folder}/tetrad.sqlite")
        stack.callback(self._engine.dispose)

    def _start(self, instance: Instance | None = None) -> Instance:
        ports = (
            (None, None) if instance is None else (instance.data_directory.port, instance.data_directory.gateway_port)
        )
        started = running(
            self._folder / "home", self._bank, port=ports[0], gateway_port=ports[1], models_file=self._models
        )
        return self._started.enter_context(started)

    def try_subset(self, subset: tuple[str, ...], trials: int) -> None:
        """Kill these programs in so many trials, and compare all counts in the end."""
        begun = time.monotonic()
        name = "-".join(subset)
        tried = [self._try_once(subset, f"{name}-{number}") for number in range(trials)]
        end = time.monotonic() + SETTLED_SECONDS
        for trial in tried:
            while (difference := trial.difference(self.instance, self._engine)) and time.monotonic() < end:
                time.sleep(0.5)
            assert not difference, (trial.bill.name, difference)
        looks = sum(trial.looks for trial in tried)
        log.warning("%s: %d trials, %d looks, %.0f s", name, trials, looks, time.monotonic() - begun)

    def _try_once(self, subset: tuple[str, ...], name: str) -> Trial:
        bill = self._billing.bill_for(name)
        spending = Spending(self.instance, bill)
        killed_at = self._rng.uniform(*KILLED_AT) * bill.budget
        with spending.going_on():
            while bill.owed() < killed_at:
                time.sleep(0.01)
            self._kill(subset, spending)
        self.instance.wait_ready()
        assert bill.most <= bill.budget, (name, f"{bill.most} owed of {bill.budget}", spending.wrong)
        assert not spending.wrong, (name, spending.wrong)
        assert spending.looks, name
        return Trial(subset, bill, spending.looks)

    def _kill(self, subset: Sequence[str], spending: Spending) -> None:
        self.instance.kill(*subset)
        if "supervisor" in subset:
            self.instance.process.wait()
            self._started.close()
            spending.instance = self.instance = self._start(self.instance)


@contextmanager
def killed_instance(folder: Path, bank: Path, rng: random.Random) -> Iterator[KilledInstance]:
    with ExitStack() as stack:
        yield KilledInstance(stack, folder, bank, rng)


def wanted_subsets() -> list[tuple[str, ...]]:
    given = os.environ.get("TETRAD_SOAK_SUBSETS", "")
    return [tuple(text.split("+")) for text in given.split(",")] if given else SUBSETS


def test_no_subset_of_kills_passes_a_budget(tmp_path: Path, bank_folder: Path) -> None:
    subsets = wanted_subsets()

    def work(share: int) -> None:
        rng = random.Random(f"{SEED} {share}")
        with killed_instance(tmp_path / str(share), bank_folder, rng) as killed:
            for subset in subsets[share::INSTANCES]:
                killed.try_subset(subset, TRIALS)

    with ThreadPoolExecutor(INSTANCES) as pool:
        list(pool.map(work, range(min(INSTANCES, len(subsets)))))
