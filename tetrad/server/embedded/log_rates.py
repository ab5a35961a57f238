"""Counts of the requests of the last minutes, from an embedded instance's logs: nothing is kept for them meanwhile."""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

ROTATED = re.compile(r"(?P<service>[a-z]+)\.log(\.\d)?")


class RequestRate(msgspec.Struct, kw_only=True):
    """The requests of a service: in all, refused (4xx), failed (5xx) and slow. `alarms`: other lines of level error."""

    requests: int = 0
    refused: int = 0
    failed: int = 0
    slow: int = 0
    alarms: int = 0


class _Line(msgspec.Struct, frozen=True):
    at: str
    event: str
    level: str
    status: int = 0
    slow: bool = False


def request_rates(logs: Path, now: datetime, minutes: float) -> dict[str, RequestRate]:
    """Return what the logs in a folder tell of the minutes before `now`, by service, as far as they are still there."""
    since = (now.astimezone(UTC) - timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%S")
    rates: dict[str, RequestRate] = {}
    for path in sorted(logs.glob("*.log*")):
        named = ROTATED.fullmatch(path.name)
        if named is None or path.stat().st_mtime < (now - timedelta(minutes=minutes)).timestamp():
            continue
        rate = rates.setdefault(named["service"], RequestRate())
        for line in _lines_of(path):
            if line.at >= since:
                _count(rate, line)
    return {service: rate for service, rate in rates.items() if rate != RequestRate()}


def _count(rate: RequestRate, line: _Line) -> None:
    if line.event == "request":
        rate.requests += 1
        rate.refused += 400 <= line.status < 500  # noqa: PLR2004 -- classes of HTTP
        rate.failed += line.status >= 500  # noqa: PLR2004
        rate.slow += line.slow
    elif line.level == "error":
        rate.alarms += 1


def _lines_of(path: Path) -> Iterator[_Line]:
    decoder = msgspec.json.Decoder(_Line)
    with path.open("rb") as file:
        for text in file:
            if text.startswith(b"{"):
                with suppress(msgspec.DecodeError):  # half a line
                    yield decoder.decode(text)
