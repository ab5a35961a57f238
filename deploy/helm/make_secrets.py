"""Print the Secrets that the chart needs, as one List for kubectl.

    python deploy/helm/make_secrets.py secrets.env --for one-node | kubectl --namespace tetrad apply --filename -

FILE keeps every value, one NAME=VALUE a line. What it lacks is made and added, so the same file gives the same Secrets:
keep it as you keep a key. Put in what others gave you before: the object store's keys (API_OBJECTS_KEY,
API_OBJECTS_SECRET ...), passwords of a managed database. --for adds the Secrets of servers that run in the cluster:
`one-node` (deploy/helm/one-node.yaml) or `cloudnativepg` (deploy/helm/cloudnativepg.yaml and valkey.yaml).
Python's own library is enough.
"""

import argparse
import json
import os
import re
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path

DATABASE_USERS = ("api", "generator", "scoring", "bulk")
REDIS_USERS = ("api", "scoring", "bulk", "gateway")
OBJECTS_USERS = ("api", "scoring", "bulk", "generator", "sources", "admin")
LINE = re.compile(r"(?P<name>[A-Z_]+)=(?P<value>[^\n]*)")

NAMES = (
    *("SEED_SECRET", "PRACTICE_TOKEN", "SEALED_TOKEN", "KEYS_TOKEN", "GATEWAY_TOKEN", "SCORING_GATEWAY_TOKEN"),
    *("GATEWAY_TOKEN_SECRET", "LEDGER_TOKEN", "OPERATOR_TOKEN", "METRICS_TOKEN", "DATABASE_ADMIN_PASSWORD"),
    *(f"{user.upper()}_DATABASE_PASSWORD" for user in DATABASE_USERS),
    *(f"{user.upper()}_REDIS_PASSWORD" for user in REDIS_USERS),
    *(f"{user.upper()}_OBJECTS_SECRET" for user in OBJECTS_USERS),
)
SEALED = {"TETRAD_API_GENERATOR_PRACTICE_TOKEN": "PRACTICE_TOKEN", "TETRAD_API_GENERATOR_SEALED_TOKEN": "SEALED_TOKEN"}


def of_store(user: str) -> dict[str, str]:
    return {"AWS_ACCESS_KEY_ID": f"{user}_OBJECTS_KEY", "AWS_SECRET_ACCESS_KEY": f"{user}_OBJECTS_SECRET"}


def of_servers(user: str) -> dict[str, str]:
    return {
        "DATABASE_PASSWORD": f"{user}_DATABASE_PASSWORD",
        "REDIS_PASSWORD": f"{user}_REDIS_PASSWORD",
        **of_store(user),
    }


SERVICES: Mapping[str, Mapping[str, str]] = {
    "tetrad-api": {
        **of_servers("API"),
        **SEALED,
        "TETRAD_API_GATEWAY_TOKEN": "GATEWAY_TOKEN",
        "TETRAD_API_LEDGER_TOKEN": "LEDGER_TOKEN",
        "TETRAD_API_OPERATOR_TOKEN": "OPERATOR_TOKEN",
        "TETRAD_API_METRICS_TOKEN": "METRICS_TOKEN",
    },
    "tetrad-evaluations": {
        **of_servers("API"),
        **SEALED,
        "TETRAD_API_GATEWAY_TOKEN_SECRETS": "GATEWAY_TOKEN_SECRET",
        "TETRAD_API_METRICS_TOKEN": "METRICS_TOKEN",
    },
    "tetrad-generator": {
        "DATABASE_PASSWORD": "GENERATOR_DATABASE_PASSWORD",
        **of_store("GENERATOR"),
        "TETRAD_GENERATOR_SEED_SECRET": "SEED_SECRET",
        "TETRAD_GENERATOR_PRACTICE_TOKEN": "PRACTICE_TOKEN",
        "TETRAD_GENERATOR_SEALED_TOKEN": "SEALED_TOKEN",
        "TETRAD_GENERATOR_KEYS_TOKEN": "KEYS_TOKEN",
        "TETRAD_GENERATOR_METRICS_TOKEN": "METRICS_TOKEN",
    },
    "tetrad-practice": {
        **of_store("GENERATOR"),
        "TETRAD_GENERATOR_PRACTICE_TOKEN": "PRACTICE_TOKEN",
        "TETRAD_GENERATOR_METRICS_TOKEN": "METRICS_TOKEN",
    },
    "tetrad-bulk": {**of_servers("BULK"), "TETRAD_BULK_METRICS_TOKEN": "METRICS_TOKEN"},
    "tetrad-scoring": {
        **of_servers("SCORING"),
        "TETRAD_SCORING_GENERATOR_KEYS_TOKEN": "KEYS_TOKEN",
        "TETRAD_SCORING_GATEWAY_TOKEN": "SCORING_GATEWAY_TOKEN",
        "TETRAD_SCORING_METRICS_TOKEN": "METRICS_TOKEN",
    },
    "tetrad-gateway": {
        "REDIS_PASSWORD": "GATEWAY_REDIS_PASSWORD",
        "TETRAD_GATEWAY_TOKENS": "list:{GATEWAY_TOKEN},judge:{SCORING_GATEWAY_TOKEN}",
        "TETRAD_GATEWAY_TOKEN_SECRETS": "GATEWAY_TOKEN_SECRET",
        "TETRAD_GATEWAY_LEDGER_TOKEN": "LEDGER_TOKEN",
        "TETRAD_GATEWAY_METRICS_TOKEN": "METRICS_TOKEN",
    },
    "tetrad-sources": of_store("SOURCES"),
}
"""Every Secret of the chart: its keys, each with the name of its value, or a text with names in braces."""

SERVERS: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    "one-node": {
        "tetrad-postgres": {
            "POSTGRES_PASSWORD": "DATABASE_ADMIN_PASSWORD",
            **{f"{user.upper()}_DATABASE_PASSWORD": f"{user.upper()}_DATABASE_PASSWORD" for user in DATABASE_USERS},
        },
        "tetrad-valkey": {f"{user.upper()}_REDIS_PASSWORD": f"{user.upper()}_REDIS_PASSWORD" for user in REDIS_USERS},
        "tetrad-objects": {
            f"{user}_OBJECTS_SECRET": f"{user}_OBJECTS_SECRET" for user in ("API", "SCORING", "BULK", "ADMIN")
        },
    },
    "cloudnativepg": {
        **{
            f"tetrad-database-{user}": {"username": f"={user}", "password": f"{user.upper()}_DATABASE_PASSWORD"}
            for user in DATABASE_USERS
        },
        "tetrad-valkey-users": {user: f"{user.upper()}_REDIS_PASSWORD" for user in REDIS_USERS},
    },
}


def read_values(path: Path) -> dict[str, str]:
    """Return the values of the file. Those that it lacks are made, and written to its end."""
    text = path.read_text() if path.exists() else ""
    known = {found["name"]: found["value"] for found in LINE.finditer(text) if found["value"]}
    made = {name: secrets.token_hex(32) for name in NAMES if name not in known}
    keys = {f"{user.upper()}_OBJECTS_KEY": user for user in OBJECTS_USERS}
    made |= {name: user for name, user in keys.items() if name not in known}
    if made:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a") as file:
            file.writelines(f"{name}={value}\n" for name, value in made.items())
    return known | made


def make_secrets(values: Mapping[str, str], servers: str = "") -> dict[str, object]:
    """Return the Secrets as a List, those of the servers too."""
    wanted = {**SERVICES, **SERVERS.get(servers, {})}
    items = [
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": name},
            "type": "kubernetes.io/basic-auth" if set(keys) == {"username", "password"} else "Opaque",
            "stringData": {key: value_of(given, values) for key, given in keys.items()},
        }
        for name, keys in wanted.items()
    ]
    return {"apiVersion": "v1", "kind": "List", "items": items}


def value_of(given: str, values: Mapping[str, str]) -> str:
    """Return the value of this name, the text after `=`, or a text with values in the place of names in braces."""
    if given.startswith("="):
        return given[1:]
    return given.format_map(values) if "{" in given else values[given]


def main() -> None:
    parser = argparse.ArgumentParser(description="Print the Secrets that the chart needs, as one List for kubectl.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--for", dest="servers", choices=sorted(SERVERS), default="")
    given = parser.parse_args()
    json.dump(make_secrets(read_values(given.file), given.servers), sys.stdout, indent=1)


if __name__ == "__main__":
    main()
