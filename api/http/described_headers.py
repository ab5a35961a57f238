"""What the OpenAPI document says of headers and of the statuses that come from outside the handlers."""

from typing import Any

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
FOLLOWED = "listEvents"


def _header(description: str) -> dict[str, Any]:
    return {"description": description, "schema": TEXT}


RETRY_AFTER = {"Retry-After": _header("seconds to wait before asking again")}
LIMITS = {
    "RateLimit-Policy": _header("the limit that counts here: requests (q) in so many seconds (w)"),
    "RateLimit": _header("what is left of it (r), and when all of it is there again (t, in seconds)"),
}
CREATED = {
    "Location": _header("address of what was made"),
    "Idempotency-Replayed": _header("true where this is the reply of an earlier request with the same key"),
}
LINK = {"Link": _header("pages around this one (RFC 8288): next, first and, where known, prev")}
ETAG = {"ETag": _header("a strong tag of the picture, for If-None-Match"), "Cache-Control": _header("for ever")}
WAITING = frozenset({"409", "429", "503"})
"""Statuses that may say when to ask again."""


def describe_headers(path: str, operation: dict[str, Any]) -> None:
    """Write into the operation which headers it takes and gives, and the statuses that come with them."""
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
    if name == TAGGED:
        responses["304"] = {"description": "The picture you have is the picture", "headers": ETAG}
        _take(operation, "If-None-Match", "tags of the pictures you have")
    if name == FOLLOWED:
        responses["204"] = {"description": "Nothing is to come after the event you have"}
        _take(operation, "Last-Event-ID", "id of the last event you have; the stream goes on after it")
    if name in CREATIONS:
        about = "a new UUID for each creation: the same request again gets the same reply for 24 hours"
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
        given |= ETAG if name == TAGGED else {}
    return given


def _take(operation: dict[str, Any], name: str, description: str) -> None:
    parameter = {"name": name, "in": "header", "required": False, "description": description, "schema": TEXT}
    operation.setdefault("parameters", []).append(parameter)
