"""Practice items as the public sees them: with ids, addresses, solutions and feedback."""

from collections.abc import Sequence

from msgspec.structs import replace

from api.context import Services
from api.http.links import link
from api.practice.item_ids import ItemIdError, item_id, parse_item_id
from api.settings import ApiSettings
from tetrad.contracts.answers import PracticeAnswers, PracticeFeedback
from tetrad.contracts.items import DrawIdentity, PracticeItem, PracticePage, Question, Solution
from tetrad.internal.practice import ItemSolution, PracticeBatch, PracticeItemRequest, PracticeRequest
from tetrad.server.problems import ProblemError


def list_items(services: Services, request: PracticeRequest) -> PracticePage:
    batch = services.generator.items(request)
    return PracticePage(
        items=[
            practice_item(services.settings, batch.identity, batch.seed, entry.index, entry.questions)
            for entry in batch.items
        ],
        seed=batch.seed,
        next=_next(services.settings, request, batch),
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
    """Return the question with the address of each picture filled in, below its item's."""
    pictures = tuple(replace(one, url=f"{item_address}/images/{one.name}") for one in question.pictures)
    return replace(question, pictures=pictures)


def requested(item: str) -> PracticeItemRequest:
    """Return what a practice id stands for.

    Raises:
        ProblemError: 404, nothing.
    """
    try:
        return parse_item_id(item)
    except ItemIdError as error:
        raise ProblemError(404, f"there is no practice item {item[:80]!r}") from error


def unmade(error: ProblemError, *also: int) -> ProblemError:
    """Return 404 where the generator can't make what a well-formed id names: another version, another bank."""
    if error.status in {422, *also}:
        return ProblemError(404, f"this instance cannot make that item: {error.detail}", faults=error.faults)
    return error


def find_item(services: Services, item: str, allowed: Sequence[str] = ()) -> PracticeItem:
    request, solution = _solved(services, item, allowed)
    return practice_item(services.settings, request.identity, request.seed, request.index, solution.questions)


def find_solution(services: Services, item: str, allowed: Sequence[str] = ()) -> Solution:
    _, solution = _solved(services, item, allowed)
    return Solution(
        id=item,
        keys=solution.keys,
        facets=solution.facets,
        explanation=solution.explanation,
        scene=solution.scene,
    )


def check_answers(
    services: Services, item: str, answers: PracticeAnswers, allowed: Sequence[str] = ()
) -> PracticeFeedback:
    """Return verdicts on the answers, and what is open after them."""
    request = replace(requested(item), answers=answers.answers, allowed=list(allowed))
    feedback = services.generator.feedback(request)
    address = link(services.settings, "items", item)
    return replace(feedback, open=[with_addresses(question, address) for question in feedback.open])


def _solved(services: Services, item: str, allowed: Sequence[str]) -> tuple[PracticeItemRequest, ItemSolution]:
    request = replace(requested(item), allowed=list(allowed))
    try:
        return request, services.generator.solution(request)
    except ProblemError as error:
        raise unmade(error) from error


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
