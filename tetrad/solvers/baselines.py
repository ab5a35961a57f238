"""Baselines: what a score is worth is told by what these get."""

import re
from collections.abc import Sequence

import msgspec

from tetrad.contracts.inference import Message
from tetrad.solvers.caption_states import asks_for_caption, first_caption, random_caption
from tetrad.solvers.reading import SeenOption, read_question
from tetrad.streams import Stream

NOTHING_OFFERED = "I see no options to choose from: none of the lines starts with a label in brackets, like (A)."
# The way out: options of these words are taken last, because most trials do show a change that an option names.
_WAY_OUT = re.compile(
    r"\b(no change|nothing|unchanged|same|none|neither|doesn't|does not|not apply|n/a)\b", re.IGNORECASE
)


class RandomSolver:
    """Chooses uniformly among the options, by a stream keyed with the seed and the whole request, pictures too.

    Where a caption is wanted it writes one of all states.
    """

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def reply(self, messages: Sequence[Message]) -> str:
        options = read_question(messages).options
        if not options:
            return random_caption(messages, self._seed) if asks_for_caption(messages) else NOTHING_OFFERED
        stream = Stream("tetrad.solvers/random", 1, self._seed, msgspec.json.encode(messages))
        return f"({stream.choice(options).label})"


class ConstantSolver:
    """Always chooses the first option; where a caption is wanted, always writes the same."""

    def reply(self, messages: Sequence[Message]) -> str:
        options = read_question(messages).options
        if not options:
            return first_caption() if asks_for_caption(messages) else NOTHING_OFFERED
        return f"({options[0].label})"


class TextOnlySolver:
    """Sees no picture: prefers options that name a change over ways out, then the first by the alphabet.

    The alphabet makes it a fixed preference over words, whatever their place. Options without words of their own
    (pictures) are all alike to it: it takes the first.
    """

    def reply(self, messages: Sequence[Message]) -> str:
        options = read_question(messages).options
        return f"({min(options, key=_preference).label})" if options else NOTHING_OFFERED


def _preference(option: SeenOption) -> tuple[bool, str]:
    words = "" if option.picture is not None else option.text.casefold()
    return bool(_WAY_OUT.search(words)), words
