"""Long jobs in slices: the report is the same, what is done stays done, and nobody reads the rows but scoring."""

import time
from collections.abc import Callable

import msgspec
import pytest
import sqlalchemy as sa

from api.database import schema
from scoring_service.generator import ITEMS_A_RANGE
from scoring_service.jobs import slices
from scoring_service.jobs.context import WorkerContext, open_context
from scoring_service.jobs.slices import MADE_BY, WorkInHand
from scoring_service.jobs.sweeper import sweep
from scoring_service.jobs.worker import work_on_next
from scoring_service.settings import ScoringSettings
from tests.integration.scoring import sealed_toy
from tests.integration.scoring.conftest import RealGenerator, work_until_done
from tests.integration.scoring.rows import add_submission, add_verification, report_rows, submission_row, the_row
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.reports import Finding, Report
from tetrad.server import outbox
from tetrad.server.clock import now_ms
from tetrad.server.database import read_rows, write_transaction
from tetrad.server.outbox import lease_next
from tetrad.server.scoring_tables import scoring_slices, submissions, verifications

SIZE = 2 * ITEMS_A_RANGE + 40
INSTANT = 1e-6


@pytest.fixture
def hasty(context: WorkerContext, monkeypatch: pytest.MonkeyPatch) -> WorkerContext:
    """A worker whose slices end after 200 items."""
    monkeypatch.setattr(slices, "MOST_ITEMS", 200)
    return context


def with_seconds(context: WorkerContext, seconds: float) -> WorkerContext:
    return msgspec.structs.replace(context, slices=context.slices._replace(seconds=seconds))


def mixed_answers(submission: str, size: int) -> list[SealedAnswer]:
    """Right, unread and missing answers, by turns."""
    unread = {"answer": None, "response": "no idea"}
    return [
        msgspec.structs.replace(answer, **unread) if answer.item % 5 == 1 and answer.question == "what" else answer
        for answer in sealed_toy.right_answers(submission, size)
        if answer.item % 7 and not (answer.item % 5 == 1 and answer.question == "how")
    ]


def add_large(engine: sa.Engine, generator: RealGenerator, submission: str = "sub_1", size: int = SIZE) -> None:
    add_submission(engine, submission, size, answers=mixed_answers(submission, size))


def stored_report(context: WorkerContext) -> Report:
    (row,) = report_rows(context.engine)
    return msgspec.json.decode(context.store.get(str(row.object)) or b"", type=Report)


def slice_rows(engine: sa.Engine) -> list[sa.Row[tuple[object, ...]]]:
    return list(read_rows(engine, sa.select(scoring_slices).order_by(scoring_slices.c.number)))


def score_again(engine: sa.Engine) -> None:
    with write_transaction(engine) as connection:
        connection.execute(sa.delete(schema.reports))
        connection.execute(sa.update(schema.submissions).values(state="queued", scored_at=None))


def plain(report: Report) -> Report:
    return msgspec.structs.replace(report, scored_at="")


def test_a_report_made_in_slices_is_the_one_made_in_one_go(
    context: WorkerContext, engine: sa.Engine, generator: RealGenerator, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_large(engine, generator)
    assert work_until_done(with_seconds(context, 60)) == 1
    whole = stored_report(context)
    assert {result.verdict for result in whole.questions} == {"correct", "unread", "missing"}
    for most_items in (1000, 97):
        score_again(engine)
        monkeypatch.setattr(slices, "MOST_ITEMS", most_items)
        assert work_until_done(with_seconds(context, 60)) >= SIZE // most_items + 1
        assert plain(stored_report(context)) == plain(whole)
        assert slice_rows(engine) == []


def test_slices_are_bounded_in_time(context: WorkerContext, engine: sa.Engine, generator: RealGenerator) -> None:
    add_large(engine, generator, size=30)
    assert work_until_done(with_seconds(context, INSTANT)) >= 30
    assert len(stored_report(context).questions) == len(
        {(q.item, q.question) for q in stored_report(context).questions}
    )


def test_a_slice_ends_early_for_a_submission_that_nobody_has_begun(
    context: WorkerContext, engine: sa.Engine, generator: RealGenerator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slices, "YIELD_SECONDS", 0)
    patient = with_seconds(context, 60)
    add_large(engine, generator)
    add_large(engine, generator, "sub_2", size=4)
    assert work_on_next(patient)
    assert [row.number for row in slice_rows(engine)] == [0, 1], "it gave the turn back before its time was over"
    assert work_on_next(patient)
    assert [row.submission_id for row in report_rows(engine)] == ["sub_2"]
    assert work_on_next(patient)
    assert {row.number for row in slice_rows(engine)} <= {0, 1, 2}, "alone again it has whole slices"
    work_until_done(patient)
    assert len(report_rows(engine)) == 2


def test_another_worker_goes_on_where_a_killed_one_was(
    hasty: WorkerContext, engine: sa.Engine, generator: RealGenerator, settings: ScoringSettings
) -> None:
    add_large(engine, generator)
    for _ in range(3):
        assert work_on_next(hasty)
    held = lease_next(engine, submissions, now_ms(), 1, 5)  # a worker takes the row and dies: its lease ends
    assert held is not None
    time.sleep(0.01)
    other = open_context(settings)
    fetched: list[int] = []
    fetch = other.generator.revealed_ranges
    other.generator.revealed_ranges = lambda *given: noted(fetch(*given), fetched)  # type: ignore[method-assign,assignment]
    other.generator.reveal = None  # type: ignore[method-assign,assignment] # it was revealed once
    work_until_done(other)
    other.close()
    assert fetched[0] == 600, "three slices of 200 items were done"
    assert submission_row(engine).state == "scored"
    assert [one.item for one in stored_report(hasty).questions] == sorted(
        one.item for one in stored_report(hasty).questions
    )
    assert len({one.item for one in stored_report(hasty).questions}) == SIZE


def noted(ranges: object, fetched: list[int]) -> object:
    since = ranges.since  # type: ignore[attr-defined]

    def note(first: int, **named: int) -> object:
        fetched.append(first)
        return since(first, **named)

    ranges.since = note  # type: ignore[attr-defined]
    return ranges


def test_a_slice_gives_the_row_back_with_all_its_attempts(
    hasty: WorkerContext, engine: sa.Engine, generator: RealGenerator
) -> None:
    add_large(engine, generator)
    assert work_on_next(hasty)
    row = submission_row(engine)
    assert (row.state, row.attempt, row.lease_until) == ("queued", 1000, None)
    assert [one.number for one in slice_rows(engine)] == [0, 1]


def test_rows_tell_nothing_to_whoever_reads_the_database(
    hasty: WorkerContext, engine: sa.Engine, generator: RealGenerator
) -> None:
    """A fixed corpus is asked again and again: its keys must not come within the api's reach."""
    add_large(engine, generator)
    work_on_next(hasty)
    bodies = [bytes(one.body) for one in slice_rows(engine)]
    assert not [body for body in bodies if b"what" in body or sealed_toy.seed_of("sub_1").encode() in body]
    assert len({body[:12] for body in bodies}) == len(bodies)


def spoil_release(engine: sa.Engine) -> None:
    with write_transaction(engine) as connection:
        connection.execute(sa.update(scoring_slices).values(made_by="0.0.1/1/1"))


def spoil_bytes(engine: sa.Engine) -> None:
    last = slice_rows(engine)[-1]
    body = bytes(last.body[:-1]) + bytes([last.body[-1] ^ 1])
    with write_transaction(engine) as connection:
        this = sa.update(scoring_slices).where(scoring_slices.c.number == last.number)
        connection.execute(this.values(body=body))


@pytest.mark.parametrize("spoil", [spoil_release, spoil_bytes])
def test_slices_of_another_release_or_changed_ones_are_made_again(
    hasty: WorkerContext, engine: sa.Engine, generator: RealGenerator, spoil: Callable[[sa.Engine], None]
) -> None:
    assert MADE_BY != "0.0.1/1/1"
    add_large(engine, generator)
    for _ in range(2):
        work_on_next(hasty)
    spoil(engine)
    afresh = msgspec.structs.replace(hasty, slices=hasty.slices._replace(in_hand=WorkInHand()))
    work_until_done(afresh)
    assert len({one.item for one in stored_report(hasty).questions}) == SIZE


def test_an_answer_never_asked_for_fails_a_job_of_many_slices_as_it_fails_one(
    hasty: WorkerContext, engine: sa.Engine, generator: RealGenerator
) -> None:
    """The stray one lies in the second range, and slices end before it."""
    given = [
        answer for answer in sealed_toy.right_answers("sub_1", SIZE) if answer.item != 700 or answer.question == "which"
    ]
    add_submission(engine, "sub_1", SIZE, answers=given)
    work_until_done(hasty)
    row = submission_row(engine)
    assert (row.state, row.failure) == (
        "failed",
        "refused: POST /internal/keys/draws/sub_1/ranges/1: the generator answered 409",
    )
    assert slice_rows(engine) == []


def test_a_worker_that_was_overtaken_keeps_no_slice(
    hasty: WorkerContext, engine: sa.Engine, generator: RealGenerator, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_large(engine, generator)
    keep = slices.SliceStore.keep

    def overtaken(*given: object) -> None:
        assert lease_next(engine, submissions, now_ms() + 60_000, 60_000, 5) is not None
        keep(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(slices.SliceStore, "keep", overtaken)
    work_on_next(hasty)
    assert slice_rows(engine) == []
    assert submission_row(engine).attempt == 2


def test_a_defect_after_some_slices_is_tried_as_often_as_any(
    hasty: WorkerContext, engine: sa.Engine, generator: RealGenerator, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_large(engine, generator)
    work_on_next(hasty)
    monkeypatch.setattr(outbox, "LONGEST_BACK_OFF_SECONDS", 0)
    generator.behave(status=422)
    afresh = msgspec.structs.replace(hasty, slices=hasty.slices._replace(in_hand=WorkInHand()))
    tried = 0
    while submission_row(engine).state == "queued":
        assert work_on_next(afresh)
        tried += 1
        assert tried <= 5
        time.sleep(0.01)
    assert tried == 5
    assert slice_rows(engine) == []


def test_what_slices_of_void_submissions_left_behind_is_swept(
    hasty: WorkerContext, engine: sa.Engine, generator: RealGenerator
) -> None:
    add_large(engine, generator)
    work_on_next(hasty)
    sweep(hasty)
    assert slice_rows(engine) != []
    with write_transaction(engine) as connection:
        connection.execute(sa.update(schema.submissions).values(state="void"))
    sweep(hasty)
    assert slice_rows(engine) == []


def findings_of(context: WorkerContext, report: Report, name: str) -> list[Finding]:
    context.store.put(f"verifications/{name}.json", msgspec.json.encode(report))
    add_verification(context.engine, f"verifications/{name}.json", name)
    work_until_done(context)
    row = the_row(context.engine, verifications, name)
    assert row.state == "done"
    return msgspec.json.decode(str(row.result), type=list[Finding])


def test_a_verification_in_slices_finds_what_one_in_one_go_finds(
    context: WorkerContext, engine: sa.Engine, generator: RealGenerator, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_large(engine, generator)
    work_until_done(with_seconds(context, 60))
    true = stored_report(context)
    wrong = [
        msgspec.structs.replace(one, verdict="correct", key="Z") if one.item in (4, 500, 900) else one
        for one in true.questions
    ]
    extra = [*true.questions, msgspec.structs.replace(true.questions[0], question="other")]
    reports = [true, *(msgspec.structs.replace(true, questions=questions) for questions in (wrong, extra))]
    whole = [findings_of(with_seconds(context, 60), one, f"ver_a{place}") for place, one in enumerate(reports)]
    monkeypatch.setattr(slices, "MOST_ITEMS", 97)
    cut = [findings_of(context, one, f"ver_b{place}") for place, one in enumerate(reports)]
    assert cut == whole
    assert [all(one.ok for one in findings) for findings in cut] == [True, False, False]
    assert slice_rows(engine) == []
