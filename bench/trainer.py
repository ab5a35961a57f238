"""A trainer as a program of its own: `python -m bench.trainer URL COUNT`, until it is told to end.

Its API key is in $TETRAD_KEY. Each of COUNT threads makes step after step: a batch of inline rows, and verdicts on 16
replies to each. Where the service says 429 or 503 it waits as long as it is told. A line tells of the first step. At
the end it prints how many were made, and how often it was told to wait. It yields to everything else on this machine,
because real trainers are elsewhere. It stands alone because it runs as a program.
"""

import json
import os
import random
import signal
import sys
import threading
from collections import Counter

from bench.measuring import BENCHMARK
from tetrad.client import Client, ServiceError
from tetrad.contracts.training import PracticeReply
from tetrad.errors import TetradError

NICENESS = 15
ROWS, REPLIES = 512, 16
WAIT_SECONDS, LOOK_SECONDS = 1.0, 0.2


def main(url: str, count: int) -> None:
    os.nice(NICENESS)
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    made: Counter[str] = Counter()
    threads = [threading.Thread(target=train, args=(stop, url, made), daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    while not (stop.wait(LOOK_SECONDS) or made["steps"]):
        pass
    sys.stdout.write("begun\n")
    sys.stdout.flush()
    stop.wait()
    json.dump(dict(made), sys.stdout)
    sys.stdout.flush()
    os._exit(0)  # steps that are under way take long


def train(stop: threading.Event, url: str, made: "Counter[str]") -> None:
    with Client(url, os.environ["TETRAD_KEY"]) as client:
        while not stop.is_set():
            try:
                make_step(client)
                made["steps"] += 1
            except ServiceError as error:
                made[f"{error.problem.status}"] += 1
                stop.wait(error.retry_after or WAIT_SECONDS)
            except TetradError:
                made["errors"] += 1
                stop.wait(WAIT_SECONDS)


def make_step(client: Client) -> None:
    rows = list(client.rows(BENCHMARK, count=ROWS, seed=random.getrandbits(40)))
    words = "Item {}, try {}: the object is turned, and its colour stays. So the answer is (A)."
    replies = [
        PracticeReply(item=row.item, question=row.question, response=words.format(row.index, number))
        for row in rows
        for number in range(REPLIES)
    ]
    client.judge(BENCHMARK, replies)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
