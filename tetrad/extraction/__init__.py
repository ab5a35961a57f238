"""Extract the answer from a model's reply.

The generator opens questions by it, scoring scores with it, and clients can run it: all three extract the same.
"""

from collections.abc import Mapping

from tetrad.extraction.choice import ChoiceExtractor, ExtractedAnswer, extract_choice, first_mention

__all__ = ["EXTRACTORS", "EXTRACTOR_VERSION", "STATEMENT", "ExtractedAnswer", "extract_choice", "first_mention"]

# Goes up with every change that gives any reply another answer. Reports carry it.
EXTRACTOR_VERSION = 1

STATEMENT = "statement"
"""The extractor for everyone. For a corpus, another one can be chosen by name, to compare with published numbers."""

EXTRACTORS: Mapping[str, ChoiceExtractor] = {
    STATEMENT: extract_choice,
    "first-mention": first_mention,
}
