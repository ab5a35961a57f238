"""The job of a verification: check a report that somebody sent, slice by slice, and record the findings."""

import logging
from collections import abc
from contextlib import closing

import msgspec
import sqlalchemy as sa

from scoring_service.generator import GeneratorConflictError, GeneratorRefusalError
from scoring_service.jobs.context import WorkerContext
from scoring_service.jobs.ledger import verifications
from scoring_service.jobs.slices import drop_slices
from scoring_service.scoring import JudgedQuestion
from scoring_service.verification import (
    Comparison,
    Summary,
    before_regeneration,
    can_regenerate,
    finding,
    regeneration_of,
)
from tetrad.contracts.benchmarks import BenchmarkInfo
from tetrad.contracts.reports import Finding, Report
from tetrad.internal.draws import KeyedItem
from tetrad.server.clock import now_ms
from tetrad.server.database import read_rows, write_transaction
from tetrad.server.outbox import Lease, write_as_holder

log = logging.getLogger(__name__)


class Nothing(msgspec.Struct, frozen=True):
    """The empty first row of a verification: the report itself describes the job."""


class VerifiedSlice(msgspec.Struct, frozen=True, kw_only=True):
    """The findings of one slice, which has compared all items before `until`."""

    until: int
    questions: list[JudgedQuestion]
    summary: Summary


class VerificationWork:
    """The work on one verification."""

    first = Nothing()

    def __init__(
        self, context: WorkerContext, report: Report, *, last: VerifiedSlice | None = None, number: int = 0
    ) -> None:
        """Go on after the last of `number` slices, or begin."""
        self.number = number
        self._report = report
        self._until = last.until if last else 0
        self._info = context.generator.find(report.identity.benchmark, report.identity.version)
        self._comparison = Comparison(report)
        self._questions: list[JudgedQuestion] = []
        self._summary = Summary()
        self._refusal: list[Finding] = []
        self._items = self._going_on(context)

    def step(self) -> int:
        """Compare the next item; return 0 when all are compared."""
        try:
            item = next(self._items, None)
        except (GeneratorConflictError, GeneratorRefusalError) as error:
            refused = finding("regeneration", "identity", "a draw of this identity and answers", str(error))
            self._refusal = [refused]
            return 0
        if item is None:
            return 0
        for one in self._comparison.compare(item):
            self._questions.append(one.question)
            self._summary.add(one.findings)
        self._until = item.item + 1
        return 1

    @property
    def is_done(self) -> bool:
        return self._until >= self._report.size

    def done(self) -> VerifiedSlice:
        made = VerifiedSlice(until=self._until, questions=self._questions, summary=self._summary)
        self._questions, self._summary = [], Summary()
        return made

    def close(self) -> None:
        self._items.close()

    def findings(self, slices: list[VerifiedSlice]) -> list[Finding]:
        """Return all findings of the kept slices and of this work, failures first."""
        found = Summary()
        found.add(before_regeneration(self._report, self._info))
        if self._refusal:
            found.add(self._refusal)
        elif self._info is not None and can_regenerate(self._report, self._info):
            self._compared([*slices, self.done()], self._info, found)
        return found.findings()

    def _compared(self, slices: list[VerifiedSlice], info: BenchmarkInfo, found: Summary) -> None:
        questions = [question for one in slices for question in one.questions]
        found.add(self._comparison.unasked({(one.result.item, one.result.question) for one in questions}))
        for one in slices:
            found.join(one.summary)
        found.add(self._comparison.measured(questions, info.card))

    def _going_on(self, context: WorkerContext) -> abc.Generator[KeyedItem, None, None]:
        if self._info is None or not can_regenerate(self._report, self._info):
            return
        with closing(context.generator.regenerate(regeneration_of(self._report)).since(self._until)) as parts:
            for part in parts:
                yield from part.items


def verify_report(context: WorkerContext, lease: Lease) -> None:
    """Work for a slice on a queued verification; when all is compared, write its findings, failures first.

    Raises:
        LeaseLostError: another attempt has overtaken this one.
    """
    slices = context.slices

    def begin() -> VerificationWork:
        kept = slices.store.last(lease.id, Nothing, VerifiedSlice)
        report = _claimed_report(context, lease)
        if kept is None:
            return VerificationWork(context, report)
        return VerificationWork(context, report, last=kept.last, number=kept.number)

    work = slices.open(lease.id, VerificationWork, begin)
    if not slices.advance(lease, None, work):
        return
    findings = work.findings(slices.store.read(lease.id, work.number, VerifiedSlice))
    result = msgspec.json.encode(findings).decode()
    ended: dict[str, object] = {"finished_at": now_ms(), "lease_until": None, "failure": None}
    with write_transaction(context.engine) as connection:
        write_as_holder(connection, lease, state="done", result=result, **ended)
        drop_slices(connection, lease.id)
    log.info("verified", extra={"verification": lease.id})


def _claimed_report(context: WorkerContext, lease: Lease) -> Report:
    name = sa.select(verifications.c.object).where(verifications.c.id == lease.id)
    stored = str(read_rows(context.engine, name)[0].object)
    body = context.store.get(stored)
    if body is None:
        raise LookupError("the claimed report is not in the object store")
    return msgspec.json.decode(body, type=Report)
