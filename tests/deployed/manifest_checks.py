"""What must be true of the chart's objects. Each check yields sentences, one for each fault.

What these checks say is true of the manifests: whether a cluster keeps it (that a root is read-only, that a policy is
enforced) only a cluster shows.
"""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from ipaddress import ip_network
from typing import Any, TypeAlias

import msgspec

from api.database.__main__ import UpgradeSettings as ApiUpgradeSettings
from api.settings import ApiSettings, EvaluationSettings
from deploy.variables import SETTINGS
from generator_service.sealing.__main__ import UpgradeSettings as RecordUpgradeSettings
from inference_gateway.settings import GatewaySettings
from tests.architecture.test_named_places import is_module
from tests.deployed.chart import (
    EXPANDED,
    LASTING,
    ROOT,
    Object,
    Pod,
    environment_of,
    of_kind,
    pods_of,
    secret_keys,
)
from tetrad.server.dataset_tables import dataset_shards
from tetrad.server.scoring_tables import OUTBOXES
from tetrad.server.settings import Settings, SettingsError, load_settings, variables
from tetrad.server.trace_variables import VARIABLES

Secrets: TypeAlias = Mapping[str, Mapping[str, str]]
Check: TypeAlias = Callable[[Sequence[Object], Secrets], Iterator[str]]

READ: Mapping[str, tuple[type[Settings], str]] = {
    **SETTINGS,
    "api": (ApiSettings, "TETRAD_API"),
    "evaluations": (EvaluationSettings, "TETRAD_API"),
    "practice": SETTINGS["generator"],
    "migrate-api": (ApiUpgradeSettings, "TETRAD_API"),
    "migrate-generator": (RecordUpgradeSettings, "TETRAD_GENERATOR"),
}
"""The settings of each part, and how its variables begin."""
NEEDED: Mapping[str, Sequence[str]] = {
    "api": ("GATEWAY_URL", "GATEWAY_TOKEN", "LEDGER_TOKEN", "SCORING_ROLE", "BULK_ROLE", "REDIS_URL"),
    "evaluations": ("GATEWAY_URL", "GATEWAY_TOKEN_SECRETS", "EVALUATION_HEARTBEAT_FILE"),
    "bulk": ("HEARTBEAT_FILE",),
    "scoring": ("HEARTBEAT_FILE",),
    "gateway": ("TOKEN_SECRETS", "API_URL", "REDIS_URL", "DAYS_FOLDER"),
    "migrate-api": ("SCORING_ROLE", "BULK_ROLE"),
}
"""What settings have a default for, and a part of a cluster can't be without."""
NOT_SETTINGS = {"sources": {"TETRAD_GENERATOR_SOURCES_URL"}, "backup": set[str]()}
PARTS = {"api", "evaluations", "generator", "practice", "bulk", "scoring", "gateway"}
HOLDERS: Mapping[str, Collection[str]] = {
    "SEED_SECRET": {"generator"},
    "KEYS_TOKEN": {"generator", "scoring"},
    "SEALED_TOKEN": {"generator", "api", "evaluations"},
    "PRACTICE_TOKEN": {"generator", "practice", "api", "evaluations"},
    "GATEWAY_TOKEN": {"api", "scoring"},
    "GATEWAY_TOKENS": {"gateway"},
    "GATEWAY_TOKEN_SECRETS": {"gateway", "evaluations"},
    "TOKEN_SECRETS": {"gateway", "evaluations"},
    "LEDGER_TOKEN": {"api", "gateway"},
    "OPERATOR_TOKEN": {"api"},
}
"""How a secret variable ends, and who may have it."""
OWN_SECRET = {"migrate-api": {"tetrad-api"}, "migrate-generator": {"tetrad-generator"}}
OWN_SECRET |= {"backup": {"tetrad-api", "tetrad-generator"}}
BEYOND_OWN = {"DATABASE_PASSWORD", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
"""The keys that migrations and backups take from the Secrets of services."""
OUTSIDE = {"gateway", "sources"}
"""The parts with a way out."""
ASKED = {"startupProbe": "/health/live", "readinessProbe": "/health/ready", "livenessProbe": "/health/live"}
HTTP_PORT = 8000
OURS = {"api": "api", "generator": "generator_service", "bulk": "generator_service"}
OURS |= {"scoring": "scoring_service", "gateway": "inference_gateway", "sources": "generator_service"}
"""Beside `tetrad`, the one package that an image of ours holds (deploy/Dockerfile)."""
SECRET_NAME = re.compile(r"_(SECRETS?|TOKENS?|PASSWORD|ACCESS_KEY)$")
MODULE = re.compile(r"^python -m ([\w.]+)|(?<=\s)python -m ([\w.]+)")
ADDRESS = re.compile(r"http://([\w-]+):(\d+)")
WRITTEN = ("HEARTBEAT_FILE", "WORK_FOLDER", "DAYS_FOLDER", "SOURCES_CACHE")


def check_variables(objects: Sequence[Object], secrets: Secrets) -> Iterator[str]:
    """Every variable of ours is one that the part reads."""
    for pod in pods_of(objects):
        known = NOT_SETTINGS[pod.part] if pod.part in NOT_SETTINGS else set(variables(*READ[pod.part]))
        known |= {*VARIABLES}
        for container in pod.containers:
            names = [variable["name"] for variable in container.get("env", [])]
            yield from (f"{pod.name}: {name} is set twice" for name in sorted({n for n in names if names.count(n) > 1}))
            ours = {name for name in names if name.startswith(("TETRAD_", "OTEL_"))}
            yield from (f"{pod.name} does not read {name}" for name in sorted(ours - known))


def check_settings(objects: Sequence[Object], secrets: Secrets) -> Iterator[str]:
    """Every part starts with what it is given: its own settings take its environment, and nothing is missing."""
    for pod in pods_of(objects):
        if pod.part in READ:
            for container in pod.containers:
                yield from (f"{pod.name}: {fault}" for fault in _refused(pod.part, environment_of(container, secrets)))


def _refused(part: str, environment: Mapping[str, str]) -> Iterator[str]:
    kind, prefix = READ[part]
    try:
        settings = load_settings(kind, prefix, environment)
        if isinstance(settings, GatewaySettings):
            settings.check_secrets()
            settings.accepted_tokens()
    except (SettingsError, msgspec.ValidationError) as error:
        yield str(error)
    for name in NEEDED.get(part, ()):
        if not environment.get(f"{prefix}_{name}"):
            yield f"{prefix}_{name} is not set"


def check_expansions(objects: Sequence[Object], secrets: Secrets) -> Iterator[str]:
    """$(NAME) in a variable is one that stands before it: Kubernetes leaves others as they are."""
    for pod in pods_of(objects):
        for container in pod.containers:
            before: set[str] = set()
            for variable in container.get("env", []):
                for name in EXPANDED.findall(variable.get("value", "")):
                    if name not in before:
                        yield f"{pod.name}: {variable['name']} needs {name}, which does not stand before it"
                before.add(variable["name"])


def check_secret_keys(objects: Sequence[Object], secrets: Secrets) -> Iterator[str]:
    """Every key is in the Secret that deploy/helm/make_secrets.py makes, and the Secret is the part's own."""
    for pod in pods_of(objects):
        own = OWN_SECRET.get(pod.part, {f"tetrad-{pod.part}"})
        for container in pod.containers:
            for variable, secret, key in secret_keys(container):
                if key not in secrets.get(secret, {}):
                    yield f"{pod.name}: {variable} needs {key} of the Secret {secret}, which does not have it"
                if secret not in own:
                    yield f"{pod.name} has {key} of {secret}, which is not its own Secret"
                if pod.part in OWN_SECRET and key not in BEYOND_OWN:
                    yield f"{pod.name} has {key} of {secret}, and needs no such secret"
            if "envFrom" in container:
                yield f"{pod.name} takes whole Secrets or ConfigMaps: name each variable"


def check_secret_holders(objects: Sequence[Object], secrets: Secrets) -> Iterator[str]:
    """Who has which secret is as deploy/compose.yaml has it. Secrets are files of the gateway's alone."""
    for pod in pods_of(objects):
        for container in pod.containers:
            yield from (f"{pod.name} {fault}" for fault in _wrong_holder(pod.part, container))
        for volume in pod.spec.get("volumes", []):
            if "secret" in volume and pod.part != "gateway":
                yield f"{pod.name} mounts {volume['secret']['secretName']}: only the gateway has files of keys"
            if "projected" in volume or "hostPath" in volume:
                yield f"{pod.name} mounts {volume['name']}, a token or a folder of the host"


def _wrong_holder(part: str, container: Object) -> Iterator[str]:
    for variable, _, key in secret_keys(container):
        for end, holders in HOLDERS.items():
            if key.endswith(f"_{end}") and part not in holders:
                yield f"has {variable}, which only {', '.join(sorted(holders))} may have"
    plain = [v["name"] for v in container.get("env", []) if "valueFrom" not in v and v.get("value")]
    for name in plain:
        if SECRET_NAME.search(name):
            yield f"has {name} in its manifest, which belongs into a Secret"


def check_hardening(objects: Sequence[Object], secrets: Secrets) -> Iterator[str]:
    """No root, a read-only root, no capability, no new privilege, a seccomp profile, nothing of the host."""
    for pod in pods_of(objects):
        security = pod.spec.get("securityContext", {})
        if not security.get("runAsNonRoot") or not security.get("runAsUser"):
            yield f"{pod.name} may run as root"
        if security.get("seccompProfile", {}).get("type") != "RuntimeDefault":
            yield f"{pod.name} has no seccomp profile"
        yield from (f"{pod.name} has {name}" for name in ("hostNetwork", "hostPID", "hostIPC") if pod.spec.get(name))
        for container in pod.containers:
            own = container.get("securityContext", {})
            who = f"{pod.name}, container {container['name']},"
            if own.get("readOnlyRootFilesystem") is not True:
                yield f"{who} has a writable root"
            if own.get("allowPrivilegeEscalation") is not False:
                yield f"{who} may gain privileges"
            if own.get("capabilities") != {"drop": ["ALL"]}:
                yield f"{who} keeps capabilities"
            if own.get("privileged"):
                yield f"{who} is privileged"


def check_tokens(objects: Sequence[Object], secrets: Secrets) -> Iterator[str]:
    """No pod has a token of the cluster, nor variables that Kubernetes makes of Services: they begin as ours do."""
    for pod in pods_of(objects):
        if pod.spec.get("automountServiceAccountToken") is not False:
            yield f"{pod.name} mounts a service account's token"
        if pod.spec.get("enableServiceLinks") is not False:
            yield f"{pod.name} gets variables of Services, such as TETRAD_API_PORT"


def check_limits(objects: Sequence[Object], secrets: Secrets) -> Iterator[str]:
    """Every container asks for processor and memory, and is bounded in both; what is written to disk is bounded."""
    for pod in pods_of(objects):
        for container in pod.containers:
            for side in ("requests", "limits"):
                for what in ("cpu", "memory"):
                    if not container.get("resources", {}).get(side, {}).get(what):
                        yield f"{pod.name}, container {container['name']}, has no {side} of {what}"
        for volume in pod.spec.get("volumes", []):
            if "emptyDir" in volume and not (volume["emptyDir"] or {}).get("sizeLimit"):
                yield f"{pod.name}: the volume {volume['name']} is not bounded"


def check_probes(objects: Sequence[Object], secrets: Secrets) -> Iterator[str]:
    """Every container that lasts has three probes; those of a server ask its own port for what it serves."""
    for pod in pods_of(objects):
        if pod.owner["kind"] in LASTING:
            for container in pod.spec["containers"]:
                for name in ("startupProbe", "readinessProbe", "livenessProbe"):
                    yield from (f"{pod.name}: {name} {fault}" for fault in _wrong_probe(container, name))


def _wrong_probe(container: Object, name: str) -> Iterator[str]:
    probe = container.get(name)
    if probe is None:
        yield "is missing"
    elif "httpGet" in probe:
        ports = {port["name"]: port["containerPort"] for port in container.get("ports", [])}
        yield from _wrong_request(probe["httpGet"], ports, ASKED[name])
    elif probe.get("exec", {}).get("command") != ["python", "/usr/local/bin/healthcheck.py"]:
        yield "runs something that the image does not have"
    elif not any(each["name"].endswith("HEARTBEAT_FILE") and each.get("value") for each in container["env"]):
        yield "looks for a heartbeat, and no variable names its file"


def _wrong_request(request: Mapping[str, Any], ports: Mapping[str, int], path: str) -> Iterator[str]:
    port = ports.get(request["port"]) if isinstance(request["port"], str) else request["port"]
    if port != HTTP_PORT:
        yield f"asks port {request['port']}, and the server listens at {HTTP_PORT}"
    if request["path"] != path:
        yield f"asks {request['path']}, and not {path}"


def check_hooks(objects: Sequence[Object], secrets: Secrets) -> Iterator[str]:
    """Both databases are upgraded before an installation and an upgrade, by Jobs that need nothing of the release.

    A hook that needs an object of the release waits for it for ever; with --wait, one after the installation does, too.
    """
    made = {(found["kind"], found["metadata"]["name"]) for found in objects if not _hooks(found)}
    migrations = [pod for pod in pods_of(objects) if pod.part.startswith("migrate-")]
    if {pod.part for pod in migrations} != {"migrate-api", "migrate-generator"}:
        yield "one of the two databases is not upgraded"
    for pod in migrations:
        if _hooks(pod.owner) != {"pre-install", "pre-upgrade"}:
            yield f"{pod.name} does not run before the installation and before the upgrade"
        if pod.owner["metadata"].get("annotations", {}).get("helm.sh/hook-delete-policy") != "before-hook-creation":
            yield f"{pod.name} stays, and the next upgrade can't make it"
        yield from (
            f"{pod.name} needs {kind} {name} of the release" for kind, name in _needed(pod) if (kind, name) in made
        )
    for found in objects:
        hooks = _hooks(found)
        if any(hook.startswith("post-") for hook in hooks):
            yield f"{found['kind']} {found['metadata']['name']} is a hook after the installation"
        if (
            hooks
            and found["kind"] == "NetworkPolicy"
            and _weight(found) >= min(_weight(pod.owner) for pod in migrations)
        ):
            yield f"NetworkPolicy {found['metadata']['name']} comes after the Job that it lets out"


def _hooks(found: Object) -> set[str]:
    text = found["metadata"].get("annotations", {}).get("helm.sh/hook", "")
    return {hook for hook in text.split(",") if hook}


def _weight(found: Object) -> int:
    return int(found["metadata"].get("annotations", {}).get("helm.sh/hook-weight", "0"))


def _needed(pod: Pod) -> Iterator[tuple[str, str]]:
    """Yield kind and name of what a pod can't start without."""
    if "serviceAccountName" in pod.spec:
        yield "ServiceAccount", pod.spec["serviceAccountName"]
    for volume in pod.spec.get("volumes", []):
        if "configMap" in volume:
            yield "ConfigMap", volume["configMap"]["name"]
        if "secret" in volume:
            yield "Secret", volume["secret"]["secretName"]
        if "persistentVolumeClaim" in volume:
            yield "PersistentVolumeClaim", volume["persistentVolumeClaim"]["claimName"]
    for container in pod.containers:
        yield from (("Secret", secret) for _, secret, _ in secret_keys(container))


def check_default_deny(objects: Sequence[Object], secrets: Secrets) -> Iterator[str]:
    """One policy refuses everything to every pod, and each pod has one that lists what is let through."""
    policies = of_kind(objects, "NetworkPolicy")
    default = [policy for policy in policies if not {"ingress", "egress"} & policy["spec"].keys()]
    if not any(set(policy["spec"]["policyTypes"]) == {"Ingress", "Egress"} for policy in default):
        yield "no policy refuses what is not listed"
    for pod in pods_of(objects):
        if not any(_selects(policy, pod) for policy in default):
            yield f"{pod.name} is not refused anything"
        if not _policies_of(objects, pod):
            yield f"{pod.name} has no list of whom it may reach"


def check_egress(objects: Sequence[Object], secrets: Secrets) -> Iterator[str]:
    """Only the gateway and the Job of sources have a way out, and it leads into no private network."""
    for pod in pods_of(objects):
        for policy in _policies_of(objects, pod):
            for rule in policy["spec"].get("egress", []):
                if not rule.get("to") or not rule.get("ports"):
                    yield f"{pod.name} may reach every address or every port"
                for peer in rule.get("to", []):
                    yield from (f"{pod.name} {fault}" for fault in _open_peer(pod.part, peer))
            for rule in policy["spec"].get("ingress", []):
                if not rule.get("from") or not rule.get("ports"):
                    yield f"{pod.name} may be reached by everybody"


def _open_peer(part: str, peer: Mapping[str, Any]) -> Iterator[str]:
    if peer.get("podSelector") == {} or peer.get("namespaceSelector") == {}:
        yield "may reach every pod"
    if "ipBlock" not in peer or ip_network(peer["ipBlock"]["cidr"]).prefixlen > 7:  # no part of the internet
        return
    if part not in OUTSIDE:
        yield f"may reach {peer['ipBlock']['cidr']}"
    private = {"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16"}
    if private - set(peer["ipBlock"].get("except", [])):
        yield "may reach private networks and the cloud's metadata by its way out"


def check_reach(objects: Sequence[Object], secrets: Secrets) -> Iterator[str]:
    """Whoever is told of a service of ours may reach it, and it may be reached; nobody else may."""
    services = {service["metadata"]["name"]: service for service in of_kind(objects, "Service")}
    lasting = [pod for pod in pods_of(objects) if pod.owner["kind"] in LASTING]
    for pod in pods_of(objects):
        told = set()
        for container in pod.containers:
            for value in environment_of(container, secrets).values():
                told |= {(name, int(port)) for name, port in ADDRESS.findall(value) if name.startswith("tetrad-")}
        for name, port in sorted(told & {(name, port) for name, port in told if name in services or port == HTTP_PORT}):
            if name not in services:
                yield f"{pod.name} is told of {name}, and there is no such Service"
                continue
            behind = [other for other in lasting if _is_behind(services[name], other)]
            if not behind or port not in {each["port"] for each in services[name]["spec"]["ports"]}:
                yield f"{pod.name} is told of {name}:{port}, behind which nobody stands"
            for other in behind:
                yield from find_barriers(objects, pod, other)
        reached = {other.part for other in lasting if not list(find_barriers(objects, pod, other))}
        allowed = {_part_of(services[name], lasting) for name, _ in told if name in services}
        for part in sorted(reached - allowed - {pod.part}):
            yield f"{pod.name} may reach {part}, of which it is not told"


def find_barriers(objects: Sequence[Object], pod: Pod, other: Pod) -> Iterator[str]:
    """Yield what keeps a pod from reaching another: a policy of its own, a policy of the other."""
    if not any(_matches(peer, other) for peer in _peers(objects, pod, "egress", "to")):
        yield f"{pod.name} may not reach {other.part}"
    if not any(_matches(peer, pod) for peer in _peers(objects, other, "ingress", "from")):
        yield f"{other.part} may not be reached by {pod.name}"


def _peers(objects: Sequence[Object], pod: Pod, side: str, key: str) -> Iterator[Mapping[str, Any]]:
    for policy in _policies_of(objects, pod):
        for rule in policy["spec"].get(side, []):
            yield from rule.get(key, [])


def _matches(peer: Mapping[str, Any], pod: Pod) -> bool:
    if set(peer) != {"podSelector"}:
        return False
    return bool(peer["podSelector"].get("matchLabels", {}).items() <= pod.labels.items())


def _is_behind(service: Object, pod: Pod) -> bool:
    selector = service["spec"].get("selector", {})
    ports = {port["name"] for port in pod.spec["containers"][0].get("ports", [])}
    targets = {port.get("targetPort") for port in service["spec"]["ports"]}
    return bool(selector) and bool(selector.items() <= pod.labels.items()) and targets <= ports


def _part_of(service: Object, lasting: Sequence[Pod]) -> str:
    return next((pod.part for pod in lasting if _is_behind(service, pod)), "")


def _selects(policy: Object, pod: Pod) -> bool:
    return bool(policy["spec"]["podSelector"].get("matchLabels", {}).items() <= pod.labels.items())


def _policies_of(objects: Sequence[Object], pod: Pod) -> list[Object]:
    """Return the policies that list what this pod may do."""
    listing = [policy for policy in of_kind(objects, "NetworkPolicy") if {"ingress", "egress"} & policy["spec"].keys()]
    return [policy for policy in listing if _selects(policy, pod)]


def check_disruption(objects: Sequence[Object], secrets: Secrets) -> Iterator[str]:
    """Every part that lasts has a budget that lets a node be drained, and its pods are spread."""
    budgets = of_kind(objects, "PodDisruptionBudget")
    for pod in pods_of(objects):
        if pod.owner["kind"] not in LASTING:
            continue
        own = [b for b in budgets if b["spec"]["selector"]["matchLabels"].items() <= pod.labels.items()]
        if len(own) != 1:
            yield f"{pod.name} has {len(own)} PodDisruptionBudgets"
        if any(budget["spec"].get("maxUnavailable") in {None, 0, "0%"} for budget in own):
            yield f"{pod.name}: its budget lets no node be drained"
        spread = pod.spec.get("topologySpreadConstraints", [])
        if {each["topologyKey"] for each in spread} != {"kubernetes.io/hostname", "topology.kubernetes.io/zone"}:
            yield f"{pod.name} is not spread over hosts and zones"
        if any(not each["labelSelector"]["matchLabels"].items() <= pod.labels.items() for each in spread):
            yield f"{pod.name} is spread by labels that it does not have"


def check_drain(objects: Sequence[Object], secrets: Secrets) -> Iterator[str]:
    """A server is first taken out of its Service, then ends its requests, then ends, all before it is killed."""
    for pod in pods_of(objects):
        if pod.owner["kind"] not in LASTING:
            continue
        grace = pod.spec.get("terminationGracePeriodSeconds", 30)
        for container in pod.spec["containers"]:
            if not any(port["name"] == "http" for port in container.get("ports", [])):
                continue
            pause = container.get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
            stop = int(environment_of(container, secrets).get("STOP_SECONDS", "5"))
            if pause < 1:
                yield f"{pod.name} stops while it is still sent requests"
            if grace <= pause + stop:
                yield f"{pod.name} is killed after {grace} s, and needs {pause + stop} to end"


def check_commands(objects: Sequence[Object], secrets: Secrets) -> Iterator[str]:
    """Every module that is started is there, in the image that starts it; every image is one that we build."""
    built = _built_images()
    for pod in pods_of(objects):
        for container in pod.containers:
            words = " ".join([*container.get("command", []), *container.get("args", [])])
            image = re.search(r"tetrad-([a-z]+):([\w.-]+)$", container["image"])
            if image is None:
                if not re.search(r":[\w.-]*\d[\w.-]*@sha256:[0-9a-f]{64}$", container["image"]):
                    yield f"{pod.name}: {container['image']} has no version with a digest"
                continue
            if image[1] not in built or image[2] == "latest":
                yield f"{pod.name}: {container['image']} is no image with a tag that docker-bake.json builds"
            for found in MODULE.findall(words):
                module = found[0] or found[1]
                if not is_module(module):
                    yield f"{pod.name} starts {module}, which does not exist"
                elif module.split(".")[0] not in {"tetrad", OURS.get(image[1])}:
                    yield f"{pod.name} starts {module}, which the image {image[1]} does not hold"
            if pod.owner["kind"] in LASTING and not words and image[1] not in OURS:
                yield f"{pod.name} starts nothing"


def _built_images() -> set[str]:
    targets = json.loads((ROOT / "deploy" / "docker-bake.json").read_text())["target"]
    return {*targets["service"]["matrix"]["service"], "sources", "objects"}


def check_folders(objects: Sequence[Object], secrets: Secrets) -> Iterator[str]:
    """Every file and folder that a part writes lies on a volume of its own that it may write to."""
    for pod in pods_of(objects):
        templates = pod.owner["spec"].get("volumeClaimTemplates", [])
        known = {volume["name"] for volume in pod.spec.get("volumes", [])} | {
            each["metadata"]["name"] for each in templates
        }
        for container in pod.containers:
            mounts = container.get("volumeMounts", [])
            yield from (
                f"{pod.name} mounts {m['name']}, which it does not have" for m in mounts if m["name"] not in known
            )
            writable = {mount["mountPath"] for mount in mounts if not mount.get("readOnly")}
            if "/tmp" not in writable:  # noqa: S108 -- a container's own
                yield f"{pod.name}, container {container['name']}, has no /tmp"
            for name, value in environment_of(container, secrets).items():
                if (
                    name.endswith(WRITTEN)
                    and value
                    and not any(f"{value}/".startswith(f"{path}/") for path in writable)
                ):
                    yield f"{pod.name}: {name} is {value}, where nothing can be written"


def check_scaling(objects: Sequence[Object], secrets: Secrets) -> Iterator[str]:
    """What scales a part exists, and so do the numbers that it goes by; nothing else sets the number of replicas."""
    lasting = {(pod.owner["kind"], pod.owner["metadata"]["name"]): pod for pod in pods_of(objects)}
    outboxes = {table.name for table in (*OUTBOXES, dataset_shards)} | {"evaluation_runs"}
    numbers = set(re.findall(r"`(tetrad_\w+)`", (ROOT / "docs" / "watch.md").read_text()))
    for scaler in of_kind(objects, "HorizontalPodAutoscaler"):
        name, spec = scaler["metadata"]["name"], scaler["spec"]
        pod = lasting.get((spec["scaleTargetRef"]["kind"], spec["scaleTargetRef"]["name"]))
        if pod is None:
            yield f"{name} scales what is not there"
        elif "replicas" in pod.owner["spec"]:
            yield f"{name}: {pod.name} names its replicas, too"
        if spec["minReplicas"] < 1:
            yield f"{name} may leave nobody"
        for metric in spec["metrics"]:
            given = metric.get("pods", metric.get("external", {})).get("metric", {})
            if given and given["name"] not in numbers:
                yield f"{name} goes by {given['name']}, which docs/watch.md does not have"
            outbox = given.get("selector", {}).get("matchLabels", {}).get("outbox")
            if "external" in metric and outbox not in outboxes:
                yield f"{name} goes by rows of {outbox}, which is no outbox"


def check_doors(objects: Sequence[Object], secrets: Secrets) -> Iterator[str]:
    """The public reaches api and gateway, and there neither what services say to each other nor their numbers."""
    for found in of_kind(objects, "Ingress", "HTTPRoute"):
        name = f"{found['kind']} {found['metadata']['name']}"
        part = found["metadata"]["labels"]["app.kubernetes.io/component"]
        routed = dict(_routes(found))
        if part not in {"api", "gateway"} or routed.get("/") != f"tetrad-{part}":
            yield f"{name} leads to {routed.get('/')}"
        for path in ("/internal", "/metrics") if part == "api" else ("/metrics",):
            if routed.get(path) != "tetrad-closed":
                yield f"{name} opens {path} to the public"
    for service in of_kind(objects, "Service"):
        if service["metadata"]["name"] == "tetrad-closed" and service["spec"].get("selector"):
            yield "somebody stands behind tetrad-closed"
        if service["spec"].get("type", "ClusterIP") != "ClusterIP":
            yield f"Service {service['metadata']['name']} is open outside the cluster"


def _routes(found: Object) -> Iterator[tuple[str, str]]:
    if found["kind"] == "Ingress":
        for rule in found["spec"]["rules"]:
            yield from ((path["path"], path["backend"]["service"]["name"]) for path in rule["http"]["paths"])
    else:
        for rule in found["spec"]["rules"]:
            yield from ((match["path"]["value"], rule["backendRefs"][0]["name"]) for match in rule["matches"])


def check_parts(objects: Sequence[Object], secrets: Secrets) -> Iterator[str]:
    """Every part is there once, and no two objects share a name; selectors are those of the pods' labels."""
    lasting = [pod for pod in pods_of(objects) if pod.owner["kind"] in LASTING]
    if (parts := sorted(pod.part for pod in lasting)) != sorted(PARTS):
        yield f"the parts are {', '.join(parts)}"
    for pod in lasting:
        if not pod.owner["spec"]["selector"]["matchLabels"].items() <= pod.labels.items():
            yield f"{pod.name} does not select its own pods"
    names = [(found["kind"], found["metadata"]["name"]) for found in objects]
    yield from (f"{kind} {name} is there twice" for kind, name in sorted({n for n in names if names.count(n) > 1}))


CHECKS: Sequence[Check] = (
    check_variables,
    check_settings,
    check_expansions,
    check_secret_keys,
    check_secret_holders,
    check_hardening,
    check_tokens,
    check_limits,
    check_probes,
    check_hooks,
    check_default_deny,
    check_egress,
    check_reach,
    check_disruption,
    check_drain,
    check_commands,
    check_folders,
    check_scaling,
    check_doors,
    check_parts,
)


def find_faults(objects: Sequence[Object], secrets: Secrets) -> dict[str, list[str]]:
    """Return the faults of all checks that found some, by the check's name."""
    found = {check.__name__: list(check(objects, secrets)) for check in CHECKS}
    return {name: faults for name, faults in found.items() if faults}
