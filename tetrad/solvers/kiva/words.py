"""Interpret an option's words: for each of its sentences, find the changes that it covers.

It goes by keywords, so that other wordings than our own, such as a child's, still work.
"""

import re
from functools import lru_cache

from tetrad.late_regex import late_regex
from tetrad.solvers.kiva.changes import CHANGES, COLORS

NOTHING: frozenset[str] = frozenset({"none"})
_SENTENCE = late_regex(r"(?<=[.!])\s+(?=\S)")
_NO_CHANGE = late_regex(r"\bno change|\bnothing|unchanged|\bdid(?:n't| not) change|\bstay|\bthe same\b")
_OUT = late_regex(r"apply|none of|neither|\bother\b|something else")
_NUMBERS = {"one": 1, "two": 2, "a": 1, "an": 1, "single": 1, "1": 1, "2": 2}
_COUNTED = late_regex(
    r"(?P<sign>[+\-\u2212])?\s*\b(?P<number>one|two|single|an?|[12])\b(?!\s*(?:x\b|/|times|degree|quarter|half))"
)
_ADDED = late_regex(r"\bmore\b|\badd|\bextra|\bgain|\bappear|\+")
_TAKEN = late_regex(
    r"\bfewer|\bless\b|\bremov|\btake|\btook|\blost|\bsubtract|\bminus|\bdisappear|\bgone\b|\baway\b|[\-\u2212]\s*\d"
)
_FACTOR = {"two": "2", "three": "3", "2": "2", "3": "3"}
_MULTIPLIED = late_regex(r"multiplied by (?P<by>two|three|[23])|(?P<many>two|three|[23]) for every one")
_DIVIDED = late_regex(r"divided by (?P<by>two|three|[23])|one for every (?P<many>two|three|[23])")
_TURN = late_regex(r"rotat|\bturn|degree|\u00b0|\bspun|\bspin")
_BACKWARDS = late_regex(r"counter|anti|against|to the left|leftwards?|-\s*90|\u221290")
# The order matters: "three eighths" contains "eighth". "Half a quarter" is no value of KiVA's.
_AMOUNTS = (
    (late_regex(r"135|three[ -]eighths"), "135"),
    (late_regex(r"\b45|eighth"), "45"),
    (late_regex(r"180|half[ -](?:a )?turn|half(?:way)? (?:of the way )?round"), "180"),
    (late_regex(r"90|quarter|clockwise"), "90"),
)
_MIRROR = late_regex(r"mirror|flip|reflect|upside|swap")
_BOTH_WAYS = late_regex(r"both (?:ways|axes|directions)")
# The first of these words decides: "left and right are swapped, top and bottom are not".
_MIRROR_WAY = late_regex(r"(?P<upright>upside|top|bottom|vertical|\bup\b|head)|sideways|left|right|horizontal")
_BOTH_SIDES = late_regex(r"width and (?:its )?height|height and (?:its )?width|both sides")
# The first of these decides: "twice as wide and no taller".
_ONE_SIDE = late_regex(r"(?P<across>wide|broad|narrow|thin|width)|tall|high|height|short|\blow")
_SHRINKING = late_regex(r"half|halv|1/2|\u00bd|narrow|thin|short|\blow|smaller|shr[aiu]nk|reduc")
_GROWING = late_regex(r"twice|doubl|\b2x|\bx2|larger|bigger|grew|grow|enlarg|wide|broad|tall|high")
_LARGER = late_regex(r"twice|doubl|\b2x|\bx2|larger|bigger|grew|grow|enlarg")
_SMALLER = late_regex(r"half|halv|1/2|\u00bd|smaller|shr[aiu]nk|reduc")
_SIZE = late_regex(r"\bsize|\bscale|" + _LARGER.pattern + "|" + _SMALLER.pattern)
_NUMBER = late_regex(r"\bnumber|\bhow many|\bcount|\bquantit|\bamount|more things or fewer")
_ORIENTATION = late_regex(r"orientation|direction|\bway (?:it|they|round)|\bfac(?:e|es|ing)\b|pointing")
_ASPECT = late_regex(r"\bnumber|\borientation|\bdirection|\bcolou?r|more things or fewer")
_COLORED = late_regex(rf"\b({'|'.join(COLORS)}|gray)\b")
_COLOR = late_regex(r"\bcolou?r")


def covers(words: str, reading: frozenset[str]) -> bool:
    """Tell whether the option's sentences, one for each change, state exactly the changes of the reading."""
    said = sentences(words)
    if said == (NOTHING,):
        return not reading
    return len(said) == len(reading) > 0 and all(any(changes & {change} for changes in said) for change in reading)


@lru_cache(maxsize=1024)
def sentences(words: str) -> tuple[frozenset[str], ...]:
    """Return the changes that each sentence of an option covers; nothing for "doesn't apply" and the like."""
    text = words.casefold().strip()
    if _OUT.search(text):
        return ()
    if _NO_CHANGE.search(text):
        return (NOTHING,)
    return tuple(found for found in map(_find_covered, _SENTENCE.split(text)) if found)


def _find_covered(text: str) -> frozenset[str]:
    """Return the changes of an aspect or the one change of a value.

    Aspects (what changed): number, size, orientation (turned or mirrored), color. Values (how): one change each.
    """
    factor = _factor(text)
    if factor:
        return frozenset({f"number {factor}"})
    value = None if _ASPECT.search(text) and not _COLORED.search(text) else _value(text)
    return frozenset({value}) if value else _aspect(text)


def _factor(text: str) -> str | None:
    for sign, pattern in (("/", _DIVIDED), ("x", _MULTIPLIED)):
        found = pattern.search(text)
        if found:
            return sign + _FACTOR[found["by"] or found["many"]]
    return None


def _value(text: str) -> str | None:
    """Return the one change that the words name. Turns are looked for before mirrors and sizes ("half a turn")."""
    color = _COLORED.search(text)
    if color:
        return f"color {color[1].replace('gray', 'grey')}"
    if _TURN.search(text) and not re.search("mirror|flip|reflect", text):
        return _turn(text)
    if _MIRROR.search(text):
        return _mirror(text)
    step = _step(text)
    return f"number {step}" if step else _scale(text)


def _turn(text: str) -> str | None:
    degrees = next((degrees for pattern, degrees in _AMOUNTS if pattern.search(text)), None)
    if degrees in (None, "180"):
        return degrees and "rotation 180"
    return f"rotation {'-' if _BACKWARDS.search(text) else '+'}{degrees}"


def _mirror(text: str) -> str | None:
    if _BOTH_WAYS.search(text):
        return "reflection both"
    way = _MIRROR_WAY.search(text)
    return None if way is None else f"reflection {'x' if way['upright'] else 'y'}"


def _scale(text: str) -> str | None:
    side = None if _BOTH_SIDES.search(text) else _ONE_SIDE.search(text)
    if side is None:
        return "size 2x" if _LARGER.search(text) else "size 1/2x" if _SMALLER.search(text) else None
    # Only the words up to the side's own word count: of "half as wide and kept its height", "half as wide".
    told = text[: side.end()]
    shrinks = bool(_SHRINKING.search(told))
    if not shrinks and not _GROWING.search(told):
        return None
    if side["across"]:
        return "size narrower" if shrinks else "size wider"
    return "size shorter" if shrinks else "size taller"


def _step(text: str) -> str | None:
    """Return +1, +2, -1 or -2 if the words say that things came or went, and how many."""
    counted = _COUNTED.search(text)
    if counted is None or not (_ADDED.search(text) or _TAKEN.search(text)):
        return None
    return f"{'-' if _TAKEN.search(text) else '+'}{_NUMBERS[counted['number']]}"


def _aspect(text: str) -> frozenset[str]:
    domains: tuple[str, ...] = ()
    if _NUMBER.search(text):
        domains = ("number",)
    elif _ORIENTATION.search(text) or _TURN.search(text) or _MIRROR.search(text):
        domains = ("rotation", "reflection")
    elif _COLOR.search(text):
        domains = ("color",)
    elif _SIZE.search(text):
        domains = ("size",)
    return frozenset(change for change in CHANGES if change.partition(" ")[0] in domains)
