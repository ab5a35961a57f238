"""What must hold of compose.yaml, said of the file alone: functions that return sentences about what does not.

Compose gives each service its networks and its secrets by hand. So who holds which secret, and who reaches whom, is
written here a second time.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

HOLDERS: Mapping[str, frozenset[str]] = {
    name: frozenset(holders.split())
    for name, holders in {
        "SEED_SECRET": "generator",
        "PRACTICE_TOKEN": "api evaluations generator practice",
        "SEALED_TOKEN": "api evaluations generator",
        "KEYS_TOKEN": "generator scoring",
        "GATEWAY_TOKEN": "api gateway",
        "SCORING_GATEWAY_TOKEN": "scoring gateway",
        "GATEWAY_TOKEN_SECRET": "evaluations gateway",
        "LEDGER_TOKEN": "api gateway",
        "OPERATOR_TOKEN": "api",
        "API_REDIS_PASSWORD": "api evaluations redis",
        "SCORING_REDIS_PASSWORD": "scoring redis",
        "BULK_REDIS_PASSWORD": "bulk redis",
        "GATEWAY_REDIS_PASSWORD": "gateway redis",
        "DATABASE_ADMIN_PASSWORD": "database",
        "API_DATABASE_PASSWORD": "api evaluations database",
        "GENERATOR_DATABASE_PASSWORD": "generator database",
        "SCORING_DATABASE_PASSWORD": "scoring database",
        "BULK_DATABASE_PASSWORD": "bulk database",
        "ADMIN_OBJECTS_SECRET": "objects",
        "API_OBJECTS_SECRET": "api evaluations objects",
        "SCORING_OBJECTS_SECRET": "scoring objects",
        "BULK_OBJECTS_SECRET": "bulk objects",
    }.items()
}
OUTSIDE = {"edge": {"proxy"}, "outside": {"gateway"}, "packages": {"sources"}}
"""Networks that lead outside, and who is on each."""
BESIDE = {
    frozenset(pair) for pair in (("proxy", "api"), ("proxy", "gateway"), ("gateway", "triton"), ("api", "evaluations"))
}
"""Who needs whom by a configuration that is not a variable; and the api's own worker, which is where the api is."""
HUBS = {"redis", "objects", "proxy", "api-database", "generator-database", "scoring-database", "bulk-database"}
"""Networks of a store or of the proxy, on which its users are side by side."""
SECRET = re.compile(r"\$\{([A-Z_]+):\?\}")
ADDRESS = re.compile(r"(?:://|@)([a-z]+):\d+")


def find_faults(file: Mapping[str, Any]) -> list[str]:
    """Return all that is wrong with it, one sentence each."""
    return [*_secrets(file), *_ways_out(file), *_neighbours(file)]


def _secrets(file: Mapping[str, Any]) -> Iterator[str]:
    for name, service in file["services"].items():
        held = {secret for value in service.get("environment", {}).values() for secret in SECRET.findall(str(value))}
        yield from (f"{name} holds {secret}" for secret in sorted(held) if name not in HOLDERS.get(secret, ()))
        wanted = {secret for secret, holders in HOLDERS.items() if name in holders}
        yield from (f"{name} lacks {secret}" for secret in sorted(wanted - held))


def _ways_out(file: Mapping[str, Any]) -> Iterator[str]:
    for network, found in file["networks"].items():
        members = {name for name, service in file["services"].items() if network in service["networks"]}
        if not found.get("internal"):
            allowed = OUTSIDE.get(network, set())
            yield from (f"{name} reaches outside by {network}" for name in sorted(members - allowed))


def _neighbours(file: Mapping[str, Any]) -> Iterator[str]:
    """Yield who names one that it can't reach, and who can reach one that neither names."""
    services = file["services"]
    named = {
        name: {host for value in service.get("environment", {}).values() for host in ADDRESS.findall(str(value))}
        for name, service in services.items()
    }
    for name, hosts in named.items():
        for host in sorted(hosts & set(services)):
            if not set(services[name]["networks"]) & set(services[host]["networks"]):
                yield f"{name} names {host}, with which it shares no network"
    for pair in combinations(sorted(services), 2):
        first, second = pair
        shared = set(services[first]["networks"]) & set(services[second]["networks"]) - HUBS
        is_needed = second in named[first] or first in named[second] or frozenset(pair) in BESIDE
        if shared and not is_needed:
            yield f"{first} and {second} share {', '.join(sorted(shared))}, and neither names the other"
