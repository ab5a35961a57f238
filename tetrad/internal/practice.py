"""Practice items between the api and the generator: addressed by identity, seed and index."""

from typing import Annotated

import msgspec

from tetrad.contracts.answers import PracticeAnswerList, Verdict
from tetrad.contracts.datasets import MOST_ITEMS, MOST_SHARD_ITEMS, DatasetForm, DatasetPlan
from tetrad.contracts.inference import StopKind
from tetrad.contracts.items import DrawIdentity, Key, Question
from tetrad.contracts.rows import RowForm, RowPictures
from tetrad.contracts.wire import Facets, ParameterValue, Request, Wire


class PracticeRequest(Request, frozen=True, kw_only=True):
    """Items offset..offset+limit-1, or with filters the next `limit` matching ones from offset on.

    `parameters` may name some: the generator fills in defaults. Without `version`, the newest. `sources` and `allowed`
    are as in a DrawRequest.
    """

    benchmark: str
    version: int | None = None
    track: str
    setting: str
    parameters: dict[str, ParameterValue] = {}
    seed: str
    offset: Annotated[int, msgspec.Meta(ge=0)] = 0
    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] = 10
    filters: dict[str, str] = {}
    sources: list[str] = []
    allowed: list[str] = []


class PracticeBatchItem(Wire, frozen=True, kw_only=True):
    index: int
    questions: list[Question]


class PracticeBatch(Wire, frozen=True, kw_only=True):
    identity: DrawIdentity
    seed: str
    items: list[PracticeBatchItem]
    next_offset: int | None
    counts: dict[str, dict[str, int]] = {}
    counted: int = 0


MOST_COUNTED = 1000


class CountRequest(Request, frozen=True, kw_only=True):
    """Count the first `size` of these items that ask a question with these facets. `items.limit` means nothing here."""

    items: PracticeRequest
    size: Annotated[int, msgspec.Meta(ge=1, le=MOST_COUNTED)]
    where: dict[str, tuple[str, ...]] = {}


class CountedItems(Wire, frozen=True, kw_only=True):
    """`counted`: items that ask such a question; those that share a puzzle, an object or a picture are one."""

    counted: int


class PracticeItemRequest(Request, frozen=True, kw_only=True):
    """One practice item, with the answers given to it if they matter.

    `allowed` is as in a DrawRequest. It holds "revealed" if the seed is that of a scored submission.
    """

    identity: DrawIdentity
    seed: str
    index: Annotated[int, msgspec.Meta(ge=0)]
    answers: PracticeAnswerList = []
    allowed: list[str] = []


class ItemSolution(Wire, frozen=True, kw_only=True):
    """The truth of one item, as the generator tells it."""

    questions: list[Question]
    keys: dict[str, Key]
    facets: dict[str, Facets]
    explanation: str
    scene: dict[str, object]


class RowsWanted(Request, frozen=True, kw_only=True):
    """The form of rows that are asked for. `address`: the public one of items; `every`: all questions, open or not."""

    form: RowForm
    pictures: RowPictures
    answers: bool
    every: bool
    address: str


class RowsRequest(Request, frozen=True, kw_only=True):
    """The rows of the items that a request for practice items asks for."""

    items: PracticeRequest
    wanted: RowsWanted


class NextRowsRequest(Request, frozen=True, kw_only=True):
    """The rows of these items' questions that are open after the answers that came with each."""

    items: Annotated[list[PracticeItemRequest], msgspec.Meta(max_length=100)]
    wanted: RowsWanted


class PackedRows(Wire, frozen=True, kw_only=True, array_like=True):
    """generator -> api: lines of JSON as they are to be sent, and how many items, rows and pictures they hold.

    ends: for each item, the place in `lines` where its rows end.
    """

    seed: str
    items: int
    rows: int
    pictures: int
    next_offset: int | None
    lines: bytes
    ends: list[int]


class ReplyToJudge(Request, frozen=True, kw_only=True, array_like=True):
    """A reply to a question of a practice item. `item`: the item's place in the request."""

    item: Annotated[int, msgspec.Meta(ge=0)]
    question: str
    answer: str | None = None
    response: str | None = None
    stop: StopKind | None = None
    earlier: PracticeAnswerList = []


class JudgeRequest(Request, frozen=True, kw_only=True):
    """api -> generator: judge replies, each by itself, after the answers that came `earlier` in its conversation."""

    items: list[PracticeItemRequest]
    replies: list[ReplyToJudge]


class JudgedReply(Wire, frozen=True, kw_only=True, array_like=True):
    """The verdict on a reply, and the ids of the questions that it opened.

    never: the questions that were never opened; then there is no verdict. questions: how many the item may ask.
    right: how many are answered right, this one among them.
    """

    verdict: Verdict | None
    opened: list[str]
    never: list[str]
    questions: int
    right: int


class JudgedReplies(Wire, frozen=True, kw_only=True):
    """generator -> api: what became of each reply, in order."""

    replies: list[JudgedReply]


class PlanRequest(Request, frozen=True, kw_only=True):
    """api -> generator: plan a data set of the first `count` of these items. `items.limit` means nothing here."""

    items: PracticeRequest
    count: Annotated[int, msgspec.Meta(ge=1, le=MOST_ITEMS)]
    form: DatasetForm
    shard_items: Annotated[int, msgspec.Meta(ge=1, le=MOST_SHARD_ITEMS)]


class PlannedDataset(Wire, frozen=True, kw_only=True):
    """generator -> api: the plan, and of a few of its items the mean bytes of their rows and number of pictures."""

    plan: DatasetPlan
    item_bytes: float
    item_pictures: float
