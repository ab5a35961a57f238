"""Operators and teams: who may operate, states, caps that hold at once, corpora, the log of acts."""

from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
import sqlalchemy as sa
from litestar.testing import TestClient
from msgspec.structs import replace

from api.app import create_app
from api.operator.access import Operator as AnOperator
from api.operator.access import operators
from api.settings import PREFIX, ApiSettings
from tests.integration.api.conftest import BOTH_DATABASES, Client
from tests.integration.api.operator import OPERATOR_TOKEN, Operator
from tests.integration.api.team import Team
from tetrad.server.settings import SettingsError, load_settings

ROUTES = [
    ("GET", "teams"),
    ("GET", "teams/team-one"),
    ("POST", "teams/team-one/approve"),
    ("POST", "teams/team-one/suspend"),
    ("PATCH", "teams/team-one/caps"),
    ("PUT", "teams/team-one/approvals/imsitu"),
    ("DELETE", "teams/team-one/approvals/imsitu"),
    ("POST", "teams/team-one/delete"),
    ("POST", "submissions/sub_1/void"),
    ("POST", "submissions/sub_1/requeue"),
    ("POST", "rows/hide"),
    ("POST", "rows/show"),
    ("POST", "rescorings"),
    ("GET", "rescorings/rsb_1"),
    ("POST", "rescorings/rsb_1/apply"),
    ("GET", "acts"),
    ("POST", "secrets/review"),
    ("GET", "gateway-tokens"),
    ("POST", "gateway-tokens"),
    ("POST", "gateway-tokens/gwt_1/revoke"),
]
BODIES: dict[str, dict[str, object]] = {
    "gateway-tokens": {"team": "team-one"},
    "caps": {"models": 1},
    "imsitu": {"submissions_cap": 1},
    "delete": {"confirm": "team-one"},
    "hide": {"team": "t", "model": "m", "benchmark": "trio", "track": "plain", "reason": "x"},
    "show": {"team": "t", "model": "m", "benchmark": "trio", "track": "plain", "reason": "x"},
}


@pytest.mark.parametrize(("method", "path"), ROUTES, ids=lambda value: value)
def test_nobody_but_an_operator_may_operate(team: Team, client: Client, method: str, path: str) -> None:
    body = BODIES.get(path.rpartition("/")[2], {"reason": "because"}) if method in {"POST", "PATCH", "PUT"} else None
    assert client.request(method, f"/v1/admin/{path}", json=body).status_code == 401
    reply = Operator(client, team.key).call(method, path, body)
    assert (reply.status_code, "no operator's token" in reply.json()["detail"]) == (403, True)


def test_others_are_kept_out_before_their_body_is_read(client: Client) -> None:
    path, body = "/v1/admin/teams/team-one/suspend", b"{no json"
    assert client.post(path, content=body).status_code == 401
    assert client.post(path, content=body, headers={"Authorization": f"Bearer {'x' * 40}"}).status_code == 403


def test_an_instance_without_operators_has_nobody_who_may(settings: ApiSettings) -> None:
    with TestClient(create_app(replace(settings, operator_token=""))) as client:
        assert Operator(client).call("GET", "teams").status_code == 403
        assert Operator(client, "").call("GET", "teams").status_code == 401


def test_an_operator_s_token_is_no_team_s_key(client: Client) -> None:
    assert client.get("/v1/teams/me", headers={"Authorization": f"Bearer {OPERATOR_TOKEN}"}).status_code == 401


def test_several_operators_have_tokens_of_their_own_under_their_names() -> None:
    first, second, third = "a" * 32, "b" * 32, "c" * 32
    found = {first: AnOperator("ada"), second: AnOperator("operator"), third: AnOperator("eve", is_viewing=True)}
    assert operators(f"ada={first},{second},eve:view={third}") == found
    assert operators("") == {}


@pytest.mark.parametrize("wrong", ["short", "ada=short", f"Ada={'a' * 32}", f"{'a' * 32},", f"{'a' * 31} b"])
def test_tokens_that_can_t_be_ones_are_refused_at_the_start_by_their_variable(wrong: str) -> None:
    with pytest.raises(SettingsError, match="TETRAD_API_OPERATOR_TOKEN"):
        load_settings(ApiSettings, PREFIX, {"TETRAD_API_OPERATOR_TOKEN": wrong})


@BOTH_DATABASES
def test_teams_are_listed_page_by_page_and_found_by_name_or_id(client: Client, operator: Operator) -> None:
    ids = [
        client.post("/v1/teams", json={"name": name, "contact": f"{name}@example.org"}).json()["team"]["id"]
        for name in ("north", "east", "south")
    ]
    page = operator.get("teams?limit=2")
    assert [one["team"]["id"] for one in page["teams"]] == ids[:2]
    rest = operator.get(f"teams?limit=2&cursor={page['next']}")
    assert ([one["team"]["id"] for one in rest["teams"]], rest["next"]) == (ids[2:], None)
    found = operator.get("teams/east")
    assert found == operator.get(f"teams/{ids[1]}")
    assert (found["contact"], found["keys"], found["models"], found["submissions"]) == ("east@example.org", 1, [], {})
    assert operator.call("GET", "teams/nobody").status_code == 404
    operator.post("teams/east/suspend", reason="spam")
    assert [one["team"]["name"] for one in operator.get("teams?status=suspended")["teams"]] == ["east"]


def test_a_suspended_team_may_only_read_and_is_told_why(team: Team, operator: Operator) -> None:
    submission = team.open()
    operator.post("teams/team-one/suspend", reason="it floods us")
    assert team.get(f"/v1/submissions/{submission}").status_code == 200
    assert team.get("/v1/teams/me").json()["state_reason"] == "it floods us"
    for reply in (team.get(f"/v1/submissions/{submission}/questions"), team.post("/v1/keys", {"name": "k"})):
        assert (reply.status_code, "it floods us" in reply.json()["detail"]) == (403, True)
    operator.post("teams/team-one/approve", reason="talked to them")
    assert team.get(f"/v1/submissions/{submission}/questions").status_code == 200
    me = team.get("/v1/teams/me").json()
    assert (me["state"], me["state_reason"]) == ("active", None)
    acts = operator.acts(me["id"])
    assert [(act["operator"], act["act"], act["reason"]) for act in acts] == [
        ("ada", "approve team", "talked to them"),
        ("ada", "suspend team", "it floods us"),
    ]


def test_with_registration_by_approval_a_new_team_waits(settings: ApiSettings) -> None:
    with TestClient(create_app(replace(settings, registration="approval"))) as client:
        team = Team.registered(client, "north")
        body = {"benchmark": "trio", "track": "plain", "model": "model-one", "size": 5}
        reply = team.post("/v1/submissions", body)
        assert (reply.status_code, "approval" in reply.json()["detail"]) == (403, True)
        assert Operator(client).post("teams/north/approve")["team"]["state"] == "active"
        assert team.post("/v1/submissions", body).status_code == 201


def test_a_team_sees_its_caps_and_what_counts_against_them(team: Team, operator: Operator) -> None:
    team.open(size=5)
    reply = operator.call("PATCH", "teams/team-one/caps", {"open_submissions": 2, "reason": "small machine"})
    assert reply.status_code == 200
    me = team.get("/v1/teams/me").json()
    assert me["caps"] == {"open_submissions": 2, "items_a_day": 200_000, "models": 200}
    assert me["usage"] == {"open_submissions": 1, "items_a_day": 5, "models": 1}
    operator.call("PATCH", "teams/team-one/caps", {"open_submissions": None})
    assert team.get("/v1/teams/me").json()["caps"]["open_submissions"] == 100
    assert operator.call("PATCH", "teams/team-one/caps", {}).status_code == 422
    assert [act["details"] for act in operator.acts()] == [{"open_submissions": None}, {"open_submissions": 2}]


def test_caps_are_named_with_their_values_and_the_remedy(team: Team, operator: Operator) -> None:
    caps = {"open_submissions": 2, "items_a_day": 20, "models": 1}
    operator.call("PATCH", "teams/team-one/caps", caps)
    body = {"benchmark": "trio", "track": "plain", "model": "model-one", "size": 15}
    assert team.post("/v1/submissions", body).status_code == 201
    over = team.post("/v1/submissions", body)
    assert over.status_code == 429
    assert over.json()["detail"].startswith(
        "your cap items_a_day is 20 items within 24 hours: 5 are left, and you asked for 15"
    )
    assert 86_000 < int(over.headers["Retry-After"]) <= 86_400
    assert "Retry-After" not in team.post("/v1/submissions", body | {"size": 21}).headers, "waiting does not help"
    assert team.post("/v1/submissions", body | {"size": 5}).status_code == 201
    full = team.post("/v1/submissions", body | {"size": 1})
    assert (full.status_code, "your cap open_submissions is 2; fetch the" in full.json()["detail"]) == (429, True)
    refused = team.post("/v1/models", {"name": "second"})
    assert (refused.status_code, "its cap on models is 1" in refused.json()["detail"]) == (403, True)


def test_too_many_open_ones_are_told_what_makes_room_and_when(team: Team, operator: Operator) -> None:
    def refused(cap: int) -> httpx.Response:
        operator.call("PATCH", "teams/team-one/caps", {"open_submissions": cap})
        reply = team.post("/v1/submissions", {"benchmark": "trio", "model": "model-one", "size": 1})
        assert reply.status_code == 429
        return reply

    names = [team.open(deadline_hours=hours) for hours in (24, 0.1, 0.5)]
    deadlines = [team.get(f"/v1/submissions/{name}").json()["deadline_at"] for name in names]
    full = refused(3)
    [fault] = full.json()["faults"]
    remedy = f"fetch the questions of one and finish it, wait until {deadlines[1]}, when a deadline makes room, or ask"
    assert (fault["field"], fault["value"]) == ("open_submissions", "3")
    assert fault["remedy"].startswith(remedy)
    assert 300 < int(full.headers["Retry-After"]) <= 360
    assert 1700 < int(refused(2).headers["Retry-After"]) <= 1800, "two have to go"
    assert refused(1).headers["Retry-After"] == "3600", "at most an hour"
    never = refused(0)
    assert "Retry-After" not in never.headers, "waiting does not help"
    assert never.json()["faults"][0]["remedy"] == "ask the operator for more"


def test_what_failed_costs_items_once_its_questions_were_seen(
    team: Team, operator: Operator, engine: sa.Engine
) -> None:
    operator.call("PATCH", "teams/team-one/caps", {"open_submissions": 2, "items_a_day": 7})
    team.open(size=2)
    team.questions(team.open(size=5))
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE submissions SET state = 'failed'"))
    assert team.get("/v1/teams/me").json()["usage"] == {"open_submissions": 0, "items_a_day": 5, "models": 1}
    body = {"benchmark": "trio", "track": "plain", "model": "model-one", "size": 3}
    full = team.post("/v1/submissions", body)
    assert (full.status_code, "2 are left, and you asked for 3" in full.json()["detail"]) == (429, True)
    team.open(size=2)


@BOTH_DATABASES
def test_of_many_that_open_at_once_no_more_than_the_cap_succeed(team: Team, operator: Operator) -> None:
    operator.call("PATCH", "teams/team-one/caps", {"open_submissions": 3})
    body = {"benchmark": "trio", "track": "plain", "model": "model-one", "size": 1}
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda _: team.post("/v1/submissions", body).status_code, range(8)))
    assert sorted(replies) == [201] * 3 + [429] * 5
    assert team.get("/v1/teams/me").json()["usage"]["open_submissions"] == 3


def test_a_corpus_is_approved_for_so_many_submissions_and_taken_back(team: Team, operator: Operator) -> None:
    assert operator.call("PUT", "teams/team-one/approvals/imsitu", {"submissions_cap": 0}).status_code == 422
    reply = operator.call("PUT", "teams/team-one/approvals/imsitu", {"submissions_cap": 2, "reason": "agreed"})
    assert reply.status_code == 200
    (approval,) = team.get("/v1/teams/me").json()["approvals"]
    assert (approval["corpus"], approval["submissions_cap"]) == ("imsitu", 2)
    assert operator.call("DELETE", "teams/team-one/approvals/imsitu").status_code == 200
    assert operator.call("DELETE", "teams/team-one/approvals/imsitu").status_code == 404
    assert [act["act"] for act in operator.acts()] == ["disapprove corpus", "approve corpus"]


def test_a_refused_act_is_not_in_the_log_and_the_log_comes_in_pages(team: Team, operator: Operator) -> None:
    operator.refused(404, "teams/nobody/suspend", reason="x")
    operator.refused(422, "teams/team-one/suspend", reason="a\0b")
    assert operator.acts() == []
    for number in range(3):
        operator.post("teams/team-one/approve", reason=str(number))
    page = operator.get("acts?limit=2")
    assert [act["reason"] for act in page["acts"]] == ["2", "1"]
    rest = operator.get(f"acts?limit=2&cursor={page['next']}")
    assert ([act["reason"] for act in rest["acts"]], rest["next"]) == (["0"], None)
