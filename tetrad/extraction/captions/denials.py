"""What a caption denies, or says of before, is not stated: "not on but under", "instead of a red one"."""

from collections.abc import Iterable, Sequence

from tetrad.extraction.captions.tokens import Token
from tetrad.extraction.captions.words import MADE

__all__ = ["stated_tokens"]

_ENDS = frozenset({"comma", "end", "closes", "mark"})
_REACH = 8  # tokens between "from" and "to"
_TO = frozenset({"to", "into"})


def stated_tokens(found: Iterable[Token]) -> list[Token]:
    """Return the tokens that state something now, in order."""
    given = list(found)
    kept: list[Token] = []
    at = 0
    while at < len(given):
        token = given[at]
        if token.kind in {"denial", "past"}:
            at = _after_denied(given, at + 1)
        elif token.kind == "leaving":
            at = _after_left(given, at, kept)
        elif token.kind == "turning":
            at = _after_turned(given, at + 1)
        elif token.kind == "filler":
            at += 1
        elif token.kind == "reason":
            at = _after_reason(given, at + 1, begins=not kept or kept[-1].kind in _ENDS)
        elif token.kind == "absence":
            while kept and kept[-1].kind not in _ENDS and kept[-1].text not in {"and", "but"}:
                kept.pop()
            at += 1
        else:
            kept.append(token)
            at += 1
    return kept


def _after_denied(given: Sequence[Token], at: int) -> int:
    """Return the place after the clause, or of its "but", "rather" or "now"."""
    while at < len(given) and given[at].kind not in _ENDS and given[at].text not in {"but", "rather", "now"}:
        at += 1
    return at


def _after_left(given: Sequence[Token], at: int, kept: Sequence[Token]) -> int:
    """Skip what is left behind: "from one to" two; a table made from wood, and what is right from it, stay."""
    bare = given[at].text == "from"
    if bare and kept and (kept[-1].text in MADE or kept[-1].kind in {"side", "bare"}):
        return at + 1
    for place in range(at + 1, min(at + 1 + _REACH, len(given))):
        token = given[place]
        if token.kind in _ENDS:
            return at + 1 if bare else place
        if token.text in _TO or (token.kind in {"side", "relation"} and token.text.startswith(("to ", "onto"))):
            return place
    return at + 1


def _after_turned(given: Sequence[Token], at: int) -> int:
    """Skip what turns into something else: "changes the chair into" a table; "the chair turned red" stays."""
    for place in range(at, min(at + _REACH, len(given))):
        if given[place].kind in _ENDS:
            break
        if given[place].text == "into":
            return place
    return at


def _after_reason(given: Sequence[Token], at: int, *, begins: bool) -> int:
    """Skip a reason: to the end of the sentence, or to the comma where the sentence begins with it."""
    ends = {"end", "comma"} if begins else {"end"}
    while at < len(given) and given[at].kind not in ends:
        at += 1
    return at
