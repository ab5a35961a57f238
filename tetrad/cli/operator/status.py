"""`tetrad admin status`: an instance on one screen, from its numbers and, on this machine, from its logs."""

import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated
from urllib.parse import urlsplit

import httpx
import msgspec
from cyclopts import Parameter

from tetrad.cli.output import JsonOption, print_json, table
from tetrad.errors import TetradError
from tetrad.server.embedded.data_directory import DataDirectory, find_data_directory, load_secrets
from tetrad.server.embedded.log_rates import RequestRate, request_rates

MINUTES = 10.0
ANSWER_SECONDS = 15.0
SAMPLE = re.compile(r"(?P<name>[a-z_]+)(?:\{(?P<labels>.*)\})? (?P<value>\S+)")
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
LONG_SECONDS = 60
LONG_OF_SHARDS = 1800  # a shard of large items takes minutes
SHARDS = "dataset_shards"
MEBIBYTE, GIBIBYTE = 2**20, 2**30
NOT_KNOWN = "not known: no numbers of it"
TOKEN = "TETRAD_METRICS_TOKEN"  # noqa: S105 -- the name of a variable
MOST_FAILED = 0.02  # of a service's requests, as the alert has it
UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))


class UnansweredError(TetradError):
    """The instance does not show its numbers."""


@dataclass(frozen=True)
class Numbers:
    """The numbers of an instance: by name, the labels and the value of each."""

    samples: dict[str, list[tuple[Mapping[str, str], float]]] = field(default_factory=dict)

    def of(self, name: str) -> Sequence[tuple[Mapping[str, str], float]]:
        return self.samples.get(name, ())

    def by(self, name: str, label: str) -> dict[str, float]:
        """Return the values of a number by one of its labels, the largest of each."""
        found: dict[str, float] = {}
        for labels, value in self.of(name):
            found[labels.get(label, "")] = max(value, found.get(labels.get(label, ""), value))
        return found

    def has(self, name: str) -> bool:
        """Return whether somebody shows this number: a service that is down, or has no database, shows none."""
        return name in self.samples

    def total(self, name: str) -> float:
        return sum(value for _, value in self.of(name))


class StatusLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the screen. `ok`: nobody has to do anything about it. `seen`: something tells of it."""

    what: str
    ok: bool
    state: str
    seen: bool = True


def status(
    *,
    metrics: Annotated[
        list[str] | None, Parameter(help="the address of a service's numbers, in containers; may be repeated.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Show how an instance is: parts, work that waits, errors, disk, spending, sources.

    That of this machine is read from its data directory ($TETRAD_HOME, TETRAD_PORT): numbers and logs. Services in
    containers or on other hosts are asked at the addresses of --metrics, with the token in $TETRAD_METRICS_TOKEN. What
    none of these addresses shows is NOT SEEN, with where to look for it.
    """
    if metrics:
        where = "as its numbers tell"
        lines = list(distant_lines(metrics, os.environ.get(TOKEN, "")))
    else:
        data = find_data_directory(os.environ)
        where = str(data.folder)
        rates = request_rates(data.logs, datetime.now(UTC), MINUTES)
        lines = list(status_lines(read_numbers(data), rates, time.time()))
    if json:
        print_json(lines)
        return
    shown = [[line.what, "" if line.ok else "LOOK" if line.seen else "NOT SEEN", line.state] for line in lines]
    table(f"{where}, {datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC", ["", "", "state"], shown)


def read_numbers(data: DataDirectory) -> Numbers:
    """Return the numbers that the instance of this machine shows.

    Raises:
        UnansweredError: it does not answer.
    """
    numbers = Numbers()
    try:
        _add_numbers(numbers, f"http://127.0.0.1:{data.metrics_port}/metrics", load_secrets(data).metrics_token)
    except UnansweredError as error:
        raise UnansweredError(
            f"{error}; start the instance of {data.folder}, or set TETRAD_HOME and TETRAD_METRICS_PORT"
        ) from error
    return numbers


def _add_numbers(numbers: Numbers, url: str, token: str) -> None:
    """Add what an address shows. Raises: UnansweredError: it does not answer."""
    try:
        reply = httpx.get(url, headers={"Authorization": f"Bearer {token}"}, timeout=ANSWER_SECONDS).raise_for_status()
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise UnansweredError(f"{url}: {str(error) or type(error).__name__}") from error
    for line in reply.text.splitlines():
        if (found := SAMPLE.fullmatch(line)) is not None:
            labels = dict(LABEL.findall(found["labels"] or ""))
            numbers.samples.setdefault(found["name"], []).append((labels, float(found["value"])))


def distant_lines(urls: Sequence[str], token: str) -> Iterator[StatusLine]:
    """Yield the lines of the screen as far as these addresses tell, those that don't answer first."""
    asked = [Numbers() for _ in urls]
    numbers = Numbers()
    with ThreadPoolExecutor(len(urls)) as pool:
        answers = [pool.submit(_add_numbers, told, url, token) for told, url in zip(asked, urls, strict=True)]
    for answer in answers:
        if (error := answer.exception()) is not None:
            yield StatusLine(what="numbers", ok=False, state=f"{error}; its token belongs into ${TOKEN}")
    for told in asked:
        for name, samples in told.samples.items():
            numbers.samples.setdefault(name, []).extend(samples)
    for line in (
        _parts(numbers),
        _work(numbers),
        _data_sets(numbers),
        *(_counted_requests(told, url) for told, url in zip(asked, urls, strict=True)),
        _damage(numbers),
        _disks(numbers),
        _spending(numbers),
        _sources(numbers),
        _submissions(numbers),
        _memory(numbers),
    ):
        yield line if NOT_KNOWN not in line.state else _unseen(line)
    yield StatusLine(what="backup", ok=False, seen=False, state="look where your database and your bucket are saved")


WHO_SHOWS = {
    "parts": "the api shows what it stands on; Prometheus has `up` for each address",
    "disks": "the api shows its own; Postgres, S3 and Redis have theirs on their hosts",
    "spending": "the api shows what was spent, and the gateway whether its ledger is open",
    "sources": "the generator shows it",
}


def _unseen(line: StatusLine) -> StatusLine:
    who = WHO_SHOWS.get(line.what, "the api shows it")
    return msgspec.structs.replace(line, seen=False, state=line.state.replace(NOT_KNOWN, who))


def _counted_requests(numbers: Numbers, url: str) -> StatusLine:
    """Say how many requests of a service have failed since it began: the last minutes are in its logs alone."""
    what = f"requests to {urlsplit(url).netloc}"
    counted = numbers.of("tetrad_requests_total")
    if not counted:
        return StatusLine(what=what, ok=True, state="none since it began")
    total, failed = sum(value for _, value in counted), sum(value for by, value in counted if by["status"] == "5xx")
    state = f"{failed:,.0f} of {total:,.0f} failed ({failed / total:.1%}) since it began"
    return StatusLine(what=what, ok=failed <= MOST_FAILED * total, state=f"{state}; its log has the last minutes")


def status_lines(numbers: Numbers, rates: Mapping[str, RequestRate], now: float) -> Iterator[StatusLine]:
    """Yield the lines of the screen, the most urgent first."""
    yield _parts(numbers)
    yield _work(numbers)
    yield _data_sets(numbers)
    yield from _requests(rates)
    yield _damage(numbers)
    yield _disks(numbers)
    yield _spending(numbers)
    yield _sources(numbers)
    yield _backup(numbers, now)
    yield _submissions(numbers)
    yield _memory(numbers)


def _memory(numbers: Numbers) -> StatusLine:
    memory, processes = numbers.total("tetrad_resident_memory_bytes"), numbers.total("tetrad_processes")
    if not processes:
        return StatusLine(what="memory", ok=False, state=NOT_KNOWN)
    versions = ", ".join(numbers.by("tetrad_info", "version"))
    state = f"{memory / MEBIBYTE:,.0f} MiB in {processes:.0f} processes, version {versions}"
    return StatusLine(what="memory", ok=True, state=state)


def _parts(numbers: Numbers) -> StatusLine:
    parts = numbers.by("tetrad_part_up", "part") | numbers.by("tetrad_dependency_up", "part")
    if not parts:
        return StatusLine(what="parts", ok=False, state=NOT_KNOWN)
    down = sorted(part for part, is_up in parts.items() if not is_up)
    return StatusLine(what="parts", ok=not down, state=f"DOWN: {', '.join(down)}" if down else f"all {len(parts)} up")


def _submissions(numbers: Numbers) -> StatusLine:
    if not numbers.has("tetrad_due_rows"):
        return StatusLine(what="submissions", ok=False, state=NOT_KNOWN)
    states = numbers.by("tetrad_submissions", "state")
    shown = ", ".join(f"{count:,.0f} {state}" for state, count in sorted(states.items()))
    return StatusLine(what="submissions", ok=not states.get("failed"), state=shown or "none")


def _work(numbers: Numbers) -> StatusLine:
    if not numbers.has("tetrad_due_rows"):
        return StatusLine(what="work that waits", ok=False, state=NOT_KNOWN)
    due, oldest = numbers.by("tetrad_due_rows", "outbox"), numbers.by("tetrad_oldest_due_seconds", "outbox")
    shown = [name for name in due if due[name] and name != SHARDS]
    waiting = [f"{name}: {due[name]:.0f}, the oldest for {in_words(oldest.get(name, 0))}" for name in shown]
    is_late = any(seconds > LONG_SECONDS for name, seconds in oldest.items() if name not in {"evaluation_runs", SHARDS})
    return StatusLine(what="work that waits", ok=not is_late, state="; ".join(waiting) or "none")


def _data_sets(numbers: Numbers) -> StatusLine:
    """Say how many there are by state, and how long nothing has come of the one that has waited longest."""
    if not numbers.has("tetrad_due_rows"):
        return StatusLine(what="data sets", ok=False, state=NOT_KNOWN)
    states, due = numbers.by("tetrad_datasets", "state"), numbers.by("tetrad_due_rows", "outbox").get(SHARDS, 0)
    shown = [f"{count:,.0f} {state}" for state, count in sorted(states.items())]
    quiet = numbers.by("tetrad_oldest_due_seconds", "outbox").get(SHARDS, 0)
    if due:
        shown.append(f"{due:,.0f} shards are due, nothing came of one data set for {in_words(quiet)}")
    is_ok = quiet <= LONG_OF_SHARDS and not states.get("failed") and not states.get("paused")
    return StatusLine(what="data sets", ok=is_ok, state=", ".join(shown) or "none")


def _requests(rates: Mapping[str, RequestRate]) -> Iterator[StatusLine]:
    """Yield a line for each service that was asked, or that told of errors."""
    busy = {service: rate for service, rate in rates.items() if rate.requests or rate.alarms}
    if not busy:
        yield StatusLine(what="requests", ok=True, state=f"none in the last {MINUTES:.0f} minutes")
    for service, rate in sorted(busy.items()):
        share = rate.failed / rate.requests if rate.requests else 0.0
        state = (
            f"{rate.failed:,} of {rate.requests:,} failed ({share:.1%}) in {MINUTES:.0f} minutes, {rate.slow:,} slow"
        )
        state += f", {rate.alarms:,} other errors" if rate.alarms else ""
        yield StatusLine(what=f"requests to {service}", ok=not (rate.failed or rate.alarms), state=state)


def _damage(numbers: Numbers) -> StatusLine:
    if not numbers.has("tetrad_damages"):
        return StatusLine(what="damage", ok=False, state=NOT_KNOWN)
    damaged, differing = numbers.total("tetrad_damages"), numbers.by("tetrad_verified_reports_total", "result")
    ours, sources = differing.get("ours-differs", 0), numbers.total("tetrad_source_alarms_total")
    state = f"{damaged:.0f} damaged, {sources:.0f} requests met a damaged source, {ours:.0f} own reports differ"
    is_whole = not (damaged or ours or sources)
    return StatusLine(what="damage", ok=is_whole, state="none" if is_whole else state)


def _disks(numbers: Numbers) -> StatusLine:
    if not numbers.has("tetrad_free_disk_bytes"):
        return StatusLine(what="disks", ok=False, state=NOT_KNOWN)
    least = 4 * numbers.total("tetrad_least_free_bytes")
    free = numbers.by("tetrad_free_disk_bytes", "disk")
    state = ", ".join(f"{disk} {room / GIBIBYTE:,.1f} GiB free" for disk, room in free.items())
    return StatusLine(what="disks", ok=all(room >= least for room in free.values()), state=state)


def _spending(numbers: Numbers) -> StatusLine:
    is_spent = bool(numbers.total("tetrad_gateway_day_is_spent"))
    is_closed = any(not value for _, value in numbers.of("tetrad_gateway_ledger_open"))
    notes = ["the day's budget is spent"] * is_spent + ["the ledger is closed"] * is_closed
    spent = f"${numbers.total('tetrad_spent_dollars'):,.2f} in all"
    if not (numbers.has("tetrad_spent_dollars") and numbers.has("tetrad_gateway_ledger_open")):
        notes.append(NOT_KNOWN)
    state = "; ".join([spent, *notes] if numbers.has("tetrad_spent_dollars") else notes)
    return StatusLine(what="spending", ok=not notes, state=state)


def _sources(numbers: Numbers) -> StatusLine:
    if not numbers.has("tetrad_tracks_lacking"):
        return StatusLine(what="sources", ok=False, state=NOT_KNOWN)
    missing = sorted(numbers.by("tetrad_sources_missing", "kind"))
    state = f"in the making, or missing: {', '.join(missing)}" if missing else "all there"
    return StatusLine(what="sources", ok=not missing, state=state)


def _backup(numbers: Numbers, now: float) -> StatusLine:
    age = now - numbers.total("tetrad_backup_timestamp_seconds")
    has_failed = bool(numbers.total("tetrad_backup_failed"))
    state = ("the last one FAILED; " if has_failed else "") + f"the newest, or the first start, {in_words(age)} ago"
    return StatusLine(what="backup", ok=not has_failed and age < 2 * UNITS[0][0], state=state)


def in_words(seconds: float) -> str:
    """Return a time in its largest unit: 3 h."""
    for size, unit in UNITS:
        if seconds >= 2 * size or size == 1:
            return f"{seconds / size:.0f} {unit}"
    return ""
