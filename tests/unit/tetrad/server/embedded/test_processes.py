"""Each process gets its own secrets and nobody else's, under a supervisor whose configuration holds any path."""

import configparser
import json
import os
import re
import shlex
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import ClassVar

import msgspec
import pytest
from redis import Redis, ResponseError
from redis.exceptions import BusyLoadingError
from redis.exceptions import ConnectionError as NotUp
from supervisor.options import ServerOptions

from api.settings import ApiSettings
from generator_service.settings import GeneratorSettings
from generator_service.sources.store import open_sources
from inference_gateway.settings import GatewaySettings
from scoring_service.settings import ScoringSettings
from tests.files import bytes_if_there
from tests.ports import free_port
from tests.serving import answered_by
from tests.unit.tetrad.server.embedded.conftest import at_free_ports
from tests.waiting import wait_until
from tetrad.server.embedded import banner, process_records
from tetrad.server.embedded.checkout import find_checkout, service_environment
from tetrad.server.embedded.data_directory import (
    DataDirectory,
    EmbeddedError,
    load_secrets,
    open_data_directory,
)
from tetrad.server.embedded.process_records import SpawnedProcess
from tetrad.server.embedded.programs import Options, Ports, Program, programs, write_valkey_files
from tetrad.server.embedded.up import configuration, up
from tetrad.server.settings import load_settings

PUBLIC_URL = "https://tetrad.example.org"
PORTS = Ports(api=1, generator=2, practice=5, gateway=3, valkey=4)
OPTIONS = Options(
    benchmark_folders="/more/benchmarks",
    models_file="/own/models.toml",
    judge_model="caption-judge",
    shared_sources="s3://shared/sources",
    day_budget="7",
    purpose_budgets="judge:1",
)
HELD = {
    "valkey": set[str](),
    "generator": {"seed_secret", "practice_token", "sealed_token", "keys_token", "metrics_token"},
    "practice": {"practice_token", "metrics_token"},
    "gateway": {
        *("gateway_token", "judge_token", "gateway_token_secret", "ledger_token", "redis_gateway"),
        "metrics_token",
    },
    "api": {
        *("practice_token", "sealed_token", "gateway_token", "redis_api", "operator_token"),
        *("ledger_token", "metrics_token"),
    },
    "evaluations": {"practice_token", "sealed_token", "redis_api", "gateway_token_secret"},
    "scoring": {"keys_token", "redis_scoring", "judge_token"},
    "bulk-1": {"redis_bulk"},
    "watchdog": {"metrics_token"},
}


BOUNDS = ("TETRAD_GATEWAY_DAY_BUDGET", "TETRAD_GATEWAY_PURPOSE_BUDGETS")
ODD_NAME = "100% of it's here, (or) so"
in_odd_folder = pytest.mark.parametrize("data", [ODD_NAME], indirect=True)
"""For tests of `up`: it starts a process that prepares the objects."""


@pytest.fixture(params=["plain", ODD_NAME])
def data(request: pytest.FixtureRequest, tmp_path: Path) -> DataDirectory:
    return open_data_directory(at_free_ports(tmp_path / request.param))


@pytest.fixture
def started(data: DataDirectory) -> list[Program]:
    return programs(data, load_secrets(data), PORTS, OPTIONS)


def held(data: DataDirectory, text: str) -> set[str]:
    return {name for name, value in msgspec.structs.asdict(load_secrets(data)).items() if value in text}


def test_only_what_makes_items_is_told_where_sources_lie(data: DataDirectory, started: list[Program]) -> None:
    """Labels of published items lie there."""
    told = {program.name for program in started if str(data.sources) in repr(dict(program.environment))}
    assert told == {"generator", "practice", "bulk-1"}
    (generator,) = (one for one in started if one.name == "generator")
    url = generator.environment["TETRAD_GENERATOR_SOURCES_URL"]
    assert url == f"file://{data.sources},s3://shared/sources"
    assert open_sources(url.rpartition(",s3:")[0]).folder == data.sources


def test_each_process_holds_exactly_its_own_secrets(data: DataDirectory, started: list[Program]) -> None:
    found = {one.name: held(data, repr(dict(one.environment))) for one in started}
    assert found == HELD


@pytest.mark.parametrize("workers", [0, 3])
def test_as_many_bulk_workers_run_as_are_asked_for_and_none_holds_more_than_the_first(
    data: DataDirectory, workers: int
) -> None:
    options = msgspec.structs.replace(OPTIONS, bulk_workers=workers)
    started = {program.name: program for program in programs(data, load_secrets(data), PORTS, options)}
    names = {f"bulk-{number}" for number in range(1, workers + 1)}
    assert {name for name in started if name.startswith("bulk")} == names
    assert [held(data, repr(dict(started[name].environment))) for name in names] == [HELD["bulk-1"]] * workers
    assert len({started[name].environment["TETRAD_BULK_HEARTBEAT_FILE"] for name in names}) == workers


def test_the_api_asks_for_practice_where_practice_is_served(started: list[Program]) -> None:
    found = {one.name: one for one in started}
    api = load_settings(ApiSettings, "TETRAD_API", found["api"].environment)
    assert (api.practice_url, api.generator_url) == ("http://127.0.0.1:5", "http://127.0.0.1:2")
    for name, port in (("generator", "2"), ("practice", "5")):
        command = list(found[name].command)
        assert command[command.index("--port") + 1] == port
    roles = [
        load_settings(GeneratorSettings, "TETRAD_GENERATOR", found[name].environment).role
        for name in HELD
        if name in {"generator", "practice"}
    ]
    assert roles == ["sealed", "practice"]


def test_scoring_asks_the_judge_that_is_wished_for_with_a_token_that_the_gateway_knows(started: list[Program]) -> None:
    found = {one.name: one.environment for one in started}
    scoring = load_settings(ScoringSettings, "TETRAD_SCORING", found["scoring"])
    gateway = load_settings(GatewaySettings, "TETRAD_GATEWAY", found["gateway"])
    assert (scoring.judge_model, scoring.gateway_url) == ("caption-judge", f"http://127.0.0.1:{PORTS.gateway}")
    assert scoring.gateway_token in gateway.accepted_tokens()
    assert str(gateway.registry_file()) == "/own/models.toml"


def test_the_gateway_alone_is_told_what_a_day_may_cost(started: list[Program]) -> None:
    told = {program.name: [program.environment.get(name) for name in BOUNDS] for program in started}
    assert told == {name: ["7", "judge:1"] if name == "gateway" else [None, None] for name in told}


def test_no_secret_stands_on_a_command_line_where_everyone_can_read_it(
    data: DataDirectory, started: list[Program]
) -> None:
    assert [one.name for one in started if held(data, " ".join(one.command))] == []


def test_valkey_s_passwords_are_in_a_file_for_its_owner_only(data: DataDirectory) -> None:
    write_valkey_files(data, load_secrets(data), 4)
    users = data.run / "valkey.acl"
    assert stat.S_IMODE(users.stat().st_mode) == 0o600
    assert held(data, users.read_text()) == {"redis_admin", "redis_api", "redis_scoring", "redis_gateway", "redis_bulk"}
    assert held(data, (data.run / "valkey.conf").read_text()) == set()
    for line in users.read_text().splitlines():
        if not line.startswith("user default"):
            assert "~rq:" in line or "~tetrad:{gateway}*" in line
            assert "~*" not in line


def test_scoring_may_wait_for_its_queue_and_no_more(data: DataDirectory) -> None:
    write_valkey_files(data, load_secrets(data), 4)
    (line,) = [one for one in (data.run / "valkey.acl").read_text().splitlines() if one.startswith("user scoring")]
    assert line.partition("~")[2] == "rq:queue:* resetchannels -@all +blpop +@connection"


def test_the_real_valkey_reads_what_was_written(data: DataDirectory) -> None:
    port = free_port()
    secrets = load_secrets(data)
    write_valkey_files(data, secrets, port)
    server = subprocess.Popen(programs(data, secrets, PORTS, OPTIONS)[0].command, stdout=subprocess.DEVNULL)
    try:
        admin = Redis(port=port, password=secrets.redis_admin)
        for _ in range(100):
            try:
                assert admin.ping()
                break
            except (NotUp, BusyLoadingError):
                assert server.poll() is None, "valkey refuses its configuration"
                time.sleep(0.1)
        assert Path(admin.config_get("dir")["dir"]) == data.folder / "valkey"
        api = Redis(port=port, username="api", password=secrets.redis_api)
        api.set("rq:x", "1")
        for forbidden in (lambda: api.get("other"), api.flushall, lambda: api.config_get("dir")):
            with pytest.raises(ResponseError):
                forbidden()
        api.close()
        admin.close()
    finally:
        server.terminate()
        server.wait(20)


def test_the_environment_they_share_holds_nothing_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        monkeypatch.delenv(name)
    for name, value in {"PATH": "/bin", "TETRAD_KEY": "k", "AWS_SECRET_ACCESS_KEY": "a", "LANG": "C"}.items():
        monkeypatch.setenv(name, value)
    shared = service_environment(Path("/clone"))
    assert shared == {"PATH": "/bin", "LANG": "C", "PYTHONPATH": "/clone", "PYTHONUNBUFFERED": "1"}


def test_the_services_are_those_of_the_clone_that_tetrad_is_part_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_checkout() == Path(__file__).parents[5]
    monkeypatch.setattr("tetrad.__file__", str(tmp_path / "tetrad" / "__init__.py"))
    with pytest.raises(EmbeddedError, match="has no api: what pip installs is the client alone; run `make up`"):
        find_checkout()


def test_a_package_that_only_the_lock_installs_is_missed_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tetrad.server.embedded.checkout.PROGRAMS", ("litestar", "nosuchsupervisor"))
    with pytest.raises(EmbeddedError, match=r"nosuchsupervisor for one; run `make up` there, or: pip install -r \S+"):
        find_checkout()


WRITER = """
import logging
from tetrad.server.logs import configure_logs
configure_logs("writer")
for number in range(4_000):
    logging.getLogger("x").info("%d", number, extra={"padding": "x" * 400})
"""


def test_logs_are_rotated_and_the_newest_lines_are_whole(data: DataDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    bound = 300_000
    monkeypatch.setattr("tetrad.server.embedded.up.LOG_BYTES", bound)
    script = data.folder / "writer.py"
    script.write_text(WRITER)
    writer = Program(name="writer", command=[sys.executable, str(script)], environment={}, once=True)
    data.supervisor_conf.write_text(configuration(data, [writer], ["true"]))
    environment = service_environment(find_checkout())
    run = [sys.executable, "-m", "supervisor.supervisord", "-c", str(data.supervisor_conf)]
    supervisor = subprocess.Popen(run, env=environment, stdout=subprocess.DEVNULL)
    try:
        # The last line may be what fills the newest file, which is renamed then.
        newest = [data.logs / name for name in ("writer.log.1", "writer.log")]
        wait_until(lambda: any(b'"event":"3999"' in bytes_if_there(path) for path in newest), 60)
    finally:
        supervisor.terminate()
        supervisor.wait(30)
    kept = [data.logs / name for name in ("writer.log.3", "writer.log.2", "writer.log.1", "writer.log")]
    assert sorted(data.logs.glob("writer.log*")) == sorted(kept)
    assert all(path.stat().st_size < 2 * bound for path in kept)
    lines = "".join(path.read_text() for path in kept).splitlines()[1:]  # the first may have lost its beginning
    numbers = [int(json.loads(line)["event"]) for line in lines]
    assert numbers == list(range(numbers[0], 4_000))


def test_supervisor_s_own_parser_reads_back_every_program(data: DataDirectory, started: list[Program]) -> None:
    data.supervisor_conf.write_text(configuration(data, started, ["echo", "50%", str(data.logs)]))
    plain = configparser.RawConfigParser(inline_comment_prefixes=(";", "#"))
    plain.read(data.supervisor_conf)
    assert len(plain.sections()) == 1 + len(started) + 1
    options = ServerOptions()
    options.realize(["-c", str(data.supervisor_conf)])
    read = {config.name: config for group in options.process_group_configs for config in group.process_configs}
    assert read.keys() == {one.name for one in started} | {"banner"}
    for one in started:
        assert read[one.name].environment == dict(one.environment)
        assert shlex.split(read[one.name].command) == list(one.command)
        assert read[one.name].stdout_logfile == str(data.logs / f"{one.name}.log")
        assert read[one.name].stopwaitsecs == one.stop_seconds
        assert read[one.name].umask == 0o077
    assert shlex.split(read["banner"].command) == ["echo", "50%", str(data.logs)]
    assert read["valkey"].priority < min(config.priority for name, config in read.items() if name != "valkey")
    assert options.pidfile == str(data.pid_file)


@pytest.mark.parametrize("value", ['a"b', "a'", "a ;b", "a #b", "a\nb"])
def test_what_the_configuration_can_t_hold_is_refused_and_not_written_wrong(data: DataDirectory, value: str) -> None:
    program = Program(name="x", command=["true"], environment={"FOLDERS": value})
    with pytest.raises(EmbeddedError, match="can't be written to supervisord's configuration"):
        configuration(data, [program], ["true"])


class Health(BaseHTTPRequestHandler):
    """Not ready at first, as a service that is starting."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(200 if len(self.asked) > 2 else 503)
        self.end_headers()
        if self.path == "/v1/benchmarks":
            self.wfile.write(
                b'{"benchmarks": [{"card": {"name": "visanalog"}, "lacking": {"scenes": "not drawn yet"}}]}'
            )
            return
        self.wfile.write(b'{"status": "not ready", "database": "up", "generator": "down", "store": "down"}')

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def service() -> Iterator[str]:
    Health.asked.clear()
    with answered_by(Health) as url:
        yield url


def test_the_banner_waits_until_the_service_is_ready_and_tells_what_to_try(
    service: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    told = [service, str(tmp_path), "/var/log/x", "builtin (3 objects)", f"{service}/v1"]
    assert banner.main(*told) == 0
    assert Health.asked == ["/health/ready"] * 4, "the api until it is ready, then the gateway"
    said = capsys.readouterr().out
    assert f"Tetrad is up at {service}" in said
    assert "Object bank:  builtin (3 objects)" in said
    assert f"Models:       {service}/v1" in said
    assert f"{service}/reference" in said
    assert "tetrad admin gateway-token" in said
    assert "tetrad keys new --team" in said
    assert '{"name": "my-team"}' in said
    assert "Being made" not in said


def test_the_banner_says_what_is_still_being_made_and_which_tracks_wait(
    service: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    told = [service, str(tmp_path), "/var/log/x", "builtin (3 objects)", f"{service}/v1", "people,photographs"]
    assert banner.main(*told) == 0
    said = capsys.readouterr().out
    assert "Being made:   people, photographs (how far they are: " in said
    assert "These tracks wait: visanalog scenes. They appear by themselves" in said
    assert "A benchmark's default track may be another one then" in said


def test_a_slow_start_is_waited_for_and_says_for_what(
    service: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(banner, "TOLD_SECONDS", 0.0)
    assert banner.main(service, str(tmp_path), "/var/log/x", "builtin", f"{service}/v1") == 0
    first, second, *_ = capsys.readouterr().out.splitlines()
    for line in (first, second):
        assert re.fullmatch(r"still starting after \d+ s: waiting for the generator, the store", line)


def end_again_and_again(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    starts = iter(range(100, 200))
    monkeypatch.setattr(
        process_records, "live", lambda folder: [SpawnedProcess(program, next(starts), "then", str(folder))]
    )
    monkeypatch.setattr(banner, "POLL_SECONDS", 0.0)


def test_a_program_that_ends_again_and_again_is_told_with_its_own_last_words(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "generator.log").write_text("".join(f"line {number}\n" for number in range(40)) + "no such bank\n")
    end_again_and_again(monkeypatch, "generator")
    assert banner.main("http://127.0.0.1:9", str(tmp_path), str(tmp_path), "builtin", "http://127.0.0.1:9/v1") == 1
    said = capsys.readouterr().out
    assert f"Tetrad can't start: generator ended {banner.MOST_STARTS - 1} times" in said
    assert "  no such bank" in said
    assert "line 28" not in said


def test_a_gateway_that_ends_again_and_again_is_told_although_the_api_is_ready(
    service: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gateway.log").write_text("models.toml: no table\n")
    end_again_and_again(monkeypatch, "gateway")
    assert banner.main(service, str(tmp_path), str(tmp_path), "builtin", "http://127.0.0.1:9/v1") == 1
    assert "Tetrad can't start: gateway ended" in (said := capsys.readouterr().out)
    assert "  models.toml: no table" in said


def test_processes_that_stay_are_no_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = [SpawnedProcess(name, 7, "then", str(tmp_path)) for name in ("api", "generator", "generator worker")]
    monkeypatch.setattr(process_records, "live", lambda _: there)
    starts = banner.Starts(tmp_path)
    for _ in range(50):
        starts.look()


@pytest.fixture
def umasks() -> list[int]:
    return []


@pytest.fixture
def replaced(
    data: DataDirectory, bank_folder: Path, umasks: list[int], monkeypatch: pytest.MonkeyPatch
) -> list[tuple[str, list[str], dict[str, str]]]:
    """Record the program that `up` would become, instead of the operating system's exec."""
    kept: list[tuple[str, list[str], dict[str, str]]] = []
    monkeypatch.setattr(os, "umask", umasks.append)
    monkeypatch.setattr(os, "execve", lambda *call: kept.append(call))
    monkeypatch.setenv("TETRAD_HOME", str(data.folder))
    monkeypatch.setenv("TETRAD_PORT", str(data.port))
    monkeypatch.setenv("TETRAD_GATEWAY_PORT", str(data.gateway_port))
    monkeypatch.setenv("TETRAD_BANK", "builtin")
    monkeypatch.setenv("TETRAD_API_PUBLIC_URL", PUBLIC_URL)
    monkeypatch.setenv("TETRAD_SECRET_OF_SOMEONE", "x")
    monkeypatch.setenv("TETRAD_SHARED_SOURCES", f"file://{bank_folder.resolve()}")
    return kept


@in_odd_folder
def test_up_becomes_the_supervisor_with_a_configuration_for_its_owner_only(
    data: DataDirectory,
    replaced: list[tuple[str, list[str], dict[str, str]]],
    umasks: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TETRAD_API_OPERATOR_NAME", "The 100% Lab")
    up()
    assert umasks == [0o077]
    ((program, command, environment),) = replaced
    assert program == sys.executable
    assert command[1:] == ["-m", "supervisor.supervisord", "-c", str(data.supervisor_conf)]
    assert [name for name in environment if name.startswith("TETRAD")] == []
    assert stat.S_IMODE(data.supervisor_conf.stat().st_mode) == 0o600
    configured = data.supervisor_conf.read_text()
    assert f"--port {data.port}" in configured
    parser = configparser.RawConfigParser()
    parser.read_string(configured)
    named = [name for name in parser.sections() if PUBLIC_URL in parser.get(name, "environment", fallback="")]
    assert named == ["program:api"]
    assert "The 100%% Lab" in parser.get("program:api", "environment")


@in_odd_folder
@pytest.mark.parametrize("shared", ["/srv/sources", "ftp://srv/sources", "{},/srv/sources", "{},file:///nowhere"])
def test_up_names_a_shared_store_that_is_not_there(
    bank_folder: Path,
    replaced: list[tuple[str, list[str], dict[str, str]]],
    monkeypatch: pytest.MonkeyPatch,
    shared: str,
) -> None:
    monkeypatch.setenv("TETRAD_SHARED_SOURCES", shared.format(f"file://{bank_folder.resolve()}"))
    with pytest.raises(EmbeddedError, match=r"TETRAD_SHARED_SOURCES names .*; write addresses such as file:///"):
        up()
    assert not replaced


@in_odd_folder
def test_up_does_not_start_with_a_damaged_database(
    data: DataDirectory, replaced: list[tuple[str, list[str], dict[str, str]]]
) -> None:
    data.database.write_bytes(b"x" * 8192)
    with pytest.raises(EmbeddedError, match=r"tetrad\.sqlite is damaged"):
        up()
    assert replaced == []


@in_odd_folder
def test_up_does_not_start_without_objects(
    data: DataDirectory, replaced: list[tuple[str, list[str], dict[str, str]]]
) -> None:
    data.sources.write_text("a file where the folder should be")
    with pytest.raises(EmbeddedError, match="object bank"):
        up()
    assert replaced == []


def test_sources_are_made_beside_the_service_once_and_with_no_secret(data: DataDirectory) -> None:
    options = msgspec.structs.replace(OPTIONS, make_beside={"photographs": "", "people": "/packages"})
    every = programs(data, load_secrets(data), PORTS, options)
    commands = {one.name: " ".join(one.command) for one in every if one.name.startswith("making-")}
    assert list(commands) == ["making-photographs", "making-people"]
    assert "generator_service.commands build people --quietly" in commands["making-people"]
    assert commands["making-people"].endswith("--given /packages")
    assert "generator_service.commands build photographs --quietly" in commands["making-photographs"]
    assert "--given" not in commands["making-photographs"]
    assert "--folder /more/benchmarks" in commands["making-photographs"]
    (generator,) = [one for one in every if one.name == "generator"]
    assert generator.environment["TETRAD_GENERATOR_MADE_BESIDE"] == "photographs,people"
    written = configuration(data, every, ["true"])
    for name, command in commands.items():
        assert held(data, command) == set()
        section = written.partition(f"[program:{name}]")[2].partition("[program:")[0]
        assert "autorestart=false" in section
    assert written.count("autorestart=false") == 3  # these two and the banner


@in_odd_folder
@pytest.mark.parametrize(
    ("given", "made"),
    [("", {}), ("none", {}), ("packages", {"photographs": ""}), ("/wheels", {"photographs": "/wheels"})],
)
def test_photographs_are_not_made_unless_they_are_named(
    given: str,
    made: dict[str, str],
    data: DataDirectory,
    replaced: list[tuple[str, list[str], dict[str, str]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TETRAD_PEOPLE_FROM", "none")
    monkeypatch.setenv("TETRAD_PHOTOGRAPHS_FROM", given)
    up()
    assert replaced
    written = data.supervisor_conf.read_text()
    assert "making-people" not in written
    assert ("[program:making-photographs]" in written) == bool(made)
    assert ("--given /wheels" in written) == (given == "/wheels")
    assert f'TETRAD_GENERATOR_MADE_BESIDE="{",".join(made)}"' in written
