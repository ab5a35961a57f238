"""The job of one submission's report, slice by slice: read and judge its answers, then measure.

In order: `ReportJob`, one turn of the job; `ReportWork`, the work that stays open from turn to turn; the reveal; the
sealed answers, in rows or in an object. The first row of a job holds the reveal, so that a draw is revealed once.
Answers and keys are fetched by ranges of items. The report is the one that `scoring_service.scoring.score` makes in one
go.
"""

import logging
import time
from collections import abc
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from threading import Lock
from typing import Any, NamedTuple, Protocol

import msgspec
import sqlalchemy as sa

from scoring_service.generator import GeneratorRefusalError, KeyedRanges, RevealedDraw
from scoring_service.jobs.attempts import AlarmError
from scoring_service.jobs.context import WorkerContext
from scoring_service.jobs.slices import Kept
from scoring_service.judge import (
    JUDGING_SECONDS,
    JudgedCaption,
    JudgeRefusalError,
    count_captions,
    with_opinions,
    without_opinion,
)
from scoring_service.scoring import (
    AnswerExtraction,
    JudgedQuestion,
    check_all_asked,
    extractor_for,
    judge_item,
    report_of,
)
from tetrad.commitments import commitment_of
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.items import DrawIdentity, KeyedQuestion
from tetrad.contracts.reports import QuestionResult, Report
from tetrad.contracts.wire import ParameterValue
from tetrad.internal.kept_answers import unpack_answers
from tetrad.server.clock import rfc3339
from tetrad.server.damage import read_object
from tetrad.server.database import read_rows, read_transaction
from tetrad.server.outbox import Lease
from tetrad.server.scoring_tables import answers, submissions

NO_ITEM = 2**31  # above every item's number
CAPTIONS_AT_ONCE = 8  # captions in one round of the judge; a slice checks the clock after each round

Pair = tuple[KeyedQuestion, QuestionResult]

log = logging.getLogger(__name__)


class TimedJudge(Protocol):
    """A judge of captions with a time limit in seconds. Captions that it does not reach are unread."""

    def __call__(self, captions: Sequence[JudgedCaption], seconds: float) -> list[str]: ...


class JudgedSlice(msgspec.Struct, frozen=True, kw_only=True):
    """The results of one slice, which has judged all items before `until`.

    `foreign` are answers, by item and question, to questions that were never asked. `judge_seconds` is how long a judge
    of captions took in this slice and all before; `judge_refused` says that it refused our requests.
    """

    until: int
    questions: list[JudgedQuestion]
    foreign: list[tuple[int, str]]
    judge_seconds: float
    judge_refused: bool


class ReportJob:
    """One turn of the job of a report; its steps are `open_work`, `Slices.advance` and `finish`."""

    def __init__(self, context: WorkerContext, lease: Lease, submission: str) -> None:
        self._context = context
        self._lease = lease
        self._submission = submission

    def work_for_a_slice(self, now: int) -> Report | None:
        """Return the report, made at `now` (ms) by this scorer from the sealed answers and the keys.

        Return None if the job continues in another turn; then the row is given back.

        Raises:
            AlarmError: the revealed draw does not match the commitment.
            GeneratorError: the draw can't be revealed now, or the answers are not those that were sealed.
            JudgeUnavailableError: there is a judge of captions, and it is away.
            LeaseLostError: another attempt has overtaken this one.
        """
        work = self.open_work()
        is_finished = self._context.slices.advance(self._lease, self._submission, work)
        return self.finish(work, now) if is_finished else None

    def open_work(self) -> "ReportWork":
        """Return the work that this worker has open; else open it, after the slices that are kept or from the start."""
        slices = self._context.slices
        work = slices.take(self._lease.id, ReportWork)
        if work is None:
            kept = slices.store.last(self._lease.id, RevealedDraw, JudgedSlice)
            work = self.begin() if kept is None else self.resume(kept)
        return work

    def begin(self) -> "ReportWork":
        """Reveal the draw, and open the work on its first item."""
        return open_report_work(self._context, self._submission)

    def resume(self, kept: Kept[RevealedDraw, JudgedSlice]) -> "ReportWork":
        """Open the work after the slices that are kept."""
        of_draw = _card_and_ranges(self._context, self._submission, kept.first)
        judge = self._context.judge
        return ReportWork(self._submission, kept.first, *of_draw, judge=judge, last=kept.last, number=kept.number)

    def finish(self, work: "ReportWork", now: int) -> Report:
        """Return the report of all slices, the last one included."""
        slices = self._context.slices.store.read(self._lease.id, work.opened_after, JudgedSlice)
        report = work.report(slices, rfc3339(now))
        conversation = sa.select(submissions.c.conversation).where(submissions.c.id == self._submission)
        row = read_rows(self._context.engine, conversation)[0]
        return msgspec.structs.replace(report, conversation=row.conversation)


def open_report_work(context: WorkerContext, submission: str, *, ahead: bool = False) -> "ReportWork":
    """Reveal a submission's draw, and open the work on its first item; with `ahead`, fetch the first keys now.

    Raises:
        AlarmError, GeneratorError: as `ReportJob.work_for_a_slice`.
    """
    draw = _reveal(context, submission)
    card, ranges = _card_and_ranges(context, submission, draw)
    if ahead:
        ranges.fetch_first()
    return ReportWork(submission, draw, card, ranges, judge=context.judge)


def _card_and_ranges(context: WorkerContext, submission: str, draw: RevealedDraw) -> tuple[Card, KeyedRanges]:
    info = context.generator.find(draw.identity.benchmark, draw.identity.version)
    if info is None:
        benchmark = f"{draw.identity.benchmark} {draw.identity.version}"
        raise GeneratorRefusalError(f"the generator has no card of {benchmark}")
    answers_of = SubmissionAnswers(context, submission, draw.size)
    return info.card, context.generator.revealed_ranges(submission, draw.size, answers_of)


class ReportWork:
    """The work on one report, open from turn to turn."""

    def __init__(
        self,
        submission: str,
        draw: RevealedDraw,
        card: Card,
        ranges: KeyedRanges,
        *,
        judge: TimedJudge | None = None,
        last: JudgedSlice | None = None,
        number: int = 0,
    ) -> None:
        """Go on after the last of `number` slices, or begin."""
        self.number = self.opened_after = number
        self._submission = submission
        self._draw = draw
        self._card = card
        self._until = last.until if last else 0
        self._extract = AnswerExtraction(extractor_for(card, draw.identity))
        self._judge = judge
        self._judge_refused = last.judge_refused if last else False
        self._judge_seconds = last.judge_seconds if last else 0.0
        self._ended: list[JudgedSlice] = []  # since it was opened: those need not be read again
        self._questions: list[JudgedQuestion] = []
        self._foreign: list[tuple[int, str]] = []
        self._items = self._judge_items(ranges)

    @property
    def first(self) -> RevealedDraw:
        return self._draw

    def step(self) -> int:
        """Judge the next item, or with a judge of captions some items; return how many, 0 when all are judged."""
        if self._judge is None or self._judge_refused:
            item = next(self._items, None)
            if item is None:
                return 0
            self._add(item.pairs)
            return 1
        return self._step_with_judge(self._judge)

    @property
    def is_done(self) -> bool:
        return self._until >= self._draw.size

    def end_slice(self) -> JudgedSlice:
        made = JudgedSlice(
            until=self._until,
            questions=self._questions,
            foreign=self._foreign,
            judge_seconds=self._judge_seconds,
            judge_refused=self._judge_refused,
        )
        self._ended.append(made)
        self._questions, self._foreign = [], []
        return made

    def close(self) -> None:
        self._items.close()

    def report(self, slices: Sequence[JudgedSlice], scored_at: str) -> Report:
        """Return the report. `slices` are those that were kept when this work was opened; it remembers its own.

        Raises:
            ForeignAnswerError: an answer belongs to no question of the keys.
            HeadlineUnitError: the card's headline is not a share.
        """
        self.end_slice()
        every = [*slices, *self._ended]
        check_all_asked([place for part in every for place in part.foreign])
        questions = [question for part in every for question in part.questions]
        if self._judge_refused:
            questions = [
                msgspec.structs.replace(question, result=without_opinion(question.result)) for question in questions
            ]
        return report_of(
            self._submission,
            self._draw,
            [question.result for question in questions],
            [question.scored for question in questions],
            self._card,
            scored_at=scored_at,
        )

    def _step_with_judge(self, ask: TimedJudge) -> int:
        """Judge items until there are enough captions for one round of the judge, and send them to it."""
        pairs: list[Pair] = []
        answers: list[SealedAnswer] = []
        items = captions = 0
        while captions < CAPTIONS_AT_ONCE and (item := next(self._items, None)) is not None:
            pairs += item.pairs
            answers += item.answers
            captions += count_captions(item.pairs, item.answers)
            items += 1
        self._add(self._with_opinions(pairs, answers, ask) if captions else pairs)
        return items

    def _with_opinions(self, pairs: list[Pair], answers: list[SealedAnswer], ask: TimedJudge) -> list[Pair]:
        """Add the judge's verdicts. If the gateway refuses the judge, the report is made without them."""
        begun = time.monotonic()
        left = max(0.0, JUDGING_SECONDS - self._judge_seconds)
        try:
            return with_opinions(pairs, answers, partial(ask, seconds=left))
        except JudgeRefusalError as error:
            log.error("scored without a judge: %s", error, extra={"submission": self._submission})  # noqa: TRY400 - no defect
            self._judge_refused = True
            return pairs
        finally:
            self._judge_seconds += time.monotonic() - begun

    def _add(self, pairs: list[Pair]) -> None:
        self._questions += (JudgedQuestion.of(keyed, result) for keyed, result in pairs)

    def _judge_items(self, ranges: KeyedRanges) -> abc.Generator["_JudgedItem", None, None]:
        """Judge one item after the other."""
        with closing(ranges.since(self._until)) as parts:
            for part in parts:
                by_item: dict[int, dict[tuple[int, str], SealedAnswer]] = {}
                for answer in part.answers:
                    by_item.setdefault(answer.item, {})[answer.item, answer.question] = answer
                for item in part.items:
                    sealed = by_item.pop(item.item, {})
                    given = list(sealed.values())
                    pairs = judge_item(item, sealed, self._extract)
                    self._foreign += sealed  # those that are left
                    if item is part.items[-1]:
                        self._foreign += [place for rest in by_item.values() for place in rest]
                    self._until = item.item + 1
                    yield _JudgedItem(pairs, given)


class _JudgedItem(NamedTuple):
    """The questions of one item, judged, and all answers to it."""

    pairs: list[Pair]
    answers: list[SealedAnswer]


def _reveal(context: WorkerContext, submission: str) -> RevealedDraw:
    """Close the draw with its sealed answers, and check it against the commitment."""
    row, sealed = _submission(context, submission)
    draw = context.generator.reveal(submission, sealed)
    if (draw.identity, draw.size) != (_identity(row), row.size):
        raise AlarmError("the draw that the generator revealed is not the one that was opened")
    if commitment_of(draw.identity, draw.seed, draw.size) != row.commitment:
        raise AlarmError("the seed that the generator revealed does not match the published commitment")
    return draw


def _submission(context: WorkerContext, submission: str) -> tuple[sa.Row[tuple[object, ...]], list[SealedAnswer]]:
    """Return the submission's row and all its answers.

    Raises:
        DamageError: they were moved to the object store, and are missing or changed there.
    """
    with read_transaction(context.engine) as connection:
        row = connection.execute(sa.select(submissions).where(submissions.c.id == submission)).one()
        if row.answers_object is None:
            return row, _sealed_answers(connection.execute(_GIVEN.where(answers.c.submission_id == submission)).all())
    return row, _unpack_kept(_read_kept(context, row))


class SubmissionAnswers:
    """Finds a submission's answers by items, in their rows or in the object that replaced them.

    Called by several threads. The object is fetched and checked once, for as long as the row names it.
    """

    def __init__(self, context: WorkerContext, submission: str, size: int) -> None:
        self._context = context
        self._submission = submission
        self._size = size
        self._lock = Lock()
        self._name = ""
        self._body = b""

    def __call__(self, items: range) -> list[SealedAnswer]:
        """Return the answers to these items. An answer to no item of the draw goes with the first or the last ones.

        Raises:
            DamageError: as `_submission`.
        """
        a, s = answers.c, submissions.c
        from_first = a.item >= items.start if items.start else sa.true()
        to_last = a.item < items.stop if items.stop < self._size else sa.true()
        mine = sa.select(s.answers_object, s.answers_digest).where(s.id == self._submission)
        with read_transaction(self._context.engine) as connection:  # one moment: rows go after it is named
            row = connection.execute(mine).one()
            if row.answers_object is None:
                given = _GIVEN.where(a.submission_id == self._submission, from_first, to_last)
                return _sealed_answers(connection.execute(given).all())
        with self._lock:
            if self._name != row.answers_object:
                self._body = _read_kept(self._context, row)
                self._name = str(row.answers_object)
            body = self._body
        return _unpack_kept(body, range(items.start, items.stop if items.stop < self._size else NO_ITEM))


def _read_kept(context: WorkerContext, row: Any) -> bytes:
    """Return the object that replaced the rows. Raises: DamageError: it is not what was kept."""
    return read_object(context.engine, context.store, str(row.answers_object), str(row.answers_digest))


def _unpack_kept(body: bytes, items: range | None = None) -> list[SealedAnswer]:
    """Return the answers to these items, or all, from the object."""
    found = unpack_answers(body, items)
    return _sealed_answers(
        [(answer.item, answer.question, answer.answer, answer.response, answer.stop) for answer in found]
    )


_GIVEN = sa.select(answers.c.item, answers.c.question, answers.c.answer, answers.c.response, answers.c.stop)


def _sealed_answers(rows: Sequence[Any]) -> list[SealedAnswer]:
    return [
        SealedAnswer(item=item, question=question, answer=answer, response=response, stop=stop)
        for item, question, answer, response, stop in rows
    ]


def _identity(row: sa.Row[tuple[object, ...]]) -> DrawIdentity:
    return DrawIdentity(
        benchmark=row.benchmark,
        version=row.version,
        bank=row.bank,
        track=row.track,
        setting=row.setting,
        parameters=msgspec.json.decode(row.parameters, type=dict[str, ParameterValue]),
    )
