"""Find what a reply puts into tags named for the answer: `<CONCLUSION>B</CONCLUSION>`, `[ANSWER] B`.

It stands alone because two steps need it: what is inside counts as the whole reply where nothing is said after it, and
elsewhere each such tag states what follows it.
"""

import re

from tetrad.extraction.anchored import Anchored
from tetrad.late_regex import late_regex

__all__ = ["ANSWER_TAG_NAMES", "blank_answer_tags", "find_inside"]

ANSWER_TAG_NAMES = (
    "(?:final[ _-]?)?(?:answer|ans|choice|option|response|output|result|solution|conclusion|decision|verdict|caption)",
    "box",
    "(?:predict(?:ion|ed)|selection|label|letter|reply|final)(?:[ _-]?(?:answer|option|choice|label))?",
)
"""The names of tags whose content is the answer, in lower case."""

_NAMES = "|".join(name for name in ANSWER_TAG_NAMES if name != "box")
# It begins with a set of characters: to these the search skips.
_TAG = Anchored(
    rf"[<&\[\u25c1](?:(?:(?<!&)|(?<=&)lt;)\s?(?P<closes>/\s?)?(?=[a-z])(?:[a-z]\w{{0,15}}:)?(?P<name>{_NAMES})"
    r"(?:\s[^<>\[\]]{0,80})?\s?(?:>|&gt;|\]|\u25b7)"
    rf"|(?<=<)\|(?:(?P<ends>/|end_(?:of_)?)|(?:begin|start)_(?:of_)?)?(?P<token>{_NAMES})"
    r"(?:_(?:start|begin|(?P<stops>end|stop)))?\|>)",
    *(
        "ans",
        "choice",
        "option",
        "resp",
        "output",
        "result",
        "solution",
        "conclusion",
        "decision",
        "verdict",
        "caption",
    ),
    *("predict", "selection", "label", "letter", "reply", "final"),
    ignores_case=True,
)
_WORD = late_regex(r"\w")
_DEEPEST = 4  # tags of answers inside each other
_LONGEST_JOIN = 24  # characters between two answers that stand side by side
_JOIN = late_regex(r"[\s,;/&+|]{0,12}(?:\b(?:and|or|und|oder|et|ou)\b)?[\s,]{0,8}")
_BEFORE_OPEN = late_regex(r"(?:\A|[\n.!?:;>*\]])\s{0,8}\Z")
_STATES = "<ans>"  # the shortest opening tag that statements know


def find_inside(text: str) -> tuple[int, int]:
    """Return the begin and the end of what the text's last answer tags hold; all of the text where it has none.

    Words after the tags make them one statement among others. Of different answers side by side none counts: then only
    what joins them is returned.
    """
    begins, ends = 0, len(text)
    for _ in range(_DEEPEST):
        tags = list(_TAG.finditer(text, begins, ends))
        if not tags:
            break
        inner = _between_two(text, tags, ends) or _last_pair(text, tags, ends)
        if inner is None or not _WORD.search(text, *inner):
            break
        begins, ends = inner
    return begins, ends


def _last_pair(text: str, tags: list[re.Match[str]], ends: int) -> tuple[int, int] | None:
    """Return the place inside the last tags, if nothing is said after them."""
    last = tags[-1]
    if not _closes(last):  # a server that stops at the closing tag leaves it out
        opens_line = _BEFORE_OPEN.search(text, max(0, last.start() - 12), last.start())
        return (last.end(), ends) if opens_line else None
    if _WORD.search(text, last.end(), ends):
        return None
    depth = 0
    for tag in reversed(tags):
        if _name(tag) == _name(last):
            depth += 1 if _closes(tag) else -1
            if depth == 0:
                return tag.end(), last.start()
    return None


def _between_two(text: str, tags: list[re.Match[str]], ends: int) -> tuple[int, int] | None:
    """Return the place between the last two answers, if they differ: `<answer>A</answer> or <answer>B</answer>`."""
    at = len(tags) - (2 if _closes(tags[-1]) else 1)
    if at < 2 or _closes(tags[at]) or not _closes(tags[at - 1]):  # noqa: PLR2004 - the other's two tags
        return None
    other, opens = tags[at - 1], tags[at]
    if opens.start() - other.end() > _LONGEST_JOIN or not _JOIN.fullmatch(text, other.end(), opens.start()):
        return None
    said = text[opens.end() : tags[-1].start() if at + 1 < len(tags) else ends].strip()
    return None if text[tags[at - 2].end() : other.start()].strip() == said else (other.start(), opens.end())


def _closes(tag: re.Match[str]) -> bool:
    return bool(tag["closes"] or tag["ends"] or tag["stops"])


def _name(tag: re.Match[str]) -> str:
    return (tag["name"] or tag["token"]).lower()


def blank_answer_tags(text: str) -> str:
    """Return the text, as long as it was, with one name for all tags that open an answer, and without closing tags."""
    return _TAG.sub(lambda tag: "\n".ljust(len(tag[0])) if _closes(tag) else _STATES.rjust(len(tag[0])), text)
