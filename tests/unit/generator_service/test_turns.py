"""Ranges of keys are made one at a time in a process, and those that wait keep nothing else from being served."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import cast

from litestar import Litestar
from litestar.testing import TestClient

from generator_service.practice import Practice
from generator_service.routes import key_routes
from generator_service.sealing.sealed_draws import Sealing
from tetrad.internal.draws import KeyedItem
from tetrad.server.tokens import require_token

TOKEN = "keys-" * 8
HEADERS = {"Authorization": f"Bearer {TOKEN}"}
THREADS = min(32, (os.cpu_count() or 1) + 4)  # of asyncio's own pool, in which handlers run


class Slow:
    """Makes ranges for as long as it is held, and counts how many at a time."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.making = self.most = 0

    def keys_of_range(self, *_: object) -> list[KeyedItem]:
        self.making += 1
        self.most = max(self.most, self.making)
        assert self.go.wait(30)
        self.making -= 1
        return []

    def close(self, _: object) -> int:
        return 0


def test_ranges_take_turns_and_hold_no_thread_while_they_wait() -> None:
    slow = Slow()
    router = key_routes(cast("Sealing", slow), cast("Practice", slow), require_token(TOKEN))
    asked = THREADS + 2

    def fetch(number: int) -> int:
        path = f"/internal/keys/draws/sub_1/ranges/{number}"
        return client.post(path, json={"answers": []}, headers=HEADERS).status_code

    with TestClient(Litestar([router])) as client, ThreadPoolExecutor(asked + 1) as pool:
        try:
            waiting = [pool.submit(fetch, number) for number in range(asked)]
            while not slow.making:
                time.sleep(0.01)
            served = pool.submit(client.post, "/internal/keys/close", json={"submissions": []}, headers=HEADERS)
            assert served.result(20).status_code == 200
            assert not any(request.done() for request in waiting)
        finally:
            slow.go.set()
        assert [request.result() for request in waiting] == [200] * asked
    assert slow.most == 1
