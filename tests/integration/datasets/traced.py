"""What a callback of a hostile job would call."""

from pathlib import Path
from typing import Any


def leave_trace(job: Any, *_: object) -> None:
    Path(job.meta["trace"]).touch()
