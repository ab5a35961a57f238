"""Passes connections to a port of this machine's loopback on: python forwarder.py PORT NAMESPACE ADDRESS PORT.

It listens here, and then enters the namespace: what it opens from then on is opened there.
"""

import asyncio
import contextlib
import ctypes
import os
import socket
import sys
from pathlib import Path

CLONE_NEWNET = 0x40000000
CHUNK = 1 << 16


async def forward(listening: socket.socket, address: str, port: int) -> None:
    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while chunk := await reader.read(CHUNK):
                writer.write(chunk)
                await writer.drain()
            writer.write_eof()

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError), contextlib.closing(writer):
            there, to_there = await asyncio.open_connection(address, port)
            with contextlib.closing(to_there):
                await asyncio.gather(carry(reader, to_there), carry(there, writer))

    async with await asyncio.start_server(connect, sock=listening) as server:
        await server.serve_forever()


def main(port: str, namespace: str, address: str, to_port: str) -> None:
    listening = socket.create_server(("127.0.0.1", int(port)), backlog=512)
    with Path("/run/netns", namespace).open("rb") as space:
        if ctypes.CDLL(None, use_errno=True).setns(space.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), f"can't enter {namespace}: {os.strerror(ctypes.get_errno())}")
    asyncio.run(forward(listening, address, int(to_port)))


if __name__ == "__main__":
    main(*sys.argv[1:])
