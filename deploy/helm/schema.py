"""Write values.schema.json of the chart: python -m deploy.helm.schema [--check].

Every value that values.yaml has is allowed, of its own type, and no other. What `environment` may hold is the
variables of each service's settings, but those that its Secret has.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from api.settings import EvaluationSettings
from deploy.drift import write_or_compare
from deploy.helm.make_secrets import SERVICES
from deploy.variables import SETTINGS
from tetrad.server.settings import Settings, variables

CHART = Path(__file__).parent / "tetrad"
SCHEMA = CHART / "values.schema.json"
READ: Mapping[str, tuple[type[Settings], str]] = {
    **SETTINGS,
    "evaluations": (EvaluationSettings, "TETRAD_API"),
    "practice": SETTINGS["generator"],
}
FREE = {"annotations", "gatewayAnnotations", "labels", "nodeSelector", "resources"}
"""Values of Kubernetes's own, which it checks itself."""
CHOICES: Mapping[str, list[str]] = {
    "pullPolicy": ["Always", "IfNotPresent", "Never"],
    "checksums": ["when_supported", "when_required"],
}
TYPES = {dict: "object", list: "array", bool: "boolean", str: "string"}
LEAST = {"replicas": 0, "workers": 1, "least": 1, "most": 1, "port": 1, "keepDays": 1, "stopSeconds": 1}


def write_schema() -> str:
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    schema = {"$schema": "http://json-schema.org/draft-07/schema#", **_describe("", values, ())}
    schema["properties"]["global"] = {"type": "object"}  # helm's own
    return json.dumps(schema, indent=1) + "\n"


def _describe(name: str, value: Any, path: tuple[str, ...]) -> dict[str, Any]:
    """Return the schema of a value, by the default that it has."""
    if name == "environment":
        return {
            "type": "object",
            "propertyNames": {"enum": _settable(path[0])},
            "additionalProperties": {"type": "string"},
        }
    if name in CHOICES:
        return {"enum": CHOICES[name]}
    if isinstance(value, dict) and name not in FREE:
        parts = {part: _describe(part, default, (*path, part)) for part, default in value.items()}
        return {"type": "object", "additionalProperties": False, "properties": parts}
    if type(value) is int:
        return {"type": "integer", "minimum": LEAST.get(name, 0)}
    return {"type": TYPES[type(value)]}


def _settable(service: str) -> list[str]:
    return sorted(set(variables(*READ[service])) - SERVICES[f"tetrad-{service}"].keys() - _secret(service))


def _secret(service: str) -> set[str]:
    """Return the variables of secrets that this service is to be without."""
    ends = ("_SECRET", "_SECRETS", "_TOKEN", "_TOKENS")
    return {name for name in variables(*READ[service]) if name.endswith(ends)}


def main(arguments: list[str]) -> int:
    """Write the schema; with --check, return 1 if it differs from the one that is there."""
    return write_or_compare(SCHEMA, write_schema(), arguments, "python -m deploy.helm.schema")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
