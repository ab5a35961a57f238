"""List the strategies by name. A change of a strategy's messages needs a new version: scores carry name and version."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tetrad.contracts.inference import Message
from tetrad.contracts.items import Question
from tetrad.contracts.submissions import EarlierTurn
from tetrad.prompting.conversation import GivenPictures, messages
from tetrad.prompting.steps import Steps
from tetrad.prompting.wording import Wording

OVERRIDDEN = 0  # the version of steps that an operator wrote


class UnknownStrategyError(Exception):
    """No strategy has this name; the message lists the known ones."""


@dataclass(frozen=True, kw_only=True)
class Strategy:
    """A strategy. `version` is 0 if an operator's wording defines the steps.

    `in_own_words`: the steps for questions without options, if `steps` ask for an answer that only options allow. It
    has as many requests.
    """

    name: str
    version: int
    steps: Steps
    in_own_words: Steps | None = None

    def messages(
        self,
        question: Question,
        pictures: GivenPictures,
        wording: Wording,
        replies: Sequence[str] = (),
        earlier: Sequence[EarlierTurn] = (),
    ) -> list[Message]:
        """Write the next request: (question, pictures by name, wording, replies so far) -> its messages.

        After `steps.requests` replies, the last of them is the answer. For each `earlier` turn of the conversation, the
        messages hold the question, as this strategy asks it, and the final reply. Requests in between are left out.
        A picture is given as PNG bytes, or as its address.

        Raises:
            MissingPictureError: `pictures` lacks one that the question shows.
            MissingExamplesError: the strategy needs solved examples, and the question has none.
        """
        before = [(self._steps_for(turn.question), turn) for turn in earlier]
        return messages(self._steps_for(question), question, pictures, wording, replies, before)

    def _steps_for(self, question: Question) -> Steps:
        return self.steps if question.options or self.in_own_words is None else self.in_own_words


_REFLECT = (
    "Look at the pictures once more and check your answer against them. Is there a detail that speaks against it? "
    "Begin your reply with your answer, changed or not, in parentheses."
)
_REFLECT_IN_OWN_WORDS = (
    "Go over the question once more and check your answer against what is shown. Is there a detail that speaks against "
    "it? Then give your answer once more, changed or not, in the form that was asked for."
)
_INSTRUCTIONS = (
    "Do not answer yet. First write short instructions, step by step, by which anyone could settle this question from "
    "such pictures: what to compare, and how to tell the possible changes apart."
)
_CODE = (
    "Do not answer yet. First describe what you see as code: for each pair of pictures, write a few lines of Python "
    "with Pillow that turn the left picture into the right one."
)
_CODE_IN_OWN_WORDS = (
    "Do not answer yet. First describe what is shown as code: for each pair of pictures, write a few lines of Python "
    "that turn the first picture's description into the second's."
)
_SYMBOLS = (
    "Do not answer yet. First write what is shown as symbols, one fact a line: property(picture, value) for every "
    "picture and property, then the changes between pictures as sets of (property, old, new), and what is asked as "
    "operations on these sets."
)
_BUILT_IN: Mapping[str, Steps] = {
    "direct": Steps(),
    "step-by-step": Steps(
        closing="Go through what you see step by step before you decide. End with your answer in parentheses."
    ),
    "reflect": Steps(after=(_REFLECT,) * 2),
    "reflect-3": Steps(after=(_REFLECT,) * 3),
    "instructions-first": Steps(before=(_INSTRUCTIONS,), closing="Follow your own instructions to the answer."),
    "code-first": Steps(
        before=(_CODE,), closing="Decide by your code: the same change is made by the same lines. End with your answer."
    ),
    # After Pan et al. 2023 (Logic-LM), as in CARV's table 5.
    "neuro-symbolic": Steps(before=(_SYMBOLS,), closing="Work the answer out from your symbols alone. End with it."),
    "in-context": Steps(examples=True),
}
_IN_OWN_WORDS: Mapping[str, Steps] = {
    "step-by-step": Steps(
        closing="Go through it step by step before you decide. End with your answer in the form asked for."
    ),
    "reflect": Steps(after=(_REFLECT_IN_OWN_WORDS,) * 2),
    "reflect-3": Steps(after=(_REFLECT_IN_OWN_WORDS,) * 3),
    "instructions-first": Steps(
        before=(_INSTRUCTIONS,), closing="Follow your own instructions to the answer, in the form asked for."
    ),
    "code-first": Steps(
        before=(_CODE_IN_OWN_WORDS,),
        closing="Decide by your code: the same change is made by the same lines. End with your answer in the form "
        "asked for.",
    ),
    "neuro-symbolic": Steps(
        before=(_SYMBOLS,),
        closing="Work the answer out from your symbols alone. End with it, in the form asked for.",
    ),
}
_SECOND_VERSIONS = frozenset({"neuro-symbolic"})
STRATEGIES: Mapping[str, Strategy] = {
    name: Strategy(
        name=name, version=2 if name in _SECOND_VERSIONS else 3, steps=steps, in_own_words=_IN_OWN_WORDS.get(name)
    )
    for name, steps in _BUILT_IN.items()
}


def find_strategy(name: str, wording: Wording | None = None) -> Strategy:
    """Return the strategy of this name: the wording's own if it has one, else ours.

    Raises:
        UnknownStrategyError: there is none.
    """
    own = wording.strategies if wording is not None else {}
    if name in own:
        return Strategy(name=name, version=OVERRIDDEN, steps=own[name])
    if name not in STRATEGIES:
        known = ", ".join(sorted({*STRATEGIES, *own}))
        raise UnknownStrategyError(f"strategy {name!r} is unknown; choose one of {known}")
    return STRATEGIES[name]
