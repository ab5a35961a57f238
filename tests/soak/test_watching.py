"""A whole instance, watched by a real Prometheus: alerts fire when the real thing breaks, and none in ordinary load.

Three alerts are not brought about here. TetradDatabaseAway is looked at on both databases in
tests/integration/test_gauges.py. For TetradReportDiffers and TetradSourceMissing only the rules are tested, by promtool
(deploy/observability/rules_test.yml).
"""

import http.client
import os
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from inference_gateway.settings import SHIPPED_MODELS
from tests.answering import answer_all, open_submission, wait_scored
from tests.e2e.conftest import FAR
from tests.instance import Instance, running
from tests.integration.inference_gateway.upstream import Upstream
from tests.integration.inference_gateway.upstream import running as running_upstream
from tests.otlp import Received, receiving
from tests.ports import free_port
from tests.prometheus import NOT_RUN, find_program
from tests.watched import FOLDER, rules
from tetrad.cli.main import main
from tetrad.client import Client

TOYS = Path(__file__).parents[1] / "toy_benchmarks"
REQUESTS = 10_000
MOST_SERIES = 1_500
QUIET_MINUTES = float(os.environ.get("TETRAD_SOAK_WATCHED_MINUTES", "60"))
SCRAPED_SECONDS = 60
DISK_MIB = 600
FIRING_SECONDS = 150.0


@dataclass
class Watched:
    """An instance, the Prometheus that scrapes it, and the spans that it sent."""

    instance: Instance
    prometheus: str
    spans: list[Received] = field(default_factory=list)

    def query(self, expression: str) -> list[Any]:
        reply = httpx.get(f"{self.prometheus}/api/v1/query", params={"query": expression}, timeout=20)
        found: list[Any] = reply.raise_for_status().json()["data"]["result"]
        return found

    def firing(self) -> set[str]:
        alerts = httpx.get(f"{self.prometheus}/api/v1/alerts", timeout=20).raise_for_status().json()["data"]["alerts"]
        return {alert["labels"]["alertname"] for alert in alerts if alert["state"] == "firing"}

    def wait_firing(self, alert: str) -> None:
        end = time.monotonic() + FIRING_SECONDS
        while alert not in (firing := self.firing()):
            assert time.monotonic() < end, f"{alert} does not fire; these do: {firing}"
            time.sleep(1)


@contextmanager
def scraping(folder: Path, instance: Instance) -> Iterator[str]:
    """Run Prometheus on this instance, with our rules, whose patience is shortened; yield its address."""
    program = find_program("prometheus")
    if program is None:
        pytest.skip(NOT_RUN)
    (folder / "rules.yml").write_text(re.sub(r"for: \d+[mh]", "for: 2s", (FOLDER / "rules.yml").read_text()))
    settings = (FOLDER / "prometheus.yml").read_text().replace("15s", "5s").replace("timeout: 10s", "timeout: 5s")
    (folder / "prometheus.yml").write_text(settings.replace("8100", str(instance.data_directory.metrics_port)))
    (folder / "metrics-token").write_text(instance.secrets.metrics_token)
    port = free_port()
    command = [program, f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data"]
    command.append(f"--web.listen-address=127.0.0.1:{port}")
    with (folder / "prometheus.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    url = f"http://127.0.0.1:{port}"
    try:
        end = time.monotonic() + 60
        while True:
            with suppress(httpx.TransportError):
                if httpx.get(f"{url}/-/ready").is_success:
                    break
            assert time.monotonic() < end, (folder / "prometheus.log").read_text()
            time.sleep(0.5)
        yield url
    finally:
        process.terminate()
        process.wait(30)


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """Give a folder on a disk of its own, if this user may mount one."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK_MIB}m", "tmpfs", str(folder)], capture_output=True, check=False
    )
    yield folder
    if mounted.returncode == 0:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture(scope="module")
def far() -> Iterator[Upstream]:
    with running_upstream() as upstream:
        yield upstream


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory, bank_folder: Path, far: Upstream) -> Iterator[Watched]:
    folder = tmp_path_factory.mktemp("watched")
    key, models = folder / "key", folder / "models.toml"
    key.write_text("sk-canary")
    models.write_text(SHIPPED_MODELS.read_text() + FAR.format(url=far.url, key=key))
    with receiving() as (url, spans), small_disk(folder / "disk") as disk:
        os.environ |= {"OTEL_EXPORTER_OTLP_ENDPOINT": url, "TETRAD_GATEWAY_DAY_BUDGET": "0.01"}
        try:
            with running(disk / "home", bank_folder, str(TOYS), models_file=models) as instance:
                backup(instance, folder / "first")
                with scraping(folder, instance) as prometheus:
                    yield Watched(instance, prometheus, spans)
        finally:
            for name in ("OTEL_EXPORTER_OTLP_ENDPOINT", "TETRAD_GATEWAY_DAY_BUDGET"):
                del os.environ[name]


def backup(instance: Instance, folder: Path) -> None:
    """Run `tetrad admin backup` on the instance."""
    os.environ["TETRAD_HOME"] = str(instance.data_directory.folder)
    try:
        with suppress(SystemExit):
            main(["admin", "backup", str(folder)])
    finally:
        del os.environ["TETRAD_HOME"]


@contextmanager
def again_and_again(act: Callable[[], object], seconds: float = 0.2) -> Iterator[None]:
    """Do something until the block ends."""
    over = threading.Event()

    def go_on() -> None:
        while not over.wait(seconds):
            with suppress(Exception):
                act()

    thread = threading.Thread(target=go_on)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def stop(instance: Instance, program: str) -> None:
    for pid in instance.pids(program):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)


def score_one(team: Client) -> str:
    """Answer a submission, wait until it is scored, and return its id."""
    opened = open_submission(team, "model-one").id
    answer_all(team, opened)
    wait_scored(team, opened)
    return opened


def test_ten_thousand_requests_in_callers_words_leave_few_series(watched: Watched) -> None:
    rng, instance = Random(1), watched.instance
    connection = http.client.HTTPConnection(str(urlsplit(instance.url).netloc), timeout=60)
    patterns = ("/v1/{}", "/v1/benchmarks/{}", "/v1/items/{}", "/boards/{}", "/{}/{}", "/v1/models?{}={}")
    for number in range(REQUESTS):
        words = [f"{rng.getrandbits(40):x}" for _ in range(3)]
        method = ("GET", "HEAD", "POST", "DELETE", words[0].upper())[number % 5]
        headers = {"Authorization": f"Bearer tetrad_{words[1]}"} if number % 3 else {}
        try:
            connection.request(method, rng.choice(patterns).format(*words), headers=headers)
            connection.getresponse().read()
        except (OSError, http.client.HTTPException):
            connection.close()
    for service in ("api", "generator", "practice", "gateway", "scoring"):
        time.sleep(6)
        counted = watched.query(f'count({{service="{service}"}})')
        assert counted, service
        assert 5 < int(counted[0]["value"][1]) < MOST_SERIES, service


def test_prometheus_scrapes_a_busy_instance(watched: Watched) -> None:
    with watched.instance.team("scraped") as team, again_and_again(lambda: team.practice("toy", seed=1, limit=5), 0.01):
        time.sleep(SCRAPED_SECONDS)
    assert [float(found["value"][1]) for found in watched.query(f"min_over_time(up[{SCRAPED_SECONDS}s])")] == [1.0]
    rate = watched.query('sum(rate(tetrad_requests_total{route="/v1/benchmarks/{benchmark}/items"}[1m]))')
    assert float(rate[0]["value"][1]) > 1
    slowest = watched.query("max_over_time(scrape_duration_seconds[1m])")
    assert float(slowest[0]["value"][1]) < 2


def test_one_trace_leads_from_the_last_answers_to_the_report(watched: Watched) -> None:
    with watched.instance.team("traced") as team:
        score_one(team)
    end = time.monotonic() + 30
    while not (jobs := [span for span in watched.spans if span.name == "job score"]):
        assert time.monotonic() < end, {span.name for span in watched.spans}
        time.sleep(0.5)
    job = jobs[-1]
    posts = [span for span in watched.spans if span.span == job.parent]
    assert [(span.name, span.service) for span in posts] == [
        ("POST /v1/submissions/{submission}/answers", "tetrad-api")
    ]
    assert job.links == [job.parent]
    joined = {(span.service, span.name) for span in watched.spans if span.trace == job.trace}
    assert {("tetrad-scoring", "generator"), ("tetrad-scoring", "database"), ("tetrad-api", "database")} <= joined
    assert any(service == "tetrad-generator" for service, _ in joined)
    secrets = watched.instance.secrets
    told = repr(watched.spans)
    for canary in (secrets.seed_secret, secrets.keys_token, secrets.metrics_token, "sk-canary", "127.0.0.1"):
        assert canary not in told


def test_no_alert_fires_in_ordinary_load(watched: Watched) -> None:
    end = time.monotonic() + QUIET_MINUTES * 60
    fired: set[str] = set()
    with watched.instance.team("ordinary") as team:
        while time.monotonic() < end:
            score_one(team)
            team.practice("toy", seed=int(time.monotonic()), limit=5)
            fired |= watched.firing()
    assert fired == set()


def test_each_alert_fires_when_the_real_thing_breaks(watched: Watched, far: Upstream, tmp_path: Path) -> None:
    """Break one part after the other. What is mended begins well again, but for the last, which is not."""
    instance = watched.instance
    with instance.team("alerts") as team:
        scored = score_one(team)
        broken: dict[str, Callable[[], AbstractContextManager[None]]] = {
            "TetradPartDown": lambda: again_and_again(lambda: stop(instance, "gateway")),
            "TetradRedisAway": lambda: again_and_again(lambda: instance.kill("valkey")),
            "TetradWorkWaits": lambda: without_scoring(instance, team),
            "TetradRequestsFail": lambda: without_generator(instance, team),
            "TetradQuestionsSlow": lambda: with_slow_questions(instance, team),
            "TetradSpending": lambda: with_a_spent_day(instance, far),
            "TetradDiskFull": lambda: with_a_full_disk(instance),
        }
        for alert, breaking in broken.items():
            with breaking():
                watched.wait_firing(alert)
            instance.wait_ready(240)
        damage(instance, team, scored)
        watched.wait_firing("TetradDamage")
        backup(instance, tmp_path / "second")
        watched.wait_firing("TetradBackup")
    never = {"TetradDatabaseAway", "TetradReportDiffers", "TetradSourceMissing"}
    assert {*broken, "TetradDamage", "TetradBackup"} | never == {rule["alert"] for rule in rules()}


@contextmanager
def without_scoring(instance: Instance, team: Client) -> Iterator[None]:
    with again_and_again(lambda: instance.kill("scoring")):
        answer_all(team, open_submission(team, "model-one").id)
        yield


@contextmanager
def without_generator(instance: Instance, team: Client) -> Iterator[None]:
    opened = open_submission(team, "model-one").id
    with again_and_again(lambda: instance.kill("generator")), again_and_again(lambda: team.questions(opened), 0.05):
        yield


@contextmanager
def with_slow_questions(instance: Instance, team: Client) -> Iterator[None]:
    """Let the generator pause for longer than a second again and again."""

    def pause() -> None:
        pids = instance.pids("generator")
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        time.sleep(1.6)
        for pid in pids:
            os.kill(pid, signal.SIGCONT)

    opened = open_submission(team, "model-one", size=50).id
    with again_and_again(pause, 0.1), again_and_again(lambda: team.questions(opened), 0.05):
        yield


@contextmanager
def with_a_spent_day(instance: Instance, far: Upstream) -> Iterator[None]:
    far.reset()
    token = instance.secrets.judge_token
    url = f"http://127.0.0.1:{instance.data_directory.gateway_port}/v1/chat/completions"
    body = {"model": "dear", "messages": [{"role": "user", "content": "x" * 4000}], "max_tokens": 64}
    headers = {"Authorization": f"Bearer {token}"}
    with again_and_again(lambda: httpx.post(url, json=body, headers=headers, timeout=20), 0.05):
        yield


@contextmanager
def with_a_full_disk(instance: Instance) -> Iterator[None]:
    """Fill the disk that the data directory is on, which is a small one of its own."""
    folder = instance.data_directory.folder
    free = shutil.disk_usage(folder).free
    if free > DISK_MIB * 2**20:
        pytest.skip("*** NOT RUN: the disk can't be filled, because this user may mount none; run it as root")
    filler = folder.parent / "filler"
    with filler.open("wb") as file:
        file.write(b"\0" * (free - 100 * 2**20))
    yield
    filler.unlink()


def damage(instance: Instance, team: Client, submission: str) -> None:
    """Change a byte of a report, and ask for it."""
    report = next((instance.data_directory.objects / "reports" / submission).rglob("*.json"))
    body = bytearray(report.read_bytes())
    body[len(body) // 2] ^= 1
    report.chmod(0o600)
    report.write_bytes(body)
    with suppress(Exception):
        team.report(submission)
