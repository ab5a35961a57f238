"""Rate limits over a real Valkey: what they let pass, what they say, and what happens when it is away."""

import asyncio
import logging
import math
import socket
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import sqlalchemy as sa
from litestar.testing import TestClient
from msgspec import to_builtins
from msgspec.structs import replace
from redis import Redis

from api.app import create_app
from api.http import practice_room
from api.http.limits import KEY_PREFIX, Policy, RateLimits
from api.settings import ApiSettings
from api.upstream.job_notifier import JobNotifier
from tests.integration.api.conftest import Client
from tests.integration.api.operator import Operator
from tests.integration.api.scoring import Scoring, finished
from tests.integration.api.team import Team
from tests.misbehaving import misbehaving
from tests.ports import free_port
from tetrad.client import Client as ServiceClient
from tetrad.contracts.training import PracticeReply
from tetrad.server.embedded.programs import API_COMMANDS, API_KEYS

LIMITED = {"anonymous_requests_per_minute": 6, "anonymous_items_per_minute": 3, "key_requests_per_minute": 60}
ITEMS = "/v1/benchmarks/trio/items?seed=1&limit=1"
PATIENCE = 20.0
BULK_PATHS = (
    *("benchmarks/trio/rows", "benchmarks/trio/verdicts"),
    *("environments/trio/seed_session", "environments/trio/verify"),
)


@pytest.fixture
def limited(settings: ApiSettings, valkey: str) -> ApiSettings:
    with Redis.from_url(valkey) as redis:
        redis.flushall()
    return replace(settings, redis_url=valkey, **LIMITED)


@pytest.fixture
def client(limited: ApiSettings) -> Iterator[Client]:
    with TestClient(create_app(limited)) as client:
        yield client


def test_every_reply_says_what_is_left_and_the_first_too_many_when_to_come_again(client: Client) -> None:
    replies = [client.get("/v1/commitments") for _ in range(7)]
    assert [reply.status_code for reply in replies] == [200] * 6 + [429]
    assert replies[0].headers["RateLimit-Policy"] == '"anonymous";q=6;w=60'
    left = [reply.headers["RateLimit"].split(";")[1] for reply in replies]
    assert left == ["r=5", "r=4", "r=3", "r=2", "r=1", "r=0", "r=0"]
    last = replies[-1]
    assert last.headers["Content-Type"] == "application/problem+json"
    assert 50 <= int(last.headers["Retry-After"]) <= 60, "all six came at once: the window has to pass"
    assert "6 requests a minute" in last.json()["detail"]
    assert client.get("/health/live").status_code == 200, "health is never counted"


def test_errors_are_counted_and_say_what_is_left_too(client: Client) -> None:
    reply = client.get("/v1/commitments?limit=0")
    assert (reply.status_code, reply.headers["RateLimit"].split(";")[1]) == (422, "r=5")


def test_making_items_is_counted_by_itself_and_pictures_that_are_kept_are_free(client: Client) -> None:
    page = client.get(ITEMS)
    assert page.headers["RateLimit-Policy"] == '"anonymous-items";q=3;w=60'
    shown = page.json()["items"][0]["questions"][0]["pictures"]
    assert {client.get(shown[0]["url"]).status_code for _ in range(20)} == {200}
    assert client.get(shown[1]["url"]).status_code == 200
    assert client.get(ITEMS).status_code == 429
    assert client.get(shown[0]["url"]).status_code == 200
    assert client.get("/v1/commitments").status_code == 200


def left_after(client: Client, path: str, key: str = "") -> int:
    """Return what is left of a caller's practice in this minute after a request."""
    reply = client.get(path, headers={"Authorization": f"Bearer {key}"} if key else {})
    assert reply.status_code == 200, reply.text
    return int(reply.headers["RateLimit"].split(";")[1].removeprefix("r="))


@pytest.fixture
def weighed(limited: ApiSettings) -> Iterator[Client]:
    """An api that counts practice of up to a hundred items a minute, two hundred with a key."""
    quotas = {"anonymous_requests_per_minute": 100, "anonymous_items_per_minute": 100, "key_items_per_minute": 200}
    with TestClient(create_app(replace(limited, **quotas))) as client:
        yield client


def test_practice_counts_as_its_items_weighed_by_what_their_track_costs(weighed: Client) -> None:
    page = "/v1/benchmarks/trio/items?seed=1"
    team = Team.registered(weighed, "north")
    assert left_after(weighed, f"{page}&limit=20") == 80
    assert left_after(weighed, f"{page}&limit=10&track=other") == 55, "10 items at 2.5 each"
    (item,) = weighed.get(f"{page}&limit=1&track=other").json()["items"]  # 3: 2.5 is rounded up
    assert left_after(weighed, item["url"]) == left_after(weighed, item["solution_url"]) + 3 == 49
    answer = {"question": item["questions"][0]["id"], "response": "x" * 100}
    checked = weighed.post(f"{item['url']}/answers", json={"answers": [answer, answer]})
    assert checked.headers["RateLimit"].startswith('"anonymous-items";r=41'), "a reply's 100 characters count as one"
    assert weighed.get(item["questions"][0]["pictures"][0]["url"]).status_code == 200
    assert left_after(weighed, f"{page}&limit=1") == 33, "a picture of this track counts as 7"
    assert weighed.get(f"{page}&limit=36").status_code == 429
    assert left_after(weighed, f"{page}&limit=20", team.key) == 180, "a key has practice of its own"
    several = ",".join(picture["name"] for question in item["questions"] for picture in question["pictures"])
    assert weighed.get(f"{item['url']}/images?pictures={several}").status_code == 429, "the rest count as 7 each"
    assert left_after(weighed, f"{page}&limit=30") == 3


def test_pictures_of_a_submission_count_as_requests_also_in_one(client: Client) -> None:
    team = Team.registered(client, "north")
    submission = team.open(size=2)
    team.questions(submission)
    left = left_after(client, "/v1/teams/me", team.key)
    pictures = f"/v1/submissions/{submission}/images?pictures=0/what-0-1.png,1/what-0-1.png"
    assert left_after(client, pictures, team.key) == left - 2
    assert left_after(client, f"{pictures},0/what-0-1.png", team.key) == left - 4, "each once"


def test_a_page_that_costs_more_than_a_minute_passes_alone(limited: ApiSettings) -> None:
    with TestClient(create_app(limited)) as client:
        asked = [client.get("/v1/benchmarks/trio/items?seed=1&limit=4") for _ in range(2)]
    assert [reply.status_code for reply in asked] == [200, 429]
    assert "more than 3 items of practice, in items of KiVA, a minute" in asked[1].json()["detail"]


def test_practice_of_a_key_is_bounded_in_a_day_as_in_a_minute(limited: ApiSettings) -> None:
    page = "/v1/benchmarks/trio/items?seed=1&limit=20"
    with TestClient(create_app(replace(limited, key_items_per_minute=100, key_items_per_day=30))) as client:
        team, other = (Team.registered(client, name) for name in ("north", "south"))
        assert left_after(client, page, team.key) == 80, "what is told is of the minute"
        refused = client.get("/v1/benchmarks/trio/rows?seed=1&limit=11&pictures=none", headers=team.headers)
        assert (refused.status_code, refused.headers["RateLimit-Policy"]) == (429, '"key-items-a-day";q=30;w=86400')
        assert int(refused.headers["Retry-After"]) > 80_000
        assert "more than 30 items of practice, in items of KiVA, a day" in refused.json()["detail"]
        assert left_after(client, page, other.key) == 80


def test_a_large_data_set_fits_beside_other_practice_of_the_minute(limited: ApiSettings, tmp_path: Path) -> None:
    store = f"file://{tmp_path}/datasets"
    with TestClient(create_app(replace(limited, datasets_store_url=store, key_items_per_minute=1000))) as client:
        team = Team.registered(client, "team-orders")
        order = {"benchmark": "trio", "seed": "7", "count": 2500, "form": "rows"}
        client.get("/v1/benchmarks/trio/items?seed=1&limit=50", headers=team.headers)
        reply = client.post("/v1/datasets", json=order, headers=team.headers)
        assert (reply.status_code, reply.headers["RateLimit"].split(";")[1]) == (202, "r=250"), "50, a plan, half of it"
        refused = client.post("/v1/datasets", json=order | {"seed": "8"}, headers=team.headers)
        assert refused.status_code == 429
        assert 20 < int(refused.headers["Retry-After"]) < 90, "of 950 as many as 450 have to be forgotten"


def test_a_verification_and_a_page_of_revealed_items_count_as_their_items(
    weighed: Client, settings: ApiSettings, engine: sa.Engine
) -> None:
    team = Team.registered(weighed, "north")
    submission = finished(team, track="other")
    report = to_builtins(Scoring(settings, engine).score(team, submission))
    asked = weighed.post("/v1/verifications", json={"report": report})
    assert (asked.status_code, asked.headers["RateLimit"].split(";")[1]) == (202, "r=90"), "4 items at 2.5 each"
    assert left_after(weighed, f"/v1/submissions/{submission}/items?limit=2", team.key) == 195


def test_a_caller_has_only_so_much_practice_in_progress_and_others_are_served(
    limited: ApiSettings,
) -> None:
    with ThreadPoolExecutor(2) as pool, socket.create_server(("127.0.0.1", 0)) as silent:
        hung = f"http://127.0.0.1:{silent.getsockname()[1]}"
        quotas = {"anonymous_items_per_minute": 100, "practice_in_progress": 10, "practice_url": hung}
        with TestClient(create_app(replace(limited, **quotas))) as client:
            team = Team.registered(client, "north")
            waiting = pool.submit(client.get, "/v1/benchmarks/trio/items?seed=1&limit=8")
            silent.accept()[0].close()  # it is at the generator, and asks again
            again, _ = silent.accept()
            refused = client.get("/v1/benchmarks/trio/items?seed=1&limit=3")
            assert (refused.status_code, refused.headers["Retry-After"]) == (429, "2")
            assert "more than 10 items of KiVA is in progress" in refused.json()["detail"]
            assert team.open(), "a submission waits for nobody's practice"
            again.close()
            assert waiting.result().status_code == 503


def test_a_bulk_call_that_would_wait_for_too_long_is_refused_uncounted_and_our_client_asks_again(
    limited: ApiSettings,
) -> None:
    quotas = {"anonymous_requests_per_minute": 1000, "anonymous_items_per_minute": 1000, "bulk_wait_seconds": 0.001}
    with (
        ThreadPoolExecutor(2) as pool,
        misbehaving(limited.generator_url) as generator,
        TestClient(create_app(replace(limited, practice_url=generator.url, **quotas))) as client,
    ):
        ours = ServiceClient("", http=client)
        (row,) = ours.rows("trio", seed=1, count=1)
        reply = PracticeReply(item=row.item, question=row.question, response="A")
        (verdict,) = ours.judge("trio", [reply])
        left = left_after(client, ITEMS)
        generator.behave(delay=PATIENCE)
        first = pool.submit(ours.judge, "trio", [reply])
        while not generator.in_progress:
            time.sleep(0.01)
        calls = [client.get("/v1/benchmarks/trio/rows"), *(client.post(f"/v1/{path}") for path in BULK_PATHS)]
        for refused in calls:
            assert (refused.status_code, refused.headers["Retry-After"]) == (429, "1"), refused.text
            assert refused.headers["Content-Type"] == "application/problem+json"
            assert "send it again in 1 s" in refused.json()["detail"]
        statuses: list[int] = []
        client.event_hooks["response"].append(lambda seen: statuses.append(seen.status_code))
        second = pool.submit(ours.judge, "trio", [reply])
        while not statuses:
            time.sleep(0.01)
        generator.behave()
        assert first.result(PATIENCE) == second.result(PATIENCE) == [verdict]
        assert 429 in statuses, "the client asks again by itself"
        assert Counter(status for status in statuses if status != 429) == {200: 2}
        assert left_after(client, ITEMS) == left - 5, "two verdicts, of 2 each, and a page"


def test_no_practice_begins_while_a_request_under_a_key_is_worked_on(limited: ApiSettings) -> None:
    with (
        ThreadPoolExecutor(3) as pool,
        misbehaving(limited.generator_url) as generator,
        patch.object(practice_room, "MOST_YIELDED", PATIENCE),
        TestClient(
            create_app(replace(limited, generator_url=generator.url, practice_url=limited.generator_url))
        ) as client,
    ):
        team = Team.registered(client, "north")
        assert team.get("/v1/submissions/none").status_code == 404
        assert client.get(ITEMS).status_code == 200
        generator.behave(delay=PATIENCE)
        opening = pool.submit(team.open)
        while not generator.in_progress:
            time.sleep(0.01)
        page = pool.submit(client.get, ITEMS)
        time.sleep(0.3)
        assert not page.done()
        generator.behave()
        assert opening.result(PATIENCE)
        assert page.result(PATIENCE).status_code == 200
        own = pool.submit(team.get, ITEMS)
        assert own.result(PATIENCE / 2).status_code == 200, "practice under a key does not wait for itself"


def test_a_key_is_counted_by_itself_from_its_second_request_on_and_a_made_up_one_never(client: Client) -> None:
    team = Team.registered(client, "north")
    assert team.get("/v1/models").headers["RateLimit-Policy"] == '"key";q=60;w=60'
    assert team.get("/v1/teams/me").headers["RateLimit"].startswith('"key";r=5')
    made_up = [client.get("/v1/models", headers={"Authorization": f"Bearer tetrad_{number}"}) for number in range(9)]
    assert Counter(reply.status_code for reply in made_up) == {401: 4, 429: 5}
    assert team.get("/v1/teams/me").status_code == 200, "the address has nothing left, the key has"


def test_a_key_is_served_though_others_behind_its_address_have_used_it_up(client: Client) -> None:
    team = Team.registered(client, "north")
    other = team.post("/v1/keys", {"name": "ci", "scopes": ["read"]}).json()["key"]
    while client.get("/v1/commitments").status_code == 200:
        pass
    for key in (team.key, other):  # the second was never seen before
        reply = client.get("/v1/teams/me", headers={"Authorization": f"Bearer {key}"})
        assert (reply.status_code, reply.headers["RateLimit-Policy"]) == (200, '"key";q=60;w=60')
    made_up = {
        client.get("/v1/models", headers={"Authorization": f"Bearer tetrad_{at}"}).status_code for at in range(9)
    }
    assert made_up == {429}


def test_a_key_that_was_good_is_looked_up_again_though_made_up_ones_have_used_up_the_lookups(forgetful: Client) -> None:
    team = Team.registered(forgetful, "north")
    for number in range(20):
        forgetful.get("/v1/models", headers={"Authorization": f"Bearer tetrad_{number}"})
    time.sleep(0.25)
    assert team.get("/v1/teams/me").status_code == 200
    other = {"Authorization": "Bearer tetrad_other"}
    assert forgetful.get("/v1/teams/me", headers=other).status_code == 429


def test_a_trusted_proxy_is_not_counted_and_its_clients_are(limited: ApiSettings) -> None:
    """Litestar's client has the address `testclient`, so another one is put into the scope."""
    app = create_app(replace(limited, trusted_proxies="10.0.0.0/8"))
    inner = app.asgi_handler

    async def from_proxy(scope: Any, receive: Any, send: Any) -> None:
        scope["client"] = ("10.0.0.1", 1)
        await inner(scope, receive, send)

    app.asgi_handler = from_proxy
    with TestClient(app) as client:
        assert {client.get("/v1/commitments").status_code for _ in range(12)} == {200}
        one, other = {"X-Forwarded-For": "10.0.0.9, 192.0.2.1"}, {"X-Forwarded-For": "192.0.2.2"}
        assert [client.get("/v1/commitments", headers=one).status_code for _ in range(8)] == [200] * 6 + [429] * 2
        assert client.get("/v1/commitments", headers=other).status_code == 200


def test_an_operator_is_counted_by_itself_from_the_first_request_on(client: Client) -> None:
    while client.get("/v1/commitments").status_code == 200:
        pass
    reply = Operator(client).call("GET", "teams")
    assert (reply.status_code, reply.headers["RateLimit-Policy"]) == (200, '"key";q=60;w=60')
    assert Operator(client, "x" * 40).call("GET", "teams").status_code == 429


@pytest.fixture
def forgetful(limited: ApiSettings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    """An api that looks an API key up again after a fifth of a second."""
    monkeypatch.setattr("api.http.limits.GOOD_SECONDS", 0.2)
    with TestClient(create_app(limited)) as client:
        yield client


def test_a_revoked_key_is_forgotten(forgetful: Client) -> None:
    client = forgetful
    team = Team.registered(client, "north")
    other = team.post("/v1/keys", {"name": "ci", "scopes": ["read"]}).json()
    with_other = {"Authorization": f"Bearer {other['key']}"}
    client.get("/v1/teams/me", headers=with_other)
    assert client.get("/v1/teams/me", headers=with_other).headers["RateLimit-Policy"].startswith('"key"')
    assert client.delete(f"/v1/keys/{other['about']['id']}", headers=team.headers).status_code == 204
    time.sleep(0.25)
    reply = client.get("/v1/teams/me", headers=with_other)
    assert (reply.status_code, reply.headers["RateLimit-Policy"]) == (401, '"anonymous";q=6;w=60')


def test_nothing_is_counted_where_the_quota_is_none_or_redis_is(limited: ApiSettings) -> None:
    for settings in (replace(limited, anonymous_requests_per_minute=0), replace(limited, redis_url="")):
        with TestClient(create_app(settings)) as client:
            replies = [client.get("/v1/commitments") for _ in range(10)]
        assert {reply.status_code for reply in replies} == {200}
        assert "RateLimit" not in replies[0].headers


def test_while_redis_is_away_requests_pass_and_one_line_of_the_log_says_so(
    limited: ApiSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    away = replace(limited, redis_url=f"redis://127.0.0.1:{free_port()}/0")
    with TestClient(create_app(away)) as client:
        assert {client.get("/v1/commitments").status_code for _ in range(20)} == {200}
        assert client.get("/health/ready").json()["rate_limits"] == "suspended"
    assert capsys.readouterr().err.count("rate limits are suspended: Redis is away") == 1


def test_counting_goes_on_when_redis_is_back(valkey: str, caplog: pytest.LogCaptureFixture) -> None:
    now = [0.0]
    policy = Policy("back", 5)

    async def run() -> list[object]:
        limits = RateLimits(f"redis://127.0.0.1:{free_port()}/0", lambda: now[0])
        back = RateLimits(valkey, lambda: now[0])
        said: list[object] = [await limits.take(policy, "one"), limits.state]
        limits._storage, back._storage = back._storage, limits._storage
        said.append(await limits.take(policy, "one"))
        now[0] += 6
        counted = await limits.take(policy, "one")
        said += [counted is not None and counted.allowed, limits.state]
        await limits.close()
        await back.close()
        return said

    with caplog.at_level(logging.WARNING, "api.http.limits"):
        assert asyncio.run(run()) == [None, "suspended", None, True, "counted"]
    assert caplog.records[-1].message == "rate limits are counted again: Redis is back"


def shifted(valkey: str, policy: Policy, seconds: int) -> None:
    """Let the windows of caller `one` be so much older: Redis keeps their age as the time that their keys live."""
    with Redis.from_url(valkey) as redis:
        for key in redis.keys(f"{KEY_PREFIX}:*{policy.name}*"):
            redis.pexpire(key, redis.pttl(key) - seconds * 1000)


def test_requests_weigh_less_in_the_next_minute_and_nothing_after_it(valkey: str) -> None:
    policy = Policy("old", 60)
    now = [0.0]

    async def run() -> list[Any]:
        limits = RateLimits(valkey, lambda: now[0])
        full = [await limits.take(policy, "one") for _ in range(61)][-1]
        shifted(valkey, policy, 30)
        same = await limits.take(policy, "one")
        shifted(valkey, policy, 60)
        now[0] += 60
        half: list[Any] = [await limits.take(policy, "one")]
        while half[-1].allowed:
            half.append(await limits.take(policy, "one"))
        await limits.close()
        return [full, same, *half]

    began = time.monotonic()
    full, same, *half = asyncio.run(run())
    took = math.ceil(time.monotonic() - began + 0.1)  # Redis's time goes on meanwhile: each second lets one more pass
    assert (full.allowed, full.window.left, same.allowed) == (False, 0, False)
    assert 119 - took <= full.window.all_after <= 120
    assert 59 - took <= full.retry_after <= 60
    assert 29 - took <= same.retry_after <= 30
    passed = len(half) - 1
    assert 30 <= passed <= 30 + took, "half of the minute before counts still"
    assert 29 <= half[0].window.left <= 29 + took
    assert half[-1].retry_after == 1, "one more a second: sixty weigh one less each second"
    with Redis.from_url(valkey) as redis:
        kept = redis.keys(f"{KEY_PREFIX}:*old*")
        assert kept
        assert all(0 < redis.ttl(key) <= 120 for key in kept)


def test_what_is_left_is_told_with_one_script_a_request(valkey: str) -> None:
    policy = Policy("told", 60)
    now = [0.0]

    async def run() -> list[Any]:
        limits = RateLimits(valkey, lambda: now[0])
        counts = []
        for _ in range(60):
            counts.append(await limits.take(policy, "one"))
            now[0] += 0.1
        await limits.close()
        return counts

    with Redis.from_url(valkey) as redis:
        redis.config_resetstat()
        counts = asyncio.run(run())
        scripts = redis.info("commandstats")["cmdstat_evalsha"]["calls"]
    assert [one.window.left for one in counts] == [*reversed(range(60))]
    assert 60 <= scripts <= 70


def test_the_api_s_own_user_of_redis_may_count_and_notify(valkey: str) -> None:
    with Redis.from_url(valkey) as redis:
        redis.flushall()
        redis.script_flush()  # the first request has to bring its script
        redis.execute_command("ACL", "SETUSER", "api", "on", ">secret", *API_KEYS.split(), *API_COMMANDS.split())
        url = valkey.replace("redis://", "redis://api:secret@")

        async def run() -> list[Any]:
            limits = RateLimits(url)
            counts = [await limits.take(Policy("own", 2), "one") for _ in range(3)]
            await limits.close()
            return counts

        assert [count.allowed for count in asyncio.run(run())] == [True, True, False]
        notifier = JobNotifier(url)
        notifier.score("sub_1")
        notifier.close()
        assert list(redis.scan_iter("rq:job:*"))


def test_requests_at_once_pass_up_to_the_limit_and_no_further(valkey: str) -> None:
    policy = Policy("at-once", 60)

    async def run() -> tuple[list[Any], Any]:
        processes = [RateLimits(valkey) for _ in range(3)]
        counts = await asyncio.gather(*(processes[at % 3].take(policy, "one") for at in range(90)))
        last = await processes[0].take(policy, "one")
        for limits in processes:
            await limits.close()
        return counts, last

    counts, last = asyncio.run(run())
    assert Counter(count.allowed for count in counts) == {True: 60, False: 30}
    assert (last.allowed, last.window.left) == (False, 0)
