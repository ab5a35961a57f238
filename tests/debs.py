"""Debian packages, written in the test: an `ar` archive with a tar inside, and a member of odd length before it."""

import io
import lzma
import tarfile
from collections.abc import Mapping
from pathlib import Path


def write_deb(path: Path, files: Mapping[str, bytes]) -> Path:
    """Write a package that installs these files, by their paths from the root."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for name, body in files.items():
            member = tarfile.TarInfo(f"./{name}")
            member.size = len(body)
            archive.addfile(member, io.BytesIO(body))
    content = b"!<arch>\n"
    members = {"debian-binary": b"2.0\n", "control.tar.xz": b"odd", "data.tar.xz": lzma.compress(data.getvalue())}
    for name, body in members.items():
        head = f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(body):<10}`\n"
        content += head.encode() + body + b"\n" * (len(body) % 2)
    path.write_bytes(content)
    return path
