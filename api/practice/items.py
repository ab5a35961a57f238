"""Practice items as the public sees them: with ids, addresses, solutions and feedback."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from msgspec.structs import replace

from api.errors import InvalidInputError, NotFoundError
from api.paging import link
from api.settings import ApiSettings
from api.upstream.generator import Generator
from tetrad.contracts.answers import PracticeAnswers, PracticeFeedback
from tetrad.contracts.items import DrawIdentity, PracticeItem, PracticePage, Question, Solution
from tetrad.internal.item_ids import ItemIdError, item_id, parse_item_id
from tetrad.internal.practice import ItemSolution, PracticeBatch, PracticeItemRequest, PracticeRequest


def list_items(settings: ApiSettings, generator: Generator, request: PracticeRequest) -> PracticePage:
    batch = generator.items(request)
    return PracticePage(
        items=[
            practice_item(settings, batch.identity, batch.seed, entry.index, entry.questions) for entry in batch.items
        ],
        seed=batch.seed,
        next=_next(settings, request, batch),
        counts=batch.counts,
        counted=batch.counted,
    )


def practice_item(
    settings: ApiSettings, identity: DrawIdentity, seed: str, index: int, questions: list[Question]
) -> PracticeItem:
    name = item_id(identity, seed, index)
    return PracticeItem(
        id=name,
        identity=identity,
        seed=seed,
        index=index,
        questions=[with_addresses(question, link(settings, "items", name)) for question in questions],
        url=link(settings, "items", name),
        solution_url=link(settings, "items", name, "solution"),
    )


def with_addresses(question: Question, item_address: str) -> Question:
    """Return the question with the addresses of its pictures, which begin with the item's address."""
    pictures = tuple(replace(picture, url=f"{item_address}/images/{picture.name}") for picture in question.pictures)
    return replace(question, pictures=pictures)


def read_item_id(item: str) -> PracticeItemRequest:
    """Return what a practice id stands for.

    Raises:
        NotFoundError: nothing.
    """
    try:
        return parse_item_id(item)
    except ItemIdError as error:
        raise NotFoundError(f"there is no practice item {item[:80]!r}") from error


@contextmanager
def refuse_unmade() -> Iterator[None]:
    """Ask the generator for items of well-formed ids.

    Raises:
        NotFoundError: it can't make one: it is of another version, or of another bank.
    """
    try:
        yield
    except InvalidInputError as error:
        raise NotFoundError(f"this instance cannot make that item: {error.detail}", faults=error.faults) from error


def find_item(settings: ApiSettings, generator: Generator, item: str, allowed: Sequence[str] = ()) -> PracticeItem:
    request, solution = _solve(generator, item, allowed)
    return practice_item(settings, request.identity, request.seed, request.index, solution.questions)


def find_whole(generator: Generator, item: str, allowed: Sequence[str] = ()) -> ItemSolution:
    """Return all questions of an item and their solution, in one look."""
    return _solve(generator, item, allowed)[1]


def find_solution(generator: Generator, item: str, allowed: Sequence[str] = ()) -> Solution:
    _, solution = _solve(generator, item, allowed)
    return Solution(
        id=item,
        keys=solution.keys,
        facets=solution.facets,
        explanation=solution.explanation,
        scene=solution.scene,
    )


async def check_answers(
    settings: ApiSettings, generator: Generator, item: str, answers: PracticeAnswers, allowed: Sequence[str] = ()
) -> PracticeFeedback:
    """Return verdicts on the answers, and what is open after them."""
    request = replace(read_item_id(item), answers=answers.answers, allowed=list(allowed))
    feedback = await generator.feedback(request)
    address = link(settings, "items", item)
    return replace(feedback, open=[with_addresses(question, address) for question in feedback.open])


def _solve(generator: Generator, item: str, allowed: Sequence[str]) -> tuple[PracticeItemRequest, ItemSolution]:
    request = replace(read_item_id(item), allowed=list(allowed))
    with refuse_unmade():
        return request, generator.solution(request)


def _next(settings: ApiSettings, request: PracticeRequest, batch: PracticeBatch) -> str | None:
    if batch.next_offset is None:
        return None
    query = {
        "track": request.track,
        "setting": request.setting,
        **request.parameters,
        **request.filters,
        "seed": batch.seed,
        "offset": batch.next_offset,
        "limit": request.limit,
        "version": batch.identity.version,
        **({"source": ",".join(request.sources)} if request.sources else {}),
    }
    return link(settings, "benchmarks", request.benchmark, "items", query=query)
