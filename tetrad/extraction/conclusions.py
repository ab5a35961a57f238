"""Find conclusions that name the answer without the word: "Only (C) fits", "Thus the change in (C) matches the top".

Each pattern is tried on a short window around one mention, so extraction takes linear time for any text.
All texts here are plain and in lower case.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache

from tetrad.extraction.anchored import Anchored
from tetrad.extraction.mentions import Mention, last_before
from tetrad.extraction.spoken_statements import is_asked, is_conditional
from tetrad.extraction.statements import is_hedged
from tetrad.late_regex import late_regex

__all__ = ["conclusion_begins", "is_proposed", "is_unfinished"]

_WINDOW = 240  # characters before a mention; a sentence that begins before them is no conclusion
_AFTER = 240
_SENTENCE = late_regex(r"(?:[.!?;](?=\s)|\n)")
_NOUN = r"(?:option|choice|picture|image|candidate|pair|figure|transformation|change|pattern|one|object|set)"
_ONLY_BEFORE = Anchored(
    rf"(?:\A|[.!?;,:\n]\s{{0,8}}|\b(?:so|thus|therefore|hence|and|but|that|as|because|since)\s)"
    rf"only\s(?:the\s)?(?:{_NOUN}\s)?(?:(?:in|of)\s)?(?:{_NOUN}\s)?\Z",
    "only",
)
_ONLY_AFTER = late_regex(
    r"[)\]]?\s(?:(?:also|truly|really|exactly|correctly|\w+ly)\s)?(?:fits?|match(?:es)?|works?|remains?|satisf(?:y|ies)|qualif(?:y|ies)|agrees?|corresponds?"
    r"|does(?!n't|\snot)\b|is\s(?:left(?!\sto)|right\b(?!\s(?:of|side))|correct|possible|consistent|valid|the\s(?:same|answer))"
    r"|(?:shows|has|keeps|follows|preserves|undergoes|repeats|displays|exhibits)\sthe\s(?:same|correct|right))"
)
_JOINED_BEFORE = late_regex(r"[(\[]?\b\w[)\]]?,?\s(?:and|or|nor)\s(?:(?:in|of)\s)?\Z")
_ANSWER_BEFORE = late_regex(r"[.!?;]\s{1,4}(?:(?:so|the|my|final|thus|therefore|hence)[\s,]{1,2}){0,3}answer\s{0,3}\Z")
_ENDS = late_regex(r"[)\]} ]{0,4}(?:[.!,;](?!\w)|\n|\Z)")
_THEREFORE = late_regex(
    r"\s{0,8}(?:(?:and|but)\s)?(?:therefore|thus|hence|so|consequently|accordingly|as\sa\sresult|overall|finally|in\s(?:conclusion|summary|short)"
    r"|to\s(?:conclude|summari[sz]e)|this\s(?:means|shows|implies|indicates|suggests)|we\s(?:can\s)?(?:conclude|see)|it\sfollows"
    r"|based\son\s(?:this|these)[^,]{0,40})\b"
)
_SUBJECT = late_regex(
    rf"\b(?:{_NOUN}|transformations?|rotation|turn|flip|reflection|resizing|rule|difference|effect|what\shappens)\b"
    r"|(?:therefore|thus|hence|so|conclusion|that|overall|finally|consequently|accordingly|result|summary)[\s,:]{1,3}[(\[]?\Z"
)
_LIKENED = late_regex(
    r"[)\]]?[^.!?;\n]{0,120}?\b(?:match(?:es)?|mirrors|follows|repeats|corresponds?\s(?:to|with)|agrees?\swith"
    r"|aligns?\swith|fits|parallels|replicates|reproduces|(?:is|are)\s(?:exactly\s|most\s|also\s|\w+ly\s)?"
    r"(?:the\ssame\s(?:\w{1,16}\s)?(?:as|that)|identical\s(?:to|with)|equal\sto|equivalent\sto|consistent\swith|analogous\sto|similar\sto|like)"
    r"|(?:shows|has|undergoes|displays|exhibits|applies)\s(?:exactly\s)?the\ssame\s(?:\w{1,16}\s){1,3}(?:as|that))\b"
    r"(?P<object>[^.!?;\n]{0,80}?)\b(?:top|example|above|given|original|first\s(?:pair|row|picture)|left(?:-hand)?\spair)\b"
)
_DENIED = late_regex(
    r"n't\b|\b(?:not|never|no|neither|nor|cannot|whether|might|may|could|would|seems?|appears?|different|opposite|only\spart\w*|except)\b"
)
_LABEL = late_regex(r"[(\[](?:[a-z]|\d{1,2})[)\]]")
# Before an option that the reply is only about to look at: "Let us check (B) first".
_PROPOSED_BEFORE = late_regex(
    r"\b(?:let\s?(?:us|'s|me)|(?:we|i)(?:'ll|\swill|\scan|\scould|\sshould|\sneed\sto|\shave\sto)|what\sabout|how\sabout|suppose|consider(?:ing)?|check(?:ing)?|compar(?:e|ing)"
    r"|examine|examining|(?:start|begin)(?:ing)?\s(?:with|by)|look(?:ing)?\s(?:at|into)|try(?:ing)?|test(?:ing)?|next|first|now)\b[^.!?,;\n]{0,60}\Z"
)
_CHOSEN = late_regex(r"\b(?:choose|choosing|pick|select|answer|go|opt|say|conclude|decide)\b")
# The last word of a text that was cut off in a sentence.
_CUT_SHORT = late_regex(
    r"(?:\b(?:shows?|is|are|was|were|has|have|had|the|an?|and|or|of|to|in|with|by|that|which|because|since|from|as|at|on|for|it"
    r"|but|so|while|where|when|if|than|into|its|their|this|these|not|we|i|can|will|would|looks?|seems?|appears?)|[,:])\s{0,8}\Z"
)


def conclusion_begins(text: str, mention: Mention) -> int | None:
    """Return the place at which a conclusion that names this option begins; None if there is none."""
    begins = _find_conclusion(text, mention)
    if begins is None or is_asked(text, mention.end) or is_conditional(text, begins, mention.end):
        return None
    return begins


def _find_conclusion(text: str, mention: Mention) -> int | None:
    is_apart = last_before(text, mention.start).isspace()
    if is_apart and _JOINED_BEFORE.search(text, max(0, mention.start - 16), mention.start):
        return None
    if (
        mention.firm
        and text.find("answer", max(0, mention.start - 9), mention.start) >= 0
        and _ENDS.match(text, mention.end)
    ):
        answered = _ANSWER_BEFORE.search(text, max(0, mention.start - 60), mention.start)
        if answered is not None:
            return answered.end() - len(answered[0].lstrip(".!?; \n"))
    only = _ONLY_BEFORE.search(text, max(0, mention.start - 60), mention.start) if is_apart else None
    if only is not None and _ONLY_AFTER.match(text, mention.end, mention.end + _AFTER):
        return None if is_hedged(text, only.start()) or _is_denied(text, mention.end, 16) else only.start()
    opens = max(0, mention.start - _WINDOW)
    begins = max(opens, _sentence_begins(text, mention.start))
    if (opens == begins and opens) or not _THEREFORE.match(text, begins, mention.start):
        return None
    return begins if _is_likened(text, begins, mention) else None


def _sentence_begins(text: str, place: int) -> int:
    """Return where the sentence that a place belongs to begins."""
    begins = _sentences(text)
    index = bisect_right(begins, place)
    return begins[index - 1] if index else 0


@lru_cache(maxsize=4)
def _sentences(text: str) -> Sequence[int]:
    """Return where the sentences of a text begin, but for its first."""
    return [found.end() for found in _SENTENCE.finditer(text)]


def _is_denied(text: str, begins: int, length: int) -> bool:
    return _DENIED.search(text, begins, begins + length) is not None


def _is_likened(text: str, begins: int, mention: Mention) -> bool:
    """Return whether the sentence from a place on says that what it shows with this option is the example's change."""
    likened = _LIKENED.match(text, mention.end, mention.end + _AFTER)
    if likened is None or _SUBJECT.search(text, begins, mention.start) is None:
        return False
    is_other = _LABEL.search(text, mention.end, likened.end()) is not None
    return not is_other and _DENIED.search(text, begins, likened.end()) is None


def is_proposed(text: str, mention: Mention) -> bool:
    """Return whether the reply only says that it is about to look at the option, or asks about it."""
    opens = max(0, mention.start - 90)
    opens = max(opens, *[text.rfind(mark, opens, mention.start) + 1 for mark in ".!?,;"])  # it crosses none of these
    proposed = _PROPOSED_BEFORE.search(text, opens, mention.start)
    if proposed is not None and not _CHOSEN.search(proposed[0]):
        return True
    asked = text.find("?", mention.end, mention.end + 130)
    return asked >= 0 and re.match(r"[^.!?\n]{0,120}\?", text[mention.end : asked + 1]) is not None


def is_unfinished(text: str) -> bool:
    """Return whether a text ends within a sentence: "Pair (A) shows"."""
    return _CUT_SHORT.search(text, max(0, len(text) - 24)) is not None
