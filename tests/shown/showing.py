"""Open, answer and judge the submissions of one benchmark: every place by every model."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from generator_service.finding import find_benchmarks
from generator_service.proving.answerers import Model
from generator_service.proving.declared import Asked
from generator_service.proving.knowledge import knowledge_of
from tests.shown.answering import Site, answer, opened, report_of
from tests.shown.places import Place, boards, ways
from tests.shown.rebuilding import item_of
from tests.shown.rows import Row, rows_of
from tetrad.contracts.benchmarks import Card

AT_A_TIME = 3  # submissions: the pixel solver is ours, pictures and scores are the services'
FEWER = 4  # times fewer items under other values of parameters


@dataclass(frozen=True, kw_only=True)
class Try:
    """A submission to be made."""

    place: Place
    model: Model


def shown_benchmarks() -> list[str]:
    """Name the benchmarks whose knowledge says who answers them."""
    return sorted(name for name in {one.name for one in find_benchmarks()} if knowledge_of(name).models)


def tries(name: str, card: Card) -> Iterator[Try]:
    """Yield every track and setting with every model, then other values of parameters with those that answer them.

    Solvers that see less answer where their ceilings depend on the value.
    """
    models = knowledge_of(name).models
    for place in boards(card):
        yield from (Try(place=place, model=model) for model in models if model.answers(place.setting))
    for place in ways(card):
        held = {one.solver for one in card.ceilings if place.parameters.items() <= one.parameters.items()}
        answers = {model.name for model in models if model.answers(place.setting)}
        answering = (model for model in models if place.setting in model.ways or model.name in held & answers)
        yield from (Try(place=place, model=model) for model in answering)


def shown(site: Site, of: Iterable[Try], size: int, say: Callable[[Row], None] = lambda _: None) -> list[Row]:
    """Make the submissions a few at a time; return the rows of all their reports, in order."""
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        return [row for rows in pool.map(partial(_rows, site, size, say), of) for row in rows]


def _rows(site: Site, size: int, say: Callable[[Row], None], one: Try) -> list[Row]:
    submission = opened(site, one.place, -(-size // FEWER) if one.place.parameters else size)
    answer(site, submission, one.model)
    report = report_of(site, submission)
    item = item_of(site.mounted, site.secret, submission)
    card = site.mounted.benchmark.card
    judged = [
        (result, Asked(card=card, identity=report.identity, facets=result.facets, item=partial(item, result.item)))
        for result in sorted(report.questions, key=lambda result: result.item)
    ]
    rows = list(rows_of(one.place, one.model, judged))
    for row in rows:
        say(row)
    return rows
