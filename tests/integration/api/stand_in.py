"""A small generator that keeps the internal contract, for the api's tests. It runs as a process of its own.

Its benchmark `trio` asks what, then how if what was right, then which; `repeats` of them side by side. Setting
`vague` asks one thing that is not final, though nothing follows; `dialogue` asks as `full` does, and its card says
that an item is a conversation. Keys follow from seed and index (`key_of`), so that tests can be right or wrong on
purpose. `trio` has two versions.
"""

import hashlib
import struct
import zlib
from pathlib import Path
from typing import Any

import msgspec
from litestar import Litestar, Response, get, post
from litestar.params import FromPath, FromQuery, JSONBody
from msgspec.structs import replace

from tetrad.commitments import commitment_of
from tetrad.contracts.answers import PracticeAnswer, PracticeFeedback, SealedAnswer, Verdict
from tetrad.contracts.benchmarks import (
    BenchmarkInfo,
    BenchmarkList,
    Card,
    ChanceLevel,
    CorpusNotice,
    Credit,
    Headline,
    Parameter,
    ReferenceRow,
    Setting,
    Track,
)
from tetrad.contracts.items import Choice, ChoiceKey, DrawIdentity, Option, Picture, Question
from tetrad.contracts.metrics import Accuracy
from tetrad.contracts.problems import Fault
from tetrad.internal.draws import (
    AskedItem,
    AskedItems,
    CloseRequest,
    DrawRequest,
    GateRequest,
    OpenDraw,
    OpenDraws,
    SealedDraw,
)
from tetrad.internal.practice import (
    ItemSolution,
    PracticeBatch,
    PracticeBatchItem,
    PracticeItemRequest,
    PracticeRequest,
)
from tetrad.server.clock import now_ms
from tetrad.server.problems import PROBLEM_HANDLERS, ProblemError, refuse
from tetrad.server.tokens import require_token

PRACTICE_TOKEN = "practice-token-of-the-stand-in-00000"
SEALED_TOKEN = "sealed-token-of-the-stand-in-0000000"
BANK = "ab" * 32
SECRET = "5ec" * 5 + "0"
LABELS = {"what": ("A", "B", "C"), "how": ("1", "2"), "which": ("A", "B", "C", "D"), "vague": ("A", "B")}
CREDIT = Credit(title="Trio", authors="Tetrad", venue="tests", url="https://example.org", licence="Apache-2.0")


def card(version: int) -> Card:
    return Card(
        name="trio",
        version=version,
        title="Trio",
        summary="what, how, which",
        tracks=(
            Track(name="plain", help="", settings=("full", "which-only", "dialogue")),
            Track(name="other", help="", settings=("full",)),
        ),
        settings=(
            Setting(name="full", help="", questions=("what", "how", "which")),
            Setting(name="which-only", help="", questions=("which",)),
            Setting(name="dialogue", help="", questions=("what", "how", "which"), conversation=True),
        ),
        parameters=(
            Parameter(name="repeats", help="", default=1, minimum=1, maximum=3),
            Parameter(name="tint", help="", default="red", values=("red", "blue")),
            Parameter(name="shiny", help="", default=False),
            Parameter(name="wording", help="", default="standard", values=("standard", "child"), ranked=False),
        ),
        metrics=(Accuracy(name="which", help="", where={"stage": ("which",)}),),
        headline=Headline(metric="which", least_items=10),
        chance=(ChanceLevel(where={}, uniform=0.25, stated=0.25, source="four options"),),
        reference=(
            ReferenceRow(name="adults", kind="human", metric="which", value=0.9, items=50, source="tests"),
            ReferenceRow(
                name="elsewhere",
                kind="human",
                metric="which",
                value=0.1,
                items=50,
                source="tests",
                where={"track": ("other",)},
            ),
            ReferenceRow(
                name="apes",
                kind="animal",
                metric="which",
                value=None,
                items=None,
                source="tests",
                parameters={"tint": "blue"},
                words="above chance",
            ),
        ),
        credit=CREDIT,
        largest_draw=5000,
        filters={"parity": ("even", "odd")},
    )


CARDS = {version: card(version) for version in (1, 2)}
FIXED = replace(
    CARDS[2],
    name="trio-published",
    version=1,
    corpus=CorpusNotice(notice="Fixed items.", items=20, least_draw=5, labels_public=True),
)
"""The same as a fixed corpus: no practice."""


def seed_of(submission: str, nonce: str) -> str:
    return hashlib.sha256(f"{submission}/{nonce}".encode()).hexdigest()


def key_of(seed: str, index: int, question: str) -> str:
    labels = LABELS[question.partition("-")[0]]
    return labels[hashlib.sha256(f"{seed}/{index}/{question}".encode()).digest()[0] % len(labels)]


def question(name: str) -> Question:
    kind = name.partition("-")[0]
    pictures = tuple(Picture(name=f"{name}-{place}.png", caption=f"picture {place}") for place in (1, 2))
    options = tuple(Option(label=label, text=f"option {label}") for label in LABELS[kind])
    return Question(
        id=name,
        kind=kind,
        text=f"{kind}?",
        shape=Choice(labels=LABELS[kind]),
        options=options,
        pictures=pictures,
        final=kind == "which",
    )


def all_questions(identity: DrawIdentity) -> list[str]:
    every = ("what", "how", "which")
    kinds = {"full": every, "dialogue": every, "vague": ("vague",)}.get(identity.setting, ("which",))
    repeats = int(identity.parameters["repeats"])
    return [f"{kind}-{repeat}" for repeat in range(repeats) for kind in kinds]


def opened(identity: DrawIdentity, seed: str, index: int, given: dict[str, str | None]) -> list[str]:
    """Return what is asked, given the answers read: a reply is read as its last character."""
    if identity.setting not in {"full", "dialogue"}:
        return all_questions(identity)
    asked = []
    for repeat in range(int(identity.parameters["repeats"])):
        what, how, which = f"what-{repeat}", f"how-{repeat}", f"which-{repeat}"
        asked.append(what)
        is_right = what in given and given[what] == key_of(seed, index, what)
        asked += [how] if is_right else []
        asked += [which] if what in given and (not is_right or how in given) else []
    return asked


def read(answer: SealedAnswer | PracticeAnswer) -> str | None:
    return answer.answer if answer.answer is not None else (answer.response or " ")[-1]


def png(text: str) -> bytes:
    """Return a PNG of one pixel that the text colours."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixel = b"\x00" + hashlib.sha256(text.encode()).digest()[:3]
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(pixel)) + chunk(b"IEND", b"")


def identity_for(request: DrawRequest | PracticeRequest, version: int) -> DrawIdentity:
    if request.track == "broken":
        raise RuntimeError("the stand-in breaks")
    if request.track == "busy":
        raise ProblemError(503, "busy", headers={"Retry-After": "7"})
    if request.benchmark == FIXED.name and isinstance(request, PracticeRequest):
        raise ProblemError(422, "trio-published is a fixed corpus: no practice")
    if request.benchmark not in {"trio", FIXED.name}:
        raise refuse(404, "benchmark", request.benchmark, "there is no such benchmark", "use trio")
    if request.track not in {"plain", "other"}:
        raise refuse(422, "track", request.track, "there is no such track", "use plain or other")
    defaults = {parameter.name: parameter.default for parameter in CARDS[version].parameters}
    if unknown := set(request.parameters) - set(defaults):
        name = min(unknown)
        raise refuse(422, f"parameters.{name}", None, "is not a parameter", "use repeats")
    given = {name: int(value) if name == "repeats" else value for name, value in request.parameters.items()}
    return DrawIdentity(
        benchmark=request.benchmark,
        version=version if request.benchmark == "trio" else FIXED.version,
        bank=BANK,
        track=request.track,
        setting=request.setting,
        parameters={**defaults, **given},
    )


@get("/internal/benchmarks", sync_to_thread=False)
def benchmarks() -> BenchmarkList:
    return BenchmarkList(benchmarks=[BenchmarkInfo(card=one, bank=BANK) for one in (*CARDS.values(), FIXED)])


@post("/internal/practice/items", status_code=200, sync_to_thread=False)
def items(data: JSONBody[PracticeRequest]) -> PracticeBatch:
    identity = identity_for(data, data.version or 2)
    wanted = {"even": {0}, "odd": {1}}.get(data.filters.get("parity", ""), {0, 1})
    places = [index for index in range(data.offset, data.offset + 2 * data.limit) if index % 2 in wanted][: data.limit]
    questions = [question(name) for name in all_questions(identity)]
    batch = [PracticeBatchItem(index=index, questions=questions) for index in places]
    return PracticeBatch(
        identity=identity, seed=data.seed, items=batch, next_offset=None if data.offset > 1000 else places[-1] + 1
    )


def checked(data: PracticeItemRequest) -> PracticeItemRequest:
    if data.identity.bank != BANK:
        raise refuse(422, "identity.bank", data.identity.bank, "another bank", "mount it")
    return data


@post("/internal/practice/solution", status_code=200, sync_to_thread=False)
def solution(data: JSONBody[PracticeItemRequest]) -> ItemSolution:
    names = all_questions(checked(data).identity)
    return ItemSolution(
        questions=[question(name) for name in names],
        keys={name: ChoiceKey(label=key_of(data.seed, data.index, name)) for name in names},
        facets={name: {"stage": name.partition("-")[0]} for name in names},
        explanation="it follows from the seed",
        scene={"index": data.index},
    )


@post("/internal/practice/feedback", status_code=200, sync_to_thread=False)
def feedback(data: JSONBody[PracticeItemRequest]) -> PracticeFeedback:
    given = {answer.question: read(answer) for answer in checked(data).answers}
    asked = opened(data.identity, data.seed, data.index, given)
    if surplus := set(given) - set(asked):
        raise ProblemError(409, f"{min(surplus)} never opened")
    verdicts = []
    for name, answer in given.items():
        key = key_of(data.seed, data.index, name)
        verdict = "correct" if answer == key else "incorrect"
        verdicts.append(Verdict(question=name, verdict=verdict, answer=answer, reason="stated", key=key))
    return PracticeFeedback(verdicts=verdicts, open=[question(name) for name in asked if name not in given])


@post("/internal/practice/pictures/{name:str}", status_code=200, sync_to_thread=False)
def practice_picture(name: FromPath[str], data: JSONBody[PracticeItemRequest]) -> Response[bytes]:
    return picture(checked(data).identity, data.seed, data.index, name)


def picture(identity: DrawIdentity, seed: str, index: int, name: str) -> Response[bytes]:
    names = {one.name for asked in all_questions(identity) for one in question(asked).pictures}
    if name not in names:
        raise ProblemError(404, f"this item has no picture {name!r}")
    return Response(png(f"{seed}/{index}/{name}"), media_type="image/png")


class Draws:
    """Sealed draws, and the answers that were gated on: written once."""

    def __init__(self) -> None:
        self.seeds: dict[str, tuple[DrawIdentity, str]] = {}
        self.closed: set[str] = set()
        self.damage: dict[str, Path] = {}
        self.sealed_at: dict[str, int] = {}
        self.gated: dict[tuple[str, int, str], SealedAnswer] = {}


def sealed_routes(draws: Draws) -> list[Any]:  # noqa: C901 - one route after the other
    def check_whole(submission: str, what: str) -> None:
        """Refuse what a file in the folder that the nonce names says is damaged."""
        folder = draws.damage.get(submission)
        if folder is not None and (folder / what).exists():
            fault = Fault(field="source", value="photographs:one", problem="is damaged", remedy="ask the operator")
            raise ProblemError(503, "jumping_3.jpg is not what it was", faults=[fault])

    @post("/internal/sealed/draws", sync_to_thread=False)
    def seal(data: JSONBody[DrawRequest]) -> SealedDraw:
        identity = identity_for(data, 2)
        if data.size > 5000:
            raise refuse(422, "size", data.size, "is larger than the largest draw", "use 5000 or less")
        seed = seed_of(data.submission, data.nonce) if data.shares is None else draws.seeds[data.shares][1]
        draws.seeds[data.submission] = (identity, seed)
        if data.nonce.startswith("damaged in "):
            draws.damage[data.submission] = Path(data.nonce.removeprefix("damaged in "))
        draws.sealed_at[data.submission] = now_ms() if data.nonce != "long ago" else 0
        commitment = commitment_of(identity, seed, data.size)
        return SealedDraw(submission=data.submission, identity=identity, size=data.size, commitment=commitment)

    @post("/internal/sealed/draws/{submission:str}/questions", status_code=200, sync_to_thread=False)
    def questions(submission: FromPath[str], data: JSONBody[GateRequest]) -> AskedItems:
        identity, seed = draws.seeds[submission]
        check_whole(submission, "questions")
        asked = []
        for item in data.items:
            for answer in item.answers:
                place = (submission, item.item, answer.question)
                if draws.gated.setdefault(place, answer) != answer:
                    raise ProblemError(409, "another answer has opened questions before")
            given = {answer.question: read(answer) for answer in item.answers}
            names = opened(identity, seed, item.item, given)
            asked.append(AskedItem(item=item.item, questions=[question(name) for name in names]))
        return AskedItems(items=asked)

    @get("/internal/sealed/draws/{submission:str}/items/{index:int}/pictures/{name:str}", sync_to_thread=False)
    def sealed_picture(submission: FromPath[str], index: FromPath[int], name: FromPath[str]) -> Response[bytes]:
        check_whole(submission, f"picture-{index}-{name}")
        return picture(*draws.seeds[submission], index, name)

    @get("/internal/sealed/draws/{submission:str}/items/{index:int}/pictures", sync_to_thread=False)
    def sealed_pictures(submission: FromPath[str], index: FromPath[int], name: FromQuery[list[str]]) -> Response[bytes]:
        for one in name:
            check_whole(submission, f"picture-{index}-{one}")
        identity, seed = draws.seeds[submission]
        content = msgspec.msgpack.encode({one: picture(identity, seed, index, one).content for one in name})
        return Response(content, media_type="application/vnd.msgpack")

    @get("/internal/sealed/draws", sync_to_thread=False)
    def open_draws(after: FromQuery[str] = "") -> OpenDraws:
        found = [
            OpenDraw(submission=name, secret=SECRET, sealed_at=draws.sealed_at.get(name, 0))
            for name in sorted(draws.seeds)
            if name > after and name not in draws.closed
        ]
        following = found[1].submission if len(found) > 2 else None
        return OpenDraws(loaded=[SECRET], draws=found[:2], next=following)

    @post("/internal/sealed/draws/close", status_code=200, sync_to_thread=False)
    def close(data: JSONBody[CloseRequest]) -> dict[str, int]:
        draws.closed |= set(data.submissions)
        return {"closed": len(data.submissions)}

    return [seal, questions, sealed_picture, sealed_pictures, open_draws, close]


@get("/health/ready", sync_to_thread=False)
def ready() -> dict[str, str]:
    return {"status": "ready"}


def create_app() -> Litestar:
    practice = [items, solution, feedback, practice_picture]
    for handler in (benchmarks, *practice):
        handler.guards = [require_token(PRACTICE_TOKEN)]
    sealed = sealed_routes(Draws())
    for handler in sealed:
        handler.guards = [require_token(SEALED_TOKEN)]
    return Litestar([ready, benchmarks, *practice, *sealed], exception_handlers=PROBLEM_HANDLERS, openapi_config=None)
