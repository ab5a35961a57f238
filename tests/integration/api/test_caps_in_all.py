"""Caps of all new teams together, the reserve for established ones, registration, and caps of addresses."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from api.database.schema import submissions, teams, usage_by_hour
from api.settings import ApiSettings
from tests.integration.api.assembled import client_of
from tests.integration.api.conftest import BOTH_DATABASES, Client
from tests.integration.api.operator import Operator
from tests.integration.api.team import Team
from tetrad.server.clock import DAY_MS, HOUR_MS, now_ms
from tetrad.server.settings import SettingsError

CAPS = {"items_a_day_in_all": 40, "reserve_percent": 50, "items_a_day_an_address": 1000, "items_a_day_cap": 1000}


@pytest.fixture
def capped(settings: ApiSettings) -> Iterator[Client]:
    with client_of(replace(settings, **CAPS)) as client:
        yield client


@contextmanager
def with_settings(settings: ApiSettings, **changes: Any) -> Iterator[Client]:
    with client_of(replace(settings, **changes)) as client:
        yield client


def try_open(team: Team, size: int) -> httpx.Response:
    body = {"benchmark": "trio", "track": "plain", "model": "model-one", "size": size}
    return team.post("/v1/submissions", body)


def approve(client: Client, name: str) -> None:
    Operator(client).post(f"teams/{name}/approve", reason="known")


@BOTH_DATABASES
def test_twelve_new_teams_seal_no_more_than_new_teams_may_and_an_established_one_still_can(capped: Client) -> None:
    """12 teams that may seal 1,000 items each, on an instance of 40 a day, half of them kept."""
    newcomers = [Team.registered(capped, f"new-{number}") for number in range(12)]
    known = Team.registered(capped, "known")
    approve(capped, "known")
    with ThreadPoolExecutor(6) as together:
        replies = list(together.map(lambda team: try_open(team, 6), newcomers))
    opened = [reply for reply in replies if reply.status_code == 201]
    refused = [reply for reply in replies if reply.status_code == 429]
    assert len(opened) == 3, "18 of 20"
    assert len(refused) == 9
    problem = refused[0].json()
    assert problem["faults"][0]["field"] == "items_a_day_in_all"
    assert "TETRAD_API_ITEMS_A_DAY_IN_ALL" in problem["detail"]
    assert "established teams have a reserve" in problem["faults"][0]["remedy"]
    assert 22 * 3600 < int(refused[0].headers["Retry-After"]) <= 24 * 3600
    assert try_open(known, 20).status_code == 201
    assert try_open(known, 20).status_code == 429, "38 of 40 are used"


def test_what_is_refused_is_not_counted(capped: Client) -> None:
    team = Team.registered(capped, "new")
    assert [try_open(team, 15).status_code for _ in range(3)] == [201, 429, 429]
    assert try_open(team, 5).status_code == 201


def test_a_team_is_established_when_it_is_old_and_was_scored(settings: ApiSettings) -> None:
    with with_settings(settings, items_a_day_in_all=40, reserve_percent=100) as client:
        engine = sa.create_engine(settings.database_url)
        team = Team.registered(client, "old")
        with engine.begin() as connection:
            connection.execute(sa.update(teams).values(created_at=now_ms() - 8 * DAY_MS))
        assert try_open(team, 1).status_code == 429, "it was never scored"
        approve(client, "old")
        assert try_open(team, 1).status_code == 201
        with engine.begin() as connection:
            connection.execute(sa.update(submissions).values(state="scored"))
            connection.execute(sa.update(teams).values(established_at=None))
        assert try_open(team, 1).status_code == 201
        with engine.begin() as connection:
            connection.execute(sa.update(teams).values(created_at=now_ms() - 6 * DAY_MS))
        assert try_open(team, 1).status_code == 429, "it is too new"
        weights = sa.select(submissions.c.weight).order_by(submissions.c.id)
        with engine.connect() as connection:
            assert list(connection.execute(weights).scalars()) == [4, 4]
        engine.dispose()


@BOTH_DATABASES
def test_what_was_counted_a_day_ago_counts_no_more(capped: Client, settings: ApiSettings) -> None:
    team = Team.registered(capped, "new")
    assert try_open(team, 20).status_code == 201
    engine = sa.create_engine(settings.database_url)
    for hours, status in ((23, 429), (24, 201)):
        with engine.begin() as connection:
            connection.execute(sa.update(usage_by_hour).values(hour=now_ms() // HOUR_MS - hours))
        assert try_open(team, 20).status_code == status
    engine.dispose()


@BOTH_DATABASES
def test_amounts_that_count_no_more_are_dropped_once_an_hour(settings: ApiSettings) -> None:
    with with_settings(settings) as client:
        team = Team.registered(client, "one")
        assert try_open(team, 1).status_code == 201
        engine = sa.create_engine(settings.database_url)
        hour = now_ms() // HOUR_MS
        old = sa.select(sa.func.count()).where(usage_by_hour.c.hour < hour - 24)
        left = []
        with engine.begin() as connection:
            connection.execute(sa.update(usage_by_hour).values(hour=hour - 25))
        for _ in range(2):
            assert try_open(team, 1).status_code == 201
            with engine.begin() as connection:
                left.append(connection.execute(old).scalar_one())
                if not left[-1]:
                    connection.execute(sa.insert(usage_by_hour).values(subject="gone", hour=hour - 25, amount=1))
        engine.dispose()
    assert left == [0, 1], "the second of the hour reads no other subject's rows"


def test_open_submissions_are_bounded_in_all(settings: ApiSettings) -> None:
    with with_settings(settings, open_submissions_in_all=4, reserve_percent=50) as client:
        new, known = Team.registered(client, "new"), Team.registered(client, "known")
        approve(client, "known")
        assert [try_open(new, 1).status_code for _ in range(3)] == [201, 201, 429]
        assert [try_open(known, 1).status_code for _ in range(3)] == [201, 201, 429]
        assert try_open(new, 1).json()["faults"][0]["field"] == "open_submissions_in_all"
        assert "Retry-After" in try_open(known, 1).headers


def test_new_teams_of_one_address_have_no_more_than_one_of_them(settings: ApiSettings) -> None:

    with with_settings(settings, items_a_day_an_address=10) as client:
        one, two = Team.registered(client, "one"), Team.registered(client, "two")
        assert [try_open(one, 6).status_code, try_open(two, 6).status_code] == [201, 429]
        assert try_open(two, 6).json()["faults"][0]["field"] == "items_a_day_an_address"
        approve(client, "two")
        assert try_open(two, 6).status_code == 201, "an established team is not counted by address"


def test_no_address_is_kept_that_can_be_read(settings: ApiSettings) -> None:
    with with_settings(settings) as client:
        assert try_open(Team.registered(client, "one"), 1).status_code == 201
    engine = sa.create_engine(settings.database_url)
    with engine.connect() as connection:
        subjects = set(connection.execute(sa.select(usage_by_hour.c.subject)).scalars())
    engine.dispose()
    assert {"items", "teams"} < subjects
    assert not [subject for subject in subjects if "testclient" in subject or "unknown" in subject]


@pytest.mark.parametrize("setting", ["teams_a_day_an_address", "teams_a_day_in_all"])
def test_registrations_are_bounded(settings: ApiSettings, setting: str) -> None:
    with with_settings(settings, **{setting: 2}) as client:
        replies = [client.post("/v1/teams", json={"name": f"team-{number}"}) for number in range(3)]
        assert [reply.status_code for reply in replies] == [201, 201, 429]
        assert replies[2].json()["faults"][0]["field"] == setting
        assert int(replies[2].headers["Retry-After"]) > 3600
        taken = client.post("/v1/teams", json={"name": "team-0"})
        assert taken.status_code == 429


@BOTH_DATABASES
def test_a_name_that_is_taken_counts_for_nothing(settings: ApiSettings) -> None:
    with with_settings(settings, teams_a_day_in_all=2) as client:
        names = ["one", "one", "one", "two"]
        assert [client.post("/v1/teams", json={"name": name}).status_code for name in names] == [201, 409, 409, 201]


@BOTH_DATABASES
def test_by_invitation_a_team_needs_a_code_which_is_used_up(settings: ApiSettings) -> None:
    with with_settings(settings, registration="invite") as client:
        operator = Operator(client)
        reply = operator.call("POST", "invites", {"teams": 2, "days": 1, "note": "for the north"})
        assert (reply.status_code, reply.headers["Cache-Control"]) == (201, "no-store")
        code, invite = reply.json()["code"], reply.json()["about"]["id"]

        def register(name: str, **more: str) -> httpx.Response:
            return client.post("/v1/teams", json={"name": name, **more})

        without = register("a")
        assert (without.status_code, without.json()["faults"][0]["field"]) == (403, "invite")
        assert register("a", invite="invite-made-up").status_code == 403
        assert register("a", invite=code).status_code == 201
        assert register("a", invite=code).status_code == 409, "the name is taken, and the code is not used up by it"
        assert register("b", invite=code).json()["team"]["state"] == "active"
        used_up = register("c", invite=code)
        assert (used_up.status_code, "used up" in used_up.json()["detail"]) == (403, True)
        assert code not in used_up.text
        [listed] = operator.get("invites")["invites"]
        assert (listed["id"], listed["teams_left"], listed["note"]) == (invite, 0, "for the north")
        assert code not in str(operator.acts())


def test_a_code_that_is_revoked_or_too_old_lets_nobody_in(settings: ApiSettings) -> None:
    with with_settings(settings, registration="invite") as client:
        operator = Operator(client)
        revoked = operator.call("POST", "invites", {}).json()
        assert operator.post(f"invites/{revoked['about']['id']}/revoke", reason="lost")["revoked_at"]
        assert operator.post(f"invites/{revoked['about']['id']}/revoke", reason="again")["revoked_at"]
        short = operator.call("POST", "invites", {"days": 1e-9}).json()
        time.sleep(0.01)
        for code, why in ((revoked["code"], "revoked"), (short["code"], "expired")):
            reply = client.post("/v1/teams", json={"name": "a", "invite": code})
            assert (reply.status_code, why in reply.json()["detail"]) == (403, True)
        assert operator.refused(404, "invites/inv_none/revoke")


def test_a_course_in_one_room_registers_by_invite_beyond_the_cap_of_its_address(settings: ApiSettings) -> None:
    with with_settings(settings, teams_a_day_an_address=1, teams_a_day_in_all=5) as client:
        code = Operator(client).call("POST", "invites", {"teams": 20}).json()["code"]

        def register(name: str, **more: str) -> httpx.Response:
            return client.post("/v1/teams", json={"name": name, **more})

        assert [register(f"pupil-{number}", invite=code).status_code for number in range(3)] == [201] * 3
        assert register("stranger").status_code == 201, "who was invited does not count for the address"
        refused = register("another")
        assert (refused.status_code, refused.json()["faults"][0]["field"]) == (429, "teams_a_day_an_address")
        assert "invite" in refused.json()["faults"][0]["remedy"]
        assert register("late", invite="invite-made-up").status_code == 403
        assert [register(f"late-{number}", invite=code).status_code for number in range(2)] == [201, 429], "of all"


def test_with_approval_an_invited_team_does_not_wait(settings: ApiSettings) -> None:
    with with_settings(settings, registration="approval") as client:
        code = Operator(client).call("POST", "invites", {}).json()["code"]
        states = [
            client.post("/v1/teams", json={"name": name, **more}).json()["team"]["state"]
            for name, more in (("a", {}), ("b", {"invite": code}))
        ]
        assert states == ["pending", "active"]


GOOD = ["ada@north.edu", "Ada.L@NORTH.EDU", "a@lab.south.org"]
BAD = [
    None,
    "",
    "north.edu",
    "@north.edu",
    "ada@north.edu.evil.org",
    "ada@evil.org",
    "a b@north.edu",
    "ada@sub.north.edu",
]


@pytest.mark.parametrize(("contact", "status"), [*((one, 201) for one in GOOD), *((one, 422) for one in BAD)])
def test_by_mail_a_contact_is_of_one_of_the_domains(settings: ApiSettings, contact: str | None, status: int) -> None:
    domains = "north.edu,lab.south.org"
    with with_settings(settings, registration="email", registration_domains=domains) as client:
        reply = client.post("/v1/teams", json={"name": "a", "contact": contact})
        assert reply.status_code == status, reply.text
        if status == 422:
            assert reply.json()["faults"][0]["field"] == "contact"
            assert "north.edu, lab.south.org" in reply.json()["faults"][0]["remedy"]


def test_registration_by_mail_needs_domains(settings: ApiSettings) -> None:
    with pytest.raises(SettingsError, match="REGISTRATION_DOMAINS"):
        replace(settings, registration="email")
