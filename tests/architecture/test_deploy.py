"""compose.yaml gives every service the variables it reads, its own credentials, and only the networks it needs."""

import ast
import os
import re
import subprocess
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from deploy.objects.store import BUCKET, DATASETS, identities
from deploy.triton.wheel_server import KEEPALIVE
from deploy.variables import PAGE, SETTINGS
from deploy.variables import main as write_variables
from generator_service.commands.__main__ import BESIDE
from tetrad.server.embedded.programs import API_COMMANDS, API_KEYS, BULK_COMMANDS, BULK_NUMBER, SERVER_LIMITS
from tetrad.server.settings import variables
from tetrad.server.trace_variables import VARIABLES

DEPLOY = Path(__file__).parents[2] / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
KINDS = SETTINGS
OWN = re.compile(r"\$\{([A-Z_]+):-([^}]*)\}")
SECRET = re.compile(r"\$\{([A-Z_]+):\?\}")
FOLDERS = {
    "api": "api",
    "generator": "generator_service",
    "bulk": "generator_service/datasets",
    "scoring": "scoring_service",
    "gateway": "inference_gateway",
}


def environment(service: str) -> dict[str, str]:
    found: dict[str, str] = COMPOSE["services"][service]["environment"]
    return found


def secrets(service: str) -> set[str]:
    return {name for value in environment(service).values() for name in SECRET.findall(str(value))}


@pytest.mark.parametrize("service", KINDS)
def test_every_variable_a_service_reads_is_set_and_no_other(service: str) -> None:
    kind, prefix = KINDS[service]
    given = {name for name in environment(service) if name.startswith("TETRAD_")}
    assert given == set(variables(kind, prefix))


@pytest.mark.parametrize("service", [*KINDS, "evaluations", "practice"])
def test_where_traces_go_is_settable_for_every_service(service: str) -> None:
    for name, (default, _) in VARIABLES.items():
        assert environment(service)[name] == f"${{{name}:-{default}}}"
        assert f"`{name}`" in PAGE.read_text()


@pytest.mark.parametrize("service", KINDS)
def test_what_is_settable_by_its_own_name_has_the_service_s_own_default(service: str) -> None:
    kind, prefix = KINDS[service]
    defaults = {f"{prefix}_{field.name.upper()}": field.default for field in msgspec.structs.fields(kind)}
    values = [(name, value) for name, value in environment(service).items() if name not in VARIABLES]
    own = {name: OWN.fullmatch(str(value)) for name, value in values}
    settable = {name: found[2] for name, found in own.items() if found and found[1] == name}
    assert settable
    for name, text in settable.items():
        assert msgspec.convert(text, type(defaults[name]), strict=False) == defaults[name], name


def test_the_page_of_variables_that_differs_from_the_settings_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert write_variables(["--check"]) == 0
    assert all(f"`{name}`" in PAGE.read_text() for kind, prefix in KINDS.values() for name in variables(kind, prefix))
    monkeypatch.setattr("deploy.variables.PAGE", tmp_path / "variables.md")
    (tmp_path / "variables.md").write_text(PAGE.read_text().replace("| `100` |", "| `101` |", 1))
    assert write_variables(["--check"]) == 1
    assert "run python -m deploy.variables" in capsys.readouterr().err
    assert write_variables([]) == write_variables(["--check"]) == 0


@pytest.mark.parametrize("service", KINDS)
def test_no_service_reads_the_environment_behind_its_settings(service: str) -> None:
    folder = DEPLOY.parent / FOLDERS[service]
    readers = [
        path.name
        for path in folder.rglob("*.py")
        if "proving" not in path.parts  # a developer's programs: nothing that serves imports them
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv"}
    ]
    # __main__.py is an operator's command, no service; parallel.py sets variables of the processes that it starts.
    # shards.py is called by programs of others, too, whose variables say what is drawn from.
    assert set(readers) <= {"app.py", "worker.py", "__main__.py", "parallel.py", "shards.py"}


def test_only_the_generator_has_the_seed_secret_and_only_scoring_shares_its_keys_token() -> None:
    holders = {
        name: {service for service in KINDS if name in secrets(service)}
        for name in (
            "SEED_SECRET",
            "KEYS_TOKEN",
            "SEALED_TOKEN",
            "PRACTICE_TOKEN",
            "GATEWAY_TOKEN",
            "SCORING_GATEWAY_TOKEN",
            "GATEWAY_TOKEN_SECRET",
            "LEDGER_TOKEN",
        )
    }
    assert holders == {
        "SEED_SECRET": {"generator"},
        "KEYS_TOKEN": {"generator", "scoring"},
        "SEALED_TOKEN": {"generator", "api"},
        "PRACTICE_TOKEN": {"generator", "api"},
        "GATEWAY_TOKEN": {"gateway", "api"},
        "SCORING_GATEWAY_TOKEN": {"gateway", "scoring"},
        "GATEWAY_TOKEN_SECRET": {"gateway"},
        "LEDGER_TOKEN": {"gateway", "api"},
    }
    signing = {name for name, one in SERVICES.items() if "GATEWAY_TOKEN_SECRET" in repr(one.get("environment"))}
    assert signing == {"gateway", "evaluations"}, "the public api can't sign tokens"


def test_practice_has_no_secret_of_sealed_draws_and_is_reached_by_the_api_alone() -> None:
    assert secrets("practice") == {"PRACTICE_TOKEN"}
    assert environment("practice").keys() == environment("generator").keys()
    assert {name for name, one in SERVICES.items() if "api-practice" in one["networks"]} == {"api", "practice"}
    assert SERVICES["practice"]["networks"] == ["api-practice"]


def test_each_service_has_its_own_database_and_redis_credentials() -> None:
    for kind in ("DATABASE_PASSWORD", "REDIS_PASSWORD", "OBJECTS_SECRET"):
        holders = [name for service in KINDS for name in secrets(service) if name.endswith(kind)]
        assert len(holders) == len(set(holders)) >= 2


def test_the_generator_s_keys_travel_on_a_network_without_the_api() -> None:
    networks = {service: set(COMPOSE["services"][service]["networks"]) for service in KINDS}
    assert networks["generator"] & networks["scoring"] == {"scoring-generator"}
    assert networks["generator"] & networks["api"] == {"api-generator"}
    assert networks["gateway"] & networks["scoring"] == {"scoring-gateway", "redis"}
    assert networks["gateway"] & networks["api"] == {"api-gateway", "redis", "proxy"}
    assert not networks["gateway"] & networks["generator"]
    assert [name for name, network in COMPOSE["networks"].items() if not network.get("internal")] == [
        "edge",
        "outside",
        "packages",
    ]
    on = {
        network: {name for name, one in SERVICES.items() if network in one["networks"]}
        for network in COMPOSE["networks"]
    }
    assert on["outside"] == {"gateway"}
    assert on["packages"] == {"sources"}
    assert on["objects"] == {"api", "evaluations", "bulk", "scoring", "objects"}
    assert on["edge"] == {name for name, one in SERVICES.items() if "ports" in one} == {"proxy"}
    assert on["proxy"] == {"proxy", "api", "gateway"}


def test_every_service_that_another_is_told_of_is_on_a_network_with_it_and_scoring_is_told_of_a_judge() -> None:
    told = {
        (service, name.removeprefix(f"{KINDS[service][1]}_"), found[1])
        for service in KINDS
        for name, value in environment(service).items()
        if (found := re.fullmatch(r"http://(\w+):8000", value))
    }
    assert ("scoring", "GATEWAY_URL", "gateway") in told
    assert environment("scoring")["TETRAD_SCORING_JUDGE_MODEL"] == "${TETRAD_JUDGE_MODEL:-}"
    for service, _, other in told:
        assert set(COMPOSE["services"][service]["networks"]) & set(COMPOSE["services"][other]["networks"])


def test_triton_is_reached_by_the_gateway_alone_and_reaches_nobody_else() -> None:
    assert COMPOSE["services"]["triton"]["networks"] == ["gateway-triton"]
    assert "ports" not in COMPOSE["services"]["triton"]
    beside = [name for name, service in COMPOSE["services"].items() if "gateway-triton" in service["networks"]]
    assert beside == ["gateway", "triton"]
    recipe = (DEPLOY / "triton" / "Dockerfile").read_text()
    assert all(flag in recipe for flag in KEEPALIVE), "the image's server allows the gateway's keepalive, too"


def test_every_secret_is_listed_in_the_example() -> None:
    listed = set(re.findall(r"^([A-Z_]+)=$", (DEPLOY / "example.env").read_text(), re.MULTILINE))
    assert listed == set(SECRET.findall((DEPLOY / "compose.yaml").read_text()))


def test_every_image_runs_unprivileged_with_a_health_check_and_a_known_service() -> None:
    recipe = (DEPLOY / "Dockerfile").read_text()
    assert re.search(r"^USER 10001$", recipe, re.MULTILINE)
    assert "HEALTHCHECK" in recipe
    for service in KINDS:
        assert COMPOSE["services"][service]["build"]["args"] == {"SERVICE": service, "COMMIT": "${COMMIT:-}"}
        assert (DEPLOY.parent / "requirements" / f"{service}.txt").exists()
        assert f"    {service})" in (DEPLOY / "entrypoint.sh").read_text()


def test_a_build_sees_what_it_copies_and_neither_secrets_nor_data() -> None:
    recipes = [path.read_text() for path in DEPLOY.rglob("Dockerfile")]
    assert len(recipes) == 3
    lines = [line for recipe in recipes for line in re.findall(r"^COPY (?!--from)(.+) \S+$", recipe, re.MULTILINE)]
    copied = {source.replace("${SERVICE}", "*") for line in lines for source in line.split()}
    everything, *shown = [line for line in (DEPLOY.parent / ".dockerignore").read_text().splitlines() if line[0] != "#"]
    assert everything == "*"
    patterns = {line.removeprefix("!") for line in shown if line.startswith("!")}
    assert {source for source in copied if not any(fnmatch(source, pattern) for pattern in patterns)} == set()
    assert {pattern for pattern in patterns if not any(fnmatch(source, pattern) for source in copied)} == set()


def test_the_store_of_sources_is_the_generator_s_and_the_job_s_that_makes_them() -> None:
    """Labels of published items lie there."""
    services = COMPOSE["services"]
    mounting = {
        name for name, one in services.items() if any("sources:" in str(each) for each in one.get("volumes", []))
    }
    told = {name for name, one in services.items() if "/var/lib/tetrad/sources" in str(one.get("environment", ""))}
    assert mounting == told == {"generator", "practice", "bulk", "sources"}


def test_the_job_that_makes_sources_ends_has_no_secret_and_is_started_by_name_alone() -> None:
    job = SERVICES["sources"]
    assert job["networks"] == ["packages"]
    assert job["restart"] == "no"
    assert job["profiles"] == ["sources"]
    assert set(job["environment"]) == {"TETRAD_GENERATOR_SOURCES_URL"}
    assert not [name for name, service in SERVICES.items() if "sources" in service.get("depends_on", {})]


def run_make_sources(folder: Path, failing: str, *named: str) -> "subprocess.CompletedProcess[str]":
    """Run the job with a `python` that says how it was called, and fails for one source."""
    python = folder / "python"
    python.write_text(f'#!/bin/sh\necho "$@"\n[ "$4" != "{failing}" ]\n')
    python.chmod(0o755)
    script = ["sh", str(DEPLOY / "make-sources.sh"), *named]
    path = {"PATH": f"{folder}:{os.environ['PATH']}"}
    return subprocess.run(script, env=os.environ | path, capture_output=True, text=True, check=False)


def test_the_job_makes_people_or_what_is_named_even_if_another_fails(tmp_path: Path) -> None:
    """As with `make up`, photographs are made for whoever asks for them, and for nobody else."""
    commands = {source: f"-m generator_service.commands build {source}" for source in BESIDE}
    for failing, status in {"": 0, "people": 1, "photographs": 1}.items():
        done = run_make_sources(tmp_path, failing, *BESIDE)
        assert (set(done.stdout.splitlines()), done.returncode) == ({*commands.values()}, status)
    assert run_make_sources(tmp_path, "").stdout.splitlines() == [commands["people"]]


@pytest.mark.parametrize("name", SERVICES)
def test_every_container_has_no_capability_no_new_privilege_and_bounded_memory_processes_and_logs(name: str) -> None:
    service = SERVICES[name]
    assert service["cap_drop"] == ["ALL"]
    assert "cap_add" not in service
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert re.fullmatch(r"(\$\{[A-Z_]+:-)?\d+[mg]\}?", service["mem_limit"])
    assert service["pids_limit"] > 0
    assert set(service["logging"]["options"]) == {"max-size", "max-file"}


@pytest.mark.parametrize("name", [name for name, one in SERVICES.items() if "image" in one])
def test_images_of_others_have_a_version_and_a_digest_and_can_be_replaced(name: str) -> None:
    found = re.fullmatch(
        r"\$\{[A-Z_]+_IMAGE:-(?P<image>[a-z/]+):(?P<version>[A-Za-z0-9.T-]+)@sha256:[0-9a-f]{64}\}",
        SERVICES[name]["image"],
    )
    assert found is not None
    assert re.search(r"\d", found["version"]), "latest is no version"


@pytest.mark.parametrize("name", ["database", "redis", "proxy"])
def test_whose_entrypoint_would_step_down_from_root_begins_as_its_user(name: str) -> None:
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", SERVICES[name]["user"])


def test_only_the_proxy_s_network_is_believed_about_clients() -> None:
    (network,) = COMPOSE["networks"]["proxy"]["ipam"]["config"]
    assert environment("api")["TETRAD_API_TRUSTED_PROXIES"] == network["subnet"]
    assert "172.31.251.0/28" in network["subnet"]


def test_containers_are_healthy_when_they_are_ready_and_a_slow_start_is_no_failure() -> None:
    assert "/health/ready" in (DEPLOY / "healthcheck.py").read_text()
    (seconds,) = re.findall(r"--start-period=(\d+)s", (DEPLOY / "Dockerfile").read_text())
    assert int(seconds) >= 180  # as long as an embedded instance is given
    assert "/health/ready" in SERVICES["proxy"]["healthcheck"]["test"][-1]
    for name in ("proxy", "database", "redis", "objects"):
        assert int(SERVICES[name]["healthcheck"]["start_period"].removesuffix("s")) >= 60


def test_the_object_store_s_users_are_those_of_its_files_and_their_services_have_the_secrets() -> None:
    users = identities(os.environ | dict.fromkeys(environment("objects"), "x"))["identities"]
    names = [user["name"] for user in users]  # type: ignore[attr-defined]
    assert names == ["api", "bulk", "scoring", "admin"]
    for name in ("api", "scoring"):
        assert environment(name)[f"TETRAD_{name.upper()}_STORE_URL"] == f"s3://{BUCKET}/reports"
        assert environment(name)["AWS_ACCESS_KEY_ID"] == name
        assert environment(name)["AWS_SECRET_ACCESS_KEY"] == environment("objects")[f"{name.upper()}_OBJECTS_SECRET"]
    assert environment("bulk")["TETRAD_BULK_STORE_URL"] == f"s3://{DATASETS}"
    assert environment("api")["TETRAD_API_DATASETS_STORE_URL"] == f"s3://{DATASETS}"
    holders = {name for name in SERVICES if "ADMIN_OBJECTS_SECRET" in str(SERVICES[name].get("environment"))}
    assert holders == {"objects"}


def test_redis_users_are_those_of_an_embedded_instance() -> None:
    users = (DEPLOY / "valkey" / "start.sh").read_text()
    assert f"{API_KEYS} {API_COMMANDS}" in users
    assert users.count("-@scripting") == 3
    assert BULK_COMMANDS in users
    assert f"db={BULK_NUMBER}" in users


def entrypoint(*arguments: str, **environ: str) -> list[str]:
    """Run the entry point with a `python` that says how it was called."""
    script = ["sh", str(DEPLOY / "entrypoint.sh"), *arguments]
    return subprocess.run(script, env=os.environ | environ, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )


def test_the_entry_point_runs_its_arguments_instead_of_the_service_and_begins_servers_with_their_limits(
    tmp_path: Path,
) -> None:
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    python.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    assert entrypoint("echo", "a b", "c", SERVICE="api") == ["a b c", ""]
    assert entrypoint("python", "-m", "x", SERVICE="api", PATH=path) == ["-m", "x", ""]
    served = entrypoint(SERVICE="api", PATH=path)
    begin = served.index("--http")
    assert tuple(served[begin : begin + len(SERVER_LIMITS)]) == SERVER_LIMITS
    assert "api.app:create_app" in served
    for seconds in ("5", "120"):
        served = entrypoint(SERVICE="gateway", PATH=path, **({} if seconds == "5" else {"STOP_SECONDS": seconds}))
        assert served[served.index("--workers-kill-timeout") + 1] == seconds
