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
    """A submission to open."""

    benchmark: Name
    """The benchmark to draw from, in its newest version."""
    model: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
    """The team's model that answers, by its registered name."""
    track: Name | None = None
    """The track; by default the card's first."""
    setting: Name | None = None
    """The setting; by default the track's first."""
    parameters: dict[str, ParameterValue] = {}
    """By name, the parameters that are to differ from the card's defaults."""
    source: Annotated[list[str], msgspec.Meta(max_length=8)] = []
    """KIND:NAME of sources to draw from, one of a kind; by default those that the benchmark's `sources` mark."""
    size: Size = DEFAULT_SIZE
    """Items to draw. A rank needs a board's least number of counted items, and not every item counts: 250 make 200."""
    visibility: Visibility = "public"
    """public (counts on the board once it is scored, and anybody may read its report) or private (only the team reads
    it; it counts nowhere).
    """
    nonce: Nonce | None = None
    """A text of yours that goes into the seed: it proves to you that the seed was not chosen beforehand. By default a
    random one.
    """
    deadline_hours: DeadlineHours = 24.0
    """Hours from now until unanswered questions count as wrong: from 0.01 (36 seconds) to 168 (a week)."""
    conversation: ConversationChoice = "as-card"
    """How you ask the model the questions of an item: joined in one conversation, each in a fresh context, or as the
    card says for the setting. It changes no item, but each way has a board of its own.
    """


class Progress(Wire, frozen=True, kw_only=True):
    """Counts of a submission. They tell no more about right and wrong than what was already shown."""

    items: int
    """Items drawn."""
    questions_opened: int
    """Questions that have been opened so far; later ones may depend on answers."""
    questions_answered: int
    """Questions whose answers are sealed."""
    items_finished: int
    """Items that will open no further question."""


class Submission(Wire, frozen=True, kw_only=True):
    """A submission as its team sees it."""

    id: str
    """sub_ and 32 hex digits."""
    team: str
    """Name of the team."""
    model: str
    """Name of the model that answers."""
    identity: DrawIdentity
    """What its items depend on except the seed."""
    size: int
    """Items drawn."""
    visibility: Visibility
    """public or private."""
    nonce: str
    """The text that went into the seed: the team's, or a random one."""
    commitment: Digest
    """Binds the draw before anything is shown: SHA-256 over seed, identity and size. It stands in the public log."""
    state: State
    """open, queued (finished, to be scored), scored, failed (ours: an operator may queue it again) or void (an
    operator's, with `void_reason`).
    """
    opened_at: Timestamp
    """When the draw was sealed: RFC 3339, UTC."""
    deadline_at: Timestamp
    """Until when answers are taken: RFC 3339, UTC. A pause is added to it; while one lasts, it is as late as the
    longest pause would make it.
    """
    paused_since: Timestamp | None = None
    """Since when a question can't be shown because a source is damaged: RFC 3339, UTC; null if none is."""
    finished_at: Timestamp | None = None
    """When the last answer came, or it was ended: RFC 3339, UTC; null while it is open."""
    finish_reason: str | None = None
    """complete (the last answer), request or deadline; null while it is open."""
    scored_at: Timestamp | None = None
    """When its report was written: RFC 3339, UTC; null until then."""
    attempts: int = 0
    """Attempts to score it, since an operator last queued it again if one did."""
    failure: str | None = None
    """Why it could not be scored; null unless its state is failed."""
    void_reason: str | None = None
    """Why an operator declared it void, as everybody may read it; null unless its state is void."""
    progress: Progress
    """How far its questions are answered."""
    headline: MetricValue | None = None
    """Its score, as boards count it; null until it is scored."""
    seed: str | None = None
    """The seed of its draw, as 64 hex digits; null until it is scored."""
    links: dict[str, str] = {}
    """Addresses of what belongs to it, by name: self, questions, answers, finish, events, report, revisions, items."""
    conversation: Conversation = "fresh"
    """How the team says it asks the questions of an item: "fresh" or "joined", with "as-card" resolved."""
    evaluation: str | None = None
    """The evaluation in which the service answers it; null if its team does."""
    unranked: str = ""
    """Why it counts on no board although it is public; "" if it counts."""


class SubmissionList(Wire, frozen=True, kw_only=True):
    """A page of the team's submissions, newest first."""

    submissions: list[Submission]
    """The submissions of this page."""
    next: str | None = None
    """Cursor of the next page, for `cursor`; null on the last."""


class EarlierTurn(Wire, frozen=True, kw_only=True):
    """A question that the team has answered, and what it sealed."""

    question: Question
    """The question, as it was shown."""
    answer: str | None = None
    """The option that was sealed; null if a whole reply was."""
    response: str | None = None
    """The whole reply that was sealed; null if an option was."""


class OpenQuestion(Wire, frozen=True, kw_only=True):
    """One open question of a submission."""

    item: int
    """Index of the item in the draw, from 0."""
    question: Question
    """The question. Its pictures carry their addresses, which need the team's key."""
    earlier: tuple[EarlierTurn, ...] = ()
    """The turns of its conversation so far, in order; empty if questions have fresh contexts."""

    def pictures(self) -> dict[str, Picture]:
        """Return every picture of the conversation by name, those of earlier turns first."""
        asked = (*(turn.question for turn in self.earlier), self.question)
        return {picture.name: picture for question in asked for picture in question.pictures}


class QuestionPage(Wire, frozen=True, kw_only=True):
    """A page of open questions. If all pages together hold no question, none is open."""

    questions: list[OpenQuestion]
    """The questions of this page, by item."""
    next: str | None = None
    """Cursor of the next page, for `cursor`; null on the last."""


class Event(Wire, frozen=True, kw_only=True):
    """Something that happened to a submission."""

    id: int
    """Counts up over all submissions; the place to go on from, as Last-Event-ID."""
    at: Timestamp
    """When it happened: RFC 3339, UTC."""
    kind: str
    """opened, finished, scored, failed, requeued, void or rescored."""
    data: dict[str, object]
    """The event's facts by name, such as the reason of its end or the new headline."""


class RevealedQuestion(Wire, frozen=True, kw_only=True):
    """A question of a scored submission, with its key and the answer given."""

    question: Question
    """The question, as it was shown. Its pictures carry their addresses as a practice item."""
    key: Key
    """The right answer."""
    facets: Facets
    """The question's facets: what reports are split by."""
    verdict: str
    """correct, incorrect, unread or missing."""
    answer: str | None
    """The extracted answer: an option's label, a number, a caption; a diagnosis is JSON text, by stage. null if there
    is none.
    """
    response: str | None
    """The model's whole reply, for whoever may read the report; null if an option was sent, or if the team was deleted.
    """


class RevealedItem(Wire, frozen=True, kw_only=True):
    """An item of a scored submission."""

    item: int
    """Index of the item in the draw, from 0."""
    practice_id: str
    """Its id as a practice item, under which anybody can have it now."""
    questions: list[RevealedQuestion]
    """Its questions, with keys and answers."""


class RevealedPage(Wire, frozen=True, kw_only=True):
    """A page of the items of a scored submission."""

    items: list[RevealedItem]
    """The items of this page, by index."""
    seed: str
    """The seed of the draw, as 64 hex digits."""
    next: str | None = None
    """Cursor of the next page, for `cursor`; null on the last."""
