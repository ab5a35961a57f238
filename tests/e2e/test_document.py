"""The OpenAPI document against the running service: what is sent by it is understood, what comes back is in it.

TETRAD_DOCUMENT_EXAMPLES is how many requests an operation gets; `make soak` sends three times as many, over a thousand.
"""

import hashlib
import json
import os
from collections import Counter
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from schemathesis.specs.openapi.schemas import OpenApiSchema

from api.openapi import DOCUMENT, OPERATORS_DOCUMENT
from tests.answering import answer_all, open_submission, wait_scored
from tests.instance import Instance
from tetrad.client import Client

EXAMPLES = int(os.environ.get("TETRAD_DOCUMENT_EXAMPLES", "8"))  # of an operation; some have less that can be sent
LEAST_SHARE = 0.6  # of all that are wanted
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


@schemathesis.serializer("application/x-ndjson")
def lines_of(_context: Any, value: Any) -> bytes:
    """Return lines of JSON, the form of bulk bodies; whatever else is generated goes as one line."""
    rows = value if isinstance(value, list) else [value]
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


@pytest.fixture(scope="module")
def known(team: Client) -> dict[str, str]:
    """Return what a path may name, one of each: without these most cases would end at 404."""
    scored = open_submission(team, "fuzzed", size=4)
    answer_all(team, scored.id)
    report = wait_scored(team, scored.id)
    item = team.practice("toy", track="toy", seed=1, limit=1).items[0]
    return {
        "submission": scored.id,
        "benchmark": "toy",
        "item": item.id,
        "name": item.questions[0].pictures[0].name,
        "verification": team.verify(report).id,
    }


@pytest.fixture(scope="module")
def api_schemas(instance: Instance, team: Client, known: dict[str, str]) -> dict[str, Any]:
    """Return the document of each path."""
    found: dict[str, Any] = {}
    for name in ("openapi", "operators"):
        schema = hooked(schemathesis.openapi.from_url(f"{instance.url}/schema/{name}.json"), known)
        found |= dict.fromkeys(schema.raw_schema["paths"], schema)
    return found


def hooked(schema: OpenApiSchema, known: dict[str, str]) -> OpenApiSchema:
    """Return the schema with what makes its cases reach further than a 404."""

    @schema.hook
    def map_path_parameters(context: Any, path_parameters: dict[str, Any] | None) -> dict[str, Any] | None:
        """Name what there is in every second case; which ones follows from what was drawn."""
        drawn = hashlib.sha256(repr(path_parameters).encode()).digest()[0]
        if path_parameters is None or drawn % 2:
            return path_parameters
        return {
            name: known[name] if name in known and isinstance(value, str) else value
            for name, value in path_parameters.items()
        }

    @schema.hook
    def map_body(context: Any, body: Any) -> Any:
        """Let every second submission be one that can be opened, and let baselines be few."""
        if context.operation.definition.raw["operationId"] == "adminStartBaselines" and isinstance(body, dict):
            return {**body, **FEW_BASELINES}
        if context.operation.definition.raw["operationId"] != "openSubmission" or not isinstance(body, dict):
            return body
        drawn = hashlib.sha256(repr(body).encode()).digest()[0]
        return body if drawn % 2 else {**body, **OPENABLE}

    return schema


OPENABLE = {"benchmark": "toy", "track": "toy", "setting": "full", "parameters": {}, "model": "fuzzed", "size": 2}
FEW_BASELINES = {"benchmarks": ["toy"], "models": ["constant"], "size": 2}
DESCRIBED = {
    path: operations
    for document in (DOCUMENT, OPERATORS_DOCUMENT)
    for path, operations in json.loads(document.read_bytes())["paths"].items()
}
OPERATIONS = [(path, method) for path, operations in DESCRIBED.items() for method in operations]
OFTEN = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def test_no_request_fails_the_service_and_no_reply_is_undocumented(
    api_schemas: dict[str, Any], instance: Instance, team: Client, subtests: pytest.Subtests
) -> None:
    operator = {"Authorization": f"Bearer {instance.secrets.operator_token}"}
    sent, let_in = Counter[str](), Counter[str]()
    for path, method in OPERATIONS:
        with subtests.test(path=path, method=method):
            is_operators = path.startswith("/v1/admin/")
            statuses = cases_sent(
                api_schemas[path][path][method.upper()], operator if is_operators else team._authorization
            )
            sent[path] += statuses.total()
            let_in[path] += sum(number for status, number in statuses.items() if status not in {401, 403})
    assert sent.total() >= LEAST_SHARE * EXAMPLES * len(OPERATIONS)
    assert set(+sent) == set(+let_in) == set(DESCRIBED), "each operation was reached by one who may"


def cases_sent(operation: Any, authorization: dict[str, str]) -> Counter[int]:
    """Send what fits the operation and what doesn't, hold the replies to the document, and count them by status."""
    valid, invalid = (operation.as_strategy(generation_mode=mode) for mode in GenerationMode)
    statuses = Counter[int]()

    @OFTEN
    @given(case=st.one_of(valid, invalid))
    def send(case: Case[Any]) -> None:
        reply = case.call_and_validate(checks=CHECKS, headers=authorization)
        statuses[reply.status_code] += 1

    send()
    return statuses
