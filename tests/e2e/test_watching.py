"""An instance that is watched: ids join what its services write about a request, and no line holds more than it may."""

import json
import os
import re
import signal
from collections.abc import Iterable
from threading import Event, Thread, Timer
from typing import Any

import httpx
import msgspec
import pytest
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from tests.e2e.conftest import Run
from tests.e2e.test_evaluations import ended, evaluate
from tests.instance import Instance
from tests.integration.inference_gateway.upstream import Upstream, chat, replying
from tests.ports import free_port
from tests.waiting import REPLY_SECONDS, wait_until
from tests.watched import DASHBOARDS, expressions_of, metrics_of, rules
from tetrad.client import Client
from tetrad.contracts.accounts import ModelRequest
from tetrad.contracts.answers import Answer
from tetrad.contracts.evaluations import Evaluation
from tetrad.contracts.submissions import SubmissionRequest
from tetrad.extraction import EXTRACTOR_VERSION
from tetrad.server.locks import write_lock

SAID = "a-reply-that-no-line-may-hold"
SEED = "271828182845904"  # six digits would stand in some number of the metrics once in 500 times
FIELDS = {"at", "event", "level", "service", "request", "method", "route", "status", "ms", "bytes"}
PARTS_OF_HISTOGRAMS = ("_bucket", "_sum", "_count")
ALSO = {"team", "key", "token", "trace", "slow", "waited_ms"}


def lines(instance: Instance, **wanted: object) -> list[dict[str, Any]]:
    """Return the lines of all logs with these fields, in the order of their times."""
    found = []
    for path in instance.data_directory.logs.glob("*.log"):
        # The last line may be being written.
        for text in path.read_text().rpartition("\n")[0].splitlines():
            line = json.loads(text) if text.startswith("{") else {}
            if line and all(line.get(name) == value for name, value in wanted.items()):
                found.append(line)
    return sorted(found, key=lambda line: str(line["at"]))


def until_lines(instance: Instance, count: int = 1, **wanted: object) -> list[dict[str, Any]]:
    """Return them once there are so many: lines of requests are written a moment after the reply."""
    wait_until(lambda: len(lines(instance, **wanted)) >= count)
    return lines(instance, **wanted)


def until_lines_of(services: Iterable[str], instance: Instance, **wanted: object) -> list[dict[str, Any]]:
    """Return them once each of these services has one: every process writes its own after a moment."""
    for service in services:
        until_lines(instance, 1, service=service, **wanted)
    return lines(instance, **wanted)


@pytest.mark.parametrize(
    ("given", "is_taken"),
    [("from-a-client.1", True), ("x" * 64, True), ("x" * 65, False), ("two words", False), ("ü", False), ("", False)],
)
def test_a_request_keeps_its_id_if_it_has_the_form_of_one(instance: Instance, given: str, is_taken: bool) -> None:  # noqa: FBT001
    gateway = instance.gateway_url
    paths = ("/health/live", "/v1/benchmarks", "/nowhere", "/boards", "/v1/keys")
    urls = [*(instance.url + path for path in paths), *(gateway + path for path in ("/v1/models", "/nowhere"))]
    for url in urls:
        reply = httpx.get(url, headers=[(b"X-Request-Id", given.encode())], timeout=REPLY_SECONDS)
        made = reply.headers["X-Request-Id"]
        assert (made == given) is is_taken
        assert is_taken or len(made) == 32
        if reply.headers["Content-Type"].startswith("application/problem+json"):
            assert reply.json()["request_id"] == made
    assert httpx.head(f"{instance.url}/boards", timeout=REPLY_SECONDS).headers["X-Request-Id"]


def test_one_id_leads_from_the_request_for_an_evaluation_to_the_model(
    team: Client, instance: Instance, far: Upstream
) -> None:
    far.reset()
    far.otherwise = replying(chat("(A)"))
    asked = {"benchmark": "toy", "models": ["far"], "size": 2, "nonce": "watching"}
    headers = {**team._authorization, "X-Request-Id": "one-evaluation", "Idempotency-Key": "watching"}
    reply = httpx.post(
        f"{instance.url}/v1/evaluations", json=asked, headers=headers, timeout=REPLY_SECONDS
    ).raise_for_status()
    done = ended(team, msgspec.json.decode(reply.content, type=Evaluation))
    assert done.outcome == "complete"
    wait_until(lambda: team.submission(done.runs[0].submission).state == "scored")
    for event in ("run's slice ended", "job ended"):
        until_lines(instance, request="one-evaluation", event=event)
    services = {"api", "generator", "evaluations", "gateway", "scoring"}
    found = until_lines_of(services, instance, request="one-evaluation")
    assert services <= {line["service"] for line in found}
    runs = [line for line in found if line["service"] == "evaluations" and "run" in line["event"]]
    assert runs[0]["evaluation"] == done.id, "who knows the evaluation finds the request"
    assert runs[-1]["event"] == "run's slice ended"
    assert ("run ended", "complete") in [(line["event"], line.get("outcome")) for line in runs]
    calls = [line for line in found if line["event"] == "call"]
    assert {(line["served_by"], line["team"]) for line in calls} == {("far", "watching")}
    for call in far.asked:  # its provider is a stranger
        assert not {"x-request-id", "traceparent"} & {name.lower() for name in call.headers}
        assert "one-evaluation" not in json.dumps(call.body)
    far.reset()


def test_a_failed_command_prints_the_id_that_the_log_has(instance: Instance, run: Run) -> None:
    said = run("status", "sub_" + "0" * 32)
    assert said.status == 1
    name = said.err.split("(request ")[1].split(")")[0]
    (line,) = until_lines(instance, request=name, event="request")
    assert (line["status"], line["route"]) == (404, "/v1/submissions/{submission}")


def test_a_submission_s_job_is_joined_to_the_request_that_finished_it(team: Client, instance: Instance) -> None:
    team.register_model(ModelRequest(name="watched"))
    opened = team.open_submission(SubmissionRequest(benchmark="toy", model="watched", size=1))
    while questions := team.questions(opened.id).questions:
        team.seal(opened.id, [Answer(item=one.item, question=one.question.id, response=SAID) for one in questions])
    wait_until(lambda: team.submission(opened.id).state == "scored")
    (job,) = until_lines(instance, row=opened.id, event="job ended")
    assert (job["result"], job["job"]) == ("done", "score")
    assert {"database", "generator"} <= job["waited_ms"].keys()
    last = until_lines(instance, request=job["request"], event="request", service="api")[-1]
    assert (last["route"], last["method"]) == ("/v1/submissions/{submission}/answers", "POST")
    assert job["team"] == last["team"]
    begun = until_lines(instance, row=opened.id, event="job begun")
    assert [line["request"] for line in begun] == [job["request"]]


def test_one_id_leads_from_the_order_of_a_data_set_to_its_shards(team: Client, instance: Instance) -> None:
    order = {"benchmark": "toy", "seed": "314", "count": 5, "shard_items": 2, "form": "rows"}
    headers = {**team._authorization, "X-Request-Id": "one-data-set"}
    reply = httpx.post(f"{instance.url}/v1/datasets", json=order, headers=headers, timeout=REPLY_SECONDS)
    dataset = reply.raise_for_status().json()["id"]
    wait_until(lambda: team.dataset(dataset).state == "done", 60)
    (ordered,) = until_lines(instance, request="one-data-set", event="data set ordered")
    assert (ordered["row"], ordered["team"]) == (dataset, team.team().id)
    until_lines(instance, request="one-data-set", event="shards queued", row=dataset)
    services = {"api", "generator", "bulk"}
    assert services <= {line["service"] for line in until_lines_of(services, instance, request="one-data-set")}
    ended = until_lines(instance, 3, request=dataset, event="job ended", job="make_shard")
    assert sorted((line["row"], line["result"]) for line in ended) == [(f"{dataset}-{n}", "done") for n in range(3)]
    assert all(line["ms"] > 0 and "database" in line["waited_ms"] for line in ended)
    begun = lines(instance, request=dataset, event="job begun")
    assert {line["row"] for line in begun} == {line["row"] for line in ended}


def test_lines_of_requests_hold_what_they_may_and_nothing_else(team: Client, instance: Instance) -> None:
    key = team._authorization["Authorization"].removeprefix("Bearer ")
    shown = team.practice("toy", seed=int(SEED), limit=1).items[0]
    seed = f"seed={SEED}"
    picture = httpx.URL(instance.url).join(str(shown.questions[0].pictures[0].url))
    _, *kept = [httpx.get(picture, timeout=REPLY_SECONDS).raise_for_status().headers["X-Request-Id"] for _ in range(3)]
    httpx.get(f"{instance.url}/v1/nowhere/{SAID}?key={SAID}", headers={"Referer": SAID}, timeout=REPLY_SECONDS)
    (line,) = until_lines(instance, route="/v1/teams/me", status=200, team=team.team().id)[-1:]
    assert line["bytes"] > 100
    assert line["ms"] > 0
    for line in lines(instance, event="request"):
        assert line.keys() >= FIELDS
        assert line.keys() <= FIELDS | ALSO, line
        assert "/health/" not in line["route"] or line.get("slow") or line["status"] >= 500
    written = "".join(path.read_text() for path in instance.data_directory.logs.glob("*.log"))
    for canary in (key, SAID, seed, shown.id, "127.0.0.1"):
        assert canary not in "".join(json.dumps(line) for line in lines(instance, event="request"))
    assert [canary for canary in (key, SAID) if canary in written] == []
    assert [canary for canary in (key, SAID, seed, SEED, shown.id, "127.0.0.1") if canary in exposition(instance)] == []
    assert until_lines(instance, event="request", service="api", route="unmatched")
    told = [line for request in kept for line in lines(instance, event="request", request=request)]
    assert all(line.get("slow") for line in told), "pictures from the cache are only counted"


def exposition(instance: Instance) -> str:
    """Return the numbers of the whole instance, as Prometheus reads them."""
    url = f"http://127.0.0.1:{instance.data_directory.metrics_port}/metrics"
    reply = httpx.get(url, headers={"Authorization": f"Bearer {instance.secrets.metrics_token}"}, timeout=20)
    return reply.raise_for_status().text


def numbers(instance: Instance) -> dict[str, list[Sample]]:
    """Return the numbers of the whole instance, by name."""
    found: dict[str, list[Sample]] = {}
    for family in text_string_to_metric_families(exposition(instance)):
        for sample in family.samples:
            found.setdefault(sample.name, []).append(sample)
    return found


def number(instance: Instance, name: str, **labels: str) -> float:
    found = numbers(instance).get(name, [])
    return sum(sample.value for sample in found if labels.items() <= sample.labels.items())


def services_of(instance: Instance, name: str, **labels: str) -> set[str]:
    """Return the services that have samples of this name and these labels."""
    found = numbers(instance).get(name, [])
    return {sample.labels["service"] for sample in found if labels.items() <= sample.labels.items()}


def test_the_numbers_of_all_parts_are_on_one_loopback_port(team: Client, instance: Instance) -> None:
    url = f"http://127.0.0.1:{instance.data_directory.metrics_port}/metrics"
    assert httpx.get(url, timeout=REPLY_SECONDS).status_code == 401
    assert httpx.get(url, headers={"Authorization": "Bearer x"}, timeout=REPLY_SECONDS).status_code == 401
    assert httpx.get(f"{instance.url}/metrics", timeout=REPLY_SECONDS).status_code == 401
    team.practice("toy", seed=5, limit=2)
    parts = {"api", "generator", "practice", "gateway", "scoring", "evaluations", "valkey", "bulk-1"}
    wait_until(lambda: number(instance, "tetrad_part_up") == len(parts))  # workers begin to touch their files
    asked = {"api", "generator", "practice", "gateway"}
    wait_until(lambda: services_of(instance, "tetrad_requests_total") == asked)  # a reply is counted just after it
    wait_until(lambda: services_of(instance, "tetrad_items_made_total", benchmark="toy") >= {"practice"})
    found = numbers(instance)
    assert {sample.labels["part"] for sample in found["tetrad_part_up"]} == parts
    assert {sample.labels["service"] for sample in found["tetrad_processes"]} >= {*asked, "scoring", "evaluations"}
    assert found["tetrad_database_up"][0].value == 1
    assert {sample.labels["part"] for sample in found["tetrad_dependency_up"] if sample.value} >= {"redis", "generator"}
    routes = {sample.labels["route"] for sample in found["tetrad_requests_total"]}
    assert "/v1/benchmarks/{benchmark}/items" in routes


@pytest.fixture(scope="module")
def worked(team: Client, instance: Instance) -> None:
    """Have every part of the instance do something."""
    done = ended(team, evaluate(team, "random", size=1))
    wait_until(lambda: team.submission(done.runs[0].submission).state == "scored")
    shown = team.practice("toy", seed=8, limit=1).items[0].questions[0].pictures[0]
    for _ in range(2):
        team.picture(str(shown.url))


def test_every_metric_of_an_alert_or_a_dashboard_occurs(instance: Instance, worked: None) -> None:
    types = dict(re.findall(r"^# TYPE (\w+) (\w+)$", exposition(instance), re.MULTILINE))
    parts = [f"{name}{part}" for name, kind in types.items() if kind == "histogram" for part in PARTS_OF_HISTOGRAMS]
    asked = [
        metric
        for document in (rules(), *DASHBOARDS.values())
        for text in expressions_of(document)
        for metric in metrics_of(text)
    ]
    assert len(set(asked)) > 30
    assert set(asked) - {*types, *parts} == set()
    labels = {"benchmark": "toy", "extractor": str(EXTRACTOR_VERSION)}
    wait_until(lambda: number(instance, "tetrad_replies_total", **labels) > 0)  # counted once the report is seen


def test_an_operator_sees_the_instance_on_one_screen(
    instance: Instance, anonymous: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TETRAD_HOME", str(instance.data_directory.folder))
    for name, port in (("PORT", "port"), ("METRICS_PORT", "metrics_port")):
        monkeypatch.setenv(f"TETRAD_{name}", str(getattr(instance.data_directory, port)))
    said = anonymous("admin", "status")
    assert said.status == 0, said.err
    assert "\\u" not in said.out
    assert len(said.out.splitlines()) <= 24
    told = {line["what"]: line for line in anonymous("admin", "status", "--json").json()}
    assert told["parts"]["ok"]
    assert re.match(r"\d+ of [\d,]+ failed \(.*%\) in 10 minutes", told["requests to api"]["state"])
    assert "database" in told["disks"]["state"]
    assert told["data sets"]["ok"]
    monkeypatch.setenv("TETRAD_METRICS_PORT", str(free_port()))
    said = anonymous("admin", "status")
    assert (said.status, "TETRAD_METRICS_PORT" in said.err) == (1, True)


def test_an_operator_sees_from_afar_what_the_addresses_show_and_what_nobody_shows(
    instance: Instance, anonymous: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TETRAD_METRICS_TOKEN", instance.secrets.metrics_token)
    away = f"http://127.0.0.1:{free_port()}/metrics"
    said = anonymous("admin", "status", "--metrics", f"{instance.url}/metrics", "--metrics", away)
    assert (said.status, said.out.count("LOOK")) == (0, 1), said.out
    assert said.out.count("NOT SEEN") >= 3
    asked = ("admin", "status", "--metrics", f"{instance.url}/metrics", "--metrics", away, "--json")
    told = {line["what"]: line for line in anonymous(*asked).json()}
    assert (told["numbers"]["ok"], away in told["numbers"]["state"]) == (False, True)
    assert {what for what, line in told.items() if not line["seen"]} == {"sources", "spending", "backup"}
    assert "in all; the api shows what was spent" in told["spending"]["state"]
    assert told["parts"]["ok"]
    assert re.match(r"\d+ of [\d,]+ failed", told[f"requests to {instance.url.removeprefix('http://')}"]["state"])
    monkeypatch.setenv("TETRAD_METRICS_TOKEN", "wrong")
    refused = anonymous("admin", "status", "--metrics", f"{instance.url}/metrics", "--json").json()
    assert "401" in refused[0]["state"]
    assert {line["what"] for line in refused if not line["seen"]} >= {"parts", "disks", "damage", "memory"}


def test_sums_do_not_fall_when_a_process_is_started_again(team: Client, instance: Instance) -> None:
    team.practice("toy", seed=6, limit=1)
    sums = {"service": "practice", "benchmark": "toy"}
    before = number(instance, "tetrad_items_made_total", **sums)
    assert before > 0
    os.kill(instance.pids("practice")[-1], signal.SIGKILL)
    instance.wait_ready()
    team.practice("toy", seed=6, limit=1)
    wait_until(lambda: number(instance, "tetrad_items_made_total", **sums) == before + 1)


def test_a_slow_request_says_what_the_time_went_to(instance: Instance, team: Client) -> None:
    held, free = Event(), Event()

    def hold() -> None:
        with write_lock(str(instance.data_directory.database)):
            held.set()
            free.wait(10)

    headers = {**team._authorization, "X-Request-Id": "a-slow-one"}
    with httpx.Client(base_url=instance.url, timeout=30) as ready:
        ready.get("/health/live")  # a connection is open: the request arrives while the lock is held
        holder = Thread(target=hold)
        holder.start()
        held.wait()
        Timer(4, free.set).start()
        ready.post("/v1/models", json={"name": "slowly"}, headers=headers).raise_for_status()
        holder.join()
    (line,) = until_lines(instance, request="a-slow-one")
    assert (line["slow"], line["level"]) == (True, "warning")
    assert line["waited_ms"]["lock"] > 500  # the request was sent while the lock was held already
