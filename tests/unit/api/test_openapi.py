"""The document that is checked in is the one the code makes."""

import json
from typing import Any

import pytest
from litestar.testing import TestClient
from openapi_spec_validator import validate

from api.app import assemble
from api.openapi import DOCUMENT, rendered

DESCRIBED: dict[str, Any] = json.loads(rendered())
OPERATIONS = [operation for path in DESCRIBED["paths"].values() for operation in path.values()]


def test_the_document_is_not_stale() -> None:
    assert DOCUMENT.read_bytes() == rendered(), "run `make openapi`"


def test_the_document_is_openapi_3_1() -> None:
    assert DESCRIBED["openapi"].startswith("3.1")
    validate(DESCRIBED)


def test_the_app_serves_the_same_document_and_no_page_beside_it() -> None:
    with TestClient(assemble(None)) as client:
        assert client.get("/schema/openapi.json").json() == DESCRIBED
        for path in ("/schema/swagger", "/schema/redoc", "/schema/elements"):
            assert client.get(path).status_code == 404


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation["operationId"])
def test_every_operation_tells_what_it_does_and_how_it_errs(operation: dict[str, Any]) -> None:
    assert operation["summary"]
    for status, response in operation["responses"].items():
        kinds = set(response.get("content", {}))
        if int(status) >= 400:
            assert kinds == {"application/problem+json"}
            assert response["content"]["application/problem+json"]["schema"] == {"$ref": "#/components/schemas/Problem"}
    if operation.get("security") == [{"key": []}]:
        assert {"401", "403"} <= set(operation["responses"])


def test_requests_refuse_unknown_fields_and_unions_have_discriminators() -> None:
    schemas = DESCRIBED["components"]["schemas"]
    assert schemas["SubmissionRequest"]["additionalProperties"] is False
    assert "additionalProperties" not in schemas["Submission"]
    assert schemas["Choice"]["properties"]["shape"] == {"enum": ["choice"]}


def test_uploads_say_what_they_take() -> None:
    body = next(one for one in OPERATIONS if one["operationId"] == "sealAnswers")["requestBody"]
    assert set(body["content"]) == {"application/json", "application/x-ndjson", "text/csv"}
