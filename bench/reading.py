"""Readers without a key, as a program of their own: `python -m bench.reading URL COUNT PATH`, until it is told to end.

Each has a connection, asks for PATH with another seed each time, and waits as long as a 429 or 503 says. They yield to
everything else on this machine, because real ones are elsewhere. At the end they print how many replies had which
status. It stands alone because it runs as a program.
"""

import http.client
import json
import os
import random
import signal
import sys
import threading
import time
from collections import Counter
from http import HTTPStatus
from urllib.parse import urlsplit

NICENESS = 15
SECONDS = 60.0


def main(url: str, count: int, path: str) -> None:
    os.nice(NICENESS)
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    statuses: Counter[int] = Counter()
    readers = [threading.Thread(target=read_until, args=(stop, url, path, statuses)) for _ in range(count)]
    for reader in readers:
        reader.start()
    while not stop.wait(0.2):
        pass
    for reader in readers:
        reader.join(2 * SECONDS)
    json.dump(statuses, sys.stdout)


def read_until(stop: threading.Event, url: str, path: str, statuses: "Counter[int]") -> None:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=SECONDS)
    while not stop.is_set():
        try:
            connection.request("GET", f"{path}&seed={random.getrandbits(40)}")
            reply = connection.getresponse()
            reply.read()
        except (OSError, http.client.HTTPException):
            connection.close()
            statuses[0] += 1
            time.sleep(0.1)
            continue
        statuses[reply.status] += 1
        if reply.status != HTTPStatus.OK:
            stop.wait(float(reply.headers.get("Retry-After", "1")))
    connection.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
