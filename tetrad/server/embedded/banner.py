"""Wait until an instance is ready, then print where it is and what to try.

It stands alone because it runs as a program: `python -m tetrad.server.embedded.banner URL LOGS BANK GATEWAY`.
"""

import sys
import time

import httpx

PATIENCE_SECONDS = 120
TEXT = """
Tetrad is up at {url}   (logs: {logs}; Ctrl-C stops it)
Object bank:  {bank}

Get a key:    tetrad keys new --team my-team          (or: curl -X POST {url}/v1/teams -d '{{"name": "my-team"}}')
Try it:       curl '{url}/v1/benchmarks/kiva/items?track=kiva&seed=1&limit=1'
              tetrad items kiva --seed 1 --count 5 --out puzzles
              tetrad submit --benchmark kiva --track kiva --size 200 --model pixel-solver
Models:       {gateway}   (OpenAI's API; a token: tetrad admin gateway-token make my-team)
"""


def wait_until_ready(url: str, seconds: float) -> bool:
    """Poll /health/ready until it says 200 or the time is over."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if httpx.get(f"{url}/health/ready", timeout=2).status_code == httpx.codes.OK:
                return True
        except httpx.HTTPError:
            pass
        time.sleep(0.25)
    return False


def main(url: str, logs: str, bank: str, gateway: str) -> int:
    if wait_until_ready(url, PATIENCE_SECONDS):
        print(TEXT.format(url=url, logs=logs, bank=bank, gateway=gateway), flush=True)  # noqa: T201 -- this program is there to print
        return 0
    print(f"not ready after {PATIENCE_SECONDS} s; see {logs}", flush=True)  # noqa: T201
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:5]))
