"""Stand in for a model that judges captions. It compares by rules, and can be made to err at a known rate.

It shows the agreement and the kappa of a judge whose errors are known.
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
    """Calls a description right if it states all the facts; in some percent of cases it says the opposite."""

    def __init__(self, seed: int = 0, *, error_percent: int = 0) -> None:
        """Take the seed that picks the cases in which it errs."""
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
