"""Answer extraction: a model's reply in, its answer out.

The generator opens questions by it, scoring scores with it, and a client can run it: all three extract alike.
"""

from collections.abc import Callable, Mapping, Sequence

from tetrad.extraction.choice import ExtractedAnswer, extract_choice, first_mention

__all__ = ["EXTRACTORS", "EXTRACTOR_VERSION", "STATEMENT", "ExtractedAnswer", "extract_choice", "first_mention"]

# Goes up with every change of what any reply reads as; reports carry it.
EXTRACTOR_VERSION = 2

STATEMENT = "statement"
"""The reader for everyone; another one is chosen by name, for a corpus only, to compare with published numbers."""

EXTRACTORS: Mapping[str, Callable[[str, Sequence[str]], ExtractedAnswer]] = {
    STATEMENT: extract_choice,
    "first-mention": first_mention,
}
