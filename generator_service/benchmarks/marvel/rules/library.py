"""The library's digest: uniqueness is proven against these laws, ways and families, and against no others."""

from pathlib import Path

from tetrad.canonical import hexdigest

_FILES = ("laws.py", "fitting.py", "accepting.py", "families.py")
# Of version 1. Another digest means another library, and that means another version of the benchmark.
DIGESTS = {1: "3a7aaf6fc6af613166c7f4c786de9f414c153067a7d248b4d02e24f3fd287d73"}


def library_digest() -> str:
    """Return SHA-256 over the sources of the rule library, comments and all: 64 hex digits."""
    folder = Path(__file__).parent
    return hexdigest("tetrad/marvel/library/1", *[(folder / name).read_text("utf-8") for name in _FILES])
