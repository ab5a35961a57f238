"""Exit 0 if this container's service is healthy: HTTP services by /health/ready, scoring by its heartbeat file."""

import os
import sys
import time
import urllib.request
from http import HTTPStatus
from pathlib import Path

LONGEST_SILENCE_SECONDS = 60


def healthy() -> bool:
    if os.environ["SERVICE"] == "scoring":
        heartbeat = Path(os.environ["TETRAD_SCORING_HEARTBEAT_FILE"])
        return heartbeat.exists() and time.time() - heartbeat.stat().st_mtime < LONGEST_SILENCE_SECONDS
    with urllib.request.urlopen("http://127.0.0.1:8000/health/ready", timeout=4) as reply:
        return bool(reply.status == HTTPStatus.OK)


if __name__ == "__main__":
    try:
        sys.exit(0 if healthy() else 1)
    except OSError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
