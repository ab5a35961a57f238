"""The loop: get open questions, answer each, seal the answers, repeat until none is open."""

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Lock
from typing import Self

from tetrad.contracts.answers import Answer
from tetrad.contracts.inference import StopKind
from tetrad.contracts.submissions import OpenQuestion
from tetrad.prompting import Strategy, Wording, find_strategy
from tetrad.runner.patience import Attempts, attempted
from tetrad.runner.ports import Prompt, Responder, RunProgress, SubmissionPort

Reporter = Callable[[RunProgress], None]
FETCHERS = 4  # threads that fetch pictures ahead of the model
AHEAD = 2  # questions in flight for each one being answered: the others' pictures are on their way
LONGEST_REPLY = 32 * 1024  # characters: contracts.answers.Reply


class RunError(Exception):
    """A question got no answer; `progress` says what was sealed before, and stays so."""

    def __init__(self, asked: OpenQuestion, progress: RunProgress, reason: BaseException) -> None:
        super().__init__(
            f"item {asked.item}, question {asked.question.id}: no answer ({reason}); "
            f"{progress.sealed} answers are sealed: run again to go on from there"
        )
        self.asked = asked
        self.progress = progress


class StalledError(Exception):
    """A round offers only questions that this run has sealed: going on would never end."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How to run: the prompt, how many at a time, how many answers to an upload, and what a failure costs."""

    strategy: str = "direct"
    wording: Wording = field(default_factory=Wording)
    concurrency: int = 4
    batch: int = 20
    attempts: Attempts = field(default_factory=Attempts)


def answer_submission(
    port: SubmissionPort, responder: Responder, plan: Plan | None = None, *, report: Reporter | None = None
) -> RunProgress:
    """Answer every question of a submission, and those that open on the way; return how it went.

    `report` is told of every upload. Answers are sealed in batches as they come, in no fixed order.

    Raises:
        RunError: a question used up its attempts; answers that had come by then are sealed.
        StalledError: sealed questions stay open.
        UnknownStrategyError: the plan names none.
    """
    with _Run(port, responder, plan or Plan(), report or _silent) as run:
        while run.progress.state == "open" and run.one_round():
            pass
        return run.progress


class _Run:
    """One run: what is in flight, what has come, what is sealed."""

    def __init__(self, port: SubmissionPort, responder: Responder, plan: Plan, report: Reporter) -> None:
        self.progress = RunProgress()
        self._port, self._responder, self._plan, self._report = port, responder, plan, report
        self._strategy = find_strategy(plan.strategy, plan.wording)
        self._in_flight: dict[Future[Answer], OpenQuestion] = {}
        self._come: list[Answer] = []
        self._begun: set[tuple[int, str]] = set()
        self._counting = Lock()
        self._askers = ThreadPoolExecutor(plan.concurrency, "ask")
        self._fetchers = ThreadPoolExecutor(FETCHERS, "fetch")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._askers.shutdown(cancel_futures=True)
        self._fetchers.shutdown(cancel_futures=True)

    def one_round(self) -> bool:
        """Answer what is open now; False when nothing is."""
        self.progress = replace(self.progress, rounds=self.progress.rounds + 1)
        offered = [0, 0]  # all, and those new to this run
        try:
            for asked in self._open(offered):
                self._begin(asked)
                if len(self._in_flight) >= AHEAD * self._plan.concurrency:
                    self._collect()
            while self._in_flight:
                self._collect()
        except BaseException:
            self._keep_what_came()
            raise
        self._seal()
        if offered[0] and not offered[1]:
            raise StalledError(
                f"{offered[0]} questions stay open although this run sealed them: the service is at fault"
            )
        return offered[1] > 0

    def _open(self, offered: list[int]) -> Iterator[OpenQuestion]:
        for asked in self._port.questions():
            offered[0] += 1
            if (asked.item, asked.question.id) not in self._begun:
                self._begun.add((asked.item, asked.question.id))
                offered[1] += 1
                yield asked

    def _begin(self, asked: OpenQuestion) -> None:
        names = picture_names(asked)
        pictures = {name: self._fetchers.submit(self._port.picture, asked, name) for name in names}
        future = self._askers.submit(
            answer_question,
            asked,
            pictures,
            responder=self._responder,
            strategy=self._strategy,
            wording=self._plan.wording,
            attempts=self._plan.attempts,
            on_failure=self._count_failure,
        )
        self._in_flight[future] = asked

    def _count_failure(self) -> None:
        with self._counting:
            self.progress = replace(self.progress, failed_attempts=self.progress.failed_attempts + 1)

    def _collect(self) -> None:
        """Wait for an answer, take all that have come, and seal them once they fill a batch."""
        done, _ = wait(self._in_flight, return_when=FIRST_COMPLETED)
        for future in done:
            error = future.exception()
            if error is not None:
                self._keep_what_came()
                raise RunError(self._in_flight[future], self.progress, error) from error
        self._take(done)
        if len(self._come) >= self._plan.batch:
            self._seal()

    def _take(self, done: set[Future[Answer]]) -> None:
        for future in done:
            del self._in_flight[future]
            self._come.append(future.result())

    def _keep_what_came(self) -> None:
        """Stop asking, let what is under way end, and seal every answer there is."""
        for future in self._in_flight:
            future.cancel()
        done, _ = wait(self._in_flight)
        self._take({future for future in done if not future.cancelled() and future.exception() is None})
        self._seal()

    def _seal(self) -> None:
        if not self._come:
            return
        receipt = self._port.seal(self._come)
        with self._counting:
            sealed = self.progress.sealed + len(self._come)
            self.progress = replace(self.progress, sealed=sealed, state=receipt.state)
        self._come = []
        self._report(self.progress)


def _silent(_: RunProgress) -> None:
    """Report nothing."""


def answer_question(
    asked: OpenQuestion,
    pictures: dict[str, Future[bytes]],
    *,
    responder: Responder,
    strategy: Strategy,
    wording: Wording,
    attempts: Attempts,
    on_failure: Callable[[], None],
) -> Answer:
    """Go through the strategy's requests, each until a reply comes; send all of the last, to be read by the service.

    Of a reply longer than the service takes, the end is kept: that is where answers stand.

    Raises:
        ReplyError: no attempt got a reply.
        MissingExamplesError: the strategy shows solved examples, and the question brings none.
    """
    shown = {name: picture.result() for name, picture in pictures.items()}
    replies: list[str] = []
    stop: StopKind | None = None
    while len(replies) < strategy.steps.requests:
        messages = strategy.messages(asked.question, shown, wording, replies, asked.earlier)
        prompt = Prompt(
            question=asked.question, pictures=shown, messages=messages, earlier=asked.earlier, item=asked.item
        )
        reply = attempted(partial(responder, prompt), attempts, on_failure)
        text, stop = (reply, None) if isinstance(reply, str) else (reply.text, reply.stop)
        replies.append(text)
    return Answer(item=asked.item, question=asked.question.id, response=replies[-1][-LONGEST_REPLY:], stop=stop)


def picture_names(asked: OpenQuestion) -> list[str]:
    """Name every picture that a question and its earlier turns show, their options' included, once each."""
    named: list[str] = []
    for question in (*(turn.question for turn in asked.earlier), asked.question):
        named += [picture.name for picture in question.pictures]
        named += [option.picture for option in question.options if option.picture is not None]
    return list(dict.fromkeys(named))
