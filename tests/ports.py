"""Ports for servers of tests: below those that `tetrad up` draws, and of each process of pytest its own.

A number is given long before a server binds it. So none is given twice, unless all others were given meanwhile.
"""

import os
import secrets
import socket
from itertools import chain, cycle, islice

from tetrad.server.embedded.data_directory import LOWEST_FREE

OF_A_WORKER, MOST_WORKERS = 600, 8
WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
assert WORKER < MOST_WORKERS, f"ports are shared out to {MOST_WORKERS} workers of pytest; run it with so many or fewer"
FIRST = LOWEST_FREE - (WORKER + 1) * OF_A_WORKER
END = FIRST + OF_A_WORKER
# Another run of the tests on this machine begins elsewhere.
BEGIN = FIRST + secrets.randbelow(OF_A_WORKER)
NUMBERS = cycle(chain(range(BEGIN, END), range(FIRST, BEGIN)))


def free_port() -> int:
    """Return a port of loopback that nobody listens at.

    Raises:
        AssertionError: all of this process's numbers are taken.
    """
    for port in islice(NUMBERS, OF_A_WORKER):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:  # it is taken
                continue
        return port
    raise AssertionError(f"no port from {FIRST} to {END - 1} is free")
