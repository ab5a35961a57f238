"""Whether a recorded example is what its schema says, and whether it has every field of today."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from jsonschema import Draft202012Validator

from api.http.description import NDJSON

ECHOES = frozenset({"EnvironmentVerdict"})
"""Schemas of what comes back with all that was sent."""


def faults_of(document: dict[str, Any], operation: str, example: dict[str, Any], *, whole: bool = False) -> list[str]:
    """Return what is wrong with an example of an operation; with `whole`, also the fields that it lacks."""
    described = next(
        (
            found
            for below in document["paths"].values()
            for found in below.values()
            if found["operationId"] == operation
        ),
        None,
    )
    if described is None:
        return [f"there is no operation {operation}"]
    reply = described["responses"].get(str(example["status"]))
    if reply is None:
        return [f"{operation} is not described to answer {example['status']}"]
    faults = []
    if "sent" in example:
        body = described["requestBody"]["content"]
        schema = body.get("application/json") or body[NDJSON]
        faults += _faults(document, schema["schema"], example["sent"])
    if "answered" in example and example["media_type"].endswith("json"):
        content = reply.get("content", {}).get(example["media_type"])
        if content is None:
            return [f"{operation} is not described to answer {example['media_type']}"]
        faults += _faults(closed(document, whole=whole), content["schema"], example["answered"])
    return faults


def closed(document: dict[str, Any], *, whole: bool) -> dict[str, Any]:
    """Return the document with schemas that take no field beside those named, and, if `whole`, lack none."""
    schemas = deepcopy(document["components"]["schemas"])
    for name, schema in schemas.items():
        schema["additionalProperties"] = name in ECHOES
        if whole:
            schema["required"] = [*schema.get("properties", {})]
    return {**document, "components": {**document["components"], "schemas": schemas}}


def _faults(document: dict[str, Any], schema: dict[str, Any], value: Any) -> list[str]:
    root = {**schema, "components": document["components"]}
    return [f"{error.json_path}: {error.message[:200]}" for error in Draft202012Validator(root).iter_errors(value)]


def operations_of(document: dict[str, Any]) -> Iterator[str]:
    for below in document["paths"].values():
        for operation in below.values():
            yield operation["operationId"]
