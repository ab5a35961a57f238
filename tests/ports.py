"""A port for a server of one test.

It is below those that the operating system gives to outgoing connections: the tests make thousands, and one of them
could take a port between the look at it and the server's start. It is drawn, so two workers of pytest hardly ever meet.
"""

import secrets
import socket

LOWEST, HIGHEST = 15_000, 32_000


def free_port() -> int:
    while True:
        port = LOWEST + secrets.randbelow(HIGHEST - LOWEST)
        with socket.socket() as looking:
            try:
                looking.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
