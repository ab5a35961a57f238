"""What the chart's manifests promise, and forty faults that somebody could make, each found by a check of its own."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.deployed.chart import VALUES, Object, made_secrets, pods_of, render
from tests.deployed.manifest_checks import CHECKS, find_faults

Secrets = Mapping[str, Mapping[str, str]]


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> Secrets:
    return made_secrets(tmp_path_factory.mktemp("secrets"))


@pytest.fixture(scope="module")
def everything() -> Sequence[Object]:
    return render(next(path for path in VALUES if path.stem == "everything"))


@pytest.mark.parametrize("values", VALUES, ids=lambda path: path.stem)
def test_the_chart_has_no_fault(values: Path, secrets: Secrets) -> None:
    assert find_faults(render(values), secrets) == {}


def test_the_same_file_gives_the_same_secrets_and_nobody_else_may_read_it(tmp_path: Path) -> None:
    assert made_secrets(tmp_path) == made_secrets(tmp_path)
    assert (tmp_path / "secrets.env").stat().st_mode & 0o077 == 0


def named(objects: Sequence[Object], kind: str, part: str) -> Object:
    return next(each for each in objects if (each["kind"], each["metadata"]["name"]) == (kind, f"tetrad-{part}"))


def spec_of(objects: Sequence[Object], part: str) -> Object:
    return next(pod.spec for pod in pods_of(objects) if pod.part == part)


def container_of(objects: Sequence[Object], part: str) -> Object:
    found: Object = spec_of(objects, part)["containers"][0]
    return found


def variable_of(objects: Sequence[Object], part: str, name: str) -> Object:
    return next(each for each in container_of(objects, part)["env"] if each["name"] == name)


def drop_variable(objects: list[Object], part: str, name: str) -> None:
    container_of(objects, part)["env"].remove(variable_of(objects, part, name))


def give_secret(objects: list[Object], part: str, secret: str, key: str) -> None:
    reference = {"secretKeyRef": {"name": secret, "key": key}}
    container_of(objects, part)["env"].append({"name": key, "valueFrom": reference})


def mount_seed_secret(objects: list[Object]) -> None:
    volume = {"name": "seed", "secret": {"secretName": "tetrad-generator"}}
    spec_of(objects, "scoring")["volumes"].append(volume)


def open_egress(objects: list[Object]) -> None:
    named(objects, "NetworkPolicy", "scoring")["spec"]["egress"].append({})


def let_out(objects: list[Object]) -> None:
    rule = {"to": [{"ipBlock": {"cidr": "0.0.0.0/0"}}], "ports": [{"port": 443}]}
    named(objects, "NetworkPolicy", "generator")["spec"]["egress"].append(rule)


def close_gateway_to_scoring(objects: list[Object]) -> None:
    rules = named(objects, "NetworkPolicy", "gateway")["spec"]["ingress"]
    for rule in rules:
        component = "app.kubernetes.io/component"
        rule["from"] = [
            peer
            for peer in rule["from"]
            if peer.get("podSelector", {}).get("matchLabels", {}).get(component) != "scoring"
        ]


def open_internal(objects: list[Object]) -> None:
    paths = named(objects, "Ingress", "api")["spec"]["rules"][0]["http"]["paths"]
    paths[:] = [path for path in paths if path["path"] != "/internal"]


def remove(kind: str, part: str) -> Callable[[list[Object]], None]:
    return lambda objects: objects.remove(named(objects, kind, part))


def change(path: str, value: object, part: str, *, of_pod: bool = False) -> Callable[[list[Object]], None]:
    """Return what sets a value at a dotted path of a part's container, or of its pod."""

    def plant(objects: list[Object]) -> None:
        place: Any = spec_of(objects, part) if of_pod else container_of(objects, part)
        *folders, last = path.split(".")
        for folder in folders:
            place = place[folder]
        place[last] = value

    return plant


def annotate(part: str, name: str, value: str) -> Callable[[list[Object]], None]:
    return lambda objects: named(objects, "Job", part)["metadata"]["annotations"].update({f"helm.sh/{name}": value})


def need_an_object_of_the_release(objects: list[Object]) -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "tetrad-api"}, "stringData": {}}
    objects.append(secret)


PLANTED: Mapping[str, tuple[str, Callable[[list[Object]], None]]] = {
    "a variable without a default is missing": (
        "check_settings",
        lambda objects: drop_variable(objects, "bulk", "TETRAD_BULK_STORE_URL"),
    ),
    "the worker that signs has no secret to sign with": (
        "check_settings",
        lambda objects: drop_variable(objects, "evaluations", "TETRAD_API_GATEWAY_TOKEN_SECRETS"),
    ),
    "a number is a word": (
        "check_settings",
        lambda objects: container_of(objects, "api")["env"].append({"name": "TETRAD_API_MODELS_CAP", "value": "many"}),
    ),
    "a variable that nobody reads": (
        "check_variables",
        lambda objects: variable_of(objects, "scoring", "TETRAD_SCORING_JUDGE_MODEL").update(
            name="TETRAD_SCORING_JUDGE"
        ),
    ),
    "a password stands after the address that needs it": (
        "check_expansions",
        lambda objects: container_of(objects, "api")["env"].reverse(),
    ),
    "a key that the Secret does not have": (
        "check_secret_keys",
        lambda objects: give_secret(objects, "practice", "tetrad-practice", "TETRAD_GENERATOR_BANK"),
    ),
    "another service's Secret": (
        "check_secret_keys",
        lambda objects: give_secret(objects, "scoring", "tetrad-bulk", "AWS_ACCESS_KEY_ID"),
    ),
    "the api is given the secret that signs tokens": (
        "check_secret_holders",
        lambda objects: give_secret(objects, "api", "tetrad-evaluations", "TETRAD_API_GATEWAY_TOKEN_SECRETS"),
    ),
    "the api is given the token of keys": (
        "check_secret_holders",
        lambda objects: give_secret(objects, "api", "tetrad-scoring", "TETRAD_SCORING_GENERATOR_KEYS_TOKEN"),
    ),
    "scoring mounts the seed secret": ("check_secret_holders", mount_seed_secret),
    "a token stands in the manifest": (
        "check_secret_holders",
        lambda objects: container_of(objects, "gateway")["env"].append(
            {"name": "TETRAD_GATEWAY_METRICS_TOKEN", "value": "a" * 40}
        ),
    ),
    "the root can be written": ("check_hardening", change("securityContext.readOnlyRootFilesystem", False, "bulk")),
    "it may be root": ("check_hardening", change("securityContext.runAsNonRoot", False, "api", of_pod=True)),
    "a service account's token is mounted": (
        "check_tokens",
        change("automountServiceAccountToken", True, "gateway", of_pod=True),
    ),
    "variables of Services begin as ours do": ("check_tokens", change("enableServiceLinks", True, "api", of_pod=True)),
    "no limit of memory": ("check_limits", change("resources.limits", {"cpu": "1"}, "practice")),
    "no probe": ("check_probes", change("readinessProbe", None, "api")),
    "a probe asks another port": (
        "check_probes",
        change("livenessProbe.httpGet", {"path": "/health/live", "port": 9100}, "generator"),
    ),
    "liveness asks whether others are up": (
        "check_probes",
        change("livenessProbe.httpGet.path", "/health/ready", "api"),
    ),
    "the database is upgraded after the installation": (
        "check_hooks",
        annotate("migrate-api", "hook", "post-install,post-upgrade"),
    ),
    "the database is not upgraded": ("check_hooks", remove("Job", "migrate-generator")),
    "a hook waits for a Secret of the release": ("check_hooks", need_an_object_of_the_release),
    "the Job is let out after it has begun": ("check_hooks", annotate("migrate-api", "hook-weight", "-20")),
    "no policy refuses the rest": ("check_default_deny", remove("NetworkPolicy", "default")),
    "a part has no list": ("check_default_deny", remove("NetworkPolicy", "bulk")),
    "egress is open": ("check_egress", open_egress),
    "the generator is let out": ("check_egress", let_out),
    "the gateway's list leads to the metadata of the cloud": (
        "check_egress",
        lambda objects: named(objects, "NetworkPolicy", "gateway")["spec"]["egress"][-2]["to"][0]["ipBlock"].pop(
            "except"
        ),
    ),
    "scoring is told of a gateway that does not let it in": ("check_reach", close_gateway_to_scoring),
    "a Service has another port": (
        "check_reach",
        lambda objects: named(objects, "Service", "generator")["spec"]["ports"][0].update(port=80),
    ),
    "no budget for drained nodes": ("check_disruption", remove("PodDisruptionBudget", "scoring")),
    "a budget lets no node be drained": (
        "check_disruption",
        lambda objects: named(objects, "PodDisruptionBudget", "api")["spec"].update(maxUnavailable=0),
    ),
    "streams are cut": ("check_drain", change("terminationGracePeriodSeconds", 30, "gateway", of_pod=True)),
    "a module that does not exist": (
        "check_commands",
        change("args", ["python", "-m", "api.evaluation.worker"], "evaluations"),
    ),
    "a module of another image": (
        "check_commands",
        change("args", ["python", "-m", "scoring_service.jobs.worker"], "evaluations"),
    ),
    "an image that nobody builds": ("check_commands", change("image", "tetrad-judge:0.1.0", "scoring")),
    "a heartbeat on the read-only root": (
        "check_folders",
        lambda objects: variable_of(objects, "scoring", "TETRAD_SCORING_HEARTBEAT_FILE").update(value="/srv/heartbeat"),
    ),
    "scaling by a number that nobody counts": (
        "check_scaling",
        lambda objects: named(objects, "HorizontalPodAutoscaler", "gateway")["spec"]["metrics"][0]["pods"][
            "metric"
        ].update(name="tetrad_gateway_streams_open"),
    ),
    "/internal is open to the public": ("check_doors", open_internal),
    "a part is missing": ("check_parts", remove("Deployment", "evaluations")),
}


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_found_by_its_check(fault: str, everything: Sequence[Object], secrets: Secrets) -> None:
    check, plant = PLANTED[fault]
    objects = deepcopy(list(everything))
    plant(objects)
    assert check in find_faults(objects, secrets)


def test_every_check_finds_a_planted_fault() -> None:
    assert {check for check, _ in PLANTED.values()} == {check.__name__ for check in CHECKS}
