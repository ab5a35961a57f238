"""A draw that was revealed, as the runner's port: its items are public, and another model can answer the same ones.

Answers are checked as practice: they count for no board. The questions open as in the sealed draw, by the rules of the
benchmark, and by what this model answers.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

from tetrad.client import Client
from tetrad.client.pages import every_page
from tetrad.contracts.answers import Answer, PracticeAnswer, SealedAnswer, SealReceipt, Verdict
from tetrad.contracts.benchmarks import Conversation
from tetrad.contracts.inference import StopKind
from tetrad.contracts.items import Question
from tetrad.contracts.submissions import OpenQuestion
from tetrad.contracts.wire import Facets
from tetrad.prompting.turns import joined_questions
from tetrad.runner.ports import RefusedError

PAGE = 50  # items
ASKED_AT_ONCE = 4


class RevealedDraw:
    """The items of a scored submission, to be answered again. Its methods raise ServiceError when refused."""

    def __init__(self, client: Client, submission: str, *, conversation: Conversation, items: range) -> None:
        """Name the submission, and which of its items are asked.

        Args:
            client: of anybody; a private submission's items are shown to its team alone.
            submission: a scored one.
            conversation: how the questions of an item are asked.
            items: places in the draw.
        """
        self._client, self._conversation, self._items = client, conversation, items
        self._practice = _practice_ids(client, submission, items)
        self._questions: dict[int, dict[str, Question]] = {}
        self._answers: dict[int, dict[str, Answer]] = {item: {} for item in items}
        self._open: dict[int, list[Question]] = {}
        self._facets: dict[int, Mapping[str, Facets]] = {}
        self._verdicts: dict[int, list[Verdict]] = {item: [] for item in items}
        self._lock = Lock()

    def questions(self, items: Sequence[int] | None = None) -> Iterator[OpenQuestion]:
        """Yield the questions that are open now, of all items or of these alone."""
        for item in self._items if items is None else items:
            if item not in self._questions:
                self._begin(item)
            yield from self._offer_questions(item)

    def picture(self, asked: OpenQuestion, name: str) -> bytes:
        shown = asked.pictures().get(name)
        if shown is None or shown.url is None:
            raise RefusedError(f"item {asked.item}, question {asked.question.id}: picture {name!r} has no address")
        return self._client.picture(shown.url)

    def seal(self, answers: Sequence[Answer]) -> SealReceipt:
        """Check the answers, and open what they lead to. An answer that was given stays."""
        changed: dict[int, None] = {}
        for answer in answers:
            self._answers[answer.item].setdefault(answer.question, answer)
            changed[answer.item] = None
        with ThreadPoolExecutor(ASKED_AT_ONCE) as pool:
            list(pool.map(self._check, changed))
        done = len(self._questions) == len(self._items) and not any(self._open.values())
        given = sum(map(len, self._answers.values()))
        return SealReceipt(
            accepted=len(answers), unchanged=0, dry_run=False, state="scored" if done else "open", answered=given
        )

    def results(self) -> Iterator[tuple[int, Verdict, Facets]]:
        """Yield the verdict on every question that was answered, with its item and the question's facets."""
        with ThreadPoolExecutor(ASKED_AT_ONCE) as pool:
            facets = dict(zip(self._items, pool.map(self._facets_of, self._items), strict=True))
        for item in self._items:
            for verdict in self._verdicts[item]:
                yield item, verdict, facets[item][verdict.question]

    def stop_of(self, item: int, question: str) -> StopKind | None:
        """Return why the reply to a question ended, as far as whoever replied told."""
        return self._answers[item][question].stop

    def _facets_of(self, item: int) -> Mapping[str, Facets]:
        return self._client.solution(self._practice[item]).facets

    def _begin(self, item: int) -> None:
        opened = self._client.check(self._practice[item], []).open  # the item's page lists what opens later, too
        with self._lock:
            self._questions[item] = {question.id: question for question in opened}
            self._open[item] = list(opened)

    def _offer_questions(self, item: int) -> list[OpenQuestion]:
        if self._conversation == "fresh":
            return [OpenQuestion(item=item, question=question) for question in self._open[item]]
        sealed = [
            SealedAnswer(item=item, question=answer.question, answer=answer.answer, response=answer.response)
            for answer in self._answers[item].values()
        ]
        return joined_questions(item, list(self._questions[item].values()), sealed)

    def _check(self, item: int) -> None:
        given = [_as_practice_answer(answer) for answer in self._answers[item].values()]
        feedback = self._client.check(self._practice[item], given)
        with self._lock:
            self._verdicts[item] = feedback.verdicts
            self._open[item] = feedback.open
            self._questions[item] |= {question.id: question for question in feedback.open}


def _as_practice_answer(answer: Answer) -> PracticeAnswer:
    return PracticeAnswer(question=answer.question, answer=answer.answer, response=answer.response, stop=answer.stop)


def _practice_ids(client: Client, submission: str, items: range) -> dict[int, str]:
    found: dict[int, str] = {}
    for page in every_page(lambda cursor: client.revealed_items(submission, cursor=cursor, limit=PAGE)):
        found |= {
            revealed_item.item: revealed_item.practice_id for revealed_item in page.items if revealed_item.item in items
        }
        if len(found) == len(items):
            break
    return found
