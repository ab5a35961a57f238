"""Open, answer and judge the submissions of one benchmark: every place by every model."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from tests.shown import carv, kiva, marvel
from tests.shown.answering import Site, answer, opened, report_of
from tests.shown.declared import Asked
from tests.shown.models import Model
from tests.shown.places import Place, boards, ways
from tests.shown.rebuilding import item_of
from tests.shown.rows import Row, rows_of
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.submissions import Submission

MODELS = {"kiva": kiva.MODELS, "marvel": marvel.MODELS, "carv": carv.MODELS}
AT_A_TIME = 3  # submissions: the pixel solver is ours, pictures and scores are the services'


@dataclass(frozen=True, kw_only=True)
class Try:
    """A submission to be made."""

    place: Place
    model: Model


def tries(name: str, card: Card) -> Iterator[Try]:
    """Yield every track and setting with every model, then other values of parameters with those that answer them.

    Solvers that see less answer where their ceilings depend on the value.
    """
    for place in boards(card):
        yield from (Try(place=place, model=model) for model in MODELS[name] if model.answers(place.setting))
    for place in ways(card):
        held = {one.solver for one in card.ceilings if place.parameters.items() <= one.parameters.items()}
        answering = (model for model in MODELS[name] if place.setting in model.ways or model.name in held)
        yield from (Try(place=place, model=model) for model in answering)


def shown(site: Site, of: Iterable[Try], size: int, say: Callable[[str], None] = lambda _: None) -> list[Row]:
    """Make the submissions a few at a time; return the rows of all their reports, in order."""
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        answered = list(pool.map(partial(_answered, site, size, say), of))
    return [row for one, submission in answered for row in _judged(site, one, submission)]


def _answered(site: Site, size: int, say: Callable[[str], None], one: Try) -> tuple[Try, Submission]:
    submission = opened(site, one.place, size)
    answer(site, submission, one.model)
    say(f"{one.place.track}, {one.place.setting}, {one.place.way}: {one.model.name}")
    return one, submission


def _judged(site: Site, one: Try, submission: Submission) -> list[Row]:
    report = report_of(site, submission)
    item = item_of(site.mounted, site.secret, submission)
    card = site.mounted.benchmark.card
    judged = [
        (result, Asked(card=card, identity=report.identity, facets=result.facets, item=partial(item, result.item)))
        for result in sorted(report.questions, key=lambda result: result.item)
    ]
    return list(rows_of(one.place, one.model, judged))
