"""The job of a verification: check a report that somebody sent, slice by slice, and record the findings."""

import logging
from collections import abc
from contextlib import closing

import msgspec
import sqlalchemy as sa

from scoring_service.generator import GeneratorConflictError, GeneratorRefusalError
from scoring_service.jobs.context import WorkerContext
from scoring_service.jobs.job_records import VerificationResult
from scoring_service.jobs.slices import Kept, drop_slices
from scoring_service.scoring import JudgedQuestion
from scoring_service.verification import (
    Comparison,
    Summary,
    before_regeneration,
    can_regenerate,
    compare_claim,
    regeneration_of,
)
from tetrad.contracts.benchmarks import BenchmarkInfo
from tetrad.contracts.reports import Finding, Report
from tetrad.internal.draws import KeyedItem
from tetrad.server.clock import now_ms
from tetrad.server.damage import read_object
from tetrad.server.database import read_rows, write_transaction
from tetrad.server.named_objects import digest_in
from tetrad.server.outbox import Lease, write_as_holder
from tetrad.server.scoring_tables import reports, verifications

log = logging.getLogger(__name__)


class Nothing(msgspec.Struct, frozen=True):
    """The empty first row of a verification: the report itself describes the job."""


class VerifiedSlice(msgspec.Struct, frozen=True, kw_only=True):
    """The findings of one slice, which has compared all items before `until`."""

    until: int
    questions: list[JudgedQuestion]
    summary: Summary


class VerificationJob:
    """One turn of the job of a verification; its steps are `open_work`, `Slices.advance` and `finish`."""

    def __init__(self, context: WorkerContext, lease: Lease) -> None:
        self._context = context
        self._lease = lease

    def work_for_a_slice(self) -> list[Finding] | None:
        """Return all findings, failures first; None if the job continues in another turn."""
        work = self.open_work()
        return self.finish(work) if self._context.slices.advance(self._lease, None, work) else None

    def open_work(self) -> "VerificationWork":
        """Return the work that this worker has open; else open it, after the slices that are kept or from the start."""
        slices = self._context.slices
        work = slices.take(self._lease.id, VerificationWork)
        if work is None:
            kept = slices.store.last(self._lease.id, Nothing, VerifiedSlice)
            work = self.begin() if kept is None else self.resume(kept)
        return work

    def begin(self) -> "VerificationWork":
        """Open the work on the report's first item."""
        return VerificationWork(self._context, self.claimed_report())

    def resume(self, kept: Kept[Nothing, VerifiedSlice]) -> "VerificationWork":
        """Open the work after the slices that are kept."""
        return VerificationWork(self._context, self.claimed_report(), last=kept.last, number=kept.number)

    def finish(self, work: "VerificationWork") -> list[Finding]:
        """Return the findings of all slices, the last one included."""
        return work.findings(self._context.slices.store.read(self._lease.id, work.opened_after, VerifiedSlice))

    def claimed_report(self) -> Report:
        """Return the report that was sent."""
        name = sa.select(verifications.c.object).where(verifications.c.id == self._lease.id)
        stored = str(read_rows(self._context.engine, name)[0].object)
        body = read_object(self._context.engine, self._context.store, stored, digest_in(stored))
        return msgspec.json.decode(body, type=Report)


class VerificationWork:
    """The work on one verification, open from turn to turn."""

    first = Nothing()

    def __init__(
        self, context: WorkerContext, report: Report, *, last: VerifiedSlice | None = None, number: int = 0
    ) -> None:
        """Go on after the last of `number` slices, or begin."""
        self.number = self.opened_after = number
        self._report = report
        self._until = last.until if last else 0
        self._info = context.generator.find(report.identity.benchmark, report.identity.version)
        self._comparison = Comparison(report)
        self._ended: list[VerifiedSlice] = []  # since it was opened: those need not be read again
        self._questions: list[JudgedQuestion] = []
        self._summary = Summary()
        self._refusal: list[Finding] = []
        self._items = self._regenerate_items(context)

    def step(self) -> int:
        """Compare the next item; return 0 when all are compared."""
        try:
            item = next(self._items, None)
        except (GeneratorConflictError, GeneratorRefusalError) as error:
            refused = compare_claim("regeneration", "identity", "a draw of this identity and answers", str(error))
            self._refusal = [refused]
            return 0
        if item is None:
            return 0
        for question in self._comparison.compare(item):
            self._questions.append(question.judged)
            self._summary.add(question.findings)
        self._until = item.item + 1
        return 1

    @property
    def is_done(self) -> bool:
        return self._until >= self._report.size

    def end_slice(self) -> VerifiedSlice:
        made = VerifiedSlice(until=self._until, questions=self._questions, summary=self._summary)
        self._ended.append(made)
        self._questions, self._summary = [], Summary()
        return made

    def close(self) -> None:
        self._items.close()

    def findings(self, slices: list[VerifiedSlice]) -> list[Finding]:
        """Return all findings, failures first. `slices` are those that were kept when this work was opened."""
        found = Summary()
        found.add(before_regeneration(self._report, self._info))
        if self._refusal:
            found.add(self._refusal)
        elif self._info is not None and can_regenerate(self._report, self._info):
            self.end_slice()
            self._add_comparison([*slices, *self._ended], self._info, found)
        return found.findings()

    def _add_comparison(self, slices: list[VerifiedSlice], info: BenchmarkInfo, found: Summary) -> None:
        questions = [question for part in slices for question in part.questions]
        found.add(
            self._comparison.find_unasked({(question.result.item, question.result.question) for question in questions})
        )
        for part in slices:
            found.join(part.summary)
        found.add(self._comparison.compare_numbers(questions, info.card))

    def _regenerate_items(self, context: WorkerContext) -> abc.Generator[KeyedItem, None, None]:
        if self._info is None or not can_regenerate(self._report, self._info):
            return
        with closing(context.generator.regenerate(regeneration_of(self._report)).since(self._until)) as parts:
            for part in parts:
                yield from part.items


def _result_of(context: WorkerContext, lease: Lease, findings: list[Finding]) -> VerificationResult:
    """Return whether the report holds, and if it does not, whether it is one that this instance made.

    Anybody may send a made-up report, so only the latter is a fault of ours.
    """
    if all(finding.ok for finding in findings):
        return "equal"
    claimed = VerificationJob(context, lease).claimed_report()
    query = sa.select(reports.c.object, reports.c.digest).where(reports.c.submission_id == claimed.submission)
    for row in read_rows(context.engine, query):
        kept = msgspec.json.decode(read_object(context.engine, context.store, row.object, row.digest), type=Report)
        if (kept.seed, kept.questions, kept.metrics) == (claimed.seed, claimed.questions, claimed.metrics):
            return "ours-differs"
    return "differs"


def verify_report(context: WorkerContext, lease: Lease) -> bool:
    """Work for a slice on a queued verification; when all is compared, write its findings, failures first.

    Raises:
        LeaseLostError: another attempt has overtaken this one.
    """
    findings = VerificationJob(context, lease).work_for_a_slice()
    if findings is None:
        return False
    context.records.count_verification(_result_of(context, lease, findings))
    result = msgspec.json.encode(findings).decode()
    ended: dict[str, object] = {"finished_at": now_ms(), "lease_until": None, "failure": None}
    with write_transaction(context.engine) as connection:
        write_as_holder(connection, lease, state="done", result=result, **ended)
        drop_slices(connection, lease.id)
    return True
