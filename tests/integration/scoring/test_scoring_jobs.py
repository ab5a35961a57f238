"""Jobs from the row to the report, in process: real database, object store and HTTP."""

import hashlib
import re

import msgspec
import pytest
import sqlalchemy as sa

from scoring_service.generator import ITEMS_A_RANGE, Generator
from scoring_service.jobs.attempts import give_up
from scoring_service.jobs.context import WorkerContext
from scoring_service.jobs.score_submission import publish_report
from scoring_service.jobs.worker import work_on_next
from tests.integration.real_generator import KEYS_TOKEN
from tests.integration.scoring import sealed_toy
from tests.integration.scoring.conftest import RealGenerator
from tests.integration.scoring.rows import (
    add_submission,
    add_verification,
    event_kinds,
    report_rows,
    submission_row,
    the_row,
)
from tetrad.contracts.reports import Finding, Report
from tetrad.internal.draws import PackedItems
from tetrad.server.clock import now_ms
from tetrad.server.damage import known_damage
from tetrad.server.database import write_transaction
from tetrad.server.objects import open_store
from tetrad.server.outbox import Lease, LeaseLostError, lease_next
from tetrad.server.scoring_tables import submissions, verifications


def test_a_submission_becomes_a_report_in_the_store_and_a_row_that_names_it(
    context: WorkerContext, engine: sa.Engine
) -> None:
    add_submission(engine, answers=sealed_toy.right_answers("sub_1", 4))
    work_on_next(context)
    (row,) = report_rows(engine)
    body = context.store.get(str(row.object))
    assert body is not None
    assert re.fullmatch("reports/sub_1/1-[0-9a-f]{64}.json", str(row.object))
    assert row.digest == hashlib.sha256(body).hexdigest()
    assert (row.metric, row.total, row.items, row.asked, row.unread, row.missing) == ("which", 4.0, 4, 12, 0, 0)
    report = msgspec.json.decode(body, type=Report)
    assert (report.submission, report.seed, report.size) == ("sub_1", sealed_toy.seed_of("sub_1"), 4)
    assert (submission_row(engine).state, submission_row(engine).lease_until) == ("scored", None)
    assert event_kinds(engine) == ["scored"]


@pytest.mark.parametrize("conversation", ["fresh", "joined"])
def test_the_report_says_how_questions_were_put(context: WorkerContext, engine: sa.Engine, conversation: str) -> None:
    add_submission(engine, answers=sealed_toy.right_answers("sub_1", 4), conversation=conversation)
    assert work_on_next(context)
    (row,) = report_rows(engine)
    body = context.store.get(str(row.object))
    assert body is not None
    assert msgspec.json.decode(body, type=Report).conversation == conversation


def test_what_is_scored_is_not_due_again(context: WorkerContext, engine: sa.Engine) -> None:
    add_submission(engine, answers=sealed_toy.right_answers("sub_1", 4))
    assert [work_on_next(context) for _ in range(3)] == [True, False, False]
    assert (len(report_rows(engine)), submission_row(engine).attempt) == (1, 1)


@pytest.mark.parametrize("status", [401, 403, 408, 429, 500, 503])
def test_a_generator_that_cannot_answer_now_costs_no_attempt(
    context: WorkerContext, engine: sa.Engine, generator: RealGenerator, status: int
) -> None:
    add_submission(engine, answers=sealed_toy.right_answers("sub_1", 4))
    generator.behave(status=status)
    work_on_next(context)
    row = submission_row(engine)
    assert (row.state, row.attempt, row.failure) == ("queued", 0, None)
    assert now_ms() - 1000 < row.lease_until < now_ms() + 1000


def test_a_generator_that_is_down_costs_no_attempt(context: WorkerContext, engine: sa.Engine) -> None:
    add_submission(engine)
    gone = msgspec.structs.replace(context, generator=Generator("http://127.0.0.1:9", KEYS_TOKEN, 1))
    work_on_next(gone)
    gone.generator.close()
    assert (submission_row(engine).state, submission_row(engine).attempt) == ("queued", 0)


def test_a_reveal_that_is_never_done_in_time_fails_after_its_attempts(
    context: WorkerContext, engine: sa.Engine, generator: RealGenerator
) -> None:
    add_submission(engine)
    generator.behave(delay=60)
    hasty = msgspec.structs.replace(context, generator=Generator(context.settings.generator_url, KEYS_TOKEN, 0.05))
    for attempt in range(1, 6):
        assert submission_row(engine).state == "queued"
        work_on_next(hasty)
        assert submission_row(engine).attempt == attempt
        end_lease(engine)
    hasty.generator.close()
    row = submission_row(engine)
    assert row.state == "failed"
    assert str(row.failure).startswith("scoring met GeneratorTimeoutError; scoring was tried 5 times")


def test_an_object_store_that_is_full_costs_no_attempt(context: WorkerContext, engine: sa.Engine) -> None:
    add_submission(engine, answers=sealed_toy.right_answers("sub_1", 4))
    nowhere = msgspec.structs.replace(context, store=open_store("file:///proc/tetrad"))
    work_on_next(nowhere)
    assert (submission_row(engine).state, submission_row(engine).attempt) == ("queued", 0)
    assert report_rows(engine) == []


@pytest.mark.parametrize("status", [404, 409])
def test_a_generator_that_gated_on_other_answers_is_an_alarm_and_fails_at_once(
    context: WorkerContext, engine: sa.Engine, generator: RealGenerator, status: int
) -> None:
    add_submission(engine)
    generator.behave(status=status)
    work_on_next(context)
    row = submission_row(engine)
    assert (row.state, row.lease_until) == ("failed", None)
    assert row.failure == f"refused: POST /internal/keys/draws/sub_1: the generator answered {status}"
    assert event_kinds(engine) == ["failed"]


def test_a_draw_of_several_ranges_is_scored_whole(
    context: WorkerContext, engine: sa.Engine, generator: RealGenerator
) -> None:
    size = 2 * ITEMS_A_RANGE + 5
    add_submission(engine, size=size, answers=sealed_toy.right_answers("sub_1", size))
    work_on_next(context)
    row = submission_row(engine)
    assert (row.state, row.failure) == ("scored", None)
    [stored] = report_rows(engine)
    report = msgspec.json.decode(context.store.get(str(stored.object)) or b"", type=Report)
    assert [result.item for result in report.questions] == [item for item in range(size) for _ in range(3)]
    assert {result.verdict for result in report.questions} == {"correct"}


def test_a_range_that_lacks_an_item_is_an_alarm(
    context: WorkerContext, engine: sa.Engine, generator: RealGenerator
) -> None:
    add_submission(engine, answers=sealed_toy.right_answers("sub_1", 4))
    generator.behave(change=without_last_item)
    work_on_next(context)
    row = submission_row(engine)
    assert row.state == "failed"
    assert "ranges/0: the generator gave keys of other items" in str(row.failure)
    assert report_rows(engine) == []


def test_a_seed_that_does_not_fit_the_commitment_is_an_alarm(
    context: WorkerContext, engine: sa.Engine, generator: RealGenerator
) -> None:
    add_submission(engine)
    change_row(engine, commitment="0" * 64)
    work_on_next(context)
    assert "does not match the published commitment" in str(submission_row(engine).failure)


def test_another_draw_than_the_opened_one_is_an_alarm(
    context: WorkerContext, engine: sa.Engine, generator: RealGenerator
) -> None:
    add_submission(engine)
    change_row(engine, size=5)
    work_on_next(context)
    assert "not the one that was opened" in str(submission_row(engine).failure)


def test_an_answer_to_a_question_never_asked_is_an_alarm(context: WorkerContext, engine: sa.Engine) -> None:
    which = [answer for answer in sealed_toy.right_answers("sub_1", 4) if answer.question == "which"]
    add_submission(engine, answers=which)
    work_on_next(context)
    assert submission_row(engine).state == "failed"
    refusal = "refused: POST /internal/keys/draws/sub_1/ranges/0: the generator answered 409"
    assert submission_row(engine).failure == refusal


def test_a_defect_backs_off_and_fails_after_five_attempts_without_key_or_traceback(
    context: WorkerContext, engine: sa.Engine, generator: RealGenerator
) -> None:
    add_submission(engine)
    generator.behave(status=422)
    for attempt in range(1, 6):
        assert submission_row(engine).state == "queued"
        work_on_next(context)
        assert submission_row(engine).attempt == attempt
        if attempt < 5:
            assert submission_row(engine).lease_until > now_ms() + 1000 * 2**attempt - 1000
        end_lease(engine)
    row = submission_row(engine)
    assert row.state == "failed"
    expected = "scoring met GeneratorRefusalError; scoring was tried 5 times and did not finish"
    assert row.failure == f"{expected}; an operator can queue it again"


def test_a_card_that_is_gone_is_a_defect(
    context: WorkerContext, engine: sa.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_submission(engine)
    monkeypatch.setattr(context.generator, "find", lambda *_: None)
    work_on_next(context)
    row = submission_row(engine)
    assert (row.state, row.attempt, row.failure) == ("queued", 1, "scoring met GeneratorRefusalError")


def test_giving_up_on_a_row_that_went_on_changes_nothing(context: WorkerContext, engine: sa.Engine) -> None:
    add_submission(engine, attempt=7)
    give_up(context, Lease(submissions, "sub_1", 6))
    assert submission_row(engine).state == "queued"
    give_up(context, Lease(submissions, "sub_1", 7))
    assert submission_row(engine).state == "failed"


def test_a_holder_overtaken_while_it_worked_leaves_the_row_to_the_other(
    context: WorkerContext, engine: sa.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_submission(engine, answers=sealed_toy.right_answers("sub_1", 4))
    reveal = context.generator.reveal

    def overtaken(*args: object) -> object:
        assert lease_next(engine, submissions, now_ms() + 60_000, 60_000, 5) is not None
        return reveal(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(context.generator, "reveal", overtaken)
    work_on_next(context)
    assert (submission_row(engine).state, submission_row(engine).attempt) == ("queued", 2)
    assert report_rows(engine) == []


def test_a_report_of_whoever_is_overtaken_overwrites_none(
    context: WorkerContext, engine: sa.Engine, report: Report
) -> None:
    """Even where the attempt has the same number: a database that was restored counts from an older one."""
    other = msgspec.structs.replace(report, scored_at="later")
    with pytest.raises(LeaseLostError):
        publish_report(context, Lease(submissions, "sub_1", 1), other, 9)
    (row,) = report_rows(engine)
    body = context.store.get(str(row.object))
    assert body is not None
    assert row.digest == hashlib.sha256(body).hexdigest()


@pytest.fixture
def report(context: WorkerContext, engine: sa.Engine) -> Report:
    """A true report, its first item's reply unreadable, its last item not answered at all."""
    sealed = [answer for answer in sealed_toy.right_answers("sub_1", 4) if answer.item in (1, 2)]
    first = [msgspec.structs.replace(sealed[0], item=0, answer=None, response="no idea")]
    add_submission(engine, answers=[*first, *sealed])
    work_on_next(context)
    body = context.store.get(str(report_rows(engine)[0].object))
    assert body is not None
    return msgspec.json.decode(body, type=Report)


def verified(context: WorkerContext, report: Report) -> list[Finding]:
    body = msgspec.json.encode(report)
    name = f"verifications/ver_1-{hashlib.sha256(body).hexdigest()}.json"
    context.store.put(name, body)
    add_verification(context.engine, name)
    work_on_next(context)
    row = the_row(context.engine, verifications, "ver_1")
    assert (row.state, row.lease_until, row.failure) == ("done", None, None)
    return msgspec.json.decode(str(row.result), type=list[Finding])


def test_a_true_report_is_confirmed(context: WorkerContext, report: Report) -> None:
    findings = verified(context, report)
    assert [finding for finding in findings if not finding.ok] == []
    checks = {finding.check for finding in findings}
    assert checks == {"version", "bank", "commitment", "size", "answers", "count", "key", "verdict", "facets"} | {
        "metric",
        "outcome",
        "headline",
    }


def test_a_report_of_a_version_unknown_here_is_not_confirmed(context: WorkerContext, report: Report) -> None:
    unknown = msgspec.structs.replace(report, identity=msgspec.structs.replace(report.identity, version=9))
    failures = [finding for finding in verified(context, unknown) if not finding.ok]
    assert (failures[0].check, failures[0].claimed, failures[0].found) == ("version", "toy 9", "none")


def test_a_draw_the_generator_refuses_to_regenerate_is_a_finding(
    context: WorkerContext, report: Report, monkeypatch: pytest.MonkeyPatch, generator: RealGenerator
) -> None:
    find = context.generator.find

    def then_refuse(name: str, version: int) -> object:
        info = find(name, version)
        generator.behave(status=422)
        return info

    monkeypatch.setattr(context.generator, "find", then_refuse)
    failures = [finding for finding in verified(context, report) if not finding.ok]
    assert [finding.check for finding in failures] == ["regeneration"]


@pytest.mark.parametrize("body", [None, b"{}"], ids=["gone", "changed"])
def test_a_damaged_claim_fails_at_once(body: bytes | None, context: WorkerContext, engine: sa.Engine) -> None:
    name = f"verifications/ver_1-{'0' * 64}.json"
    if body is not None:
        context.store.put(name, body)
    add_verification(engine, name)
    work_on_next(context)
    row = the_row(engine, verifications, "ver_1")
    assert (row.state, row.finished_at is not None) == ("failed", True)
    assert str(row.failure).startswith(f"refused: {name} is damaged")
    assert list(known_damage(engine)) == [name]


def change_row(engine: sa.Engine, **values: object) -> None:
    with write_transaction(engine) as connection:
        connection.execute(sa.update(submissions).values(**values))


def without_last_item(path: str, body: bytes) -> bytes:
    if "/ranges/" not in path:
        return body
    keys = msgspec.json.decode(body, type=PackedItems)
    return msgspec.json.encode(msgspec.structs.replace(keys, items=keys.items[:-1]))


def end_lease(engine: sa.Engine) -> None:
    with engine.connect() as connection:
        connection.exec_driver_sql("UPDATE submissions SET lease_until = 0")
