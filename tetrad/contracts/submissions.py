"""The life of a submission: open, queued, scored; failed is ours, void is the operator's."""

from typing import Annotated, Literal, TypeAlias

import msgspec

from tetrad.contracts.items import DrawIdentity, Key, Question
from tetrad.contracts.reports import MetricValue
from tetrad.contracts.wire import Digest, Facets, Name, ParameterValue, Request, Timestamp, Wire

Nonce: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=128)]
Size: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=100_000)]
State: TypeAlias = Literal["open", "queued", "scored", "failed", "void"]
Visibility: TypeAlias = Literal["public", "private"]


class SubmissionRequest(Request, frozen=True, kw_only=True):
    """Open a submission. `nonce` is yours: with it you know that the seed was not chosen beforehand.

    track, setting: the first on the card by default. source: KIND:NAME of sources to draw from, one of a kind; by
    default those that the benchmark's `sources` mark.
    """

    benchmark: Name
    model: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
    track: Name | None = None
    setting: Name | None = None
    parameters: dict[str, ParameterValue] = {}
    source: Annotated[list[str], msgspec.Meta(max_length=8)] = []
    size: Size = 200
    visibility: Visibility = "public"
    nonce: Nonce | None = None
    deadline_hours: Annotated[float, msgspec.Meta(gt=0, le=168)] = 24.0


class Progress(Wire, frozen=True, kw_only=True):
    """Counts that tell nothing of right and wrong beyond what was already shown."""

    items: int
    questions_opened: int
    questions_answered: int
    items_finished: int


class Submission(Wire, frozen=True, kw_only=True):
    """`attempts` counts how often it was tried to score it, since an operator last queued it again if one did.

    state: open, queued (finished, to be scored), scored, failed (ours: an operator may queue it again) or void (an
    operator's, with `void_reason`). finish_reason: complete (the last answer), request or deadline.
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


class SubmissionList(Wire, frozen=True, kw_only=True):
    submissions: list[Submission]
    next: str | None = None


class OpenQuestion(Wire, frozen=True, kw_only=True):
    """One open question of a submission; pictures carry their addresses."""

    item: int
    question: Question


class QuestionPage(Wire, frozen=True, kw_only=True):
    """`next` is absent on the last page of a pass; a pass that yields nothing means that none is open."""

    questions: list[OpenQuestion]
    next: str | None = None


class Event(Wire, frozen=True, kw_only=True):
    """kind: opened, finished, scored, failed, requeued, void or rescored; `data` are its facts by name."""

    id: int
    at: Timestamp
    kind: str
    data: dict[str, object]


class RevealedQuestion(Wire, frozen=True, kw_only=True):
    """`answer` is what was read: an option's label, a number, a caption; a diagnosis is JSON text, by stage."""

    question: Question
    key: Key
    facets: Facets
    verdict: str
    answer: str | None
    response: str | None


class RevealedItem(Wire, frozen=True, kw_only=True):
    """An item after its draw was revealed, with what was answered."""

    item: int
    practice_id: str
    questions: list[RevealedQuestion]


class RevealedPage(Wire, frozen=True, kw_only=True):
    items: list[RevealedItem]
    seed: str
    next: str | None = None
