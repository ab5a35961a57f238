"""Find the option whose own text a reply quotes as its answer.

Extraction asks here only where a reply states no label. The text counts as the whole reply, in a box, or after "the
answer is" up to the end of its paragraph. A text inside a sentence is no answer: models describe pictures in the words
of options.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from tetrad.extraction.spoken_statements import is_conditional
from tetrad.extraction.statements import is_hedged, is_taken_back
from tetrad.extraction.visible_text import last_places, plain_text
from tetrad.late_regex import late_regex

__all__ = ["quoted_option"]

_LONGEST_TEXT = 400  # characters; an option with a longer text has to be named by its label
# Plain text holds no braces that open, no quotation marks and no emphasis.
_STATED = late_regex(
    r"(?:\b(?:answer|solution)|\b(?:correct|right|best|final)\s(?:option|choice))(?:\sto\s(?:the|this)\squestion)?"
    r"\s{0,4}(?:\b(?:is|would\sbe|must\sbe|should\sbe)\b\s{0,4}:?|:)"
    r"|(?P<box>\\f?box(?:ed)?\b|<\|begin_of_box\|>|<(?:final[\s_-]?)?(?:answer|ans|choice|option)>)"
)
# After a quotation that another option joins: "\\boxed{a table} or B".
_JOINED_AFTER = late_regex(
    r"[\s}$)\],;]{0,8}(?:\b(?:or|oder|ou)\b|[/&]|\band\s(?:\\f?box|[(\[]?[a-z0-9][)\]]?(?!\w))|\\f?box|<\|begin_of_box)"
)
_BOX_ENDS = late_regex(r"\}|<|\n|\Z")
_PARAGRAPH_ENDS = late_regex(r"\n[ ]{0,8}\n|\Z")
_AROUND = " \n.,!:;}]|"


def quoted_option(visible: str, texts: Sequence[tuple[str, str]]) -> tuple[str, int, int] | None:
    """Return the label of the option whose text the reply quotes as its answer, and the place of the quotation.

    None if no text is quoted so, if several options have the text, or if the reply quotes several or takes
    the last back.

    Args:
        visible: the part of a reply that counts.
        texts: the options' labels and texts.
    """
    labels = _labels_by_text(tuple(texts))
    plain = plain_text(visible).lower()
    if len(plain) <= _LONGEST_TEXT and (label := labels.get(_fold(plain))):
        return label, 0, len(plain)
    found = [one for match in last_places(_STATED, plain) if (one := _find_option(plain, match, labels)) is not None]
    if len({label for label, _, _ in found}) != 1 or any(_JOINED_AFTER.match(plain, end) for _, _, end in found):
        return None
    if is_taken_back(plain, found[-1][2]):
        return None
    return found[-1]


def _find_option(plain: str, stated: re.Match[str], labels: dict[str, str | None]) -> tuple[str, int, int] | None:
    """Return the label, the begin and the end of the text that is stated here, if it is the text of one option."""
    begins = stated.end()
    while begins < len(plain) and plain[begins] in " \n:" and begins - stated.end() < _LONGEST_TEXT:
        begins += 1
    ends = _BOX_ENDS if stated["box"] else _PARAGRAPH_ENDS
    end = ends.search(plain, begins, begins + _LONGEST_TEXT)
    if end is None or (end.end() == begins + _LONGEST_TEXT and end.end() < len(plain)):
        return None
    label = labels.get(_fold(plain[begins : end.start()]))
    if label is None or is_hedged(plain, stated.start()) or is_conditional(plain, stated.start(), end.start()):
        return None
    return label, stated.start(), end.start()


@lru_cache(maxsize=1024)
def _labels_by_text(texts: tuple[tuple[str, str], ...]) -> dict[str, str | None]:
    """Return the label of each text; None where several options have it."""
    labels: dict[str, str | None] = {}
    for label, text in texts:
        folded = _fold(plain_text(text).lower())
        labels[folded] = None if folded in labels else label
    labels.pop("", None)
    return labels


def _fold(plain: str) -> str:
    """Return a text without case, final punctuation and line breaks."""
    return " ".join(plain.strip(_AROUND).split())
