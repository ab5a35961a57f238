"""A whole instance, watched by a real Prometheus: alerts fire when the real thing breaks, and none in ordinary load.

Two alerts have services of their own here: a source that can't be made; a SQLite file that is damaged, and an api whose
Postgres hangs, then ends.
"""

import http.client
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from pathlib import Path
from random import Random
from urllib.parse import urlsplit

import httpx
import pytest

from api.settings import PREFIX, ApiSettings
from generator_service.sources.store import of_folder
from inference_gateway.settings import SHIPPED_MODELS
from tests.answering import open_submission, wait_scored
from tests.e2e.conftest import FAR
from tests.instance import starting
from tests.integration.api.trio import trio_served
from tests.integration.inference_gateway.upstream import Upstream
from tests.integration.inference_gateway.upstream import running as running_upstream
from tests.integration.real_generator import PRACTICE_TOKEN, SEALED_TOKEN
from tests.integration.test_chained_transactions import Crashing
from tests.otlp import Received, receiving
from tests.photographs import write_photographs
from tests.serving import served, variables
from tests.soak import breaking
from tests.soak.breaking import backup, score_one, small_disk
from tests.soak.watching import Watched, again_and_again, scraping
from tests.unit.generator_service.sources.pictures import add
from tests.watched import rules
from tetrad.client import Client
from tetrad.contracts.answers import Answer
from tetrad.server.locks import write_lock

TOYS, BENCHMARKS_OF_SOURCES = (Path(__file__).parents[1] / name for name in ("toy_benchmarks", "source_benchmarks"))
REQUESTS, TEAMS = 10_000, 40
FEWEST_SERIES, MOST_SERIES = 3, 1_500
QUIET_MINUTES = float(os.environ.get("TETRAD_SOAK_WATCHED_MINUTES", "60"))
SCRAPED_SECONDS = 60
PROVIDER_KEY = "sk-canary-of-a-provider"
SAID = "a-reply-that-nobody-may-find"
ADDRESS = "127.0.0.77"
WITHIN = {
    ("tetrad-scoring", "generator"),
    ("tetrad-scoring", "database"),
    ("tetrad-api", "database"),
    ("tetrad-generator", "POST /internal/keys/draws/{submission}"),
}
"""Some of what a trace of a scored submission holds: services, and names of spans."""
METRICS_TOKEN = "metrics-token-of-the-soak-tests-0000000"


@pytest.fixture(scope="module")
def far() -> Iterator[Upstream]:
    with running_upstream() as upstream:
        yield upstream


@pytest.fixture(scope="module")
def benchmarks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the toy benchmark, which a test may change."""
    return Path(shutil.copytree(TOYS, tmp_path_factory.mktemp("benchmarks") / "toys"))


@pytest.fixture(scope="module")
def watched(
    tmp_path_factory: pytest.TempPathFactory, bank_folder: Path, benchmarks: Path, far: Upstream
) -> Iterator[Watched]:
    folder = tmp_path_factory.mktemp("watched")
    key, models = folder / "key", folder / "models.toml"
    key.write_text(PROVIDER_KEY)
    models.write_text(SHIPPED_MODELS.read_text() + FAR.format(url=far.url, key=key))
    with receiving() as (url, spans), small_disk(folder / "disk") as disk:
        store = of_folder(disk / "home" / "sources")
        add(store, "photographs", write_photographs(folder / "photographs", 12), "one", access="public")
        settings = {"OTEL_EXPORTER_OTLP_ENDPOINT": url, "TETRAD_GATEWAY_DAY_BUDGET": "0.01"}
        folders = f"{benchmarks}:{BENCHMARKS_OF_SOURCES}"
        with pytest.MonkeyPatch.context() as environment:
            for name, value in settings.items():
                environment.setenv(name, value)
            with starting(disk / "home", bank_folder, folders, models_file=models) as instance:
                instance.wait_ready(240)
                backup(instance, folder / "first")
                port, token = instance.data_directory.metrics_port, instance.secrets.metrics_token
                with scraping(folder / "prometheus", port, token) as prometheus:
                    yield Watched(instance, prometheus, spans)


def test_ten_thousand_requests_in_callers_words_leave_few_series(watched: Watched) -> None:
    rng, instance = Random(1), watched.instance

    def word() -> str:
        return f"{rng.getrandbits(40):x}"

    keys = [_register_team(instance.client(), word) for _ in range(TEAMS)]
    ports = (urlsplit(instance.url).netloc, f"127.0.0.1:{instance.data_directory.gateway_port}")
    patterns = ("/v1/{}", "/v1/benchmarks/{}", "/v1/items/{}", "/boards/{}", "/{}/{}", "/v1/models?{}={}")
    with ExitStack() as stack:
        opened = [http.client.HTTPConnection(str(netloc), timeout=60) for netloc in ports]
        connections = [stack.enter_context(closing(connection)) for connection in opened]
        for number in range(REQUESTS):
            method = ("GET", "HEAD", "POST", "DELETE", word().upper())[number % 5]
            headers = {"Authorization": f"Bearer {rng.choice([*keys, word()])}", "traceparent": word()}
            connection = connections[number % 10 == 0]
            try:
                connection.request(method, rng.choice(patterns).format(word(), word()), headers=headers)
                connection.getresponse().read()
            except (OSError, http.client.HTTPException):
                connection.close()
    _ask_for_models(watched, word)
    time.sleep(6)
    for service in ("api", "generator", "practice", "gateway", "scoring", "evaluations"):
        counted = watched.prometheus.query(f'count({{service="{service}"}})')
        assert counted, service
        assert FEWEST_SERIES < int(counted[0]["value"][1]) < MOST_SERIES, service


def _register_team(client: Client, word: Callable[[], str]) -> str:
    """Register a team that uses the service under names of its own; return its key."""
    with client:
        key = client.register_team(word()).key
    return str(key)


def _ask_for_models(watched: Watched, word: Callable[[], str]) -> None:
    """Ask the gateway for models that it does not have, with a token that it knows."""
    url = f"{watched.instance.gateway_url}/v1/chat/completions"
    headers = {"Authorization": f"Bearer {watched.instance.secrets.judge_token}"}
    with httpx.Client(headers=headers) as http_client:
        for _ in range(200):
            body = {"model": word(), "messages": [{"role": "user", "content": word()}], "user": word()}
            assert http_client.post(url, json=body).status_code == 404


def test_prometheus_scrapes_a_busy_instance(watched: Watched) -> None:
    with watched.instance.team("scraped") as team, again_and_again(lambda: team.practice("toy", seed=1, limit=5), 0.01):
        time.sleep(SCRAPED_SECONDS)
    query = watched.prometheus.query
    assert [float(found["value"][1]) for found in query(f"min_over_time(up[{SCRAPED_SECONDS}s])")] == [1.0]
    rate = query('sum(rate(tetrad_requests_total{service="api", route="/v1/benchmarks/{benchmark}/items"}[1m]))')
    assert float(rate[0]["value"][1]) > 1
    slowest = query("max_over_time(scrape_duration_seconds[1m])")
    assert float(slowest[0]["value"][1]) < 4


def test_one_trace_leads_from_the_last_answers_to_the_report(watched: Watched) -> None:
    with watched.instance.team("traced") as team:
        score_one(team)
    job, posts = _job_and_its_parents(watched.spans)
    assert [(span.name, span.service) for span in posts] == [
        ("POST /v1/submissions/{submission}/answers", "tetrad-api")
    ]
    assert job.links == [job.parent]
    end = time.monotonic() + 60
    while lacking := WITHIN - {(span.service, span.name) for span in watched.spans if span.trace == job.trace}:
        assert time.monotonic() < end, lacking
        time.sleep(0.5)


def _job_and_its_parents(spans: list[Received]) -> tuple[Received, list[Received]]:
    """Wait for the last job of scoring, and for the span that it follows: each process sends its own in its time."""
    end = time.monotonic() + 60
    while True:
        jobs = [span for span in spans if span.name == "job score"]
        parents = [span for span in spans if jobs and span.span == jobs[-1].parent]
        if parents:
            return jobs[-1], parents
        assert time.monotonic() < end, {span.name for span in spans}
        time.sleep(0.5)


def test_no_metric_span_or_line_holds_what_is_nobody_s_business(watched: Watched) -> None:
    """Search all that an instance tells for secrets, seeds, what was replied, and the address of who asked."""
    instance, secrets = watched.instance, watched.instance.secrets
    with instance.client() as anonymous:
        key = str(anonymous.register_team("searched").key)
    with instance.client(key) as team:
        opened = open_submission(team, "model-one", setting="shade-only", size=2).id
        while questions := team.questions(opened).questions:
            answers = [Answer(item=asked.item, question=asked.question.id, response=SAID) for asked in questions]
            team.seal(opened, answers)
        sealed_seed = wait_scored(team, opened).seed
        team.practice("toy", seed=2718281828, limit=2)
    transport = httpx.HTTPTransport(local_address=ADDRESS)
    with httpx.Client(transport=transport, base_url=instance.url, headers={"X-Forwarded-For": "203.0.113.77"}) as there:
        for path in ("/v1/benchmarks", "/boards/toy", f"/v1/nowhere?key={SAID}", "/v1/teams/me"):
            there.get(path, headers={"Authorization": f"Bearer {key}x", "User-Agent": SAID, "Referer": SAID})
    time.sleep(6)  # spans are sent every five seconds
    port, headers = instance.data_directory.metrics_port, {"Authorization": f"Bearer {secrets.metrics_token}"}
    told = {
        "metrics": httpx.get(f"http://127.0.0.1:{port}/metrics", headers=headers, timeout=20).text,
        "spans": repr(watched.spans),
        "logs": "".join(path.read_text() for path in instance.data_directory.logs.glob("*.log*")),
    }
    assert all("/v1/submissions/{submission}/answers" in text for text in told.values()), "all were looked at"
    canaries = [
        key,
        key.removeprefix("tetrad_"),
        sealed_seed,
        "2718281828",
        SAID,
        ADDRESS,
        "203.0.113.77",
        PROVIDER_KEY,
    ]
    canaries += [secrets.seed_secret, secrets.keys_token, secrets.metrics_token, secrets.judge_token]
    assert [(where, canary) for where, text in told.items() for canary in canaries if canary in text] == []


def test_no_alert_fires_in_ordinary_load(watched: Watched) -> None:
    end = time.monotonic() + QUIET_MINUTES * 60
    fired: set[str] = set()
    with watched.instance.team("ordinary") as team:
        while time.monotonic() < end:
            score_one(team)
            team.practice("toy", seed=int(time.monotonic()), limit=5)
            fired |= watched.prometheus.firing()
    assert fired == set()


def test_each_alert_fires_when_the_real_thing_breaks(
    watched: Watched, far: Upstream, benchmarks: Path, tmp_path: Path
) -> None:
    """Break one part after the other. What is mended begins well again, but for the last ones, which are not."""
    instance, prometheus = watched.instance, watched.prometheus
    far.reset()
    toy = benchmarks / "toy" / "__init__.py"
    with instance.team("alerts") as team:
        scored = score_one(team)
        broken: dict[str, Callable[[], AbstractContextManager[None]]] = {
            "TetradPartDown": lambda: breaking.with_a_hanging_gateway(instance),
            "TetradRedisAway": lambda: breaking.without_redis(instance),
            "TetradWorkWaits": lambda: breaking.without_scoring(instance, team),
            "TetradQuestionsSlow": lambda: breaking.with_slow_questions(instance, team),
            "TetradRequestsFail": lambda: breaking.without_generator(instance, team),
            "TetradSpending": lambda: breaking.with_a_spent_day(instance),
            "TetradDiskFull": lambda: breaking.with_a_full_disk(instance),
            "TetradReportDiffers": lambda: breaking.with_another_key(instance, team, scored, toy),
        }
        for alert, breaks in broken.items():
            prometheus.wait_quiet(alert)
            with breaks():
                prometheus.wait_firing(alert)
            instance.wait_ready(240)
        prometheus.wait_quiet("TetradDamage")
        breaking.damage_pictures(instance.data_directory.folder / "sources", team)
        prometheus.wait_firing("TetradDamage", service="practice")
        breaking.damage_report(instance, team, scored)
        prometheus.wait_firing("TetradDamage", service="api")
        prometheus.wait_quiet("TetradBackup")
        backup(instance, tmp_path / "second")
        prometheus.wait_firing("TetradBackup")
    apart = {"TetradDatabaseAway", "TetradSourceMissing"}
    assert {*broken, "TetradDamage", "TetradBackup"} | apart == {rule["alert"] for rule in rules()}


def test_a_source_that_can_t_be_made_fires_an_alert(
    bank_without_people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "no-packages").mkdir()
    people_from = {"TETRAD_PEOPLE_FROM": str(tmp_path / "no-packages")}
    with starting(tmp_path / "home", bank_without_people, more_variables=people_from) as instance:
        instance.wait_ready(240)
        port, token = instance.data_directory.metrics_port, instance.secrets.metrics_token
        with scraping(tmp_path / "prometheus", port, token) as prometheus:
            prometheus.wait_firing("TetradSourceMissing", kind="people")


def test_a_sqlite_file_that_is_damaged_while_it_is_open_fires_the_alert_of_the_database(
    bank_folder: Path, tmp_path: Path
) -> None:
    """A lock keeps nobody from reading a SQLite file: of an embedded instance the alert tells of damage."""
    with starting(tmp_path / "home", bank_folder, str(TOYS)) as instance:
        instance.wait_ready(240)
        port, token = instance.data_directory.metrics_port, instance.secrets.metrics_token
        with scraping(tmp_path / "prometheus", port, token) as prometheus:
            prometheus.wait_quiet("TetradDatabaseAway")
            with write_lock(str(instance.data_directory.database)):
                time.sleep(20)  # four scrapes
                assert prometheus.query("min_over_time(tetrad_database_up[20s])")[0]["value"][1] == "1"
            breaking.damage_database(instance)
            prometheus.wait_firing("TetradDatabaseAway", service="api")


@contextmanager
def api_on(database_url: str, folder: Path) -> Iterator[int]:
    """Run a generator, and an api on a database; yield the api's port."""
    with trio_served(folder) as generator:
        settings = ApiSettings(
            database_url=database_url,
            store_url=f"file://{folder / 'objects'}",
            generator_url=generator.url,
            generator_practice_token=PRACTICE_TOKEN,
            generator_sealed_token=SEALED_TOKEN,
            metrics_token=METRICS_TOKEN,
        )
        with served("api.app:create_app", variables(PREFIX, settings)) as api:
            yield int(str(urlsplit(api.url).port))


@contextmanager
def hanging(postgres: Crashing) -> Iterator[None]:
    """Stop every process of a Postgres, as a machine or a disk that hangs does."""
    for pid in postgres.pids():
        os.kill(pid, signal.SIGSTOP)
    yield
    for pid in postgres.pids():
        os.kill(pid, signal.SIGCONT)


def test_a_database_that_hangs_or_is_killed_fires_its_alert_and_the_api_does_not_count_as_down(tmp_path: Path) -> None:
    postgres = Crashing(Path(tempfile.mkdtemp(prefix="tetrad-watched-")))
    with api_on(postgres.url, tmp_path) as port, scraping(tmp_path / "prometheus", port, METRICS_TOKEN) as prometheus:
        for breaks in (hanging, killed):
            with breaks(postgres):
                prometheus.wait_firing("TetradDatabaseAway")
                time.sleep(15)  # three scrapes
                assert prometheus.query("min_over_time(up[30s])")[0]["value"][1] == "1"
            prometheus.wait_quiet("TetradDatabaseAway")
    postgres.server.cleanup()


@contextmanager
def killed(postgres: Crashing) -> Iterator[None]:
    postgres.kill()
    yield
    postgres.start_again()
