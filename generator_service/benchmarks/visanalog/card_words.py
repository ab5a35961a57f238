"""The card's sentences for mistakes, and its plain words for what a question asks.

They stand beside the card because the names are made of parts, and so are the sentences.
"""

from collections.abc import Mapping

from generator_service.benchmarks.visanalog.photographs.families import PLACE
from generator_service.benchmarks.visanalog.programs import (
    ADDED,
    EXCHANGED,
    FLIP,
    HUE,
    LEFT_OUT,
    MORE_WRONG,
    OTHER_AMOUNT,
    ROTATION,
    SWAP,
    TURN,
    TURN_WRONG,
    TWO_WRONG,
    ZOOM,
)
from generator_service.benchmarks.visanalog.spec import (
    ARROW_LOOK,
    COLOUR,
    CORNER,
    CUT,
    FACES,
    FACING,
    HANDS,
    LEVEL,
    ORDER,
    PERSON_LOOK,
    QUARTER,
    READING,
    SIDE_OF,
    SIGN_LOOK,
)

_STEPS = {
    ZOOM: "a zoom",
    SWAP: "an exchange of quarters",
    ROTATION: "a rotation",
    FLIP: "a flip",
    HUE: "a turn of the hues",
}
_OTHER = {
    SWAP: "It would be right if the edit exchanged two other quarters.",
    ROTATION: "It would be right if the edit rotated by another angle.",
    FLIP: "It would be right if the edit flipped the other way.",
    HUE: "It would be right if the edit turned the hues by another angle.",
}
_PARTS = {ZOOM: "zoom", SWAP: "exchange of quarters", TURN: "rotation or flip", HUE: "turn of the hues"}
MISTAKES: Mapping[str, str] = {
    **{
        name: f"It would be right if the edit had no {_STEPS[step].partition(' ')[2]}."
        for step, name in LEFT_OUT.items()
    },
    **{name: _OTHER[step] for step, name in OTHER_AMOUNT.items()},
    EXCHANGED: "It would be right if the quarters were exchanged before the zoom.",
    **{name: f"It would be right if the edit had {_STEPS[step]}, too." for step, name in ADDED.items()},
    TURN_WRONG: "It would be right if both the rotation and the flip were others.",
    **{
        name: f"It would be right if both the {' and the '.join(sorted(_PARTS[part] for part in parts))} were others."
        for parts, name in TWO_WRONG.items()
    },
    MORE_WRONG: "It would be right only if three or more steps of the edit were others.",
}
_ASKED = {
    COLOUR: "a color",
    CORNER: "what lies nearest to a corner",
    QUARTER: "what lies on a round mat in a quarter",
    CUT: "what is cut off in a quarter",
    READING: "how the letters of a sign are written",
    HANDS: "where the hands of a clock point",
    FACING: "where an arrow points",
    FACES: "where somebody faces",
    SIDE_OF: "on which side of another a thing is",
    LEVEL: "which of two things is higher",
    ORDER: "the order of three things",
    SIGN_LOOK: "the letters and the color of a sign",
    ARROW_LOOK: "the direction and the color of an arrow",
    PERSON_LOOK: "where somebody faces, and a color",
    PLACE: "which part of the picture has the most of something",
}


def word_families(families: tuple[str, ...]) -> dict[str, str]:
    """Return plain words for what each of these families of questions asks."""
    return {family: ", and ".join(_ASKED[part] for part in family.split(" and ")) for family in families}
