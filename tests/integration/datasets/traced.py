"""What a callback of a hostile job would call."""

from pathlib import Path


def leave_trace(*_: object) -> None:
    Path("/tmp/bulk-left-a-trace").touch()
