"""A server of names for a container whose program asks one, as Docker's does: python names.py HOSTS_FILE [ADDRESS].

It answers questions about IPv4 addresses from the file, with every address that a name has there, and others with "no
such name".
"""

import socket
import struct
import sys
from pathlib import Path

PORT = 53
A, IN = 1, 1
SECONDS = 5  # that an answer holds
HEADER = struct.Struct(">HHHHHH")
FOUND, NO_SUCH_NAME = 0x8180, 0x8183


def answer(question: bytes, hosts: str) -> bytes:
    """Return the reply to a question of one name."""
    number, _, _, *_ = HEADER.unpack_from(question)
    labels, place = [], HEADER.size
    while length := question[place]:
        labels.append(question[place + 1 : place + 1 + length].decode())
        place += 1 + length
    asked = question[HEADER.size : place + 5]
    (kind,) = struct.unpack_from(">H", question, place + 1)
    name = ".".join(labels).lower()
    lines = [line.split() for line in hosts.splitlines() if line.strip()]
    known = [line[0] for line in lines if name in line[1:]]
    addresses = known if kind == A else []
    records = b"".join(struct.pack(">HHHIH", 0xC00C, A, IN, SECONDS, 4) + socket.inet_aton(each) for each in addresses)
    flags = FOUND if known else NO_SUCH_NAME
    return HEADER.pack(number, flags, 1, len(addresses), 0, 0) + asked + records


def main(hosts: str, address: str = "127.0.0.11") -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind((address, PORT))
        while True:
            question, asker = server.recvfrom(512)
            server.sendto(answer(question, Path(hosts).read_text()), asker)


if __name__ == "__main__":
    main(*sys.argv[1:])
