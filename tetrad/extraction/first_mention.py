"""KiVA's published scorer, to reproduce published numbers: the earliest literal "(1)" or "(A)" is the answer."""

from collections.abc import Sequence

from tetrad.extraction.choice import ReadChoice

__all__ = ["first_mention"]


def first_mention(reply: str, labels: Sequence[str]) -> ReadChoice:
    """Take the label whose literal "(label)" stands earliest, whatever is said of it (KiVA's released scorer)."""
    places = [(place, label) for label in labels if (place := reply.find(f"({label})")) >= 0]
    if not places:
        return ReadChoice(None, "no-option")
    _, label = min(places)
    return ReadChoice(label, "first-mention", f"({label})")
