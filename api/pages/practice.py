"""An item as a page shows it: its pictures, the question that is open, what was answered, and what it came to.

The answers stand in the address (`a.QUESTION=LABEL`), so that nothing is kept and everything works without scripts.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from cachetools import LRUCache
from litestar import Request
from litestar.concurrency import sync_to_thread
from msgspec import json

from api.context import AppContext
from api.errors import InvalidInputError
from api.http.state import HttpState
from api.pages.frame import at
from api.practice.items import check_answers, find_whole, list_items, read_item_id, with_addresses
from api.routes.benchmarks import read_practice
from api.routes.items import room_for_item
from tetrad.contracts.answers import PracticeAnswer, PracticeAnswers, PracticeFeedback, Verdict
from tetrad.contracts.benchmarks import BenchmarkInfo, Card
from tetrad.contracts.items import Choice, ChoiceKey, Number, Option, PracticePage, Question, StateCaption
from tetrad.internal.item_ids import item_id
from tetrad.internal.practice import ItemSolution, PracticeItemRequest
from tetrad.reporting.pages.pictures import ShownPicture, Size, about_pictures, shown_picture, usual_size
from tetrad.reporting.pages.words import capitalise

ANSWER = "a."
LONGEST = 4000  # characters of an answer in an address
WIDE_TEXT = 40  # characters of an option's words that need a line of their own
MOST_IN_CARD = 4  # pictures
NOT_SHOWN = "A fixed corpus: its items are not shown."
TETRAD = 3  # pictures: A, A' and B, and the fourth is asked for
Pairs = list[tuple[str, str]]
MOST_KEPT_ITEMS = 12
ITEMS: LRUCache[Hashable, PracticePage] = LRUCache(256)
"""Items by all that they depend on: lists of items are the same for everybody, and for ever. For one event loop."""


@dataclass(frozen=True, kw_only=True)
class ShownOption:
    """An option. `state` is "", "right" or "yours"; `words` say after an answer what it stands for."""

    label: str
    text: str
    picture: ShownPicture | None
    state: str
    words: str


@dataclass(frozen=True, kw_only=True)
class Turn:
    """A question that was answered before the one that is shown."""

    question: str
    answer: str
    outcome: str


@dataclass(frozen=True, kw_only=True)
class ItemView:
    """An item: `options` are buttons until all is answered, and `is_over` says that it is."""

    pictures: tuple[ShownPicture, ...]
    is_tetrad: bool
    examples: int
    question: str
    instruction: str
    name: str
    options: tuple[ShownOption, ...]
    layout: str
    takes_text: bool
    takes_sentence: bool
    takes_number: bool
    turns: tuple[Turn, ...]
    is_over: bool
    is_right: bool
    feedback: str
    explanation: str
    facets: tuple[tuple[str, str], ...]
    kept: tuple[tuple[str, str], ...]
    last_key: str


def served_place(info: BenchmarkInfo) -> dict[str, str] | None:
    """Return the query of items that can be shown now: of the first track whose sources are there; None without one.

    The default track needs no name. The items of a fixed corpus are not shown.
    """
    served = [track.name for track in info.card.tracks if track.name not in info.lacking]
    if info.card.corpus is not None or not served:
        return None
    return {} if served[0] == info.card.tracks[0].name else {"track": served[0]}


def practice_addresses(root: str, info: BenchmarkInfo, **kept: str) -> tuple[str, str]:
    """Return the addresses of the explorer and of play, with what is kept; "" where no items can be shown now."""
    place, name = served_place(info), info.card.name
    place = None if place is None else place | kept
    return ("", "") if place is None else (at(root, "puzzles", name, query=place), at(root, "play", name, query=place))


async def find_page(
    context: AppContext, http_state: HttpState, request: Request[Any, Any, Any], benchmark: str, query: Pairs
) -> tuple[Card, PracticePage]:
    """Return the items that a query names, as `GET /v1/benchmarks/{benchmark}/items` does."""
    info, wanted, cost = await sync_to_thread(read_practice, context, request, benchmark, query)
    key = (context.settings.generator_url, json.encode(wanted), info.bank, json.encode(info.banks))
    is_public = not context.cards.has_restricted_sources(benchmark)
    if is_public and key in ITEMS:
        return info.card, ITEMS[key]  # it costs nothing, and is not counted
    async with http_state.practice.enter(request.scope, cost):
        page = await sync_to_thread(list_items, context.settings, context.generator, wanted)
    if is_public and wanted.limit <= MOST_KEPT_ITEMS:
        ITEMS[key] = page
    return info.card, page


async def find_answered(
    context: AppContext, http_state: HttpState, request: Request[Any, Any, Any], item: str, answers: Mapping[str, str]
) -> tuple[PracticeItemRequest, ItemSolution, PracticeFeedback]:
    """Return an item with its solution, and what these answers come to."""
    async with room_for_item(context, http_state, request, item) as allowed:
        whole = await sync_to_thread(find_whole, context.generator, item, allowed)
        given = practice_answers(whole, answers)
        feedback = await check_answers(context.settings, context.generator, item, given, allowed)
    return read_item_id(item), whole, feedback


async def find_solved(
    context: AppContext, http_state: HttpState, request: Request[Any, Any, Any], item: str
) -> ItemSolution:
    """Return an item with its solution."""
    async with room_for_item(context, http_state, request, item) as allowed:
        return await sync_to_thread(find_whole, context.generator, item, allowed)


def split_answers(query: Pairs) -> tuple[dict[str, str], Pairs]:
    """Return the answers in a query by question, and the rest of the query.

    Raises:
        InvalidInputError: an answer is too long.
    """
    answers = {name.removeprefix(ANSWER): value for name, value in query if name.startswith(ANSWER) and value}
    for name, value in answers.items():
        if len(value) > LONGEST:
            raise InvalidInputError.at(ANSWER + name, value, f"has more than {LONGEST} characters", "send fewer")
    return answers, [(name, value) for name, value in query if not name.startswith(ANSWER)]


def practice_answers(whole: ItemSolution, answers: Mapping[str, str]) -> PracticeAnswers:
    """Return the answers to the item's questions, in their order: labels of choices, and words for the rest.

    Raises:
        InvalidInputError: the item asks no such question.
    """
    known = {question.id: question for question in whole.questions}
    for name, value in answers.items():
        if name not in known:
            raise InvalidInputError.at(ANSWER + name, value, "is no question of this item", f"use {', '.join(known)}")
    return PracticeAnswers(
        answers=[
            PracticeAnswer(question=name, answer=answers[name])
            if isinstance(question.shape, Choice)
            else PracticeAnswer(question=name, response=answers[name])
            for name, question in known.items()
            if name in answers
        ]
    )


def item_view(
    card: Card,
    whole: ItemSolution,
    feedback: PracticeFeedback,
    answers: Mapping[str, str],
    *,
    address: str,
) -> ItemView:
    """Return what a page shows of an item; `address` is the item's own in the API, for its pictures."""
    questions = {question.id: with_addresses(question, address) for question in whole.questions}
    verdicts = {verdict.question: verdict for verdict in feedback.verdicts}
    waiting = [question.id for question in feedback.open if question.id not in verdicts]
    is_over = not waiting
    shown = questions[waiting[0] if waiting else feedback.verdicts[-1].question]
    verdict = verdicts.get(shown.id) if is_over else None
    earlier = [verdict for verdict in feedback.verdicts if verdict.question != shown.id or not is_over]
    about, size = about_pictures(shown), usual_size(whole.questions)
    return ItemView(
        pictures=tuple(shown_picture(picture, size) for picture in about),
        is_tetrad=len(about) == TETRAD,
        examples=len(shown.examples),
        question=shown.text,
        instruction="" if isinstance(shown.shape, Choice) else shown.instruction,
        name=ANSWER + shown.id,
        options=tuple(shown_options(shown, whole, verdict, size)),
        layout=layout_of(shown),
        takes_text=not isinstance(shown.shape, Choice),
        takes_sentence=isinstance(shown.shape, StateCaption),
        takes_number=isinstance(shown.shape, Number),
        turns=tuple(turn_of(questions[verdict.question], verdict) for verdict in earlier),
        is_over=is_over,
        is_right=verdict is not None and verdict.verdict == "correct",
        feedback="" if verdict is None else feedback_words(card, verdict, whole),
        explanation=whole.explanation if is_over else "",
        facets=tuple(facets_of(card, whole, shown.id)) if is_over else (),
        kept=tuple((ANSWER + name, value) for name, value in answers.items()),
        last_key="" if not shown.options else shown.options[-1].label,
    )


def first_pictures(root: str, item: str, question: Question) -> tuple[ShownPicture, ...]:
    """Return up to four pictures that a question of an item is about, of all its pictures where it is about none."""
    shown = with_addresses(question, at(root, "v1", "items", item))
    size = usual_size([question])
    return tuple(shown_picture(picture, size) for picture in (about_pictures(shown) or shown.pictures)[:MOST_IN_CARD])


def shown_options(question: Question, whole: ItemSolution, verdict: Verdict | None, size: Size) -> list[ShownOption]:
    pictures = {picture.name: picture for picture in question.pictures}
    key = whole.keys[question.id]
    shown = []
    for option in question.options:
        picture = pictures.get(option.picture or "")
        state, words = option_state(option, key, verdict)
        shown.append(
            ShownOption(
                label=option.label,
                text=option.text or "",
                picture=None if picture is None else shown_picture(picture, size),
                state=state,
                words=words,
            )
        )
    return shown


def option_state(option: Option, key: object, verdict: Verdict | None) -> tuple[str, str]:
    """Return an option's state and words: nothing before an answer, and the mistake that it stands for after it."""
    if verdict is None or not isinstance(key, ChoiceKey):
        return "", ""
    mistake = key.outcomes.get(option.label, "")
    if option.label == key.label:
        return "right", "Right, and your answer" if verdict.answer == option.label else "Right"
    if option.label == verdict.answer:
        return "yours", f"Your answer · {mistake}" if mistake else "Your answer"
    return "", mistake


def layout_of(question: Question) -> str:
    """Return how options stand: pictures that are pairs want room, squares less, and words a line each."""
    if any(option.picture for option in question.options):
        return "wide" if len(question.options) <= TETRAD + 1 and len(about_pictures(question)) == 1 else "square"
    longest = max((len(option.text or "") for option in question.options), default=0)
    return "worded" if longest > WIDE_TEXT else "square"


def turn_of(question: Question, verdict: Verdict) -> Turn:
    words = {option.label: option.text or f"({option.label})" for option in question.options}
    answer = verdict.answer or ""
    outcome = {"correct": "Right.", "incorrect": "Wrong."}.get(verdict.verdict, "Not read.")
    return Turn(question=question.text, answer=words.get(answer, answer), outcome=outcome)


def feedback_words(card: Card, verdict: Verdict, whole: ItemSolution) -> str:
    """Return one sentence: whether the last answer is right, and which mistake it stands for."""
    if verdict.verdict == "correct":
        return f"({verdict.answer}) is right." if len(verdict.answer or "") == 1 else "Right."
    if verdict.answer is None:
        return f"No answer could be read: {verdict.reason}."
    key = whole.keys[verdict.question]
    mistake = key.outcomes.get(verdict.answer, "") if isinstance(key, ChoiceKey) else ""
    named = f"({verdict.answer})" if len(verdict.answer) == 1 else "that"
    if not mistake:
        return f"Not {named}."
    meant = card.mistakes.get(mistake)
    return f"Not {named}: it stands for “{mistake}”." if meant is None else f"Not {named}. {meant}"


def label_of_facet(name: str) -> str:
    return capitalise(name.replace("_", " "))


def facets_of(card: Card, whole: ItemSolution, question: str) -> list[tuple[str, str]]:
    """Return the facets of a question in plain words."""
    found = whole.facets.get(question, {})
    return [(label_of_facet(name), card.value_words.get(value, value)) for name, value in found.items()]


def neighbour(root: str, benchmark: str, asked: PracticeItemRequest, index: int) -> str:
    """Return the address of the page of another item of the same draw; "" before the first."""
    return "" if index < 0 else at(root, "puzzles", benchmark, item_id(asked.identity, asked.seed, index))
