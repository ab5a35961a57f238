"""Evaluations over real databases: opened, worked on, paused, resumed, cancelled; the worker's part in process."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from api.context import AppContext, make_context
from api.database.schema import evaluation_runs, spending, submissions, teams
from api.evaluations import calling
from api.evaluations.event_loop import EventLoop
from api.evaluations.running import work_on
from api.evaluations.signing import TokenSigner
from api.evaluations.steering import end_evaluation, resume_due
from api.evaluations.worker import _turns
from api.settings import ApiSettings
from tests.integration.api.assembled import client_of
from tests.integration.api.conftest import BOTH_DATABASES, Client
from tests.integration.api.streams import follow_until_revoked
from tests.integration.api.team import NONCE, Team
from tests.integration.api.trio import damage_of
from tests.integration.real_generator import seed_of
from tetrad.contracts.answers import LARGEST_REPLY
from tetrad.contracts.evaluations import Outcome
from tetrad.contracts.items import DrawIdentity
from tetrad.server.clock import now_ms
from tetrad.server.outbox import Lease, lease_next

LEASE_MS = 60_000
SIGNER = TokenSigner("s" * 32)


@dataclass
class Instance:
    """An api with a team, and a worker that works when it is told to."""

    context: AppContext
    team: Team
    loop: EventLoop

    def lease(self) -> Lease | None:
        return lease_next(self.context.engine, evaluation_runs, now_ms(), LEASE_MS, 100, order=_turns())

    def work(self) -> int:
        """Work on what is due, one run after the other; return how many there were."""
        worked = 0
        while (lease := self.lease()) is not None:
            work_on(self.context, SIGNER, lease, self.loop, threading.Event())
            worked += 1
        return worked

    def open(self, *models: str, **change: Any) -> dict[str, Any]:
        body = {"benchmark": "trio", "track": "plain", "models": list(models), "size": 5, **change}
        reply = self.team.post("/v1/evaluations", body)
        assert reply.status_code == 202, reply.text
        assert reply.headers["location"] == f"/v1/evaluations/{reply.json()['id']}"
        return dict(reply.json())

    def shown(self, evaluation: dict[str, Any]) -> dict[str, Any]:
        reply = self.team.get(f"/v1/evaluations/{evaluation['id']}")
        assert reply.status_code == 200, reply.text
        return dict(reply.json())

    def submission(self, evaluation: dict[str, Any], run: int = 0) -> dict[str, Any]:
        return dict(self.team.get(f"/v1/submissions/{evaluation['runs'][run]['submission']}").json())


@pytest.fixture
def instance(settings: ApiSettings, gateway_url: str) -> Iterator[Instance]:
    settings = replace(settings, gateway_url=gateway_url, gateway_token="a-token-that-lists", evaluations_cap=3)
    with client_of(settings) as client:
        context, loop = make_context(settings), EventLoop()
        try:
            yield Instance(context, Team.registered(client, "team-one"), loop)
        finally:
            loop.run(context.generator.close())
            loop.close()
            context.gateway.close()
            context.engine.dispose()


@BOTH_DATABASES
def test_a_run_answers_every_stage_and_keeps_what_its_calls_took(instance: Instance) -> None:
    opened = instance.open("letter", setting="full")
    assert (opened["state"], opened["runs"][0]["queue"]["position"]) == ("queued", 1)
    assert opened["expected"]["cost"] > 0
    assert opened["request"]["budget"] == opened["expected"]["budget_left"] == 10_000_000, (
        "the default, of models that cost"
    )
    assert instance.work() == 1
    shown = instance.shown(opened)
    assert (shown["state"], shown["outcome"]) == ("scoring", "complete")
    (run,) = shown["runs"]
    assert run["progress"]["items_finished"] == 5
    assert run["calls"] == run["progress"]["questions_answered"] >= 10
    assert run["cost"] == run["calls"] * 120  # micro-dollars: 100 tokens in, 2 out
    calls = instance.team.get(f"/v1/evaluations/calls/{run['submission']}").json()["calls"]
    assert len(calls) == run["calls"]
    assert {(call["waited_seconds"], call["stop"], call["attempts"]) for call in calls} == {(0.0015, "complete", 1)}
    assert instance.team.get(f"/v1/evaluations/{opened['id']}/result").status_code == 409
    assert instance.work() == 0


def test_a_stream_of_progress_ends_soon_after_its_key_is_revoked(instance: Instance) -> None:
    opened = instance.open("letter", setting="full")
    assert ": this key is revoked" in follow_until_revoked(instance.team, f"/v1/evaluations/{opened['id']}/events")


def test_runs_of_one_evaluation_share_a_draw_and_repeats_are_unranked(instance: Instance) -> None:
    opened = instance.open("letter", "busy", repeats=2)
    found = [instance.submission(opened, run) for run in range(4)]
    assert {one["commitment"] for one in found} == {opened["commitment"]}
    assert [bool(one["unranked"]) for one in found] == [False, False, True, True]
    assert [one["model"] for one in found] == ["letter@service", "busy@service"] * 2
    with instance.context.engine.connect() as connection:
        roots = connection.execute(sa.select(submissions.c.draw_id)).scalars().all()
    assert set(roots) == {found[0]["id"]}


def test_a_gateway_that_is_not_ready_is_asked_again(instance: Instance) -> None:
    opened = instance.open("busy", setting="which-only", size=2)
    instance.work()
    shown = instance.shown(opened)
    assert shown["outcome"] == "complete"
    assert shown["runs"][0]["retries"] == 2
    assert shown["runs"][0]["cost"] == 0


@pytest.mark.parametrize(
    ("bound", "spent", "budget", "left"),
    [(None, 9, None, None), (None, 9, 70, 70), (90, 20, None, 70), (90, 20, 60, 60), (90, 20, 80, 70), (90, 95, 80, 0)],
)
def test_what_a_budget_leaves_is_said_before_anything_is_spent(
    instance: Instance, bound: int | None, spent: int, budget: int | None, left: int | None
) -> None:
    with instance.context.engine.begin() as connection:
        connection.execute(sa.update(teams).values(model_budget=bound))
        sums = [
            {"budget": f"team|{team}", "spent": spent * 1_000} for team in connection.scalars(sa.select(teams.c.id))
        ]
        connection.execute(sa.delete(spending))
        connection.execute(sa.insert(spending), sums)
    assert instance.open("busy", setting="which-only", size=1, budget=budget)["expected"]["budget_left"] == left


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"budget": "1"}, "budget"),
        ({"budget": True}, "budget"),
        ({"thresholds": {"most_cost": "1"}}, "thresholds.most_cost"),
        ({"deadline_hours": 1e-9}, "deadline_hours"),
        ({"size": 1000, "repeats": 5}, "budget"),  # it would cost more than the default
    ],
)
def test_what_is_no_number_or_no_time_is_refused_by_field(
    instance: Instance, change: dict[str, Any], field: str
) -> None:
    body = {"benchmark": "trio", "track": "plain", "models": ["letter"], "size": 5, **change}
    reply = instance.team.post("/v1/evaluations", body)
    assert (reply.status_code, [fault["field"] for fault in reply.json()["faults"]]) == (422, [field])


def test_a_budget_that_was_raised_a_moment_ago_is_waited_for(instance: Instance) -> None:
    opened = instance.open("poor", setting="which-only", size=1)
    instance.work()
    shown = instance.shown(opened)
    assert (shown["outcome"], shown["runs"][0]["retries"]) == ("complete", 1)


def test_a_budget_that_stays_used_up_ends_the_evaluation(instance: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calling, "BUDGET_SECONDS", 0.0)
    opened = instance.open("poor", setting="which-only", size=1)
    instance.work()
    assert instance.shown(opened)["outcome"] == "out-of-budget"


@pytest.mark.parametrize("model", ["held", "full"])
def test_a_budget_that_calls_in_flight_hold_is_waited_for(
    instance: Instance, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    monkeypatch.setattr(calling, "BUDGET_SECONDS", 0.0)
    opened = instance.open(model, setting="which-only", size=1)
    instance.work()
    shown = instance.shown(opened)
    assert (shown["outcome"], shown["runs"][0]["retries"]) == ("complete", 1)


@BOTH_DATABASES
@pytest.mark.parametrize("is_resumed", [True, False])
def test_estimates_that_fill_a_budget_pause_and_what_is_not_resumed_counts_on_no_board(
    instance: Instance,
    monkeypatch: pytest.MonkeyPatch,
    is_resumed: bool,  # noqa: FBT001
) -> None:
    monkeypatch.setattr(calling, "SETTLING_SECONDS", 0.0)
    opened = instance.open("guessed", setting="which-only", size=1, budget=5)
    instance.work()
    shown = instance.shown(opened)
    assert (shown["state"], shown["outcome"]) == ("paused", None)
    assert "$0.000000 of the $0.000000 of team t are estimates" in shown["pause_reason"]
    assert "estimates" in instance.submission(opened)["unranked"]
    path = f"/v1/evaluations/{opened['id']}"
    if is_resumed:
        refused = instance.team.post(f"{path}/resume", {"budget": 5})
        assert (refused.status_code, refused.json()["faults"][0]["field"]) == (422, "budget")
        resumed = instance.team.post(f"{path}/resume", {"budget": 6}).json()
        assert (resumed["state"], resumed["request"]["budget"]) == ("queued", 6)
        instance.work()
        assert instance.shown(opened)["outcome"] == "complete"
    else:
        assert instance.team.post(f"{path}/cancel").json()["outcome"] == "cancelled"
    assert bool(instance.submission(opened)["unranked"]) == (not is_resumed)


@pytest.mark.parametrize(
    ("model", "words", "hours"),
    [
        ("shy", "shy is shy", 168),
        ("broke", "the account of broke at its provider is at fault", 168),
        ("late", "wait for the next day", 0.1),  # soon, and the run does not stay for it
    ],
)
def test_a_call_that_is_refused_for_good_is_made_once_and_pauses_until_somebody_resumes(
    instance: Instance, model: str, words: str, hours: float
) -> None:
    opened = instance.open(model, setting="which-only", size=1)
    instance.work()
    shown = instance.shown(opened)
    assert (shown["state"], shown["outcome"], shown["runs"][0]["retries"]) == ("paused", None, 1)
    assert words in shown["pause_reason"]
    assert "answers before" not in shown["pause_reason"], "what a run had sealed is past when somebody reads this"
    pause = datetime.fromisoformat(shown["paused_until"]) - datetime.now(UTC)
    assert hours - 0.5 < pause.total_seconds() / 3600 <= hours
    assert instance.work() == 0
    assert instance.team.post(f"/v1/evaluations/{opened['id']}/resume").json()["state"] == "queued"
    instance.work()
    assert instance.shown(opened)["outcome"] == "complete"


def test_what_a_model_thought_in_place_of_a_reply_is_kept_and_bounded(instance: Instance) -> None:
    opened = instance.open("pensive", setting="which-only", size=1)
    instance.work()
    (run,) = instance.shown(opened)["runs"]
    (call,) = instance.team.get(f"/v1/evaluations/calls/{run['submission']}").json()["calls"]
    assert (len(call["thought"]), call["thought"][-11:]) == (LARGEST_REPLY, " Is it (A)?")
    assert (call["stop"], run["progress"]["questions_answered"]) == ("empty", 1)


def test_the_deadline_pauses_for_the_one_picture_that_cannot_be_shown(
    instance: Instance, generator_folder: Path
) -> None:
    opened = instance.open("letter", setting="which-only", size=1, nonce=NONCE)
    (run,) = opened["runs"]
    identity = DrawIdentity(**instance.submission(opened)["identity"])
    damage = generator_folder / damage_of(seed_of(run["submission"], NONCE), 0, "which-0-2.png", identity)
    damage.touch()
    lease, stopping = instance.lease(), threading.Event()
    assert lease is not None
    stopping.set()  # nothing waits
    work_on(instance.context, SIGNER, lease, instance.loop, stopping)

    def row() -> Any:
        with instance.context.engine.connect() as connection:
            return connection.execute(sa.select(submissions).where(submissions.c.id == run["submission"])).one()

    assert row().paused_for == "0/which-0-2.png"
    damage.unlink()
    assert instance.work() == 1
    assert (row().paused_for, instance.shown(opened)["outcome"]) == (None, "complete")


def test_a_pause_ends_by_itself(instance: Instance) -> None:
    opened = instance.open("letter")
    assert instance.team.post(f"/v1/evaluations/{opened['id']}/pause", {"hours": 1e-9}).json()["state"] == "paused"
    assert instance.lease() is None
    resume_due(instance.context)
    assert instance.work() == 1
    assert instance.shown(opened)["outcome"] == "complete"


@BOTH_DATABASES
def test_a_run_that_is_paused_under_its_worker_is_not_the_worker_s_any_more(instance: Instance) -> None:
    opened = instance.open("letter")
    lease = instance.lease()
    assert lease is not None
    instance.team.post(f"/v1/evaluations/{opened['id']}/pause", {"hours": 1})
    instance.team.post(f"/v1/evaluations/{opened['id']}/resume")
    later = instance.lease()
    assert later is not None
    assert later.attempt != lease.attempt
    work_on(instance.context, SIGNER, later, instance.loop, threading.Event())
    assert instance.shown(opened)["outcome"] == "complete"


@pytest.mark.parametrize("unanswered", ["wrong", "unranked"])
def test_one_that_is_cancelled_unseen_leaves_nothing_to_score(instance: Instance, unanswered: str) -> None:
    """Its submissions lapse, as any of which nobody saw a question; the evaluation is still told of."""
    opened = instance.open("letter", "busy", unanswered=unanswered)
    shown = instance.team.post(f"/v1/evaluations/{opened['id']}/cancel").json()
    assert (shown["outcome"], shown["runs"][0]["outcome"]) == ("cancelled", "cancelled")
    with instance.context.engine.begin() as connection:
        rows = connection.execute(sa.select(submissions.c.state, submissions.c.deadline_at)).all()
        assert {row.state for row in rows} == {"open"}
        assert all(row.deadline_at <= now_ms() for row in rows)
        for table in ("events", "submissions"):
            connection.execute(sa.text(f"DELETE FROM {table}"))  # noqa: S608 - as scoring's sweeper does
    shown = instance.shown(opened)
    assert (shown["state"], shown["size"], shown["commitment"]) == ("done", 5, opened["commitment"])
    assert len(instance.team.get("/v1/evaluations").json()["evaluations"]) == 1
    result = instance.team.get(f"/v1/evaluations/{opened['id']}/result").json()
    assert [run["headline"] for run in result["runs"]] == [None, None]
    assert instance.work() == 0


@pytest.mark.parametrize(
    ("outcome", "unanswered", "counts"),
    [
        ("out-of-budget", "unranked", False),
        ("failed", "unranked", False),
        ("out-of-budget", "wrong", True),
        ("cancelled", "unranked", True),
        ("deadline", "unranked", True),
    ],
)
def test_an_end_whose_moment_the_team_can_choose_always_counts(
    instance: Instance,
    outcome: Outcome,
    unanswered: str,
    counts: bool,  # noqa: FBT001
) -> None:
    opened = instance.open("letter", unanswered=unanswered)
    with instance.context.engine.begin() as connection:
        connection.execute(sa.update(submissions).values(fetched_at=now_ms()))
        finished = end_evaluation(connection, opened["id"], outcome)
    assert finished == [opened["runs"][0]["submission"]]
    assert bool(instance.submission(opened)["unranked"]) == (not counts)


def test_a_submission_that_was_closed_elsewhere_ends_its_run(instance: Instance) -> None:
    opened = instance.open("letter", setting="which-only")
    late = {"state": "queued", "finish_reason": "deadline", "finished_at": now_ms()}
    with instance.context.engine.begin() as connection:
        connection.execute(sa.update(submissions).values(late))
    instance.work()
    assert instance.shown(opened)["outcome"] == "deadline"


def test_a_team_has_as_many_evaluations_as_it_may(instance: Instance) -> None:
    opened = [instance.open("letter") for _ in range(3)]
    body = {"benchmark": "trio", "track": "plain", "models": ["letter"], "size": 5}
    reply = instance.team.post("/v1/evaluations", body)
    assert (reply.status_code, "your cap is 3" in reply.text) == (429, True)
    instance.team.post(f"/v1/evaluations/{opened[0]['id']}/cancel")
    assert instance.team.post("/v1/evaluations", body).status_code == 202


@BOTH_DATABASES
def test_the_queue_is_told_to_everybody_and_a_team_s_row_to_nobody_else(instance: Instance) -> None:
    opened = instance.open("letter", "busy")
    client: Client = instance.team.client
    queue = client.get("/v1/evaluations/queue").json()
    assert (queue["waiting"], queue["running"]) == (2, 0)
    assert queue["oldest_age_seconds"] >= 0
    places = [run["queue"]["position"] for run in instance.shown(opened)["runs"]]
    assert sorted(places) == [1, 2]
    assert client.get(f"/v1/evaluations/{opened['id']}").status_code == 401
    other = Team.registered(client, "team-two")
    assert other.get(f"/v1/evaluations/{opened['id']}").status_code == 404


@BOTH_DATABASES
def test_the_team_with_fewer_runs_under_way_goes_first(instance: Instance) -> None:
    first = instance.open("letter", "busy")
    other = Team.registered(instance.team.client, "team-two")
    body = {"benchmark": "trio", "track": "plain", "models": ["letter"], "size": 5}
    second = other.post("/v1/evaluations", body).json()
    mine = {run["submission"] for run in first["runs"]}
    order = [lease.id for _ in range(3) if (lease := instance.lease()) is not None]
    assert order[0] in mine
    assert order[1] == second["runs"][0]["submission"]
    assert order[2] in mine


def test_no_team_names_a_model_like_a_row_of_the_service(instance: Instance) -> None:
    instance.open("letter")
    names = [model["name"] for model in instance.team.get("/v1/models").json()["models"] if model["kind"] == "team"]
    assert names == ["model-one"]
    refused = instance.team.post("/v1/submissions", {"benchmark": "trio", "model": "letter@service", "size": 5})
    assert refused.status_code == 422
    assert instance.team.post("/v1/models", {"name": "letter@service"}).status_code == 422
