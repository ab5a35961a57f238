"""Find the places where a reply names something that looks like an option, and how each is written."""

import re
from collections.abc import Mapping
from functools import lru_cache

import msgspec

from tetrad.extraction.languages import LANGUAGES
from tetrad.extraction.visible_text import last_places
from tetrad.late_regex import late_regex

__all__ = ["ASIDE", "Mention", "OptionLabels", "last_before", "option_labels"]

ASIDE = r"\((?!(?:or|maybe|perhaps|possibly|if|unless|but|guess|unsure)\b)[^()\n?]{1,60}\)"
"""What an option is, in brackets after it: "C (pink)"; not a doubt, as in "C (or B)"."""
_IS_RIGHT = "|".join(language.is_right for language in LANGUAGES.values() if language.is_spaced)
# Words that may follow a bare "A", "i", "b" or "2" if it is an option: "the answer is A because", not "is A rotation".
# The second: "A (pink)", alone on its line.
_FIRM = late_regex(
    r"(?<=\d)\s?(?:\(|(?:is|was|would be|must be|should be)\s(?:the\s|my\s|our\s)?"
    r"(?:correct|right|best|final|answer|choice|option|solution|match|one)\b"
    r"|fits\b|best\s(?:fits|completes)\b|completes\sthe\s(?:pattern|puzzle|matrix|sequence|series|grid|analogy)\b"
    r"|is(?:\sinstead)?[ ]{0,4}(?:[.!]|\n|\Z))"
    rf"|(?<=\d)[ ]{{0,3}}(?:{_IS_RIGHT})"
    rf"|\s?{ASIDE}[ .]{{0,3}}(?:\n|\Z)"
    r"|\s*(?:\Z|[,;:!?)\]}>/&|\n<\u2013\u2014]|\.(?!\w)|-\s|[^\x00-\x7f]"
    r"|(?:because|since|as|and|or|for|due|given|with|based|but|not|rather|instead|here|und|et|oder|ou|soit|o|u|y|e|oppure|\u0438|\u0438\u043b\u0438|weil|denn|da|car|parce|puisque|porque|ya|pues|pois|perch\u00e9|poich\u00e9)\b)",
)
# "A is to A' as B is to what", "B -> B'", "A : A' :: B": the puzzle's own letters.
_RELATION_AFTER = late_regex(r"\s*(?:is to\b|to\b|->|\u2192|::|:\s?[A-Z]\b)")
_RELATION_BEFORE = late_regex(
    r"(?:\bto|\bas|->|\u2192|:|\b(?:object|figure|panel|row|column|point|plan|vitamin))\s*\Z", re.IGNORECASE
)
_RELATION_ENDS = frozenset("oOsS\u017f>\u2192:tTeElLwWnN")  # the last letters of these words
_NOUN_BEFORE = late_regex(
    r"(?:\b(?:option|choice|picture|image|answer|letter|candidate|transformation|opci\u00f3n)|\u9009\u9879)[\s:]*\Z",
    re.IGNORECASE,
)
# Nouns before an option that might otherwise be a word or a count: "option A shows", "choice 4 goes on".
_OPTION_NOUN_BEFORE = late_regex(r"\b(?:option|choice|candidate|picture|transformation)\s\Z", re.IGNORECASE)
_LINE_BEFORE = late_regex(r"(?:\A|\n)[\s#>\-\u2022]*\Z")
# Latin letters only: Chinese and Japanese set no space around a label.
_WORD = r"0-9A-Za-z\u00c0-\u024f"
_IDEOGRAPHS = "\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3"  # no space follows the full stop
_DELIMITERS = frozenset(".):")
_EMPHASIS = frozenset("*_`\"'\u201c\u201d\u2018\u2019$")


class Mention(msgspec.Struct, frozen=True, kw_only=True):
    """One place that looks like an option; `start` and `end` are offsets into the reply, `label` as offered or None."""

    written: str
    label: str | None
    start: int
    end: int
    bracketed: bool
    firm: bool
    begins_line: bool


class OptionLabels(msgspec.Struct, frozen=True, kw_only=True):
    """The labels of one question, compiled: `offered` maps the folded spelling to the label."""

    offered: Mapping[str, str]
    pattern: re.Pattern[str]
    bare_reply: re.Pattern[str]

    def mentions(self, text: str) -> list[Mention]:
        found = (self._mention(text, match) for match in last_places(self.pattern, text))
        return [mention for mention in found if mention is not None]

    def _mention(self, text: str, match: re.Match[str]) -> Mention | None:
        bracketed = match["bare"] is None
        written = match["bracketed"] if bracketed else match["bare"]
        start, folded = match.start(), written.upper()
        firm = bracketed or not _needs_firmness(written, self.offered) or bool(_FIRM.match(text, match.end()))
        if not firm and not written.islower():
            firm = (
                last_before(text, start).isspace()
                and _OPTION_NOUN_BEFORE.search(text, max(0, start - 16), start) is not None
            )
        if not firm and not written.isupper():
            return None
        return Mention(
            written=folded,
            label=self.offered.get(folded),
            start=start,
            end=match.end(),
            bracketed=bracketed,
            firm=firm,
            begins_line=_begins_line(text, start),
        )


def last_before(text: str, place: int) -> str:
    """Return the character before a place, "" at the begin of the text."""
    return text[max(0, place - 1) : place]


def _begins_line(text: str, start: int) -> bool:
    last = last_before(text, start)
    return (not last or last.isspace() or last in "#>-\u2022") and bool(
        _LINE_BEFORE.search(text, max(0, start - 12), start)
    )


def _needs_firmness(written: str, offered: Mapping[str, str]) -> bool:
    """Return whether this may also be a word or a count: "A", "I", a small letter, a number, a letter not on offer."""
    return written in ("A", "I") or not written.isupper() or written not in offered


@lru_cache(maxsize=256)
def option_labels(labels: tuple[str, ...]) -> OptionLabels:
    """Compile a question's labels once; ValueError when there are none or two are spelled alike."""
    offered = {label.upper(): label for label in labels}
    if not labels or len(offered) != len(labels) or "" in offered:
        raise ValueError(f"labels must be distinct, whatever their case, and not empty: got {labels!r}")
    token = _token(labels)
    pattern = (
        rf"[(\[]\s?(?P<bracketed>{token})\s?[)\]](?!')"
        rf"|(?<![{_WORD}'\-])(?<!(?<![{_IDEOGRAPHS}])\.)(?P<bare>{token})(?!['{_WORD}%\u00b0]|-[{_WORD}]|\.\d)"
    )
    options = "|".join(sorted(map(re.escape, labels), key=len, reverse=True))
    said = r"(?:(?:the\s)?(?:(?:correct|final|best)\s)?(?:answer|option|choice|ans\.)(?:\sis)?\s?:?\s)?"
    ends = r"[\s*`\"'$)}\].\u2705\u2713\u2714\ufe0f]{0,8}(?:</s>|<\|im_end\|>)?\s*"
    bare = rf"{said}[\s*`\"'$#({{\[]{{0,8}}({options}){ends}"
    return OptionLabels(offered=offered, pattern=late_regex(pattern), bare_reply=late_regex(bare, re.IGNORECASE))


def _token(labels: tuple[str, ...]) -> str:
    """Return the pattern of any label of the kind, so that "(E)" is found, and refused, where A to D are offered."""
    if all(len(label) == 1 and label.isascii() and label.isalpha() for label in labels):
        return "[A-Za-z]"
    if all(label.isascii() and label.isdigit() for label in labels):
        return r"\d{1,3}"
    return "(?i:" + "|".join(sorted(map(re.escape, labels), key=len, reverse=True)) + ")"


def is_puzzle_letter(text: str, mention: Mention) -> bool:
    """Return whether a bare mention is the A or B of "A is to A' as B is to what", and no option."""
    opens = max(0, mention.start - 12)
    may_relate = text[opens : mention.start].rstrip()[-1:] in _RELATION_ENDS
    before = may_relate and _RELATION_BEFORE.search(text, opens, mention.start)
    return bool(before or _RELATION_AFTER.match(text, mention.end))


def is_written_as_option(original: str, text: str, mention: Mention) -> bool:
    """Return whether it is set off as an option: (B), **B**, "B", option B, or B. at the start of a line.

    `original` is the text with its marks.
    """
    if mention.bracketed:
        return True
    last = last_before(text, mention.start)
    may_be_named = mention.firm and (last.isspace() or last in ":\u9879")
    if may_be_named and _NOUN_BEFORE.search(text, max(0, mention.start - 24), mention.start):
        return True
    if is_puzzle_letter(text, mention):
        return False
    before, after = last_before(original, mention.start), original[mention.end : mention.end + 1]
    if before in _EMPHASIS and after in _EMPHASIS:
        return True
    return mention.begins_line and mention.written.isalpha() and text[mention.end : mention.end + 1] in _DELIMITERS
