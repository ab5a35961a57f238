"""Find the part of a reply that counts, and blank out its markup.

Blanking keeps the length: a place in the plain text is the same place in the original, so the report can quote the
deciding words.
"""

import re
import unicodedata
from collections import deque
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice

from tetrad.extraction.answer_tags import blank_answer_tags, find_inside
from tetrad.extraction.thinking import drop_thinking
from tetrad.late_regex import late_regex

__all__ = [
    "LONGEST_READ",
    "MOST_PLACES",
    "count_words",
    "first_words",
    "last_places",
    "last_words",
    "plain_text",
    "visible_part",
]

# The model chooses the text, so these two bound the cost of extraction. Both keep the end, where replies conclude.
LONGEST_READ = 8192  # characters of what is visible; the longest of KiVA's 870 published replies has 1,578
MOST_PLACES = 128  # places that look like an option or a number
# A grammar's cost grows with the number of words, not with their length. Marks and line ends count as words.
_WORD = late_regex(r"\w+|[^\w\s]|\n")
_CUT = "\u2026"  # stands for the part left out, so that the text after it does not count as the reply's beginning

_DECORATION = late_regex(
    r"</?(?:b|i|u|s|p|em|br|strong|code|span|mark|big)\s?/?>"  # HTML, and the </s> of Llama's tokenizer
    r"|<\|(?:im_end|eot_id|endoftext|end|return|end_of_text)\|>|<end_of_turn>|<eos>"
    r"|\\(?:text(?:bf|it|rm|tt)?|math(?:bf|rm|it|sf)|bf|rm|left|right|displaystyle)(?![a-z])"
    r"|\\(?!boxed|fbox)",
    re.IGNORECASE,
)
_QUOTED = late_regex(r"'(?<![\w']')(\(?\w{1,12}\)?)'(?!\w)")


def _same_length_table() -> dict[int, str]:
    """Return characters with their plain forms: full-width forms, bold letters of mathematics, circled labels."""
    ranges = (range(0xFF01, 0xFF5F), range(0x1D400, 0x1D800), range(0x2460, 0x2469), range(0x24B6, 0x24EA))
    table = {point: unicodedata.normalize("NFKC", chr(point)) for points in ranges for point in points}
    table |= {ord(mark): "'" for mark in "\u2018\u2019\u2032\u00b4"}
    table |= {
        ord(mark): " " for mark in '*_`$~"{\u201c\u201d\u00ab\u00bb\u300c\u300d\u00a0\u200b\u200c\u200d\u2060\ufeff\t'
    }
    table[0x130] = "I"  # the one letter whose small form is two characters, which would shift every place after it
    table |= dict(zip(map(ord, "\u3010\u3011\u3014\u3015\u3002\u3001\r"), "[][].,\n", strict=True))
    return table


_PLAIN = _same_length_table()


@lru_cache(maxsize=8)  # one reply is asked for several times while it is read
def visible_part(reply: str) -> str | None:
    """Return the text after the thinking, stripped; None when the thinking never closes (cut off).

    Where the reply ends with tags named for the answer, only what they hold is returned.
    Of more than LONGEST_READ characters only the last are returned, after an ellipsis.
    """
    spoken = drop_thinking(reply)
    if spoken.is_open:
        return None
    visible = spoken.text
    if _may_hold_tags(visible):
        visible = visible[slice(*find_inside(visible))].strip().removeprefix(":").strip()
    return visible if len(visible) <= LONGEST_READ else _CUT + visible[1 - LONGEST_READ :]


def _may_hold_tags(text: str) -> bool:
    return "<" in text or "[" in text or "&lt;" in text or "\u25c1" in text


def last_places(pattern: re.Pattern[str], text: str) -> Sequence[re.Match[str]]:
    """Return the last MOST_PLACES matches, in order."""
    return deque(pattern.finditer(text), maxlen=MOST_PLACES)


def count_words(text: str) -> int:
    """Return the number of words of a text. Punctuation marks and line ends count as words."""
    return sum(1 for _ in _WORD.finditer(text))


def last_words(text: str, most: int) -> str:
    """Return the end of a text that has at most so many words."""
    if len(text) <= most:
        return text
    found = deque(_WORD.finditer(text), maxlen=most + 1)
    return text[found[1].start() :] if len(found) > most else text


def first_words(text: str, most: int) -> str:
    """Return the beginning of a text that has at most so many words."""
    if len(text) <= most:
        return text
    beyond = next(islice(_WORD.finditer(text), most, None), None)
    return text if beyond is None else text[: beyond.start()]


@lru_cache(maxsize=8)
def plain_text(visible: str) -> str:
    """Blank out Markdown, LaTeX and end-of-text marks, exactly as long as `visible`."""
    if _may_hold_tags(visible):
        visible = blank_answer_tags(visible)
    if "<" in visible or "\\" in visible:
        visible = _DECORATION.sub(lambda found: " " * len(found.group()), visible)
    plain = visible.translate(_PLAIN)
    return _QUOTED.sub(r" \1 ", plain) if "'" in plain else plain
