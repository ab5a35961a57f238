"""Sealed draws: between the api, the generator and scoring."""

from typing import Annotated, TypeAlias

import msgspec

from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.items import AnswerShape, DrawIdentity, Key, KeyedQuestion, Question
from tetrad.contracts.submissions import Nonce, Size
from tetrad.contracts.wire import Digest, Facets, ParameterValue, Request, Wire

LARGEST_REVEAL = 256 * 2**20
"""Bytes of the longest request that the generator takes: a reveal carries all answers of a draw, replies whole."""
ItemsAtOnce: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=10_000)]


class DrawRequest(Request, frozen=True, kw_only=True):
    """api -> generator: seal a draw for this submission.

    sources: KIND:NAME of sources that replace defaults. allowed: "teams", and the titles of sources that the caller is
    approved for. shares: the submission whose draw this one shares; identity and size must be equal. Once the draw of
    one of them is revealed, nobody can answer the others any more. A draw that is revealed already can be shared, too:
    it is answered although its seed is public.
    """

    submission: str
    nonce: Nonce
    benchmark: str
    track: str
    setting: str
    parameters: dict[str, ParameterValue]
    size: Size
    sources: list[str] = []
    allowed: list[str] = []
    shares: str | None = None


class SealedDraw(Wire, frozen=True, kw_only=True):
    """generator -> api: the commitment to a draw. The seed stays in the generator."""

    submission: str
    identity: DrawIdentity
    size: int
    commitment: Digest


class ItemAnswers(Request, frozen=True, kw_only=True):
    """The sealed answers of one item, in any order."""

    item: Annotated[int, msgspec.Meta(ge=0)]
    answers: list[SealedAnswer] = []


class GateRequest(Request, frozen=True, kw_only=True):
    """api -> generator: return the open questions of these items, given the sealed answers."""

    items: list[ItemAnswers]


class AskedItem(Wire, frozen=True, kw_only=True):
    """All questions of an item that have opened so far, answered ones included, in order."""

    item: int
    questions: list[Question]


class AskedItems(Wire, frozen=True, kw_only=True):
    items: list[AskedItem]


class KeysRequest(Request, frozen=True, kw_only=True):
    """scoring -> generator: reveal the draw. `answers` are all answers that were sealed.

    With `by`, the reply has no answer keys. They are fetched afterwards, in ranges of `by` items.
    """

    answers: list[SealedAnswer]
    by: ItemsAtOnce | None = None


class RangeRequest(Request, frozen=True, kw_only=True):
    """scoring -> generator: return the answer keys of a range of a revealed draw, given all answers to its items."""

    answers: list[SealedAnswer]


class KeyedItem(Wire, frozen=True, kw_only=True):
    """The questions of one item that were asked, given its sealed answers, with their keys."""

    item: int
    questions: list[KeyedQuestion]


class QuestionKind(Wire, frozen=True, kw_only=True, array_like=True):
    """The parts of a keyed question that scoring needs, except its cluster: a fraction of the bytes.

    Its words are those that extraction needs: labels and `texts` of options, and `captions` that name a
    picture by a label.
    """

    id: str
    kind: str
    shape: AnswerShape
    final: bool
    key: Key
    facets: Facets
    option_values: dict[str, str]
    texts: tuple[tuple[str, str], ...] = ()
    captions: tuple[str, ...] = ()


class PackedQuestion(Wire, frozen=True, kw_only=True, array_like=True):
    """`kind`: the question's place among the kinds."""

    kind: Annotated[int, msgspec.Meta(ge=0)]
    cluster: str


class PackedItem(Wire, frozen=True, kw_only=True, array_like=True):
    item: int
    questions: list[PackedQuestion]


class PackedItems(Wire, frozen=True, kw_only=True):
    """generator -> scoring: keyed items (tetrad.internal.packed_keys).

    `kinds`: their distinct questions, each a QuestionKind as JSON, so that one met before needs no decoding.
    """

    kinds: list[msgspec.Raw]
    items: list[PackedItem]


class DrawKeys(Wire, frozen=True, kw_only=True):
    """generator -> scoring: the seed, and the answer keys that were asked for. From now on the draw is closed."""

    identity: DrawIdentity
    size: int
    seed: str
    commitment: Digest
    items: list[KeyedItem]


class RegenerateRequest(Request, frozen=True, kw_only=True):
    """scoring -> generator: return answer keys of a draw with a public seed: of `count` items from `first`, or of all.

    `answers` are all those to these items.
    """

    identity: DrawIdentity
    seed: Digest
    size: Size
    answers: list[SealedAnswer]
    first: Annotated[int, msgspec.Meta(ge=0)] = 0
    count: ItemsAtOnce | None = None


class OpenDraw(Wire, frozen=True, kw_only=True):
    """A draw that is neither revealed nor closed, and the id of the secret that its seed is derived from."""

    submission: str
    secret: str
    sealed_at: int


class OpenDraws(Wire, frozen=True, kw_only=True):
    """A page of open draws by submission id. `loaded` names the generator's secrets, the current one first."""

    loaded: list[str]
    draws: list[OpenDraw]
    next: str | None = None


class CloseRequest(Request, frozen=True, kw_only=True):
    """api or scoring -> generator: close these draws, which nobody can answer any more, and forget their nonces."""

    submissions: Annotated[list[str], msgspec.Meta(max_length=10_000)]
