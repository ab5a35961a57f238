"""Baselines, which give other scores a point of comparison."""

import re
from collections.abc import Sequence

import msgspec

from tetrad.contracts.inference import Message
from tetrad.late_regex import late_regex
from tetrad.solvers.carv import asks_for_caption, first_caption, random_caption
from tetrad.solvers.seen_question import SeenOption, recover_question
from tetrad.streams import Stream

NOTHING_OFFERED = "I see no options to choose from: none of the lines starts with a label in brackets, like (A)."
LARGEST_GUESS = 20  # of a number asked for
# Options with these words are taken last, because most trials show a change that an option names.
_WAY_OUT = late_regex(
    r"\b(no change|nothing|unchanged|same|none|neither|doesn't|does not|not apply|n/a)\b", re.IGNORECASE
)


class RandomSolver:
    """Chooses uniformly among the options, by a stream keyed with the seed and the whole request, pictures too.

    If a caption is wanted, it describes one of all states.
    """

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def reply(self, messages: Sequence[Message]) -> str:
        question = recover_question(messages)
        if not question.options and not question.asks_number:
            return random_caption(messages, self._seed) if asks_for_caption(messages) else NOTHING_OFFERED
        stream = Stream("tetrad.solvers/random", 1, self._seed, msgspec.json.encode(messages))
        if question.asks_number:
            return str(1 + stream.below(LARGEST_GUESS))
        return f"({stream.choice(question.options).label})"


class ConstantSolver:
    """Always chooses the option of one place, the last where there are fewer; of numbers, four; always one caption."""

    def __init__(self, place: int = 1) -> None:
        self._place = place

    def reply(self, messages: Sequence[Message]) -> str:
        question = recover_question(messages)
        if question.asks_number:
            return "4"
        if options := question.options:
            return f"({options[min(self._place, len(options)) - 1].label})"
        return first_caption() if asks_for_caption(messages) else NOTHING_OFFERED


class TextOnlySolver:
    """Sees no picture: prefers options that name a change over "none" and the like, then the first in the alphabet.

    The alphabet makes it a fixed preference over words, whatever their place. Among options without words (pictures) it
    takes the first.
    """

    def reply(self, messages: Sequence[Message]) -> str:
        options = recover_question(messages).options
        return f"({min(options, key=_preference).label})" if options else NOTHING_OFFERED


def _preference(option: SeenOption) -> tuple[bool, str]:
    words = "" if option.picture is not None else option.text.casefold()
    return bool(_WAY_OUT.search(words)), words
