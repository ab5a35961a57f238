"""Practice items between the api and the generator: addressed by identity, seed and index."""

from typing import Annotated

import msgspec

from tetrad.contracts.answers import PracticeAnswerList
from tetrad.contracts.items import DrawIdentity, Key, Question
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
