"""The card's sentences for mistakes, and its plain words for values whose name says little.

They stand beside the card because a mistake is named by the fields that break a rule, and so is its sentence.
"""

from generator_service.benchmarks.marvel.question import MISTAKES as NAMES

_SUBJECTS = {
    "angle of the hands": "the angle between its hands",
    "axis": "its axis",
    "corners": "its number of corners",
    "curved or straight": "whether its lines are curved or straight",
    "figure": "its figure",
    "inner place": "the place of what is inside",
    "long hand": "where its long hand points",
    "number": "its number",
    "number of black": "its number of black ones",
    "number of white": "its number of white ones",
    "open or closed": "whether it is open or closed",
    "opening": "where it opens",
    "order": "its order",
    "outer place": "the place of what is outside",
    "parts": "which parts it has",
    "place": "the place of what is in it",
    "relation": "how its parts lie to each other",
    "side": "the side that is chosen",
    "station": "its place along the way",
    "symmetry": "its symmetry",
    "turn": "how far it is turned",
    "zone": "the zone that is chosen",
}
_OF_SOLIDS = {
    "a mark turned": "It has the right marks in the right order about the corner, and one of them is turned.",
    "marks in another order": "It has the right marks, in another order about the corner.",
    "other marks": "It has marks that the right view does not have.",
}
VALUE_WORDS = {
    "2d-geometry": "flat figures",
    "3d-geometry": "solids",
    "avr": "the puzzle itself",
    "coarse": "counting the panels",
    "fine": "a detail of a choice",
}


def _explain(name: str) -> str:
    """Return the sentence for a mistake: what of the choice is not as the rule asks."""
    if name in _OF_SOLIDS:
        return _OF_SOLIDS[name]
    subjects = [_SUBJECTS[name]] if name in _SUBJECTS else [_SUBJECTS[part] for part in _parts(name)]
    said = " and ".join(subjects)
    return f"{said[0].upper()}{said[1:]} {'break' if len(subjects) > 1 else 'breaks'} the rule."


def _parts(name: str) -> tuple[str, str]:
    """Return the two fields that a name joins; one of them may have an "and" or "or" of its own."""
    return next((first, second) for first in _SUBJECTS for second in _SUBJECTS if f"{first} and {second}" == name)


MISTAKES = {name: _explain(name) for name in NAMES}
