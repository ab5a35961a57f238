"""Photographs to add, made in the test: small JPEG files, and archives of as many as are wanted."""

import io
import tarfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image

SIZE = 20_000  # bytes of a file of an archive


def jpeg(number: int, side: int = 64) -> bytes:
    """Return a JPEG of its own colours."""
    rng = np.random.default_rng(number)
    pixels = rng.integers(0, 256, (4, 4, 3), np.uint8).repeat(side // 4, axis=0).repeat(side // 4, axis=1)
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "JPEG", quality=90)
    return buffer.getvalue()


def write_photographs(folder: Path, count: int, first: int = 0) -> Path:
    """Write JPEG files with names that tell something."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(first, first + count):
        (folder / f"jumping_{number}.jpg").write_bytes(jpeg(number))
    return folder


def files(count: int) -> Iterator[tuple[str, bytes]]:
    """Yield JPEG files of 20,000 bytes that differ in a comment alone: they are made as fast as they are written."""
    whole = jpeg(0, side=128)
    start, rest = whole[:2], whole[2:]
    for number in range(count):
        padding = SIZE - len(whole) - 4
        comment = f"{number:08d}".encode() + b"." * (padding - 8)
        yield f"verb_{number:06d}.jpg", start + b"\xff\xfe" + (padding + 2).to_bytes(2, "big") + comment + rest


def write_tar(path: Path, count: int) -> Path:
    """Write an archive of so many JPEG files."""
    with tarfile.open(path, "w") as archive:
        for name, body in files(count):
            member = tarfile.TarInfo(name)
            member.size = len(body)
            archive.addfile(member, io.BytesIO(body))
    return path
