"""Answers, receipts and verdicts."""

from typing import Annotated, TypeAlias

import msgspec

from tetrad.contracts.inference import StopKind
from tetrad.contracts.items import Question
from tetrad.contracts.wire import Facets, Request, Wire

Reply: TypeAlias = Annotated[str, msgspec.Meta(max_length=32 * 1024)]

BROKEN_STOPS: frozenset[StopKind] = frozenset({"refused", "blocked", "cut"})
"""Ends of a reply that is not an answer, even if it names an option: it counts as wrong, and its question counts."""


class Answer(Request, frozen=True, kw_only=True):
    """One answer to an open question of a submission: the option, or the model's whole text, not both.

    `stop`: the reason why the text ended, if the model told it. A refused, blocked or cut reply counts as wrong.
    """

    item: Annotated[int, msgspec.Meta(ge=0)]
    question: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
    answer: Annotated[str, msgspec.Meta(min_length=1, max_length=64)] | None = None
    response: Reply | None = None
    stop: StopKind | None = None


class AnswerBatch(Request, frozen=True, kw_only=True):
    answers: list[Answer]


class SealReceipt(Wire, frozen=True, kw_only=True):
    """The effect of an upload. It never depends on an answer key."""

    accepted: int
    unchanged: int
    dry_run: bool
    state: str
    answered: int


class PracticeAnswer(Request, frozen=True, kw_only=True):
    question: str
    answer: Annotated[str, msgspec.Meta(min_length=1, max_length=64)] | None = None
    response: Reply | None = None

    @property
    def readable(self) -> str | None:
        """Return the text to extract an answer from."""
        return self.response


class PracticeAnswers(Request, frozen=True, kw_only=True):
    answers: list[PracticeAnswer]


class Verdict(Wire, frozen=True, kw_only=True):
    """verdict: correct, incorrect, unread (a reply without an answer that we can extract) or missing (no reply).

    `answer`: the extracted answer; a diagnosis is JSON text.
    `outcome`: further facts about the answer, by name, such as the properties that a caption got wrong.
    """

    question: str
    verdict: str
    answer: str | None
    reason: str
    key: str
    outcome: Facets = {}


class PracticeFeedback(Wire, frozen=True, kw_only=True):
    verdicts: list[Verdict]
    open: list[Question]


class SealedAnswer(Wire, frozen=True, kw_only=True):
    """An answer that can no longer change."""

    item: int
    question: str
    answer: str | None = None
    response: str | None = None
    stop: StopKind | None = None

    @property
    def readable(self) -> str | None:
        """Return the text to extract an answer from; None if the reply was refused, blocked or cut."""
        return "" if self.response is not None and self.stop in BROKEN_STOPS else self.response
