"""The document that is checked in is the one the code makes."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from litestar.testing import TestClient

from api.app import assemble
from api.http.description import CREATIONS, LISTS, _contracts, read_examples
from api.openapi import DOCUMENT, OPERATORS_DOCUMENT, render_documents
from tests.examples.conforming import faults_of, operations_of
from tetrad.contracts import answers
from tetrad.contracts.accounts import Scope
from tetrad.contracts.submissions import State

BELOW = re.compile(r"`([A-Z]+) (/v1/[^`]*)`")
NAME = re.compile(r"(?<={)\w+(?=})")
# As they stand: rendering them takes a core second, and all that import this module would pay it.
DESCRIBED: dict[str, Any] = json.loads(DOCUMENT.read_bytes())
OPERATORS: dict[str, Any] = json.loads(OPERATORS_DOCUMENT.read_bytes())
OPERATIONS = [
    operation
    for document in (DESCRIBED, OPERATORS)
    for path, operations in document["paths"].items()
    for operation in operations.values()
    if path.startswith("/v1/")
]


def test_the_documents_are_not_stale() -> None:
    rendered = render_documents()
    assert {path: path.read_bytes() for path in rendered} == rendered, "run `make openapi`"


@pytest.mark.parametrize("document", [DESCRIBED, OPERATORS], ids=["public", "operators"])
def test_the_documents_are_openapi_3_1(document: dict[str, Any]) -> None:
    from openapi_spec_validator import validate  # noqa: PLC0415 -- half a second for each worker of pytest-xdist

    assert document["openapi"].startswith("3.1")
    validate(document)


def test_two_contracts_of_one_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Team(msgspec.Struct):
        pass

    monkeypatch.setattr(answers, "Team", Team, raising=False)
    with pytest.raises(ValueError, match="two contracts are called Team"):
        _contracts()


def test_the_app_serves_the_same_documents_and_no_page_of_litestar_s() -> None:
    with TestClient(assemble(None, None)) as client:
        assert client.get("/schema/openapi.json").json() == DESCRIBED
        assert client.get("/schema/operators.json").json() == OPERATORS
        for path in ("/schema/swagger", "/schema/redoc", "/schema/elements"):
            assert client.get(path).status_code == 404


def test_every_operation_tells_what_it_does_and_how_it_errs() -> None:
    problem = {"application/problem+json": {"$ref": "#/components/schemas/Problem"}}
    for operation in OPERATIONS:
        name, responses = operation["operationId"], operation["responses"]
        assert operation["summary"], name
        for status, response in responses.items():
            schemas = {kind: content["schema"] for kind, content in response.get("content", {}).items()}
            assert int(status) < 400 or schemas == problem, (name, status)
        assert "key" not in operation.get("security", [{}])[0] or {"401", "403"} <= set(responses), name


def described_in(schema: Any, place: str) -> Iterator[tuple[str, Any]]:
    """Yield each property of a schema and of those below it, with its place."""
    if isinstance(schema, list):
        for choice in schema:
            yield from described_in(choice, place)
    if not isinstance(schema, dict):
        return
    for name, below in schema.get("properties", {}).items():
        yield f"{place}.{name}", below
        yield from described_in(below, f"{place}.{name}")
    for inside in ("items", "additionalProperties", "prefixItems", "anyOf", "oneOf", "allOf"):
        yield from described_in(schema.get(inside), place)


def described_of(operation: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield an operation, its parameters, its headers, and the properties of schemas that stand in it."""
    place = operation["operationId"]
    yield place, operation
    for parameter in operation.get("parameters", ()):
        yield f"{place}.{parameter['name']}", parameter
    for part in (operation.get("requestBody", {}), *operation["responses"].values()):
        yield from ((f"{place}.{name}", header) for name, header in part.get("headers", {}).items())
        for content in part.get("content", {}).values():
            yield from described_in(content["schema"], place)


def says_more(description: str, name: str) -> bool:
    """Tell whether a description has a word that is neither an article nor the name of what it describes."""
    named = re.findall(r"[a-z0-9]+", name.rpartition(".")[2].lower())
    return bool({*re.findall(r"[a-z0-9]+", description.lower())} - {"a", "an", "the", "of", "its", "this", *named})


@pytest.mark.parametrize("path", sorted(DOCUMENT.parent.glob("*.json")), ids=lambda path: path.stem)
def test_every_property_parameter_header_operation_and_schema_is_described(path: Path) -> None:
    document = json.loads(path.read_bytes())
    schemas = document["components"]["schemas"]
    assert [name for name, schema in schemas.items() if not says_more(schema.get("description", ""), name)] == []
    described = [pair for name, schema in schemas.items() for pair in described_in(schema, name)]
    for operations in document["paths"].values():
        described += [pair for operation in operations.values() for pair in described_of(operation)]
    assert len(described) > 500
    assert [place for place, part in described if not says_more(part.get("description", ""), place)] == []


def test_recorded_examples_are_what_their_schemas_say_today() -> None:
    listed = {operation: document for document in (DESCRIBED, OPERATORS) for operation in operations_of(document)}
    faults = {
        name: faults_of(listed[name], name, example) for name, example in read_examples().items() if name in listed
    }
    assert {name: found for name, found in faults.items() if found} == {}
    assert set(read_examples()) == set(listed)


def test_requests_refuse_unknown_fields_and_unions_have_discriminators() -> None:
    schemas = DESCRIBED["components"]["schemas"]
    assert schemas["SubmissionRequest"]["additionalProperties"] is False
    assert "additionalProperties" not in schemas["Submission"]
    assert schemas["Choice"]["properties"]["shape"]["enum"] == ["choice"]


def test_what_was_read_may_be_as_long_as_a_caption_or_a_diagnosis() -> None:
    for name in ("RevealedQuestion", "QuestionResult", "Verdict"):
        schema = DESCRIBED["components"]["schemas"][name]
        answer = schema["properties"]["answer"]
        assert answer["anyOf"] == [{"type": "string"}, {"type": "null"}]
        assert "JSON text" in answer["description"]


def test_the_page_on_the_api_names_what_each_scope_opens_and_every_state() -> None:
    page = (DOCUMENT.parents[1] / "docs" / "api.md").read_text()
    told = {
        scope: set(BELOW.findall(opens)) for scope, opens in re.findall(r"^\| `(\w+)` \| (.*) \|$", page, re.MULTILINE)
    }
    asked: dict[str, set[tuple[str, str]]] = {scope: set() for scope in get_args(Scope)}
    for path, operations in DESCRIBED["paths"].items():
        for method, operation in operations.items():
            for scope in operation.get("security", [{}])[0].get("key", []):
                asked[scope].add((method.upper(), path))
    for scope, opens in asked.items():
        assert {(method, NAME.sub("", path)) for method, path in told[scope]} == {
            (method, NAME.sub("", path)) for method, path in opens
        }
    assert set(get_args(State)) <= set(told)
    assert {"opened", "finished", "scored", "failed", "requeued", "void", "rescored"} <= set(told)


def test_uploads_say_what_they_take() -> None:
    body = next(one for one in OPERATIONS if one["operationId"] == "sealAnswers")["requestBody"]
    assert set(body["content"]) == {"application/json", "application/x-ndjson", "application/jsonl", "text/csv"}


def test_a_body_that_may_be_left_out_is_not_required() -> None:
    bodies = {one["operationId"]: one["requestBody"] for one in OPERATIONS if "requestBody" in one}
    assert [name for name, body in bodies.items() if not body["required"]] == ["resumeEvaluation"]
    (kind,) = bodies["resumeEvaluation"]["content"].values()
    assert kind["schema"] == {"$ref": "#/components/schemas/ResumeRequest"}


def headers_of(name: str, status: str) -> set[str]:
    operation = next(one for one in OPERATIONS if one["operationId"] == name)
    return set(operation["responses"][status].get("headers", {}))


def parameters_of(name: str) -> set[str]:
    operation = next(one for one in OPERATIONS if one["operationId"] == name)
    return {parameter["name"] for parameter in operation.get("parameters", [])}


def test_every_operation_says_that_it_is_counted() -> None:
    for operation in OPERATIONS:
        name, responses = operation["operationId"], operation["responses"]
        assert {"Retry-After", "RateLimit", "RateLimit-Policy"} <= set(responses["429"]["headers"]), name
        assert "requestBody" not in operation or "413" in responses, name


def test_headers_of_caches_pages_creations_and_streams_are_described() -> None:
    assert {"ETag", "Cache-Control"} <= headers_of("getPracticePicture", "304") & headers_of(
        "getPracticePicture", "200"
    )
    assert "If-None-Match" in parameters_of("getPracticePicture")
    for name in CREATIONS:
        assert "Idempotency-Key" in parameters_of(name)
        made = "202" if name in {"verifyReport", "adminProposeRescoring", "openEvaluation"} else "201"
        assert {"Location", "Idempotency-Replayed"} <= headers_of(name, made)
        assert "Retry-After" in headers_of(name, "409")
    for name in LISTS:
        assert "Link" in headers_of(name, "200")
        assert {"limit", "cursor"} <= parameters_of(name) or {"limit", "offset"} <= parameters_of(name)
    assert "Last-Event-ID" in parameters_of("listEvents")


def test_every_schema_of_a_request_refuses_unknown_fields() -> None:
    schemas = DESCRIBED["components"]["schemas"] | OPERATORS["components"]["schemas"]
    asked = {
        kind["schema"]["$ref"].rpartition("/")[2]
        for operation in OPERATIONS
        for kind in operation.get("requestBody", {}).get("content", {}).values()
        if "$ref" in kind["schema"]
    }
    assert len(asked) >= 7
    asked -= {"EnvironmentRollout"}  # NeMo Gym's protocol sends whole rows of the trainer's own
    assert [name for name in sorted(asked) if schemas[name].get("additionalProperties") is not False] == []
