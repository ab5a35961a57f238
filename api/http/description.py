"""Two OpenAPI 3.1 documents, from the code: the public API, and the operators' part of it.

Litestar's own output drops what msgspec knows of unions and unknown fields, describes errors that we never send, and
knows neither our headers nor the statuses that come from outside the handlers. All of that is put right here.
What a field means stands under it in the code (`field_descriptions`), and what was really answered stands in
`examples.json`, which `make examples` records. `api.pages.reference` shows both documents as pages; Litestar's own
pages fetch scripts from elsewhere.
"""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator, Mapping
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args

import msgspec
from litestar import Request
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, License, SecurityScheme

from api.http.field_descriptions import describe_fields
from tetrad import contracts
from tetrad.contracts.benchmarks import ConversationChoice
from tetrad.contracts.rows import RowForm, RowPictures
from tetrad.contracts.wire import END, TAG_CHARACTERS
from tetrad.server.problems import MEDIA_TYPE
from tetrad.versions import RELEASE

TEXT = {"type": "string"}
PROBLEM = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
CREATIONS = frozenset(
    {
        "registerTeam",
        "createKey",
        "registerModel",
        "openSubmission",
        "openEvaluation",
        "verifyReport",
        "adminProposeRescoring",
    }
)
LISTS = frozenset(
    {
        "listBenchmarks",
        "listPracticeItems",
        "listDatasets",
        "listDatasetEvents",
        "listKeys",
        "listModels",
        "listSubmissions",
        "listEvaluations",
        "listModelCalls",
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
SUBJECTS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "practice": (
        "Benchmarks, and fresh items with their solutions",
        ("/v1/benchmarks", "/v1/items", "/v1/environments"),
    ),
    "datasets": ("Data sets of practice items: order, follow, fetch", ("/v1/datasets",)),
    "teams": ("Your team, its API keys and its models", ("/v1/teams", "/v1/keys", "/v1/models")),
    "submissions": ("Sealed draws: open, ask, answer, finish, report", ("/v1/submissions",)),
    "evaluations": ("Models of this service, evaluated by it", ("/v1/evaluations",)),
    "boards": ("Leaderboards and comparisons", ("/v1/leaderboards", "/v1/comparisons")),
    "verification": ("The public log, and checks of reports", ("/v1/commitments", "/v1/verifications")),
    "versions": ("The versions of this service, and its client", ("/v1/versions", "/client")),
    "health": ("Whether the service is up", ("/health",)),
}
"""The tags of the public document: what each is about, and the beginnings of its paths."""

OPERATORS_SUBJECTS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "teams": (
        "Teams: their state, caps, approvals, budgets and use",
        ("/v1/admin/teams", "/v1/admin/invites", "/v1/admin/usage"),
    ),
    "results": ("Rows and submissions", ("/v1/admin/rows", "/v1/admin/submissions")),
    "rescoring": ("Scoring again with a newer scorer", ("/v1/admin/rescorings",)),
    "gateway": ("Tokens of the gateway", ("/v1/admin/gateway-tokens",)),
    "baselines": ("Baselines at every track and setting of benchmarks", ("/v1/admin/baselines",)),
    "records": ("The audit log and the seed secrets", ("/v1/admin/acts", "/v1/admin/secrets")),
}
TAGGED = "getPracticePicture"
BOARD = "getLeaderboard"
FOLLOWED = frozenset({"listEvents", "listDatasetEvents"})
WAITING = frozenset({"409", "429", "503"})
"""Statuses that may say when to ask again."""
REFERENCE = "#/components/schemas/{name}"
A_KEY = "A team's key: tetrad_...; beside it stands the scope that it has to have: read, submit or admin"
NDJSON = "application/x-ndjson"
BINARY = {"type": "string", "format": "binary"}
ERRORS_BEGIN = 400
UNNAMED_HERE = (
    "AnswerBatch",
    "Answer",
    "DatasetEvent",
    "EnvironmentRollout",
    "Event",
    "NextRows",
    "OpenQuestion",
    "PracticeReply",
    "Problem",
    "VerificationRequest",
)
"""Types that only the amendments below refer to."""
FILES = {
    "DatasetShard": {
        NDJSON: {"$ref": REFERENCE.format(name="Row")},
        "application/vnd.apache.parquet": BINARY,
        "application/x-tar": BINARY,
    },
    "Picture": {"image/png": BINARY},
    "Pictures": {"application/x-tar": BINARY, "application/zip": BINARY},
    "Client": {"application/zip": BINARY},
}
"""By the end of an operation's name: the file that it answers with."""
OFFSET = (
    "index of the first item to look at. It counts all items of the seed, also those that filters leave out: continue "
    "with `next`, or with the last item's index and one more"
)
SEED = "a number of up to 16 digits, or 64 hex digits; by default a random one, which the reply names"
COUNTED_SIZE = "items of the submission that is asked about"
SOURCE = "KIND:NAME of a source to draw from instead of the default one of its kind; may be repeated"
BOARD_SOURCE = (
    "KIND:NAME of the board's sources, may be repeated, or the digest of an identity; by default the default ones"
)
CONVERSATION = "how its rows' teams asked the questions of an item; by default as the card says"
PLACES = {
    "track": {**TEXT, "description": "a track of the card; by default the first"},
    "setting": {**TEXT, "description": "a setting of the track; by default the first"},
    "version": {"type": "integer", "minimum": 1, "description": "version of the benchmark; by default the newest"},
}
BOARD_PLACES = {
    **PLACES,
    "conversation": {"enum": [*get_args(ConversationChoice)], "description": CONVERSATION},
    "source": {"type": "array", "items": TEXT, "description": BOARD_SOURCE},
}
DRAWN = {
    **PLACES,
    "source": {"type": "array", "items": TEXT, "description": SOURCE},
    "seed": {"type": "string", "pattern": "^(0|[1-9][0-9]{0,15}|[0-9a-f]{64})$", "description": SEED},
    "offset": {"type": "integer", "minimum": 0, "default": 0, "description": OFFSET},
}
ROWS: dict[str, dict[str, Any]] = {
    "form": {
        "enum": [*get_args(RowForm)],
        "default": "rows",
        "description": "rows: all columns; responses: a request to OpenAI's Responses, as NeMo Gym has it; chat: one "
        "to chat completions; verl: the columns of a data set of verl",
    },
    "pictures": {
        "enum": [*get_args(RowPictures)],
        "default": "inline",
        "description": "inline: as data: addresses; url: by address, which never changes; none: only for form=rows",
    },
    "answers": {"enum": ["no", "yes"], "default": "no", "description": "yes: with answers, mistakes and explanation"},
    "questions": {
        "enum": ["open", "all"],
        "default": "open",
        "description": "open: those that are open now; all: every question of an item, each asked alone",
    },
}
QUERIES: dict[str, dict[str, Any]] = {
    "listPracticeItems": {
        **DRAWN,
        "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10, "description": "items on one page"},
    },
    "listRows": {
        **DRAWN,
        "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 10, "description": "items, not rows"},
        **ROWS,
    },
    "listNextRows": ROWS,
    "countItems": {
        **PLACES,
        "source": {"type": "array", "items": TEXT, "description": SOURCE},
        "size": {"type": "integer", "minimum": 1, "maximum": 100_000, "default": 250, "description": COUNTED_SIZE},
    },
    "getLeaderboard": BOARD_PLACES,
    "compareBoard": BOARD_PLACES,
}
EXAMPLES = Path(__file__).with_name("examples.json")
"""Requests and what was answered to them, by operation: `make examples` writes them."""


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
PLACED = {
    ("orderDataset", "202"): {"Location": _header("address of the data set")},
    ("getDatasetShard", "303"): {"Location": _header("address of the shard in the object store")},
}
LINK = {"Link": _header("pages around this one (RFC 8288): next, first and, where known, prev")}
ETAG = {"ETag": _header("a weak tag of the picture, for If-None-Match"), "Cache-Control": _header("for ever")}
BOARD_ETAG = {"ETag": _header("a strong tag of the page, for If-None-Match"), "Cache-Control": _header("ask each time")}
WHEEL_ETAG = {
    "ETag": _header("a strong tag of the wheel, for If-None-Match"),
    "Cache-Control": _header("ask each time"),
}
TAGS: dict[str, tuple[str, dict[str, Any]]] = {
    TAGGED: ("picture", ETAG),
    BOARD: ("page", BOARD_ETAG),
    "getClient": ("wheel", WHEEL_ETAG),
}


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
    if name in FOLLOWED:
        responses["204"] = {"description": "Nothing is to come after the event you have"}
        _take(operation, "Last-Event-ID", "id of the last event you have; the stream goes on after it")
    _describe_datasets(name, responses)
    if name in CREATIONS:
        about = "a new UUID for each creation: the same request again makes nothing more for 24 hours"
        _take(operation, "Idempotency-Key", about)
    if not path.startswith(PUBLIC) and "503" in responses:
        responses["503"]["content"] = responses["200"]["content"]  # health is no problem document
    for status, response in responses.items():
        response["headers"] = {**response.get("headers", {}), **_headers_of(path, name, status)} or None
        if response["headers"] is None:
            del response["headers"]


def _describe_datasets(name: str, responses: dict[str, Any]) -> None:
    """Add the statuses that handlers of data sets choose."""
    if name == "getDatasetShard":
        responses["303"] = {"description": "It is at the address in Location, for an hour"}
    if name == "orderDataset":
        told = "What an order would be, in a dry run"
        responses["200"] = {"description": told, "content": responses["202"]["content"]}


def _headers_of(path: str, name: str, status: str) -> dict[str, Any]:
    given: dict[str, Any] = {}
    if path.startswith(PUBLIC):
        given |= LIMITS
    if status in WAITING:
        given |= RETRY_AFTER
    given |= PLACED.get((name, status), {})
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
        "id": {"type": "string", "description": "its id, for Last-Event-ID"},
        "event": {"type": "string", "description": "its kind"},
        "data": {
            "type": "string",
            "description": "what happened, as JSON on one line",
            "contentMediaType": "application/json",
            "contentSchema": refer("Event"),
        },
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
    "listNextRows": {NDJSON: refer("NextRows")},
    "judgeReplies": {NDJSON: refer("PracticeReply")},
    "seedEnvironmentSession": {"application/json": refer("EnvironmentRollout")},
    "verifyEnvironmentResponse": {"application/json": refer("EnvironmentRollout")},
}
LINES = {
    "listRows": {NDJSON: refer("Row")},
    "listNextRows": {NDJSON: refer("Row")},
    "judgeReplies": {NDJSON: refer("PracticeVerdict")},
}
"""By operation: what each line of its answer is."""
OTHER_FORMS: dict[str, dict[str, Any]] = {
    "listOpenQuestions": {"application/x-ndjson": refer("OpenQuestion"), "application/x-tar": BINARY},
    "listEvents": {"text/event-stream": SENT_EVENT},
    "listDatasetEvents": {
        "text/event-stream": {**SENT_EVENT, "description": "one server-sent event; data is a DatasetEvent"}
    },
    "followEvaluation": {
        "text/event-stream": {**SENT_EVENT, "description": "one server-sent event; data is an Evaluation"}
    },
    "getReport": {"text/markdown": TEXT, "text/csv": TEXT, "application/xml": TEXT},
}


class PublicJson(JsonRenderPlugin):
    """Serves the public document at /schema/openapi.json."""

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:
        return self.render_json(request, public_document(openapi_schema))


class OperatorsJson(JsonRenderPlugin):
    """Serves the operators' document at /schema/operators.json."""

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:
        return self.render_json(request, operators_document(openapi_schema))


def openapi_config() -> OpenAPIConfig:
    return OpenAPIConfig(
        title="Tetrad",
        version=RELEASE,
        summary="Visual-analogy benchmarks: fresh items from a seed, hidden answers, a board that resists gaming",
        license=License(name="Apache-2.0", identifier="Apache-2.0"),
        use_handler_docstrings=True,
        components=Components(
            security_schemes={
                "key": SecurityScheme(type="http", scheme="bearer", description=A_KEY),
                "operator": SecurityScheme(type="http", scheme="bearer", description="An operator's token"),
            }
        ),
        render_plugins=[PublicJson(path="/openapi.json"), OperatorsJson(path="/operators.json")],
    )


def public_document(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document of all routes but the operators'."""
    return _describe(document, SUBJECTS, "key", of_operators=False)


def operators_document(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document of the operators' routes."""
    of_operators = _describe(document, OPERATORS_SUBJECTS, "operator", of_operators=True)
    of_operators["info"] |= {"title": "Tetrad for operators", "summary": "What an operator's token opens"}
    return of_operators


def _describe(
    document: dict[str, Any], subjects: Mapping[str, tuple[str, tuple[str, ...]]], scheme: str, *, of_operators: bool
) -> dict[str, Any]:
    """Return a part of the document, with msgspec's schemas, our problems, and what handlers' types don't tell."""
    part = deepcopy(document)
    part["paths"] = {
        path: operations for path, operations in part["paths"].items() if path.startswith(OPERATORS) == of_operators
    }
    part["tags"] = [{"name": name, "description": about} for name, (about, _) in subjects.items()]
    for path, operations in part["paths"].items():
        for operation in operations.values():
            operation["tags"] = [_subject_of(path, subjects)]
            _amend(operation)
            describe_headers(path, operation)
            _exemplify(operation)
    schemas = _schemas(set(document["components"]["schemas"]))
    needed = _find_needed(part["paths"], schemas)
    part["components"]["schemas"] = {name: schema for name, schema in schemas.items() if name in needed}
    schemes = part["components"]["securitySchemes"]
    part["components"]["securitySchemes"] = {scheme: schemes[scheme]}
    _simplify(part)
    return part


def _subject_of(path: str, subjects: Mapping[str, tuple[str, tuple[str, ...]]]) -> str:
    return next(name for name, (_, begins) in subjects.items() if path.startswith(begins))


def _find_needed(part: Any, schemas: dict[str, Any]) -> set[str]:
    """Return the names of the schemas that a part of the document refers to, directly or through others."""
    found: set[str] = set()
    waiting = [part]
    while waiting:
        for name in _references(waiting.pop()):
            if name not in found and name in schemas:
                found.add(name)
                waiting.append(schemas[name])
    return found


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"].rpartition("/")[2]
        # A discriminator names its schemas without `$ref`.
        yield from (
            reference.rpartition("/")[2] for reference in part.get("mapping", {}).values() if isinstance(reference, str)
        )
        for below in part.values():
            yield from _references(below)
    elif isinstance(part, list):
        for below in part:
            yield from _references(below)


def _simplify(part: Any) -> None:
    """Write what generators of clients stumble over in the plainer way that means the same, in place.

    Patterns end as in JSON Schema, because some readers know no look-ahead. A tuple of equal parts is a list of a fixed
    length: `items: false` breaks generators.
    """
    if isinstance(part, dict):
        if isinstance(part.get("pattern"), str):
            part["pattern"] = part["pattern"].replace(END, "$").replace(TAG_CHARACTERS, "")
        places = part.get("prefixItems")
        if isinstance(places, list) and part.get("items") is False and all(place == places[0] for place in places):
            del part["prefixItems"]
            part |= {"items": places[0], "minItems": len(places), "maxItems": len(places)}
        for below in part.values():
            _simplify(below)
    elif isinstance(part, list):
        for below in part:
            _simplify(below)


def _amend(operation: dict[str, Any]) -> None:
    name = operation["operationId"]
    for status, response in operation["responses"].items():
        if int(status) >= ERRORS_BEGIN:
            response["content"] = {MEDIA_TYPE: {"schema": refer("Problem")}}
    if name in UPLOADS:
        operation["requestBody"] = {"required": True, "content": _content(UPLOADS[name])}
    for kind in operation.get("requestBody", {}).get("content", {}).values():
        if {"type": "null"} in (choices := kind["schema"].get("oneOf", [])):  # a body that may be left out
            kind["schema"] = choices[0]
            operation["requestBody"]["required"] = False
    if name in OTHER_FORMS:
        operation["responses"]["200"]["content"] |= _content(OTHER_FORMS[name])
    if content := LINES.get(name) or next((FILES[ending] for ending in FILES if name.endswith(ending)), None):
        operation["responses"]["200"]["content"] = _content(content)
    if name in QUERIES:
        operation["parameters"] += [
            {"name": field, "in": "query", "required": False, "description": kind["description"], "schema": kind}
            for field, kind in QUERIES[name].items()
        ]
        if "track" in QUERIES[name]:
            operation["parameters"].append(_card_parameters())


def _exemplify(operation: dict[str, Any]) -> None:
    """Add what was really asked and answered, if it is recorded."""
    example = read_examples().get(operation["operationId"])
    if example is None:
        return
    operation["x-request"] = example["request"]
    taken = operation.get("requestBody", {}).get("content", {})
    sent = taken.get("application/json") or taken.get(NDJSON)  # of lines the example is one
    if sent is not None and "sent" in example:
        sent["example"] = example["sent"]
    answered = operation["responses"].get(str(example["status"]), {}).get("content", {}).get(example["media_type"])
    if answered is not None and "answered" in example:
        answered["example"] = example["answered"]


@lru_cache(maxsize=1)
def read_examples() -> dict[str, Any]:
    """Return what was asked and answered, by operation."""
    examples: dict[str, Any] = msgspec.json.decode(EXAMPLES.read_bytes())
    return examples


def _card_parameters() -> dict[str, Any]:
    """Return the parameter for names that only the card knows: an object spread over the query."""
    return {
        "name": "card",
        "in": "query",
        "required": False,
        "description": "parameters and filters of the benchmark's card, each by its name; "
        "a name that is both means the parameter",
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
    for name, schema in components.items():
        _describe_schema(schema, known[name])
    return {name: components[name] for name in sorted(components)}


def _describe_schema(schema: dict[str, Any], kind: type[msgspec.Struct]) -> None:
    """Give the schema the texts of the code, without its indentation, in place."""
    schema["description"] = inspect.cleandoc(schema.get("description", ""))
    texts = describe_fields(kind)
    for field, below in schema.get("properties", {}).items():
        if field in texts:
            schema["properties"][field] = {**below, "description": texts[field]}


def _anything(_: type) -> dict[str, Any]:
    return {"description": "any JSON value"}  # `object` in a contract


def _contracts() -> dict[str, type[msgspec.Struct]]:
    """Return all contracts by name.

    Raises:
        ValueError: two have one name, and the document could not tell them apart.
    """
    modules = [
        importlib.import_module(f"{contracts.__name__}.{module.name}")
        for module in pkgutil.iter_modules(contracts.__path__)
    ]
    known: dict[str, type[msgspec.Struct]] = {}
    for module in modules:
        for name, kind in vars(module).items():
            if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and known.setdefault(name, kind) is not kind:
                raise ValueError(f"two contracts are called {name}: {known[name].__module__} and {kind.__module__}")
    return known
