"""Files that somebody else may remove at any moment."""

from pathlib import Path


def bytes_if_there(path: Path) -> bytes:
    """Return what is in a file; nothing if it is gone, or belongs to a process that has ended."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""
