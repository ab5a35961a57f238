"""The words that stand for the values of a captioned scene, as patterns over plain text in lower case.

A value that no property offers, such as OTHER, is still a statement: it contradicts.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType

OTHER = "other"
BESIDE = "beside"  # next to, without saying on which side: it leaves left and right open and contradicts on and under

_PAPER = r"(?:toilet |bathroom |tissue )?(?:paper|tissue)"
_OTHER_THINGS = (
    "spoon|fork|vase|lamp|box|ball|hat|cat|dog|apple|banana|plate|spatula|teapot|kettle|glass|jar|phone|laptop|shoe"
    "|boot|key|pen|pencil|bag|basket|toy|knife"
)
# Singulars and plurals.
_SUBJECTS: Mapping[str, tuple[str, str]] = {
    "book": (
        r"(?:text|note|story)?book|novel|hardcover|paperback",
        r"(?:text|note|story)?books|novels|hardcovers|paperbacks",
    ),
    "bottle": (r"bottle|flask", r"bottles|flasks"),
    "bowl": (r"bowl|basin|dish", r"bowls|basins|dishes"),
    "candle": (r"candle(?:[- ]?(?:stick|holder))?|taper", r"candle(?:[- ]?(?:stick|holder))?s|tapers"),
    "clock": (r"(?:alarm[- ])?clock|timepiece", r"(?:alarm[- ])?clocks|timepieces"),
    "mug": (r"mug|(?:tea|coffee)?[- ]?cup|beaker", r"mugs|(?:tea|coffee)?[- ]?cups|beakers"),
    "plant": (
        r"(?:pot(?:ted)?|house)?[- ]?plant(?:[- ]pot)?|flower[- ]?pot|succulent",
        r"(?:pot(?:ted)?|house)?[- ]?plants|plant[- ]pots|flower[- ]?pots|succulents",
    ),
    "toilet paper": (
        rf"roll of {_PAPER}|(?:toilet|loo|bathroom|tissue|paper)[- ](?:paper |tissue )?roll",
        rf"rolls of {_PAPER}|(?:toilet|loo|bathroom|tissue|paper)[- ](?:paper |tissue )?rolls",
    ),
    OTHER: (_OTHER_THINGS, "|".join(f"{word}e?s" for word in _OTHER_THINGS.split("|")) + "|knives"),
}
_SCISSORS = r"scissors?|shears"
_MASS = r"(?:toilet|bathroom) (?:papers?|tissues?)"  # "toilet paper" tells no number
_FURNITURE: Mapping[str, str] = {
    "table": r"(?:table(?:[- ]?top)?|desk)s?",
    "chair": r"(?:(?:arm|dining |kitchen )?chair|seat)s?",
    OTHER: r"(?:stool|sofa|couch|bench|shelf|bed|cabinet|dresser|bookcase|counter)(?:e?s)?",
}
_COLORS: Mapping[str, str] = {
    "wood": r"wood(?:en|[- ]?colou?red|[- ]?toned|y)?|brown|oak|pine|walnut|timber",
    "red": r"red(?:dish)?|crimson|scarlet",
    "blue": r"blue|bluish|navy|azure|cobalt",
    OTHER: (
        r"green|yellow|white|black|gr[ae]y|purple|pink|orange|violet|beige|silver|gold(?:en)?|metal(?:lic)?|plastic"
        r"|steel|turquoise|teal"
    ),
}
NUMBERS: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(("one", "1", "a", "an", "single", "lone", "sole"), "one")
    | dict.fromkeys(("two", "2", "both", "twin", "2x"), "two")
    | dict.fromkeys(
        ("no", "zero", "0", "three", "3", "four", "4", "five", "5", "six", "6", "several", "many", "dozen"), OTHER
    )
)
SECOND = frozenset({"another", "second"})
OPEN = frozenset({"each", "every", "either", "any", "which", "same"})

_FLOOR = r"(?:the |a |its )?(?:\w+ )?(?:floor|ground|carpet|wall)\b"
_SIDE = r"(?:the |its |their )?(?:(?:far|immediate|lower|bottom|near) )?"
_HAND = r"(?:[- ]hand)?(?: side| edge)?"
_TOWARDS = rf"(?:(?:to|on|at|towards?|off to) )?{_SIDE}"
RELATION = re.compile(
    rf"\b(?P<left>{_TOWARDS}left{_HAND}(?P<of_left> (?:of|from))?)\b(?! by\b)"
    rf"|\b(?P<right>{_TOWARDS}right{_HAND}(?P<of_right> (?:of|from))?)\b"
    r"(?! (?:under|below|beneath|underneath|on\b|next|beside|in\b|behind|above|by\b|near|up))"
    r"|\b(?P<under>(?:directly |right |just )?(?:underneath|under|beneath|below)(?: of)?)\b"
    rf"|\b(?P<on>on top(?: of)?|atop|upon|above|on(?! {_FLOOR})(?! (?:each|both|either|all) sides?\b))\b"
    r"|\b(?P<beside>beside|next to|alongside|adjacent to|close to|near(?:by)?|by the side of)\b"
    r"|\b(?P<other>behind|in front of|inside|within|between)\b"
)
OPPOSITE = MappingProxyType({"left": "right", "right": "left", "on": "under", "under": "on"})


def _subject_pattern() -> str:
    return "|".join(
        rf"(?P<many{place}>{plural})|(?P<one{place}>{singular})"
        for place, (singular, plural) in enumerate(_SUBJECTS.values())
    )


SUBJECT_VALUES = tuple(_SUBJECTS)
SUBJECT = re.compile(
    r"\b(?:(?P<unit>pairs?|couples?|duo|sets?) of (?:\w+ ){0,2}?)?"
    rf"(?:(?P<scissors>{_SCISSORS})|{_subject_pattern()}|(?P<mass>{_MASS}))\b"
)
FURNITURE_VALUES = tuple(_FURNITURE)
FURNITURE = re.compile(
    r"\b(?:" + "|".join(rf"(?P<kind{number}>{words})" for number, words in enumerate(_FURNITURE.values())) + r")\b"
)
COLOR_VALUES = tuple(_COLORS)
COLOR = re.compile(
    r"\b(?:" + "|".join(rf"(?P<color{number}>{words})" for number, words in enumerate(_COLORS.values())) + r")\b"
)


def subject_of(match: re.Match[str]) -> tuple[str, str]:
    """Return the subject named and the number its form tells: one, two, or "" where it tells none."""
    if match["scissors"]:
        return "scissors", {"pair": "one", "pairs": "two"}.get(match["unit"] or "", "")
    if match["mass"]:
        return "toilet paper", ""
    place = next(at for at in range(len(SUBJECT_VALUES)) if match[f"many{at}"] or match[f"one{at}"])
    return SUBJECT_VALUES[place], "two" if match["unit"] or match[f"many{place}"] else "one"


def furniture_of(match: re.Match[str]) -> str:
    return next(value for place, value in enumerate(FURNITURE_VALUES) if match[f"kind{place}"])


def color_of(match: re.Match[str]) -> str:
    return next(value for place, value in enumerate(COLOR_VALUES) if match[f"color{place}"])
