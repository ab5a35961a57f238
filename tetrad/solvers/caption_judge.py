"""A stand-in for a model that judges captions: it reads both by rules, and may be made to err at a known rate.

It shows what agreement and kappa of a judge look like where the truth is known.
"""

import re
from collections.abc import Sequence

import msgspec

from tetrad.contracts.inference import Message
from tetrad.contracts.items import StateCaption
from tetrad.extraction.captions.caption import extract_caption, extract_state
from tetrad.solvers.carv import VALUES, words_of
from tetrad.streams import Stream

_ASKED = re.compile(r"<<(.*?)>>.*?<<(.*)>>", re.DOTALL)
NOTHING_ASKED = "I see no facts and description, each between << and >>."


class CaptionJudge:
    """Calls a description right if it states all that the facts state; the wrong way round in some percent of cases."""

    def __init__(self, seed: int = 0, *, error_percent: int = 0) -> None:
        """Take the seed that picks which cases it errs in."""
        self._seed = seed
        self._error_percent = error_percent

    def reply(self, messages: Sequence[Message]) -> str:
        words = words_of(messages)
        asked = _ASKED.search(words)
        if asked is None:
            return NOTHING_ASKED
        facts, description = asked.groups()
        stated = extract_caption(description, StateCaption(properties=dict(VALUES))).answer
        right = stated == extract_state(facts, VALUES)
        correct = right != self._errs(words)
        why = "All five points agree." if correct else "One of the five points differs."
        return msgspec.json.encode({"correct": correct, "why": why}).decode()

    def _errs(self, words: str) -> bool:
        return Stream("tetrad.solvers/caption-judge", 1, self._seed, words).below(100) < self._error_percent
