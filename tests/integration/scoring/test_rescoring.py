"""Scoring again, from the operator's request to the new revision: the real api and the real jobs on one database."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
import sqlalchemy as sa
from litestar import Litestar
from litestar.testing import TestClient

from api.app import assemble
from api.boards.leaderboards import fetched_on, pool_by_model
from api.context import make_context
from api.database import schema
from api.http.state import make_http_state
from api.settings import ApiSettings
from scoring_service import scoring
from scoring_service.jobs.context import WorkerContext
from tests.integration.api.operator import OPERATOR_TOKEN, Operator
from tests.integration.real_generator import PRACTICE_TOKEN, SEALED_TOKEN
from tests.integration.scoring import sealed_toy, toy
from tests.integration.scoring.conftest import RealGenerator, work_until_done
from tests.integration.scoring.rows import add_submission, submission_row
from tests.waiting import wait_until
from tetrad.contracts.items import AnswerShape
from tetrad.contracts.reports import Report
from tetrad.extraction import EXTRACTOR_VERSION
from tetrad.extraction.answers import extract_answer
from tetrad.extraction.choice import ExtractedAnswer
from tetrad.server.damage import known_damage
from tetrad.server.database import read_transaction, write_transaction
from tetrad.server.scoring_tables import rescorings
from tetrad.versions import SCORER_VERSION

ONE, TWO, RIVAL = (f"sub_{digit * 32}" for digit in "123")
SIZE = 40
BOARD = "b" * 64


@pytest.fixture
def operator(context: WorkerContext, generator: RealGenerator) -> Iterator[Operator]:
    settings = ApiSettings(
        database_url=context.settings.database_url,
        store_url=context.settings.store_url,
        generator_url=generator.url,
        generator_practice_token=PRACTICE_TOKEN,
        generator_sealed_token=SEALED_TOKEN,
        operator_token=OPERATOR_TOKEN,
    )
    app_context = make_context(settings)
    http_state = make_http_state(app_context)

    @asynccontextmanager
    async def until_closed(_: Litestar) -> AsyncIterator[None]:
        yield
        await http_state.close()
        await app_context.close()

    with TestClient(assemble(app_context, http_state, until_closed)) as client:  # its tables are there
        yield Operator(client)


def strict(shape: AnswerShape, answer: str | None, response: str | None, **given: Any) -> ExtractedAnswer:
    """An older extractor: it did not read the label at the end of a sentence."""
    return extract_answer(shape, answer, None if response is None or " is " in response else response, **given)


@pytest.fixture
def scored(context: WorkerContext, engine: sa.Engine, generator: RealGenerator) -> None:
    """Two submissions of one model, and a rival's, scored by the older reader: of ONE it could read no `which`."""
    with write_transaction(engine) as connection:
        rival = {"id": "mdl_2", "team_id": "team_1", "name": "rival", "title": "R", "created_at": 1}
        connection.execute(sa.insert(schema.models).values(rival))
    add_submission(engine, ONE, SIZE, board=BOARD, answers=[_said(one) for one in sealed_toy.right_answers(ONE, SIZE)])
    add_submission(engine, TWO, SIZE, board=BOARD, answers=sealed_toy.right_answers(TWO, SIZE))
    rival_s = [_mistaken(one) if one.item >= 30 else one for one in sealed_toy.right_answers(RIVAL, SIZE)]
    add_submission(engine, RIVAL, SIZE, board=BOARD, model_id="mdl_2", answers=rival_s)
    with pytest.MonkeyPatch.context() as older:
        older.setattr(scoring, "extract_answer", strict)
        older.setattr(scoring, "EXTRACTOR_VERSION", EXTRACTOR_VERSION - 1)
        older.setattr(scoring, "SCORER_VERSION", SCORER_VERSION - 1)
        work_until_done(context)
    assert {submission_row(engine, submission).state for submission in (ONE, TWO, RIVAL)} == {"scored"}


def _said(answer: Any) -> Any:
    if answer.question != "which":
        return answer
    return msgspec.structs.replace(answer, answer=None, response=f"The answer is {answer.answer}.")


def _mistaken(answer: Any) -> Any:
    if answer.question != "which":
        return answer
    return msgspec.structs.replace(answer, answer=next(one for one in toy.LABELS if one != answer.answer))


def reports(context: WorkerContext, operator: Operator, submission: str) -> list[dict[str, Any]]:
    reply = operator.client.get(f"/v1/submissions/{submission}/revisions")
    assert reply.status_code == 200, reply.text
    found: list[dict[str, Any]] = reply.json()["revisions"]
    return found


@pytest.mark.usefixtures("scored")
def test_a_proposal_says_which_verdicts_numbers_and_ranks_would_change_and_changes_nothing(
    context: WorkerContext, operator: Operator, engine: sa.Engine
) -> None:
    queued = operator.post("rescorings", benchmark="toy", reason="reader 2 reads more")
    assert queued["counts"] == {"queued": 3}
    assert operator.refused(409, f"rescorings/{queued['id']}/apply")["detail"].startswith("the batch is not done")
    work_until_done(context)
    batch = operator.get(f"rescorings/{queued['id']}")
    assert batch["counts"] == {"proposed": 1, "unchanged": 2}
    (one,) = batch["rescorings"]
    assert (one["submission"], one["state"], one["revision"]) == (ONE, "proposed", 2)
    changes = one["difference"]
    assert changes["questions_changed"] == SIZE
    first = changes["questions"][0]
    assert (first["question"], first["verdict_before"], first["verdict_after"]) == ("which", "unread", "correct")
    assert changes["versions_before"]["reader"] + 1 == changes["versions_after"]["reader"]
    headline = next(change for change in changes["metrics"] if change["name"] == "which" and not change["facets"])
    assert (headline["before"], headline["after"]) == (0.0, 1.0)
    assert {change["facets"].get("domain") for change in changes["metrics"]} == {None, "color", "size"}
    assert [revision["revision"] for revision in reports(context, operator, ONE)] == [1]
    moves = {change["model"]: change for change in batch["ranks"]}
    assert (moves["m"]["score_before"], moves["m"]["score_after"]) == (0.5, 1.0)
    assert (moves["m"]["ranks_before"], moves["m"]["ranks_after"]) == ([1, 2], [1, 1])
    assert (moves["rival"]["ranks_before"], moves["rival"]["ranks_after"]) == ([1, 2], [2, 2])
    assert moves["rival"]["score_before"] == moves["rival"]["score_after"] == 0.75


@pytest.mark.usefixtures("scored")
def test_a_proposal_moves_no_rank_while_its_submission_waits_for_one_that_was_fetched_before(
    context: WorkerContext, operator: Operator, engine: sa.Engine
) -> None:
    add_submission(engine, f"sub_{'0' * 32}", SIZE, board=BOARD, state="open", fetched_at=1)
    batch = operator.post("rescorings", submission=ONE, reason="reader 2 reads more")["id"]
    work_until_done(context)
    shown = operator.get(f"rescorings/{batch}")
    assert (shown["counts"], shown["ranks"]) == ({"proposed": 1}, [])


@pytest.mark.usefixtures("scored")
def test_an_applied_proposal_is_the_newest_revision_and_the_old_one_stays_readable(
    context: WorkerContext, operator: Operator, engine: sa.Engine
) -> None:
    batch = operator.post("rescorings", submission=ONE, reason="reader 2 reads more")["id"]
    work_until_done(context)
    done = operator.post(f"rescorings/{batch}/apply")
    assert (done["counts"], done["ranks"]) == ({"applied": 1}, [])
    old, new = reports(context, operator, ONE)
    assert (old["revision"], old["reason"], old["headline"]["value"]) == (1, "reader 2 reads more", 0.0)
    assert (new["revision"], new["reason"], new["headline"]["value"]) == (2, None, 1.0)
    path = f"/v1/submissions/{ONE}/report"
    newest = msgspec.json.decode(operator.client.get(path).content, type=Report)
    first = msgspec.json.decode(operator.client.get(old["report"]).content, type=Report)
    assert operator.client.get(new["report"]).content == operator.client.get(path).content
    assert operator.client.get(f"{path}?revision=3").status_code == 404
    assert (newest.revision, newest.versions.scorer) == (2, SCORER_VERSION)
    assert (first.revision, first.versions.scorer) == (1, SCORER_VERSION - 1)
    assert (first.seed, first.commitment) == (newest.seed, newest.commitment)
    assert "revision 2" in operator.client.get(path, headers={"Accept": "text/markdown"}).text
    with read_transaction(engine) as connection:
        told = connection.execute(sa.select(schema.events.c.kind).where(schema.events.c.submission_id == ONE))
        assert list(told.scalars()) == ["scored", "rescored"]
    assert operator.post(f"rescorings/{batch}/apply")["counts"] == {"applied": 1}, "again changes nothing"
    assert [act["act"] for act in operator.acts()] == ["apply rescoring", "rescore"]
    again = operator.post("rescorings", submission=ONE, reason="once more")["id"]
    work_until_done(context)
    assert operator.get(f"rescorings/{again}")["counts"] == {"unchanged": 1}


def differences_on_the_board(engine: sa.Engine) -> dict[str, tuple[float, int]]:
    """Return of each model its difference, over so many units."""
    with read_transaction(engine) as connection:
        pools = pool_by_model(fetched_on(connection, BOARD), 1)
    return {model: (one.value, one.items) for model, pool in pools.items() for one in pool.differences}


def check_facets_add_up(engine: sa.Engine) -> None:
    """Check that the scores by facet make up each score of the board."""
    with read_transaction(engine) as connection:
        pools = pool_by_model(fetched_on(connection, BOARD), 1)
    for pool in pools.values():
        assert {one.facet for one in pool.by_facet} == {"domain"}
        assert sum(one.items for one in pool.by_facet) == pool.items
        assert sum(one.score * one.items for one in pool.by_facet) == pytest.approx(pool.total)


@pytest.mark.usefixtures("scored")
def test_differences_of_scored_and_rescored_reports_stand_on_the_board(
    context: WorkerContext, operator: Operator, engine: sa.Engine
) -> None:
    """`which` less `what`: of ONE no `which` was read at first, of the rival the last ten are wrong."""
    assert differences_on_the_board(engine) == {"mdl_1": (-0.5, 2 * SIZE), "mdl_2": (-0.25, SIZE)}
    check_facets_add_up(engine)
    batch = operator.post("rescorings", submission=ONE, reason="reader 2 reads more")["id"]
    work_until_done(context)
    assert differences_on_the_board(engine)["mdl_1"] == (-0.5, 2 * SIZE), "a proposal changes nothing"
    operator.post(f"rescorings/{batch}/apply")
    assert differences_on_the_board(engine) == {"mdl_1": (0.0, 2 * SIZE), "mdl_2": (-0.25, SIZE)}
    check_facets_add_up(engine)


@pytest.mark.usefixtures("scored")
def test_revisions_and_proposals_come_in_pages(context: WorkerContext, operator: Operator, engine: sa.Engine) -> None:
    batch = operator.post("rescorings", benchmark="toy", reason="reader 2 reads more")["id"]
    with write_transaction(engine) as connection:
        connection.execute(sa.update(rescorings).values(state="failed", failure="scoring met ValueError"))
    submissions = [
        one["submission"] for page in pages(operator, f"/v1/admin/rescorings/{batch}") for one in page["rescorings"]
    ]
    assert submissions == sorted({ONE, TWO, RIVAL})
    again = operator.post("rescorings", submission=ONE, reason="reader 2 reads more")["id"]
    work_until_done(context)
    operator.post(f"rescorings/{again}/apply")
    found = list(pages(operator, f"/v1/submissions/{ONE}/revisions"))
    assert [[one["revision"] for one in page["revisions"]] for page in found] == [[1], [2]]


def pages(operator: Operator, path: str) -> Iterator[dict[str, Any]]:
    """Follow the Link headers, one entry a page."""
    address: str | None = f"{path}?limit=1"
    while address is not None:
        headers = {"Authorization": f"Bearer {operator.token}"} if "admin" in path else {}
        reply = operator.client.get(address, headers=headers)
        assert reply.status_code == 200, reply.text
        yield reply.json()
        assert ("cursor" in address) == ("first" in reply.links)
        address = reply.links.get("next", {}).get("url")
        assert (address is None) == (reply.json()["next"] is None)


@pytest.mark.usefixtures("scored")
def test_a_proposal_whose_submission_moved_on_is_dropped(context: WorkerContext, operator: Operator) -> None:
    batches = [operator.post("rescorings", submission=ONE, reason="x")["id"] for _ in range(3)]
    work_until_done(context)
    assert operator.post(f"rescorings/{batches[0]}/apply")["counts"] == {"applied": 1}
    assert operator.post(f"rescorings/{batches[1]}/apply")["counts"] == {"dropped": 1}
    operator.post(f"submissions/{ONE}/void", reason="x")
    assert operator.post(f"rescorings/{batches[2]}/apply")["counts"] == {"dropped": 1}
    operator.refused(404, "rescorings", submission=ONE, reason="x")


@pytest.mark.usefixtures("scored")
def test_a_generator_that_froze_other_answers_fails_the_proposal_and_keeps_the_report(
    context: WorkerContext, operator: Operator, generator: RealGenerator
) -> None:
    batch = operator.post("rescorings", submission=TWO, reason="x")["id"]
    generator.behave(status=409)
    work_until_done(context)
    generator.behave()
    shown = operator.get(f"rescorings/{batch}")
    assert shown["counts"] == {"failed": 1}
    assert shown["rescorings"][0]["failure"].startswith("refused: POST /internal/keys/draws")
    assert [one["revision"] for one in reports(context, operator, TWO)] == [1]


@pytest.mark.usefixtures("scored")
@pytest.mark.parametrize("body", [None, b"{}"], ids=["gone", "changed"])
def test_a_damaged_report_is_compared_with_nothing(
    body: bytes | None, context: WorkerContext, operator: Operator, engine: sa.Engine
) -> None:
    batch = operator.post("rescorings", submission=TWO, reason="x")["id"]
    with read_transaction(engine) as connection:
        stored = sa.select(schema.reports.c.object).where(schema.reports.c.submission_id == TWO)
        name = connection.execute(stored).scalar_one()
    context.store.delete(name) if body is None else context.store.put(name, body)
    work_until_done(context)
    (shown,) = operator.get(f"rescorings/{batch}")["rescorings"]
    assert (shown["state"], f"refused: {name} is damaged" in shown["failure"]) == ("failed", True)
    assert list(known_damage(engine)) == [name]


@pytest.mark.parametrize(
    "body",
    [{}, {"submission": ONE, "benchmark": "toy"}],
    ids=["neither", "both"],
)
def test_a_rescoring_names_a_submission_or_a_benchmark(operator: Operator, body: dict[str, str]) -> None:
    operator.refused(422, "rescorings", reason="x", **body)
    operator.refused(404, "rescorings", reason="x", benchmark="toy", version=9)
    assert operator.call("GET", f"rescorings/rsb_{'0' * 32}").status_code == 404


@pytest.mark.usefixtures("scored")
def test_a_worker_takes_up_what_an_operator_asks_for(operator: Operator, start_worker: Any, redis: object) -> None:
    batch = operator.post("rescorings", benchmark="toy", version=1, reason="x")["id"]
    start_worker()
    wait_until(lambda: "queued" not in operator.get(f"rescorings/{batch}")["counts"], 60)
    assert operator.get(f"rescorings/{batch}")["counts"] == {"proposed": 1, "unchanged": 2}
