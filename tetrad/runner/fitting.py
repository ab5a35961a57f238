"""Make a reply fit for the service: characters that it can't keep are replaced, and what is too long is shortened."""

import re
from typing import NamedTuple

from tetrad.contracts.answers import LARGEST_REPLY
from tetrad.extraction.visible_text import visible_part

_UNFIT = re.compile("[\x00\ud800-\udfff]")  # no database keeps NUL, and halves of surrogate pairs are no UTF-8


class FittedReply(NamedTuple):
    """A reply as it can be sealed. is_altered: characters were replaced, or left out."""

    text: str
    is_altered: bool


def replace_unfit(reply: str) -> str:
    """Return the reply with U+FFFD for each character that the service can't keep."""
    return _UNFIT.sub("\ufffd", reply)


def fit_reply(reply: str) -> FittedReply:
    """Return a reply that the service takes, and that it reads as the whole one.

    Of one that is too long only the part stays that is read: thinking is left out, and then the beginning. A mark in
    tags of thinking stands for both. Thinking that never closed stays unclosed, so it is no answer.
    """
    text = replace_unfit(reply)
    if len(text.encode()) <= LARGEST_REPLY:
        return FittedReply(text, text != reply)
    visible = visible_part(text)
    if visible is None:
        return FittedReply(f"<think>{len(text)} characters left out", is_altered=True)
    mark = f"<think>{len(text) - len(visible)} characters left out</think>\n"
    end = visible.encode()[len(mark) - LARGEST_REPLY :]
    return FittedReply(mark + end.decode(errors="ignore"), is_altered=True)
