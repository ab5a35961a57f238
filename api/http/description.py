"""The OpenAPI 3.1 document, from the code. No page comes with it, because pages fetch scripts from elsewhere.

Litestar's own output drops what msgspec knows of unions and unknown fields, describes errors that we never send, and
knows neither our headers nor the statuses that come from outside the handlers. All of that is put right here.
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

from tetrad import __version__, contracts
from tetrad.contracts.wire import END
from tetrad.server.problems import MEDIA_TYPE

TEXT = {"type": "string"}
PROBLEM = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
CREATIONS = frozenset(
    {"registerTeam", "createKey", "registerModel", "openSubmission", "verifyReport", "adminProposeRescoring"}
)
LISTS = frozenset(
    {
        "listBenchmarks",
        "listPracticeItems",
        "listKeys",
        "listModels",
        "listSubmissions",
        "listEvents",
        "listOpenQuestions",
        "listRevealedItems",
        "listCommitments",
        "getLeaderboard",
        "adminListActs",
        "adminListTeams",
    }
)
PUBLIC = "/v1/"
OPERATORS = "/v1/admin/"
TAGGED = "getPracticePicture"
BOARD = "getLeaderboard"
FOLLOWED = "listEvents"
WAITING = frozenset({"409", "429", "503"})
"""Statuses that may say when to ask again."""
REFERENCE = "#/components/schemas/{name}"
A_KEY = "A team's key: tetrad_...; beside it stands the scope that it has to have: read, submit or admin"
BINARY = {"type": "string", "format": "binary"}
ERRORS_BEGIN = 400
UNNAMED_HERE = ("AnswerBatch", "Answer", "Event", "OpenQuestion", "Problem", "VerificationRequest")
"""Types that only the amendments below refer to."""
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


def _header(description: str) -> dict[str, Any]:
    return {"description": description, "schema": TEXT}


RETRY_AFTER = {"Retry-After": _header("seconds to wait before asking again")}
LIMITS = {
    "RateLimit-Policy": _header("the limit that counts here: requests (q) in so many seconds (w)"),
    "RateLimit": _header("what is left of it (r), and when all of it is there again (t, in seconds)"),
}
CREATED = {
    "Location": _header("address of what was made"),
    "Idempotency-Replayed": _header("true where an earlier request with the same key made it"),
}
LINK = {"Link": _header("pages around this one (RFC 8288): next, first and, where known, prev")}
ETAG = {"ETag": _header("a strong tag of the picture, for If-None-Match"), "Cache-Control": _header("for ever")}
BOARD_ETAG = {"ETag": _header("a strong tag of the page, for If-None-Match"), "Cache-Control": _header("ask each time")}
TAGS: dict[str, tuple[str, dict[str, Any]]] = {TAGGED: ("picture", ETAG), BOARD: ("page", BOARD_ETAG)}


def describe_headers(path: str, operation: dict[str, Any]) -> None:
    """Add the headers that the operation takes and gives, and the statuses that come with them."""
    name, responses = operation["operationId"], operation["responses"]
    if path.startswith(PUBLIC):
        responses["429"] = {"description": "Too Many Requests", "content": PROBLEM}
        # A name in the query that the route doesn't know.
        responses.setdefault("422", {"description": "Unprocessable Entity", "content": PROBLEM})
    if path.startswith(OPERATORS):
        responses["401"] = {"description": "Unauthorized", "content": PROBLEM}
        responses["403"] = {"description": "Forbidden", "content": PROBLEM}
    if "requestBody" in operation:
        responses["408"] = {"description": "Request Timeout", "content": PROBLEM}
        responses.setdefault("413", {"description": "Request Entity Too Large", "content": PROBLEM})
    if name in TAGS:
        what, headers = TAGS[name]
        responses["304"] = {"description": f"The {what} you have is the {what}", "headers": headers}
        _take(operation, "If-None-Match", f"tags of the {what}s you have")
    if name == FOLLOWED:
        responses["204"] = {"description": "Nothing is to come after the event you have"}
        _take(operation, "Last-Event-ID", "id of the last event you have; the stream goes on after it")
    if name in CREATIONS:
        about = "a new UUID for each creation: the same request again makes nothing more for 24 hours"
        _take(operation, "Idempotency-Key", about)
    if not path.startswith(PUBLIC) and "503" in responses:
        responses["503"]["content"] = responses["200"]["content"]  # health is no problem document
    for status, response in responses.items():
        response["headers"] = {**response.get("headers", {}), **_given(path, name, status)} or None
        if response["headers"] is None:
            del response["headers"]


def _given(path: str, name: str, status: str) -> dict[str, Any]:
    given: dict[str, Any] = {}
    if path.startswith(PUBLIC):
        given |= LIMITS
    if status in WAITING:
        given |= RETRY_AFTER
    if status.startswith("2"):
        given |= LINK if name in LISTS else {}
        given |= CREATED if name in CREATIONS else {}
        given |= TAGS[name][1] if name in TAGS else {}
    return given


def _take(operation: dict[str, Any], name: str, description: str) -> None:
    parameter = {"name": name, "in": "header", "required": False, "description": description, "schema": TEXT}
    operation.setdefault("parameters", []).append(parameter)


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
    """Return the document with msgspec's schemas, our problems, and the facts that handlers' types don't tell."""
    amended_one = deepcopy(document)
    amended_one["components"]["schemas"] = _schemas(set(document["components"]["schemas"]))
    for path, operations in amended_one["paths"].items():
        for operation in operations.values():
            _amend(operation)
            describe_headers(path, operation)
    _shorten_patterns(amended_one)
    return amended_one


def _shorten_patterns(part: Any) -> None:
    """End patterns as JSON Schema does, in the part of a document: some readers know no look-ahead."""
    if isinstance(part, dict):
        if isinstance(part.get("pattern"), str):
            part["pattern"] = part["pattern"].replace(END, "$")
        for below in part.values():
            _shorten_patterns(below)
    elif isinstance(part, list):
        for below in part:
            _shorten_patterns(below)


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
    """Return the parameter for names that only the card knows: an object spread over the query."""
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
