"""The chart for one node as workloads, with the servers of deploy/helm/one-node.yaml beside it.

Where two pods' policies let one reach the other, they share a network of the two, which has no direction. Nothing else
leads anywhere. Volumes are folders, those of one claim the same. Images and limits are left out.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.deployed.chart import LASTING, Object, Pod, environment_of, of_kind, pods_of, read_objects, template_of
from tests.deployed.compose import DEPLOY, our_image, store_image
from tests.deployed.containers import make_volume
from tests.deployed.manifest_checks import find_barriers
from tests.deployed.third_party import OTHERS
from tests.deployed.workloads import Deployment, Mount, Network, Workload

ONE_NODE = DEPLOY / "helm" / "one-node.yaml"
FILES = {"tetrad-postgres": DEPLOY / "postgres", "tetrad-valkey": DEPLOY / "valkey"}
"""The ConfigMaps that docs/cluster.md makes of these folders."""
COMPONENT = "app.kubernetes.io/component"
PUBLIC = "public"
"""The network that an ingress would be on."""
ASK = "import urllib.request as r; r.urlopen('http://127.0.0.1:{port}{path}', timeout=8)"


def make_deployment(objects: Sequence[Object], secrets: Mapping[str, Mapping[str, str]], folder: Path) -> Deployment:
    """Return the servers, the Jobs before an installation, which need these, and what lasts."""
    servers = of_kind(read_objects(ONE_NODE.read_text()), *LASTING)
    pods = [pod for pod in pods_of(objects) if pod.owner["kind"] in LASTING or pod.part.startswith("migrate-")]
    names = [server["metadata"]["name"] for server in servers]
    networks = {name: set[str]() for name in (*names, *(pod.owner["metadata"]["name"] for pod in pods))}
    for network, ends in _pairs(objects, pods, servers):
        for end in ends:
            networks[end].add(network)
    networks["tetrad-api"].add(PUBLIC)
    workloads = [_make_server(server, secrets, folder, networks) for server in servers]
    for pod in pods:
        needs = dict.fromkeys(names, "healthy") if pod.owner["kind"] == "Job" else {}
        workloads.append(_make_pod(pod, secrets, folder, networks, needs))
    every = sorted({network for found in networks.values() for network in found})
    return Deployment(
        workloads=tuple(workloads), networks=tuple(Network(name=name, inside=name != PUBLIC) for name in every)
    )


def _pairs(
    objects: Sequence[Object], pods: Sequence[Pod], servers: Sequence[Object]
) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield a network for each two of which one may reach the other."""
    policies = of_kind(objects, "NetworkPolicy")
    for pod in pods:
        name = pod.owner["metadata"]["name"]
        for other in pods:
            if other is not pod and other.owner["kind"] in LASTING and not list(find_barriers(objects, pod, other)):
                yield f"{pod.part}-{other.part}", (name, other.owner["metadata"]["name"])
        labels = [(policy, policy["spec"]["podSelector"]["matchLabels"].get(COMPONENT)) for policy in policies]
        own = [policy for policy, part in labels if part == pod.part]
        peers = [peer for policy in own for rule in policy["spec"]["egress"] for peer in rule["to"]]
        for server in servers:
            selected = {"podSelector": {"matchLabels": template_of(server)["metadata"]["labels"]}}
            if selected in peers:
                yield f"{pod.part}-{server['metadata']['name']}", (name, server["metadata"]["name"])


def _make_pod(
    pod: Pod,
    secrets: Mapping[str, Mapping[str, str]],
    folder: Path,
    networks: Mapping[str, set[str]],
    needs: Mapping[str, str],
) -> Workload:
    (container,) = pod.containers
    name = pod.owner["metadata"]["name"]
    service = container["image"].partition(":")[0].removeprefix("tetrad-")
    image = our_image(service, folder / "images" / service)
    security = pod.spec["securityContext"]
    user = (security["runAsUser"], security["runAsGroup"])
    return Workload(
        name=name,
        command=(*container.get("command", image.entrypoint), *container.get("args", [])),
        environment={**image.environment, **environment_of(container, secrets)},
        folder=image.folder,
        user=user,
        mounts=(*image.mounts, *_make_mounts(name, pod.owner, container, folder, user)),
        networks=frozenset(networks[name]),
        needs=needs,
        health=_read_probe(container) if "readinessProbe" in container else None,
        read_only=container["securityContext"]["readOnlyRootFilesystem"],
    )


def _make_server(
    server: Object, secrets: Mapping[str, Mapping[str, str]], folder: Path, networks: Mapping[str, set[str]]
) -> Workload:
    name, spec = server["metadata"]["name"], template_of(server)["spec"]
    (container,) = spec["containers"]
    found = OTHERS.get(container["image"].partition(":")[0])
    image = store_image() if found is None else found(folder)
    user = (spec["securityContext"]["runAsUser"], spec["securityContext"]["runAsGroup"])
    return Workload(
        name=name,
        command=tuple(container.get("command", image.entrypoint)),
        environment={**image.environment, **secrets[container["envFrom"][0]["secretRef"]["name"]]},
        folder=image.folder,
        user=user,
        mounts=(*image.mounts, *_make_mounts(name, server, container, folder, user)),
        networks=frozenset(networks[name]),
        health=_read_probe(container),
        read_only=container["securityContext"].get("readOnlyRootFilesystem", False),
    )


def _make_mounts(name: str, owner: Object, container: Object, folder: Path, user: tuple[int, int]) -> Iterator[Mount]:
    """Yield the mounts but /tmp and shared memory, which every container has here."""
    volumes = {volume["name"]: volume for volume in template_of(owner)["spec"].get("volumes", [])}
    for mount in container["volumeMounts"]:
        volume = volumes.get(mount["name"], {})
        if mount["mountPath"] in {"/tmp", "/dev/shm"}:  # noqa: S108 -- the container's
            continue
        if "configMap" in volume:
            yield Mount(source=FILES[volume["configMap"]["name"]], target=mount["mountPath"])
            continue
        claim = volume.get("persistentVolumeClaim", {}).get("claimName", f"{name}-{mount['name']}")
        source = make_volume(folder / "volumes" / claim, user)
        yield Mount(source=source, target=mount["mountPath"], writable=not mount.get("readOnly"))


def _read_probe(container: Object) -> tuple[str, ...]:
    probe = container["readinessProbe"]
    if "exec" in probe:
        return tuple(probe["exec"]["command"])
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    asked = probe["httpGet"]
    return ("python", "-c", ASK.format(port=ports[asked["port"]], path=asked["path"]))
