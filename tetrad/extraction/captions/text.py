"""Write a state in words: "two bottles on a red table"."""

from collections.abc import Mapping

__all__ = ["caption_text"]

_PLURALS = {"scissors": "pairs of scissors", "toilet paper": "rolls of toilet paper"}
_SINGULARS = {"scissors": "pair of scissors", "toilet paper": "roll of toilet paper"}
_COLORS = {"wood": "wooden"}
_RELATIONS = {"left": "to the left of", "right": "to the right of"}


def caption_text(values: Mapping[str, str]) -> str:
    """Return one plain sentence, without a full stop, from which caption extraction gives these values."""
    subject, number = values["subject"], values["subject_number"]
    noun = _SINGULARS.get(subject, subject) if number == "one" else _PLURALS.get(subject, f"{subject}s")
    color = _COLORS.get(values["object_color"], values["object_color"])
    relation = _RELATIONS.get(values["spatial_relation"], values["spatial_relation"])
    return f"{number} {noun} {relation} a {color} {values['object']}"
