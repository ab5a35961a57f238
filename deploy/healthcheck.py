"""Exit 0 if this container's service is healthy: HTTP services by /health/ready, workers by their heartbeat files."""

import os
import sys
import time
import urllib.request
from http import HTTPStatus
from pathlib import Path

LONGEST_SILENCE_SECONDS = 60
HEARTBEATS = {
    "scoring": "TETRAD_SCORING_HEARTBEAT_FILE",
    "bulk": "TETRAD_BULK_HEARTBEAT_FILE",
    "api": "TETRAD_API_EVALUATION_HEARTBEAT_FILE",
}
"""The variable that names a worker's heartbeat file. Of the api, only the worker of evaluations has one."""


def healthy() -> bool:
    named = HEARTBEATS.get(os.environ["SERVICE"], "")
    if touched := os.environ.get(named, ""):
        heartbeat = Path(touched)
        # A sign of life from the future was given before the clock was set back.
        return heartbeat.exists() and abs(time.time() - heartbeat.stat().st_mtime) < LONGEST_SILENCE_SECONDS
    with urllib.request.urlopen("http://127.0.0.1:8000/health/ready", timeout=4) as reply:
        return bool(reply.status == HTTPStatus.OK)


if __name__ == "__main__":
    try:
        sys.exit(0 if healthy() else 1)
    except OSError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
