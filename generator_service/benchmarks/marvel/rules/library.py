"""The library's digest: uniqueness is proven against these laws, ways and families, and against no others."""

from pathlib import Path

from tetrad.canonical import hexdigest

_FILES = ("laws.py", "fitting.py", "accepting.py", "families.py")
# Of version 1. Another digest means another library, and that means another version of the benchmark.
DIGESTS = {1: "65c6524fc863d1248149782296cc53622f18b8b22f4f72b09c367d610b5f6f12"}


def library_digest() -> str:
    """Return SHA-256 over the sources of the rule library, comments and all: 64 hex digits."""
    folder = Path(__file__).parent
    return hexdigest("tetrad/marvel/library/1", *[(folder / name).read_text("utf-8") for name in _FILES])
