"""The loop: get open questions, answer each, seal the answers, ask what they opened, until none is open.

Nothing waits for a whole pass over the submission. While the model answers, the pass goes on, answers are sealed and
their items are asked again, so that the model has a next question as long as one is open.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Event, Lock, Semaphore
from typing import Self

from tetrad.contracts.answers import Answer
from tetrad.contracts.inference import StopKind
from tetrad.contracts.submissions import OpenQuestion
from tetrad.prompting import Strategy, Wording, find_strategy
from tetrad.runner.fitting import fit_reply
from tetrad.runner.patience import Attempts, retry
from tetrad.runner.ports import PicturesPort, Prompt, Responder, RunProgress, SubmissionPort

Reporter = Callable[[RunProgress], None]
Fetched = dict[str, Future[Mapping[str, bytes]]]
"""The request that brings each picture, by the picture's name."""
LEAST_FETCHERS, MOST_FETCHERS = 4, 16  # threads that fetch pictures ahead of the model
AHEAD = 2  # questions in flight for each one being answered: the others' pictures are on their way
LEAST_AHEAD = 16  # questions beyond those being answered: a page of questions and their pictures take a while
ITEMS_AHEAD = (
    4  # items under way for each question being answered, so that the last ones keep the model busy to the end
)
LEAST_ITEMS = 100  # items under way at any concurrency: a page of them is asked in one request
ASKED_AT_ONCE = 25  # items asked again in one request: the service makes each of them
MOST_KEPT = 64 * 2**20  # bytes of pictures that are kept for an item's next questions
GRACE_SECONDS = 5.0  # after Ctrl-C, for answers that are nearly there; a model may take minutes


class RunError(Exception):
    """A question got no answer, for a `reason`; `progress` says what was sealed before, and stays so."""

    def __init__(self, asked: OpenQuestion, progress: RunProgress, reason: BaseException) -> None:
        self.reason = f"item {asked.item}, question {asked.question.id}: no answer ({reason})"
        super().__init__(f"{self.reason}; this run sealed {progress.sealed} answers before")
        self.asked = asked
        self.progress = progress


class StalledError(Exception):
    """A round offers only questions that this run has sealed: going on would never end."""


class _StoppedError(Exception):
    """The run ended before this question was put to the model."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The options of a run: the prompt, how many at a time, how many answers to an upload, and what a failure costs."""

    strategy: str = "direct"
    wording: Wording = field(default_factory=Wording)
    concurrency: int = 4
    batch: int = 20
    attempts: Attempts = field(default_factory=Attempts)


def answer_submission(
    port: SubmissionPort, responder: Responder, plan: Plan | None = None, *, report: Reporter | None = None
) -> RunProgress:
    """Answer every question of a submission, and those that open on the way; return how it went.

    `report` is told of every upload, and of every request for what it opened. Answers are
    sealed in batches as they come, in no fixed order.

    Raises:
        RunError: a question used up its attempts; answers that had come by then are sealed.
        KeyboardInterrupt: answers that came within seconds of it are sealed. Threads may still wait for the model.
        StalledError: sealed questions stay open.
        UnknownStrategyError: the plan names none.
    """
    with _Run(port, responder, plan or Plan(), report or _silent) as run:
        while run.progress.state == "open" and run.one_round():
            pass
        return run.progress


class _Run:
    """One run: what is in flight, what has come, what is sealed, and which items may have opened more.

    An item is under way from its first question to the request that finds nothing more open.
    """

    def __init__(self, port: SubmissionPort, responder: Responder, plan: Plan, report: Reporter) -> None:
        self.progress = RunProgress()
        self._port, self._responder, self._plan, self._report = port, responder, plan, report
        self._strategy = find_strategy(plan.strategy, plan.wording)
        self._in_flight: dict[Future[Answer], OpenQuestion] = {}
        self._come: list[tuple[OpenQuestion, Answer]] = []
        self._begun: set[tuple[int, str]] = set()
        self._unsealed: Counter[int] = Counter()
        self._under_way: set[int] = set()
        self._sealed_items: dict[int, None] = {}
        self._opened: deque[OpenQuestion] = deque()
        self._turns_follow = False
        self._pictures: dict[int, Fetched] = {}
        self._picture_bytes: Counter[int] = Counter()
        self._counting = Lock()
        self._stopped = Event()
        self._asking = Semaphore(plan.concurrency)
        self._most_in_flight = max(AHEAD * plan.concurrency, plan.concurrency + LEAST_AHEAD)
        self._askers = ThreadPoolExecutor(self._most_in_flight, "ask")
        fetchers = min(max(plan.concurrency, LEAST_FETCHERS), MOST_FETCHERS)
        self._fetchers = ThreadPoolExecutor(fetchers, "fetch")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._stop()
        is_waited_for = kind is not KeyboardInterrupt
        self._askers.shutdown(wait=is_waited_for)
        self._fetchers.shutdown(wait=is_waited_for)

    def one_round(self) -> bool:
        """Answer what is open now and what opens meanwhile; False when nothing new is."""
        self.progress = replace(self.progress, rounds=self.progress.rounds + 1)
        offered, begun = [0], len(self._begun)
        try:
            self._answer_all(self._new(self._port.questions(), offered))
        except KeyboardInterrupt:
            self._keep_what_came(GRACE_SECONDS)
            raise
        except BaseException:
            self._keep_what_came()
            raise
        if offered[0] and len(self._begun) == begun:
            raise StalledError(
                f"{offered[0]} questions stay open although this run sealed them: the service is at fault"
            )
        return len(self._begun) > begun

    def _answer_all(self, whole_pass: Iterator[OpenQuestion]) -> None:
        """Keep the model busy until the pass is over and nothing more opens."""
        while True:
            while len(self._in_flight) < self._most_in_flight:
                asked = self._next(whole_pass)
                if asked is None:
                    break
                self._begin(asked)
            if not self._in_flight:
                return
            self._collect()

    def _next(self, whole_pass: Iterator[OpenQuestion]) -> OpenQuestion | None:
        """Return the next question to ask, or None where one can only be had once another answer has come.

        Items that are not under way go first, for theirs is the longest way.
        """
        most = max(LEAST_ITEMS, ITEMS_AHEAD * self._plan.concurrency)
        while True:
            if len(self._under_way) < most and (asked := next(whole_pass, None)) is not None:
                return asked
            if self._opened:
                return self._opened.popleft()
            if self._sealed_items:
                self._ask_again()
            elif self._is_worth_sealing():
                self._seal()
            else:
                return None

    def _ask_again(self) -> None:
        """Ask for what the sealed answers opened."""
        items = list(self._sealed_items)[:ASKED_AT_ONCE]
        for item in items:
            del self._sealed_items[item]
        self._opened.extend(self._new(self._port.questions(items), [0]))
        done = [item for item in items if not self._unsealed[item]]
        for item in done:
            self._under_way.discard(item)
            self._forget_pictures(item)
        with self._counting:
            self.progress = replace(self.progress, items_done=self.progress.items_done + len(done))
        self._report(self.progress)

    def _is_worth_sealing(self) -> bool:
        """Tell whether to seal before a batch is full: the answers may open questions, and the model runs out of them.

        A final question opens nothing, but in a conversation the next turn waits for its answer.
        """
        if not self._in_flight:
            return bool(self._come)
        may_open = self._turns_follow or any(not asked.question.final for asked, _ in self._come)
        least = 1 if len(self._in_flight) < self._plan.concurrency else max(1, self._plan.concurrency // 4)
        return may_open and len(self._come) >= least

    def _new(self, questions: Iterable[OpenQuestion], offered: list[int]) -> Iterator[OpenQuestion]:
        """Yield the questions that this run has not begun, and count all that are offered."""
        for asked in questions:
            offered[0] += 1
            if (asked.item, asked.question.id) not in self._begun:
                self._begun.add((asked.item, asked.question.id))
                self._under_way.add(asked.item)
                self._unsealed[asked.item] += 1
                self._turns_follow = self._turns_follow or bool(asked.earlier)
                yield asked

    def _begin(self, asked: OpenQuestion) -> None:
        kept = self._pictures.setdefault(asked.item, {})
        names = picture_names(asked)
        missing = [name for name in names if name not in kept]
        is_one_request = bool(missing) and isinstance(self._port, PicturesPort)
        for some in [missing] if is_one_request else [[name] for name in missing]:
            kept.update(dict.fromkeys(some, self._fetchers.submit(self._fetch, asked, some)))
        pictures = {name: kept[name] for name in names}
        self._in_flight[self._askers.submit(self._answer, asked, pictures)] = asked

    def _fetch(self, asked: OpenQuestion, names: Sequence[str]) -> Mapping[str, bytes]:
        if isinstance(self._port, PicturesPort):
            return self._port.pictures(asked, names)
        return {name: self._port.picture(asked, name) for name in names}

    def _weigh_pictures(self, item: int) -> None:
        """Keep an item's pictures for its next questions, unless those of others take all the room."""
        fetched = self._pictures.get(item, {})
        self._picture_bytes[item] = sum(len(fetch.result()[name]) for name, fetch in fetched.items() if fetch.done())
        if self._picture_bytes.total() > MOST_KEPT:
            self._forget_pictures(item)

    def _forget_pictures(self, item: int) -> None:
        self._pictures.pop(item, None)
        del self._picture_bytes[item]

    def _answer(self, asked: OpenQuestion, pictures: Fetched) -> Answer:
        """Wait for the pictures and for the model's turn, and ask it. After a failure nothing more is asked."""
        shown = {name: fetched.result()[name] for name, fetched in pictures.items()}
        with self._asking:
            if self._stopped.is_set():
                raise _StoppedError
            try:
                return answer_question(
                    asked,
                    shown,
                    responder=self._responder,
                    strategy=self._strategy,
                    wording=self._plan.wording,
                    attempts=self._plan.attempts,
                    on_failure=self._count_failure,
                    on_alteration=self._count_alteration,
                )
            except BaseException:
                self._stopped.set()
                raise

    def _count_failure(self) -> None:
        """Count a failed attempt. Raises: _StoppedError: the run ends, so there is no other attempt."""
        with self._counting:
            self.progress = replace(self.progress, failed_attempts=self.progress.failed_attempts + 1)
        if self._stopped.is_set():
            raise _StoppedError

    def _count_alteration(self) -> None:
        with self._counting:
            self.progress = replace(self.progress, altered=self.progress.altered + 1)

    def _collect(self) -> None:
        """Wait for an answer, take all that have come, and seal them once they fill a batch."""
        done, _ = wait(self._in_flight, return_when=FIRST_COMPLETED)
        for future in done:
            error = future.exception()
            if error is not None and not isinstance(error, _StoppedError):
                asked = self._in_flight[future]
                self._keep_what_came()
                raise RunError(asked, self.progress, error) from error
        self._take(done)
        if len(self._come) >= self._plan.batch:
            self._seal()

    def _take(self, done: set[Future[Answer]]) -> None:
        for future in done:
            asked = self._in_flight.pop(future)
            if not future.cancelled() and future.exception() is None:
                self._come.append((asked, future.result()))
                self._weigh_pictures(asked.item)

    def _keep_what_came(self, seconds: float | None = None) -> None:
        """Stop asking, let what the model is at end within so many seconds, and seal every answer there is."""
        self._stop()
        done, _ = wait(self._in_flight, timeout=seconds)
        self._take(done)
        self._seal()

    def _stop(self) -> None:
        self._stopped.set()
        for future in self._in_flight:
            future.cancel()
        self._fetchers.shutdown(wait=False, cancel_futures=True)

    def _seal(self) -> None:
        if not self._come:
            return
        answers = [answer for _, answer in self._come]
        receipt = self._port.seal(answers)
        with self._counting:
            sealed = self.progress.sealed + len(answers)
            self.progress = replace(self.progress, sealed=sealed, state=receipt.state)
        self._come = []
        self._unsealed.subtract(answer.item for answer in answers)
        if receipt.state == "open":
            self._sealed_items.update(dict.fromkeys(answer.item for answer in answers))
        self._report(self.progress)


def _silent(_: RunProgress) -> None:
    """Report nothing."""


def answer_question(
    asked: OpenQuestion,
    shown: dict[str, bytes],
    *,
    responder: Responder,
    strategy: Strategy,
    wording: Wording,
    attempts: Attempts,
    on_failure: Callable[[], None],
    on_alteration: Callable[[], None],
) -> Answer:
    """Go through the strategy's requests, each until a reply comes; return the last, to be read by the service.

    A reply that the service can't take is altered as `fit_reply` says, and `on_alteration` is called.

    Raises:
        ReplyError: no attempt got a reply.
        MissingExamplesError: the strategy shows solved examples, and the question brings none.
    """
    replies: list[str] = []
    stop: StopKind | None = None
    while len(replies) < strategy.steps.requests:
        messages = strategy.messages(asked.question, shown, wording, replies, asked.earlier)
        prompt = Prompt(
            question=asked.question, pictures=shown, messages=messages, earlier=asked.earlier, item=asked.item
        )
        reply = retry(partial(responder, prompt), attempts, on_failure)
        text, stop = (reply, None) if isinstance(reply, str) else (reply.text, reply.stop)
        replies.append(text)
    fitted = fit_reply(replies[-1])
    if fitted.is_altered:
        on_alteration()
    return Answer(item=asked.item, question=asked.question.id, response=fitted.text, stop=stop)


def picture_names(asked: OpenQuestion) -> list[str]:
    """Name every picture that a question and its earlier turns show, their options' included, once each."""
    named: list[str] = []
    for question in (*(turn.question for turn in asked.earlier), asked.question):
        named += [picture.name for picture in question.pictures]
        named += [option.picture for option in question.options if option.picture is not None]
    return list(dict.fromkeys(named))
