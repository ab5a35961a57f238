"""Server time: milliseconds since the epoch in the database, RFC 3339 in UTC on the wire."""

import time
from datetime import UTC, datetime


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def rfc3339(milliseconds: int) -> str:
    """Write a time to the millisecond: 2026-11-21T03:17:00.000Z."""
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{milliseconds % 1000:03d}Z"
