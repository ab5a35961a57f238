"""The one reader of replies for everyone: the generator gates on it, scoring scores with it, clients can run it."""

from collections.abc import Callable, Mapping, Sequence

from tetrad.extraction.choice import ReadChoice, read_choice
from tetrad.extraction.first_mention import first_mention

__all__ = ["READERS", "READER_VERSION", "STATEMENT", "ReadChoice", "first_mention", "read_choice"]

# Goes up with every change of what any reply reads as; reports carry it.
READER_VERSION = 2

STATEMENT = "statement"
"""The reader for everyone; another one is chosen by name, for a corpus only, to compare with published numbers."""

READERS: Mapping[str, Callable[[str, Sequence[str]], ReadChoice]] = {
    STATEMENT: read_choice,
    "first-mention": first_mention,
}
