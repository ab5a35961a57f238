"""Orders of data sets: ids by content, estimates, quotas, references, and who may read what."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from msgspec import json
from msgspec.structs import replace

from api.context import make_context
from api.database.schema import dataset_orders, dataset_shards, datasets
from api.settings import ApiSettings
from tests.integration.api.assembled import client_of
from tests.integration.api.conftest import BOTH_DATABASES, Client
from tests.integration.api.streams import follow_until_revoked
from tests.integration.api.team import Team
from tetrad.contracts.datasets import DatasetManifest, DatasetShard
from tetrad.internal.jobs import attempts_of
from tetrad.rows.dataset_plans import id_of
from tetrad.server.database import write_transaction
from tetrad.server.dataset_tables import add_dataset_event, object_of, shard_id

ORDER: dict[str, Any] = {"benchmark": "trio", "seed": "7", "count": 2500, "form": "rows"}
BODY = b'{"rows": 1}\n'


@pytest.fixture
def settings(settings: ApiSettings, tmp_path: Path) -> ApiSettings:
    return replace(settings, datasets_store_url=f"file://{tmp_path}/datasets", datasets_quota_gib=1)


def ordered(client: Client, team: Team, **changes: Any) -> dict[str, Any]:
    reply = client.post("/v1/datasets", json=ORDER | changes, headers=team.headers)
    assert reply.status_code == 202, reply.text
    assert reply.headers["Location"] == f"/v1/datasets/{reply.json()['id']}"
    found: dict[str, Any] = reply.json()
    return found


def have_made(settings: ApiSettings, engine: sa.Engine, dataset: str, number: int) -> None:
    """Do what a worker does for a shard, with a body of its own."""
    shard = DatasetShard(number=number, file=f"{number}.jsonl", items=1000, rows=1, bytes=len(BODY), sha256="0" * 64)
    store = make_context(settings).shards
    assert store is not None
    store.put(object_of(dataset, shard.file), BODY)
    with write_transaction(engine) as connection:
        made = {"state": "done", "body": json.encode(shard).decode(), "items": 1000, "made_at": time.time_ns() // 10**6}
        s, d = dataset_shards.c, datasets.c
        connection.execute(sa.update(dataset_shards).where(s.id == shard_id(dataset, number)).values(made))
        grown = {"shards_done": d.shards_done + 1, "items_done": d.items_done + 1000, "bytes": d.bytes + len(BODY)}
        begun = {"state": "making", "begun_at": time.time_ns() // 10**6 - 1000}
        connection.execute(sa.update(datasets).where(d.id == dataset).values(**grown, **begun))
        add_dataset_event(connection, dataset, 5, "shard", number=number)


@BOTH_DATABASES
def test_an_order_is_known_by_its_content_whoever_makes_it(client: Client, team: Team, engine: sa.Engine) -> None:
    first = ordered(client, team)
    assert (first["state"], first["shards"], first["shards_done"], first["bytes"]) == ("queued", 3, 0, 0)
    assert first["plan"]["identity"]["parameters"]["tint"] == "red"
    again, other = ordered(client, team), ordered(client, Team.registered(client, "team-two"))
    assert first["id"] == again["id"] == other["id"]
    assert again["ordered_at"] == first["ordered_at"]
    assert ordered(client, team, seed="8")["id"] != first["id"]
    with engine.connect() as connection:
        counts = [
            connection.execute(sa.select(sa.func.count()).select_from(table)).scalar()
            for table in (datasets, dataset_orders, dataset_shards)
        ]
    assert counts == [2, 3, 6]
    manifest = client.get(first["manifest_url"], headers=team.headers)
    told = json.decode(manifest.content, type=DatasetManifest)
    assert (told.is_complete, id_of(told.plan)) == (False, first["id"])


def test_a_dry_run_estimates_and_keeps_nothing(client: Client, team: Team) -> None:
    reply = client.post("/v1/datasets?dry_run=true", json=ORDER, headers=team.headers)
    told = reply.json()
    assert (reply.status_code, told["state"], told["ordered_at"]) == (200, "estimated", None)
    assert told["bytes_estimated"] > 2500 * 500
    twice = client.post("/v1/datasets?dry_run=true", json=ORDER | {"count": 5000}, headers=team.headers).json()
    assert twice["core_hours_estimated"] == pytest.approx(2 * told["core_hours_estimated"], rel=0.01)
    assert client.get("/v1/datasets", headers=team.headers).json()["datasets"] == []
    assert client.get(told["url"], headers=team.headers).status_code == 404


def test_a_recipe_is_done_at_once_and_takes_no_room(client: Client, team: Team) -> None:
    found = ordered(client, team, form="recipe", count=10_000_000)
    assert (found["state"], found["shards"], found["bytes_estimated"]) == ("done", 0, 0)
    manifest = client.get(found["manifest_url"], headers=team.headers).json()
    assert (manifest["is_complete"], manifest["shards"], manifest["plan"]["count"]) == (True, [], 10_000_000)


def test_what_can_not_be_made_is_refused_by_field(client: Client, team: Team) -> None:
    refused: list[tuple[dict[str, Any], int, str]] = [
        ({"benchmark": "nothing"}, 404, "benchmark"),
        ({"track": "none"}, 422, "track"),
        ({"seed": "007"}, 422, "seed"),
        ({"seed": str(2**53)}, 422, "seed"),
        ({"count": 10_000_001}, 422, "count"),
        ({"count": 10_000_000, "shard_items": 1}, 422, "shard_items"),
        ({"parameters": {"tint": "green"}}, 422, "tint"),
        ({"source": ["objects:none"]}, 422, "source"),
        ({"form": "zip"}, 422, "form"),
        ({"count": 900_000}, 429, "count"),
        ({"benchmark": "trio-published"}, 422, ""),
    ]
    for changes, status, field in refused:
        reply = client.post("/v1/datasets", json=ORDER | changes, headers=team.headers)
        faults = reply.json().get("faults", [])
        assert (reply.status_code, field in (faults[0]["field"] if faults else "")) == (status, True), reply.text
        assert not faults or faults[0]["remedy"]
    assert client.post("/v1/datasets", json=ORDER).status_code == 401
    assert client.get("/v1/datasets", headers=team.headers).json()["used"] == 0


def test_each_team_s_quota_counts_its_own_references(client: Client, team: Team) -> None:
    large = ordered(client, team, count=100_000)
    quota = client.get("/v1/datasets", headers=team.headers).json()
    assert (quota["quota"], quota["used"]) == (2**30, large["bytes_estimated"])
    reply = client.post("/v1/datasets", json=ORDER | {"count": 120_000}, headers=team.headers)
    assert (reply.status_code, reply.json()["faults"][0]["field"]) == (429, "count")
    assert "cancel" in reply.json()["faults"][0]["remedy"]
    assert ordered(client, Team.registered(client, "team-two"), count=100_000)["id"] == large["id"]
    assert client.post(f"{large['url']}/cancel", headers=team.headers).status_code == 200
    assert ordered(client, team, count=120_000)["state"] == "queued"


@BOTH_DATABASES
def test_the_last_reference_ends_the_making_and_an_order_again_goes_on(
    client: Client, team: Team, settings: ApiSettings, engine: sa.Engine
) -> None:
    other = Team.registered(client, "team-two")
    dataset = ordered(client, team)
    ordered(client, other)
    have_made(settings, engine, dataset["id"], 0)
    assert client.post(f"{dataset['url']}/cancel", headers=team.headers).json()["id"] == dataset["id"]
    assert client.get(dataset["url"], headers=team.headers).status_code == 404
    assert client.get(dataset["url"], headers=other.headers).json()["state"] == "making"
    client.post(f"{dataset['url']}/cancel", headers=other.headers)
    state = sa.select(datasets.c.state, datasets.c.unreferenced_at.is_not(None))
    with engine.connect() as connection:
        assert connection.execute(state).all() == [("cancelled", True)]
    again = ordered(client, other)
    assert (again["state"], again["shards_done"]) == ("queued", 1)
    with engine.connect() as connection:
        assert connection.execute(state).all() == [("queued", False)]


def test_a_failed_data_set_is_tried_anew_by_the_same_order(client: Client, team: Team, engine: sa.Engine) -> None:
    dataset = ordered(client, team)
    with engine.begin() as connection:
        connection.execute(sa.update(datasets).values(state="failed", reason="a shard failed"))
        failed = sa.update(dataset_shards).where(dataset_shards.c.number == 1)
        connection.execute(failed.values(state="failed", attempt=3, failure="it broke"))
    assert client.get(dataset["url"], headers=team.headers).json()["reason"] == "a shard failed"
    assert ordered(client, team)["state"] == "queued"
    with engine.connect() as connection:
        tried = connection.execute(sa.select(dataset_shards.c.state, dataset_shards.c.attempt)).all()
    assert [(state, attempts_of(attempt)) for state, attempt in tried] == [("queued", 0)] * 3


def test_holders_read_manifest_shards_and_events_and_others_get_404(
    client: Client, team: Team, settings: ApiSettings, engine: sa.Engine
) -> None:
    dataset = ordered(client, team)
    have_made(settings, engine, dataset["id"], 1)
    shown = client.get(dataset["url"], headers=team.headers).json()
    assert (shown["state"], shown["items_done"], shown["bytes"]) == ("making", 1000, len(BODY))
    assert 0 < shown["items_a_second"] <= 1000
    assert shown["seconds_left"] == pytest.approx(1500 / shown["items_a_second"], abs=1)
    manifest = client.get(dataset["manifest_url"], headers=team.headers).json()
    assert [shard["number"] for shard in manifest["shards"]] == [1]
    shard = client.get(f"{dataset['url']}/shards/1", headers=team.headers)
    assert (shard.content, shard.headers["Content-Type"]) == (BODY, "application/x-ndjson")
    assert 'filename="1.jsonl"' in shard.headers["Content-Disposition"]
    early = client.get(f"{dataset['url']}/shards/0", headers=team.headers)
    assert (early.status_code, early.headers["Retry-After"]) == (409, "10")
    assert client.get(f"{dataset['url']}/shards/3", headers=team.headers).status_code == 404
    events = client.get(dataset["events_url"], headers=team.headers).json()
    assert [(event["kind"], event["data"]) for event in events] == [("shard", {"number": 1})]
    other = Team.registered(client, "team-two")
    missing = client.get("/v1/datasets/dst_" + "0" * 40, headers=other.headers).json()["detail"]
    for part in ("", "/manifest", "/shards/1", "/events", "/cancel"):
        send = client.post if part == "/cancel" else client.get
        reply = send(f"{dataset['url']}{part}", headers=other.headers)
        assert (reply.status_code, reply.json()["detail"]) == (404, missing.replace("dst_" + "0" * 40, dataset["id"]))
        assert send(f"{dataset['url']}{part}").status_code == 401


def test_a_shard_that_the_store_has_lost_is_made_again(
    client: Client, team: Team, settings: ApiSettings, engine: sa.Engine
) -> None:
    dataset = ordered(client, team)
    have_made(settings, engine, dataset["id"], 1)
    store = make_context(settings).shards
    assert store is not None
    store.delete(object_of(dataset["id"], "1.jsonl"))
    for _ in range(2):
        reply = client.get(f"{dataset['url']}/shards/1", headers=team.headers)
        assert (reply.status_code, "made" in reply.json()["detail"]) == (409, True)
    shown = client.get(dataset["url"], headers=team.headers).json()
    assert (shown["shards_done"], shown["items_done"], shown["bytes"]) == (0, 0, 0)
    have_made(settings, engine, dataset["id"], 1)
    assert client.get(f"{dataset['url']}/shards/1", headers=team.headers).content == BODY


def test_events_are_followed_to_the_last_one(client: Client, team: Team, engine: sa.Engine) -> None:
    dataset = ordered(client, team)
    with write_transaction(engine) as connection:
        for kind in ("making", "paused", "resumed", "done"):
            add_dataset_event(connection, dataset["id"], 5, kind)
        connection.execute(sa.update(datasets).values(state="done"))
    stream = client.get(f"{dataset['events_url']}?format=stream", headers=team.headers).text
    assert [line.removeprefix("event: ") for line in stream.splitlines() if line.startswith("event:")] == [
        "making",
        "paused",
        "resumed",
        "done",
    ]
    last = client.get(dataset["events_url"], headers=team.headers).json()[-1]["id"]
    headers = team.headers | {"Accept": "text/event-stream", "Last-Event-ID": str(last)}
    assert client.get(dataset["events_url"], headers=headers).status_code == 204


def test_a_stream_ends_soon_after_its_key_is_revoked(client: Client, team: Team) -> None:
    assert ": this key is revoked" in follow_until_revoked(team, ordered(client, team)["events_url"])


def test_pages_follow_on(client: Client, team: Team) -> None:
    made = [ordered(client, team, seed=str(seed), form="recipe")["id"] for seed in range(5)]
    shown: list[str] = []
    cursor = None
    while cursor is not None or not shown:
        query = "?limit=2" + (f"&cursor={cursor}" if cursor else "")
        page = client.get(f"/v1/datasets{query}", headers=team.headers).json()
        shown += [dataset["id"] for dataset in page["datasets"]]
        cursor = page["next"]
    assert sorted(shown) == sorted(made)
    assert len(shown) == 5


@pytest.fixture
def without_store(settings: ApiSettings) -> Iterator[Client]:
    with client_of(replace(settings, datasets_store_url="")) as client:
        yield client


def test_an_instance_without_a_store_for_shards_has_recipes_alone(without_store: Client) -> None:
    team = Team.registered(without_store, "team-one")
    reply = without_store.post("/v1/datasets", json=ORDER, headers=team.headers)
    assert (reply.status_code, "order a recipe" in reply.text) == (503, True)
    assert ordered(without_store, team, form="recipe")["state"] == "done"
