"""Answer extraction: a model's reply in, its answer out.

The generator opens questions by it, scoring scores with it, and a client can run it: all three extract alike.
"""

from collections.abc import Callable, Mapping, Sequence

from tetrad.extraction.choice import ReadChoice, first_mention, read_choice

__all__ = ["READERS", "READER_VERSION", "STATEMENT", "ReadChoice", "first_mention", "read_choice"]

# Goes up with every change of what any reply reads as; reports carry it.
READER_VERSION = 2

STATEMENT = "statement"
"""The reader for everyone; another one is chosen by name, for a corpus only, to compare with published numbers."""

READERS: Mapping[str, Callable[[str, Sequence[str]], ReadChoice]] = {
    STATEMENT: read_choice,
    "first-mention": first_mention,
}
