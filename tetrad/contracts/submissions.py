"""The life of a submission: open, queued, scored; failed is ours, void is the operator's."""

from typing import Annotated, Literal, TypeAlias

import msgspec

from tetrad.contracts.benchmarks import Conversation, ConversationChoice
from tetrad.contracts.items import DrawIdentity, Key, Picture, Question
from tetrad.contracts.reports import MetricValue
from tetrad.contracts.wire import Digest, Facets, Name, ParameterValue, Request, Timestamp, Wire

Nonce: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=128)]
DEFAULT_SIZE = 250
"""Items of a submission that names no size.

A board ranks from 200 counted items, and not every item is counted: one in ten of KiVA's trials shows no change, and
the headline leaves those out. 250 items reach 200 in all but one of a million submissions.
"""

Size: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=100_000)]
State: TypeAlias = Literal["open", "queued", "scored", "failed", "void"]
Visibility: TypeAlias = Literal["public", "private"]
DeadlineHours: TypeAlias = Annotated[float, msgspec.Meta(ge=0.01, le=168)]
"""36 seconds to a week."""


class SubmissionRequest(Request, frozen=True, kw_only=True):
    """A submission to open. `nonce` is yours: it proves to you that the seed was not chosen beforehand.

    track, setting: the first on the card by default. source: KIND:NAME of sources to draw from, one of a kind; by
    default those that the benchmark's `sources` mark.
    conversation: how you ask the model the questions of an item. They can be joined in one conversation, each in a
    fresh context, or as the card says for the setting. It changes no item, but each way has a board of its own.
    """

    benchmark: Name
    model: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
    track: Name | None = None
    setting: Name | None = None
    parameters: dict[str, ParameterValue] = {}
    source: Annotated[list[str], msgspec.Meta(max_length=8)] = []
    size: Size = DEFAULT_SIZE
    visibility: Visibility = "public"
    nonce: Nonce | None = None
    deadline_hours: DeadlineHours = 24.0
    conversation: ConversationChoice = "as-card"


class Progress(Wire, frozen=True, kw_only=True):
    """Counts. They tell no more about right and wrong than what was already shown."""

    items: int
    questions_opened: int
    questions_answered: int
    items_finished: int


class Submission(Wire, frozen=True, kw_only=True):
    """`attempts` counts the attempts to score it, since an operator last queued it again if one did.

    state: open, queued (finished, to be scored), scored, failed (ours: an operator may queue it again) or void (an
    operator's, with `void_reason`). finish_reason: complete (the last answer), request or deadline.
    conversation: the way in which the team says it asks the questions of an item, with "as-card" resolved.
    paused_since: since when a question can't be shown because a source is damaged. The pause is added to `deadline_at`.
    While it lasts, `deadline_at` is as late as the longest pause would make it.
    evaluation: the evaluation in which the service answers it; null if its team does. unranked: why it counts on no
    board although it is public; "" if it counts.
    """

    id: str
    team: str
    model: str
    identity: DrawIdentity
    size: int
    visibility: Visibility
    nonce: str
    commitment: Digest
    state: State
    opened_at: Timestamp
    deadline_at: Timestamp
    paused_since: Timestamp | None = None
    finished_at: Timestamp | None = None
    finish_reason: str | None = None
    scored_at: Timestamp | None = None
    attempts: int = 0
    failure: str | None = None
    void_reason: str | None = None
    progress: Progress
    headline: MetricValue | None = None
    seed: str | None = None
    links: dict[str, str] = {}
    conversation: Conversation = "fresh"
    evaluation: str | None = None
    unranked: str = ""


class SubmissionList(Wire, frozen=True, kw_only=True):
    submissions: list[Submission]
    next: str | None = None


class EarlierTurn(Wire, frozen=True, kw_only=True):
    """A question that the team has answered, and what it sealed: the option (`answer`) or the whole reply."""

    question: Question
    answer: str | None = None
    response: str | None = None


class OpenQuestion(Wire, frozen=True, kw_only=True):
    """One open question of a submission; pictures carry their addresses.

    `earlier`: the turns of its conversation so far, in order; empty if questions have fresh contexts.
    """

    item: int
    question: Question
    earlier: tuple[EarlierTurn, ...] = ()

    def pictures(self) -> dict[str, Picture]:
        """Return every picture of the conversation by name, those of earlier turns first."""
        asked = (*(turn.question for turn in self.earlier), self.question)
        return {picture.name: picture for question in asked for picture in question.pictures}


class QuestionPage(Wire, frozen=True, kw_only=True):
    """`next` is absent on the last page. If all pages together hold no question, none is open."""

    questions: list[OpenQuestion]
    next: str | None = None


class Event(Wire, frozen=True, kw_only=True):
    """kind: opened, finished, scored, failed, requeued, void or rescored; `data` are its facts by name."""

    id: int
    at: Timestamp
    kind: str
    data: dict[str, object]


class RevealedQuestion(Wire, frozen=True, kw_only=True):
    """`answer` is the extracted answer: an option's label, a number, a caption; a diagnosis is JSON text, by stage."""

    question: Question
    key: Key
    facets: Facets
    verdict: str
    answer: str | None
    response: str | None


class RevealedItem(Wire, frozen=True, kw_only=True):
    """An item after its draw was revealed, with the answers given."""

    item: int
    practice_id: str
    questions: list[RevealedQuestion]


class RevealedPage(Wire, frozen=True, kw_only=True):
    items: list[RevealedItem]
    seed: str
    next: str | None = None
