"""Find the options that a reply lists one after the other, and the verdict that it gives on each.

"(A) flips, (B) grows" describes options and chooses none. "A: no, B: yes, C: no" chooses B: one option is right and
the others are wrong. Numbers, such as probabilities, are no verdicts.
"""

import re
from collections.abc import Sequence

from tetrad.extraction.languages import LANGUAGES
from tetrad.extraction.mentions import Mention
from tetrad.late_regex import late_regex

__all__ = ["are_listed", "find_chosen", "opens_list"]

_FEWEST = 2
# What may stand before an item: the begin of a line, or a mark. In "(1) grows (2) shrinks" nothing does.
_MARK_BEFORE = late_regex(
    r"(?:\A|[\n,;.!|/\u2713\u2714\u2705\u2717\u2718\u274c\ufe0f]|(?P<heading>:))[\s#>*\-\u2022{|]{0,8}(?:\d{1,2}[.)]\s)?(?:(?:and|but|while|whereas|option|choice|picture|image|pair)\s{1,3}){0,3}\Z"
)
# Words that an option belongs to, so that it begins no item: "(A) is like (B)".
_BOUND_BEFORE = late_regex(
    r"\b(?:in|of|on|to|than|as|like|unlike|with|and|or|from|by|for|at|not|neither|nor|both|only|is|are|was|be|if|that"
    r"|the|since|because|while|between|over|see|option|options|choice|choices|picture|pictures|image|images|pair|pairs"
    r"|object|objects|transformations?|answers?)\s{1,3}\Z"
)
_CONTRASTED_AFTER = late_regex(r"[)\]]?\s{1,3}(?:and|or|&)\s")
_VERB_AFTER = late_regex(r"[)\]]?\s\w{2,16}s\b")
_JOINED_BEFORE = late_regex(r"[^\s,]\s(?:and|but|while|whereas)\s{1,3}\Z")
_REASON_AFTER = late_regex(r"[)\]]?,?\s(?:because|since|as|due|given|for)\b")
_BEGINS = r"[\s:=)\]|\-\u2013\u2014>\"]{0,8}(?:(?:it|this|that)\s)?(?:(?:is|was|'s)\s)?"
_SYMBOLS = "\\u2713\\u2714\\u2705\\u2611\\u2717\\u2718\\u2715\\u2716\\u274c\\u274e\\ufe0f"
_ENDS = (
    r"(?=[\s\"]{0,4}(?:\Z|[,;.!:(\n|/}\]\-\u2013\u2014]|because\b|since\b|as\b|(?:and\s)?[(\[]?\w[)\]](?!\w)|and\s\w\b)"
    rf"|(?<=[{_SYMBOLS}])(?=\s))"
)
_ANY_YES = (
    r"yes|true|ok(?:ay)?|\u2713|\u2714\ufe0f?|\u2705|\u2611\ufe0f?"
    r"|ja|oui|s[\u00ed\u00ec]|sim|\u0434\u0430|\u662f\u7684?|\u306f\u3044|\uc608|\ub124"
)
_ANY_NO = (
    r"no|false|x|\u2717|\u2718|\u2715|\u2716\ufe0f?|\u274c|\u274e|\u00d7"
    r"|nein|non|n\u00e3o|\u043d\u0435\u0442|\u4e0d\u662f|\u5426|\u3044\u3044\u3048|\uc544\ub2c8[\uc694\uc624]"
)
_RIGHT = (
    r"correct|right|valid|(?:a|the)\smatch|match(?:es)?|fits?|works?|(?:the\s)?(?:correct|right)\s(?:answer|one|option)"
    r"|richtig|vrai|juste|correct[oae]|correto|verdader[oa]|verdadeiro|certo|giusto|corretto|vero"
    r"|\u0432\u0435\u0440\u043d\u043e|\u043f\u0440\u0430\u0432\u0438\u043b\u044c\u043d\u043e|[\u5bf9\u5c0d]|\u6b63[\u786e\u78ba]|\u6b63\u3057\u3044|\ub9de\uc74c"
)
_WRONG = (
    r"incorrect|wrong|invalid|not\s(?:correct|right|valid|a\smatch|the\s(?:answer|same))|no\smatch|mismatch"
    r"|(?:doesn't|does\snot|don't|do\snot)\s(?:match|fit|work)|ruled\sout|eliminated"
    r"|falsch|faux|incorrect[oae]|incorreto|fals[oa]|errado|sbagliato|scorretto"
    r"|\u043d\u0435\u0432\u0435\u0440\u043d\u043e|\u043d\u0435\u043f\u0440\u0430\u0432\u0438\u043b\u044c\u043d\u043e|[\u9519\u932f](?:\u8bef)?|\u4e0d\u6b63\u786e|\u9593\u9055\u3044|\ud2c0\ub9bc"
)
_VERDICT = late_regex(
    rf"{_BEGINS}(?:(?P<yes>{_ANY_YES})|(?P<no>{_ANY_NO})|(?P<right>{_RIGHT})|(?P<wrong>{_WRONG})){_ENDS}"
)
# A heading before verdicts that asks for the answer. "Is it mirrored? A: yes, B: no" asks for something else.
_HEADING = late_regex(
    r"\b(?:answer|correct|right|match\w*|same|fits?|best|completes?|completing|analog\w+)\b[^.!?]{0,80}:?\s{0,8}\Z"
)
# After verdicts, words that leave none of them standing: "Actually, both fit".
_TAKEN_BACK_AFTER = late_regex(
    rf"\b(?:{LANGUAGES['en'].takes_back}|both|either|neither|none|all|actually|however|unsure|not\ssure|but)\b"
)
_LONGEST_HEADING = 120
_LONGEST_VERDICT = 60  # characters


def opens_list(plain: str, mentions: Sequence[Mention]) -> bool:
    """Return whether the first option of a reply is the first of a list: the next one follows it in the same form."""
    is_reasoned = not mentions or _REASON_AFTER.match(plain, mentions[0].end) is not None
    return not is_reasoned and len(_items(plain, mentions, 0)) >= _FEWEST


def are_listed(plain: str, mentions: Sequence[Mention]) -> bool:
    """Return whether a reply lists options, each with the same mark after it: "A: yes", then "B: no"."""
    first = next((at for at, mention in enumerate(mentions) if _begins_item(plain, mention)), None)
    items = [] if first is None else _items(plain, mentions, first)
    return len(items) >= _FEWEST and len({plain[item.end : item.end + 1] for item in items}) == 1


def find_chosen(plain: str, mentions: Sequence[Mention]) -> Mention | None:
    """Return the one option of a list that a verdict calls right, if a verdict calls each other one wrong.

    plain: the reply's plain text in lower case. mentions: the options that it names, of those on offer.
    """
    first = next((at for at, mention in enumerate(mentions) if _begins_item(plain, mention)), None)
    if first is None:
        return None
    items = _items(plain, mentions, first)
    verdicts = [_VERDICT.match(plain, item.end, item.end + _LONGEST_VERDICT) for item in items]
    found = [verdict for verdict in verdicts if verdict is not None]
    right = [item for item, verdict in zip(items, found, strict=False) if verdict["yes"] or verdict["right"]]
    if len(items) < _FEWEST or len(found) < len(items) or len(right) != 1:
        return None
    is_named_outside = any(
        mention.written != right[0].written
        for mention in mentions
        if mention.start < items[0].start or mention.start > items[-1].start
    )
    if _TAKEN_BACK_AFTER.search(plain, items[-1].end):
        return None
    return None if is_named_outside or not _is_asked_for(plain, items[0], found) else right[0]


def _is_asked_for(plain: str, first: Mention, verdicts: Sequence[re.Match[str]]) -> bool:
    heading = plain[: first.start].strip(" \n#>*-({[|")
    if not heading or all(verdict["right"] or verdict["wrong"] for verdict in verdicts):
        return True
    return len(heading) <= _LONGEST_HEADING and _HEADING.search(plain, 0, first.start) is not None


def _items(plain: str, mentions: Sequence[Mention], first: int) -> list[Mention]:
    """Return the options from one on that each begin an item: in order, in the same brackets, or each in a line."""
    items = [mentions[first]]
    for mention in mentions[first + 1 :]:
        last = items[-1]
        if mention.written == last.written and not _begins_item(plain, mention):
            continue  # named again in its own item
        is_next = mention.bracketed == last.bracketed and mention.written > last.written
        if not is_next or not _begins_item(plain, mention, is_after=bool(plain[last.end : mention.start].strip(" ,;"))):
            break
        items.append(mention)
    return items


def _begins_item(plain: str, mention: Mention, *, is_after: bool = False) -> bool:
    """Return whether an option begins an item of a list; is_after: an item before it has words of its own."""
    opens = max(0, mention.start - 40)
    if _CONTRASTED_AFTER.match(plain, mention.end):
        return False
    marked = _MARK_BEFORE.search(plain, opens, mention.start)
    if marked is not None and not (is_after and marked["heading"]):
        return True
    if not is_after or not (mention.bracketed or plain.startswith(")", mention.end)):
        return False
    if _JOINED_BEFORE.search(plain, opens, mention.start):
        return _VERB_AFTER.match(plain, mention.end) is not None
    return not _BOUND_BEFORE.search(plain, opens, mention.start)
