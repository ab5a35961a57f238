"""Keeps the cost of model calls for good: settlements by id, and the sum of each budget.

The gateway holds the running ledger in Redis. When Redis lost it, the gateway begins a new epoch here and takes the
sums. Epoch and sums are read in one transaction; of a settlement of an earlier epoch the database says how much its
sums have grown by it since.
"""

from collections import defaultdict
from collections.abc import Sequence

import sqlalchemy as sa

from api.database.schema import ledger_epoch, settlements, spending
from tetrad.internal.spending import BudgetSpent, KeptSettlement, LedgerOpened, Settlement, SettlementsRecorded
from tetrad.server.database import read_transaction, write_transaction

ROW = 1  # of the epoch: there is one


def record(engine: sa.Engine, made: Sequence[Settlement]) -> SettlementsRecorded:
    """Keep settlements, each once. A measured cost replaces an estimate, never the other way round."""
    with write_transaction(engine) as connection:
        epoch = _lock_epoch(connection)
        kept, sums = [], defaultdict[str, list[int]](lambda: [0, 0])
        for settlement in made:
            found, change, estimates = _keep(connection, settlement, epoch)
            kept.append(found)
            for budget in settlement.budgets if change or estimates else ():
                sums[budget][0] += change
                sums[budget][1] += estimates
        for budget, (change, estimates) in sorted(sums.items()):
            _add(connection, budget, change, estimates)
    return SettlementsRecorded(epoch=epoch, kept=kept)


def open_ledger(engine: sa.Engine) -> LedgerOpened:
    """Begin the next epoch and return the sums at its beginning."""
    with write_transaction(engine) as connection:
        epoch = _lock_epoch(connection) + 1
        connection.execute(sa.update(ledger_epoch).where(ledger_epoch.c.id == ROW).values(epoch=epoch))
        rows = connection.execute(sa.select(spending).order_by(spending.c.budget))
        spent = [BudgetSpent(budget=row.budget, spent=row.spent, estimated=row.estimated) for row in rows]
        return LedgerOpened(epoch=epoch, spent=spent)


def read_spent(engine: sa.Engine, budget: str) -> int:
    """Return what a budget has spent, in nanodollars."""
    with read_transaction(engine) as connection:
        return connection.scalar(sa.select(spending.c.spent).where(spending.c.budget == budget)) or 0


def spent_by(engine: sa.Engine, team: str) -> int:
    """Return what a team has spent on models, in micro-dollars, rounded up."""
    return -(-read_spent(engine, f"team|{team}") // 1_000)


def _lock_epoch(connection: sa.Connection) -> int:
    """Return the epoch and hold it: no settlement is kept between the reading of sums and the new epoch."""
    held = sa.select(ledger_epoch.c.epoch).where(ledger_epoch.c.id == ROW).with_for_update()
    return int(connection.scalars(held).one())


def _keep(connection: sa.Connection, settlement: Settlement, epoch: int) -> tuple[KeptSettlement, int, int]:
    """Write a settlement; return what is kept of it, and by how much this changes its budgets and their estimates."""
    known = connection.execute(sa.select(settlements).where(settlements.c.id == settlement.id)).one_or_none()
    is_changed = known is not None and known.changed_in == epoch
    before = 0 if known is None else known.cost_before if is_changed else known.cost
    # Only an estimate is ever replaced.
    estimated_before = before if is_changed or (known is not None and known.estimated) else 0
    is_kept = known is not None and (not known.estimated or settlement.estimated)
    best = known if known is not None and is_kept else settlement
    kept = KeptSettlement(
        id=settlement.id,
        budgets=settlement.budgets,
        grown=best.cost - before,
        estimates_grown=(best.cost if best.estimated else 0) - estimated_before,
        estimated=best.estimated,
        is_late=settlement.epoch < epoch,
    )
    if is_kept:
        return kept, 0, 0
    values = {
        "at": settlement.at,
        "epoch": settlement.epoch,
        "cost": settlement.cost,
        "estimated": settlement.estimated,
        "changed_in": epoch,
        "cost_before": before,
        "team": settlement.team,
        "account": settlement.account,
        "model": settlement.model,
        "budgets": "\n".join(settlement.budgets),
    }
    if known is None:
        connection.execute(sa.insert(settlements).values(id=settlement.id, **values))
        return kept, settlement.cost, settlement.cost if settlement.estimated else 0
    connection.execute(sa.update(settlements).where(settlements.c.id == settlement.id).values(**values))
    return kept, settlement.cost - int(known.cost), -int(known.cost)


def _add(connection: sa.Connection, budget: str, change: int, estimates: int) -> None:
    s = spending.c
    row = sa.update(spending).where(s.budget == budget)
    grown = {"spent": s.spent + change, "estimated": s.estimated + estimates}
    if connection.execute(row.values(grown)).rowcount == 0:
        connection.execute(sa.insert(spending).values(budget=budget, spent=change, estimated=estimates))
