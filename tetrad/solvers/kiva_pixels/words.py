"""What an option's words mean, as the set of changes they cover; nothing for "doesn't apply" and the like.

Read by keywords, so that other wordings than the renderer's own, such as a child's, still work.
"""

import re

from tetrad.solvers.kiva_pixels.changes import CHANGES, COLORS, NONE

_NO_CHANGE = re.compile(r"\bno change|\bnothing|unchanged|\bdid(?:n't| not) change|\bstay|\bthe same\b")
_OUT = re.compile(r"apply|none of|neither|\bother\b|something else")
_NUMBERS = {"one": 1, "two": 2, "a": 1, "an": 1, "single": 1, "1": 1, "2": 2}
_COUNTED = re.compile(
    r"(?P<sign>[+\-\u2212])?\s*\b(?P<number>one|two|single|an?|[12])\b(?!\s*(?:x\b|/|times|degree|quarter|half))"
)
_ADDED = re.compile(r"\bmore\b|\badd|\bextra|\bgain|\bappear|\+")
_TAKEN = re.compile(
    r"\bfewer|\bless\b|\bremov|\btake|\btook|\blost|\bsubtract|\bminus|\bdisappear|\bgone\b|[\-\u2212]\s*\d"
)
_TURN = re.compile(r"rotat|\bturn|degree|\u00b0|\bspun|\bspin")
_BACKWARDS = re.compile(r"counter|anti|to the left|leftwards?|-\s*90|\u221290")
_HALF_TURN = re.compile(r"180|half[ -](?:a )?turn|halfway round")
_MIRROR = re.compile(r"mirror|flip|reflect|upside|swap")
# The first of these words decides: "left and right are swapped, top and bottom are not".
_MIRROR_WAY = re.compile(r"(?P<upright>upside|top|bottom|vertical|\bup\b|head)|sideways|left|right|horizontal")
_LARGER = re.compile(r"twice|doubl|\b2x|\bx2|larger|bigger|grew|grow|enlarg")
_SMALLER = re.compile(r"half|halv|1/2|\u00bd|smaller|shr[aiu]nk|reduc")
_SIZE = re.compile(r"\bsize|\bscale|" + _LARGER.pattern + "|" + _SMALLER.pattern)
_NUMBER = re.compile(r"\bnumber|\bhow many|\bcount|\bquantit|\bamount")
_ORIENTATION = re.compile(r"orientation|direction|\bway (?:it|they|round)|\bfac(?:e|es|ing)\b|pointing")
_ASPECT = re.compile(r"\bnumber|\borientation|\bdirection|\bcolou?r")
_COLORED = re.compile(rf"\b({'|'.join(COLORS)})\b")
_COLOR = re.compile(r"\bcolou?r")


def covered(words: str) -> frozenset[str]:
    """Return the changes that an option's words cover, whether they name an aspect or a value.

    Aspects (what changed): number, size, orientation (turned or mirrored), color. Values (how): one change each.
    """
    text = words.casefold()
    if _OUT.search(text):
        return frozenset()
    if _NO_CHANGE.search(text):
        return frozenset({NONE})
    value = None if _ASPECT.search(text) and not _COLORED.search(text) else _value(text)
    return frozenset({value}) if value else _aspect(text)


def _value(text: str) -> str | None:
    """The one change that the words name; turns are looked for before mirrors and sizes ("half a turn")."""
    color = _COLORED.search(text)
    if color:
        return f"color {color[1]}"
    if _TURN.search(text) and not re.search("mirror|flip|reflect", text):
        return _turn(text)
    if _MIRROR.search(text):
        way = _MIRROR_WAY.search(text)
        return None if way is None else f"reflection {'x' if way['upright'] else 'y'}"
    step = _step(text)
    if step:
        return f"number {step}"
    if _LARGER.search(text):
        return "size 2x"
    return "size 1/2x" if _SMALLER.search(text) else None


def _turn(text: str) -> str | None:
    if _HALF_TURN.search(text):
        return "rotation 180"
    if "90" in text or "quarter" in text or "clockwise" in text:
        return "rotation -90" if _BACKWARDS.search(text) else "rotation +90"
    return None


def _step(text: str) -> str | None:
    """+1, +2, -1 or -2, where the words say that things came or went and how many."""
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
