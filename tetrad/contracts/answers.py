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
    """One answer to an open question of a submission: the option, or the model's whole text, not both."""

    item: Annotated[int, msgspec.Meta(ge=0)]
    """Index of the item in the draw, from 0."""
    question: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
    """Id of the question, as it was shown, such as "which" or "which-2"."""
    answer: Annotated[str, msgspec.Meta(min_length=1, max_length=64)] | None = None
    """The option's label, or the number, caption or diagnosis itself; null if `response` is given."""
    response: Reply | None = None
    """The model's whole reply, from which the service extracts the answer: up to 32 KiB in UTF-8; null if `answer` is
    given.
    """
    stop: StopKind | None = None
    """Why the reply ended, if the model told it. A refused, blocked or cut reply counts as wrong."""


class AnswerBatch(Request, frozen=True, kw_only=True):
    """Answers to seal, to questions that are open. They are sealed together or not at all."""

    answers: list[Answer]
    """The answers. Each question is answered once; the same answer again changes nothing."""


class SealReceipt(Wire, frozen=True, kw_only=True):
    """The effect of an upload. It never depends on an answer key."""

    accepted: int
    """Answers that were sealed by this request (or would be, in a dry run)."""
    unchanged: int
    """Answers that were sealed before with the same content, or that stand twice in the upload."""
    dry_run: bool
    """Whether the request only checked, and sealed nothing."""
    state: str
    """The submission's state after it: open, or queued once the last question is answered."""
    answered: int
    """Questions of the submission that are answered now."""


class PracticeAnswer(Request, frozen=True, kw_only=True):
    """An answer to a question of a practice item."""

    question: str
    """Id of the question."""
    answer: Annotated[str, msgspec.Meta(min_length=1, max_length=64)] | None = None
    """The option's label, or the number, caption or diagnosis itself; null if `response` is given."""
    response: Reply | None = None
    """The model's whole reply, up to 32 KiB in UTF-8; null if `answer` is given."""
    stop: StopKind | None = None
    """Why the reply ended, if the model told it, with the same effect as in a submission."""


PracticeAnswerList: TypeAlias = Annotated[list[PracticeAnswer], msgspec.Meta(max_length=100)]


class PracticeAnswers(Request, frozen=True, kw_only=True):
    """Answers to the questions of one practice item."""

    answers: PracticeAnswerList
    """Up to 100 answers. One question may have several; the last of them decides which questions open next."""


class Verdict(Wire, frozen=True, kw_only=True):
    """The verdict on one answer to a practice item."""

    question: str
    """Id of the question."""
    verdict: str
    """correct, incorrect, unread (a reply without an answer that we can extract) or missing (no reply)."""
    answer: str | None
    """The extracted answer; a diagnosis is JSON text; null if none could be extracted."""
    reason: str
    """How the answer was found in the reply, or why none was."""
    key: str
    """The right answer, in the form of an `answer`."""
    outcome: Facets = {}
    """Further facts about the answer, by name, such as the mistake that a wrong option stands for."""
    begins_inside_thinking: bool = False
    """Whether the reply closes thinking that it never opened; what stands before was not read."""


class PracticeFeedback(Wire, frozen=True, kw_only=True):
    """The verdicts on some answers to a practice item, and what is asked next."""

    verdicts: list[Verdict]
    """One verdict an answer, in the order of the answers."""
    open: list[Question]
    """The questions that are open after these answers; none once the item is finished."""


class SealedAnswer(Wire, frozen=True, kw_only=True):
    """An answer that can no longer change."""

    item: int
    question: str
    answer: str | None = None
    response: str | None = None
    stop: StopKind | None = None
