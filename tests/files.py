"""Files that are read, replaced or removed by others at any moment."""

from pathlib import Path

from tetrad.files import whole_file


def bytes_if_there(path: Path) -> bytes:
    """Return what is in a file; nothing if it is gone, or belongs to a process that has ended."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def replace_text(path: Path, text: str) -> None:
    """Put another file in the place of one, as an editor does: who reads it never finds half of it."""
    with whole_file(path, durable=False) as file:
        file.write(text.encode())
