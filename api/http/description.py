"""The OpenAPI 3.1 document, from the code. No page comes with it: those would fetch scripts from elsewhere.

Litestar's own output drops what msgspec knows of unions and unknown fields, and describes errors that we never
send; both are put right here.
"""

import importlib
import pkgutil
from copy import deepcopy
from typing import Any

import msgspec
from litestar import Request
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, License, SecurityScheme

from api.http.described_headers import describe_headers
from tetrad import __version__, contracts
from tetrad.server.problems import MEDIA_TYPE

REFERENCE = "#/components/schemas/{name}"
A_KEY = "A team's key: tetrad_...; beside it stands the scope that it has to have: read, submit or admin"
TEXT = {"type": "string"}
BINARY = {"type": "string", "format": "binary"}
ERRORS_BEGIN = 400
UNNAMED_HERE = ("AnswerBatch", "Answer", "Event", "OpenQuestion", "Problem", "VerificationRequest")
"""Types that only the amendments below refer to."""


def refer(name: str) -> dict[str, str]:
    return {"$ref": REFERENCE.format(name=name)}


SENT_EVENT = {
    "description": "one server-sent event; comments keep the connection open",
    "type": "object",
    "properties": {
        "id": TEXT,
        "event": {"type": "string", "description": "its kind"},
        "data": {"type": "string", "contentMediaType": "application/json", "contentSchema": refer("Event")},
    },
}
UPLOADS = {
    "sealAnswers": {
        "application/json": refer("AnswerBatch"),
        "application/x-ndjson": refer("Answer"),
        "application/jsonl": refer("Answer"),
        "text/csv": TEXT,
    },
    "verifyReport": {"application/json": refer("VerificationRequest")},
}
OTHER_FORMS: dict[str, dict[str, Any]] = {
    "listOpenQuestions": {"application/x-ndjson": refer("OpenQuestion"), "application/x-tar": BINARY},
    "listEvents": {"text/event-stream": SENT_EVENT},
    "getReport": {"text/markdown": TEXT, "text/csv": TEXT, "application/xml": TEXT},
}
PICTURE = {"image/png": BINARY}
PLACES = {"track": TEXT, "setting": TEXT, "version": {"type": "integer", "minimum": 1}}
QUERIES: dict[str, dict[str, Any]] = {
    "listPracticeItems": {
        **PLACES,
        "seed": {"type": "string", "pattern": "^(0|[1-9][0-9]{0,15}|[0-9a-f]{64})$"},
        "offset": {"type": "integer", "minimum": 0, "default": 0},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
    },
    "getLeaderboard": PLACES,
}


class AmendedJson(JsonRenderPlugin):
    """Serves the amended document at /schema/openapi.json."""

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:
        return self.render_json(request, amended(openapi_schema))


def openapi_config() -> OpenAPIConfig:
    return OpenAPIConfig(
        title="Tetrad",
        version=__version__,
        summary="Visual-analogy benchmarks: fresh items from a seed, hidden answers, a board that resists gaming",
        license=License(name="Apache-2.0", identifier="Apache-2.0"),
        use_handler_docstrings=True,
        components=Components(
            security_schemes={
                "key": SecurityScheme(type="http", scheme="bearer", description=A_KEY),
                "operator": SecurityScheme(type="http", scheme="bearer", description="An operator's token"),
            }
        ),
        render_plugins=[AmendedJson(path="/openapi.json")],
    )


def amended(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document with msgspec's schemas, our problems, and what handlers do not tell by their types."""
    amended_one = deepcopy(document)
    amended_one["components"]["schemas"] = _schemas(set(document["components"]["schemas"]))
    for path, operations in amended_one["paths"].items():
        for operation in operations.values():
            _amend(operation)
            describe_headers(path, operation)
    return amended_one


def _amend(operation: dict[str, Any]) -> None:
    name = operation["operationId"]
    for status, response in operation["responses"].items():
        if int(status) >= ERRORS_BEGIN:
            response["content"] = {MEDIA_TYPE: {"schema": refer("Problem")}}
    if name in UPLOADS:
        operation["requestBody"] = {"required": True, "content": _content(UPLOADS[name])}
    if name in OTHER_FORMS:
        operation["responses"]["200"]["content"] |= _content(OTHER_FORMS[name])
    if name.endswith("Picture"):
        operation["responses"]["200"]["content"] = _content(PICTURE)
    if name in QUERIES:
        operation["parameters"] += [
            {"name": field, "in": "query", "required": False, "schema": kind} for field, kind in QUERIES[name].items()
        ]
        operation["parameters"].append(_card_parameters())


def _card_parameters() -> dict[str, Any]:
    """Return what OpenAPI has for names that only the card knows: an object spread over the query."""
    return {
        "name": "card",
        "in": "query",
        "required": False,
        "description": "parameters and filters of the benchmark's card, each by its name",
        "style": "form",
        "explode": True,
        "schema": {"type": "object", "additionalProperties": TEXT},
    }


def _content(forms: dict[str, Any]) -> dict[str, Any]:
    return {media_type: {"schema": kind} for media_type, kind in forms.items()}


def _schemas(names: set[str]) -> dict[str, Any]:
    """Return msgspec's schemas of the named contracts and of all they are made of."""
    known = _contracts()
    kinds = [known[name] for name in sorted(names | set(UNNAMED_HERE)) if name in known]
    _, components = msgspec.json.schema_components(kinds, schema_hook=_anything, ref_template=REFERENCE)
    return {name: components[name] for name in sorted(components)}


def _anything(_: type) -> dict[str, Any]:
    return {"description": "any JSON value"}  # `object` in a contract


def _contracts() -> dict[str, type[msgspec.Struct]]:
    modules = [
        importlib.import_module(f"{contracts.__name__}.{module.name}")
        for module in pkgutil.iter_modules(contracts.__path__)
    ]
    return {
        name: kind
        for module in modules
        for name, kind in vars(module).items()
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct)
    }
