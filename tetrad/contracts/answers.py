"""Answers, receipts and verdicts."""

from typing import Annotated, TypeAlias

import msgspec

from tetrad.contracts.inference import StopKind
from tetrad.contracts.items import Question
from tetrad.contracts.wire import Facets, Request, Wire

LARGEST_REPLY = 32 * 1024
"""Bytes of a reply in UTF-8, at most."""

Reply: TypeAlias = Annotated[str, msgspec.Meta(max_length=LARGEST_REPLY)]

BROKEN_STOPS: frozenset[StopKind] = frozenset({"refused", "blocked", "cut"})
"""Ends of a reply that is not an answer, even if it names an option: it counts as wrong, and its question counts."""

INCOMPLETE_STOPS: frozenset[StopKind] = frozenset({"length", "length-before-text", "blocked", "cut", "unknown"})
"""Ends of a reply after which more was to come, or may have been: what it says may not be the model's last word."""


def is_read_incomplete(verdict: str, stop: StopKind | None) -> bool:
    """Tell whether an answer was read in a reply that is not complete. Those without an answer count as unread."""
    return verdict in {"correct", "incorrect"} and stop in INCOMPLETE_STOPS


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
    """An answer to a question of a practice item, with `stop` as in a submission."""

    question: str
    answer: Annotated[str, msgspec.Meta(min_length=1, max_length=64)] | None = None
    response: Reply | None = None
    stop: StopKind | None = None


PracticeAnswerList: TypeAlias = Annotated[list[PracticeAnswer], msgspec.Meta(max_length=100)]


class PracticeAnswers(Request, frozen=True, kw_only=True):
    """Answers to the questions of one practice item, up to 100. One question may have several.

    Of several answers to one question the last decides which questions are open next.
    """

    answers: PracticeAnswerList


class Verdict(Wire, frozen=True, kw_only=True):
    """verdict: correct, incorrect, unread (a reply without an answer that we can extract) or missing (no reply).

    `answer`: the extracted answer; a diagnosis is JSON text.
    `outcome`: further facts about the answer, by name, such as the properties that a caption got wrong.
    `begins_inside_thinking`: the reply closes thinking that it never opened; what stands before was not read.
    """

    question: str
    verdict: str
    answer: str | None
    reason: str
    key: str
    outcome: Facets = {}
    begins_inside_thinking: bool = False


class PracticeFeedback(Wire, frozen=True, kw_only=True):
    """A verdict on each answer, in the order of the answers, and the questions that are open after them."""

    verdicts: list[Verdict]
    open: list[Question]


class SealedAnswer(Wire, frozen=True, kw_only=True):
    """An answer that can no longer change."""

    item: int
    question: str
    answer: str | None = None
    response: str | None = None
    stop: StopKind | None = None
