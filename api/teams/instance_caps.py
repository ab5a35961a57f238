"""Caps of the whole instance, and of an address, with a reserve for established teams.

Anybody can make new teams, so caps of single teams bound nobody who makes many. Here the work of all teams together is
bounded. Part of it is kept for established teams: those that an operator approved, and those that have been here
for some days and have been scored. Only the others are also counted by their address.

Amounts are kept by hour. An amount counts for 24 hours, and until the next full hour.
"""

import hmac
from typing import NamedTuple

import sqlalchemy as sa

from api.database.schema import submissions, usage_by_hour
from api.errors import CapReachedError
from api.settings import ApiSettings
from tetrad.contracts.problems import Fault
from tetrad.server.clock import DAY_MS, HOUR_MS, now_ms
from tetrad.server.database import insert_into, is_state

HOURS = 24
ITEMS, TEAMS = "items", "teams"
NEW_WEIGHT, ESTABLISHED_WEIGHT = 1, 4
"""Of a submission when scoring divides its time: an established team has as much as four new ones."""
LAPSE_SECONDS = 300  # the wait for other teams to finish open submissions
ESTABLISHED = "established teams have a reserve; an operator makes yours one (tetrad admin teams approve)"


class Amount(NamedTuple):
    """An amount and its cap: its subject, its kind, the number asked for, and the most there may be."""

    subject: str
    asked: int
    cap: int
    setting: str
    whose: str
    what: str


def address_digest(settings: ApiSettings, address: str) -> str:
    """Return the digest that names an address in the database. It is keyed, so that it doesn't reveal the address."""
    return hmac.digest(settings.generator_sealed_token.encode(), f"address/{address}".encode(), "sha256").hex()[:32]


def is_established(
    connection: sa.Connection, settings: ApiSettings, team: sa.Row[tuple[object, ...]], now: int
) -> bool:
    """Tell whether the team was approved by an operator, or has been scored and is old enough."""
    if team.established_at is not None:
        return True
    if team.created_at > now - int(settings.established_days * DAY_MS):
        return False
    s = submissions.c
    scored = sa.select(s.id).where(s.team_id == team.id, s.state == "scored").limit(1)
    return connection.execute(scored).first() is not None


def count_team(connection: sa.Connection, settings: ApiSettings, address: str) -> None:
    """Count a registration, in its transaction; of an invited team without its address: a course sits in one room.

    Raises:
        CapReachedError: of this address, or of all.
    """
    amounts = [Amount(TEAMS, 1, settings.teams_a_day_in_all, "TEAMS_A_DAY_IN_ALL", "this instance", "registrations")]
    if address:
        subject, cap = f"{TEAMS} {address_digest(settings, address)}", settings.teams_a_day_an_address
        amounts.append(Amount(subject, 1, cap, "TEAMS_A_DAY_AN_ADDRESS", "your address", "registrations"))
    hour = now_ms() // HOUR_MS
    for amount in amounts:
        _add(connection, amount, hour)
        _check(connection, amount, hour, added=True, new=False)


def allow_items(
    connection: sa.Connection, settings: ApiSettings, *, established: bool, address: str, size: int
) -> None:
    """Check that a submission of this size may be opened now.

    Raises:
        CapReachedError: of the instance's items a day or open submissions, or of this address's items.
    """
    _check_open(connection, settings, established=established)
    hour = now_ms() // HOUR_MS
    for amount in _amounts_of_items(settings, established=established, address=address, size=size):
        _check(connection, amount, hour, added=False, new=not established)


def count_items(
    connection: sa.Connection, settings: ApiSettings, *, established: bool, address: str, size: int
) -> None:
    """Count the items of a submission that has just been inserted, in its transaction. Raises as `allow_items`.

    All openings wait here for each other, so this comes late in the transaction.
    """
    amounts = _amounts_of_items(settings, established=established, address=address, size=size)
    hour = now_ms() // HOUR_MS  # the clock may go on or jump before the sums are looked at
    for amount in amounts:
        _add(connection, amount, hour)
    _check_open(connection, settings, established=established, own=1)
    for amount in amounts:
        _check(connection, amount, hour, added=True, new=not established)


def _amounts_of_items(settings: ApiSettings, *, established: bool, address: str, size: int) -> list[Amount]:
    cap = settings.items_a_day_in_all
    cap = cap if established else _without_reserve(settings, cap)
    amounts = [Amount(ITEMS, size, cap, "ITEMS_A_DAY_IN_ALL", "this instance", "items")]
    if address and not established:
        subject, cap = f"{ITEMS} {address_digest(settings, address)}", settings.items_a_day_an_address
        amounts.append(Amount(subject, size, cap, "ITEMS_A_DAY_AN_ADDRESS", "your address", "items"))
    return amounts


def _without_reserve(settings: ApiSettings, cap: int) -> int:
    return cap * (100 - settings.reserve_percent) // 100


def _check_open(connection: sa.Connection, settings: ApiSettings, *, established: bool, own: int = 0) -> None:
    """Check that another submission may be open; `own`: it is in the table already."""
    s = submissions.c
    cap = settings.open_submissions_in_all
    cap = cap if established else _without_reserve(settings, cap)
    of_open = sa.select(sa.func.count()).where(is_state(s.state, "open"), s.deadline_at > now_ms())
    if (used := int(connection.execute(of_open).scalar_one()) - own) >= cap:
        problem = f"{used} submissions are open on this instance; the most for {_which(new=not established)} is {cap}"
        raise _cap_error("open_submissions_in_all", used, problem, LAPSE_SECONDS, new=not established)


def _add(connection: sa.Connection, amount: Amount, hour: int) -> None:
    """Add to the amount of this hour. Whoever adds to it at the same time waits until this transaction ends.

    The first of the instance's amounts in an hour drops what counts no more, of every subject: that reads all rows.
    """
    row = insert_into(connection, usage_by_hour).values(subject=amount.subject, hour=hour, amount=amount.asked)
    added = {"amount": usage_by_hour.c.amount + amount.asked}
    put = row.on_conflict_do_update(index_elements=["subject", "hour"], set_=added).returning(usage_by_hour.c.amount)
    is_first = connection.execute(put).scalar_one() == amount.asked
    if is_first and amount.subject in {ITEMS, TEAMS}:
        connection.execute(sa.delete(usage_by_hour).where(usage_by_hour.c.hour < hour - HOURS))


def _check(connection: sa.Connection, amount: Amount, hour: int, *, added: bool, new: bool) -> None:
    u = usage_by_hour.c
    counted = sa.select(u.hour, u.amount).where(u.subject == amount.subject, u.hour > hour - HOURS).order_by(u.hour)
    by_hour = {int(row.hour): int(row.amount) for row in connection.execute(counted)}
    if added:
        by_hour[hour] -= amount.asked
    used = sum(by_hour.values())
    over = used + amount.asked - amount.cap
    if over <= 0:
        return
    problem = (
        f"{amount.whose} may have {amount.cap} {amount.what} within 24 hours for {_which(new=new)} "
        f"(TETRAD_API_{amount.setting}): {used} are used and {amount.asked} were asked for"
    )
    raise _cap_error(amount.setting.lower(), used, problem, _wait_seconds(by_hour, over), new=new)


def _wait_seconds(by_hour: dict[int, int], over: int) -> int | None:
    """Return the seconds until enough hours are older than a day; None where the request alone is above the cap."""
    for hour, amount in sorted(by_hour.items()):
        over -= amount
        if over <= 0:
            return max(1, ((hour + HOURS) * HOUR_MS - now_ms()) // 1000)
    return None


def _which(*, new: bool) -> str:
    return "teams that are not established yet" if new else "all teams"


def _cap_error(field: str, used: int, problem: str, wait: int | None, *, new: bool) -> CapReachedError:
    remedy = (
        ("ask for fewer, " if "items" in field else "") + ("wait, " if wait is not None else "") + "or ask the operator"
    )
    if field == "teams_a_day_an_address":
        remedy += " for an invite code, with which this cap doesn't count"
    if new:
        remedy = f"{remedy}; {ESTABLISHED}"
    fault = Fault(field=field, value=str(used), problem=problem, remedy=remedy)
    return CapReachedError(f"{problem}; {remedy}", faults=[fault], retry_after=wait)
