"""The reference of the API: our own OpenAPI documents as plain pages, which a browser searches.

In order: what a page shows, how a document becomes that, and the two pages.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from litestar import Request, Response, get
from litestar.di import NamedDependency
from markupsafe import Markup
from msgspec import json

from api.context import AppContext
from api.http.description import NDJSON, operators_document, public_document
from api.pages.frame import PAGE, Frame, Page, PageCache, at, page_response, render, tag_page
from tetrad.reporting.pages.words import with_code

METHODS = ("get", "post", "put", "patch", "delete")
NAMED = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "object": "object",
}
LONGEST_PATTERN = 60
KEPT = PageCache[Page](4)
Schema = Mapping[str, Any]


@dataclass(frozen=True)
class Word:
    """A part of a type in words; `anchor` is the type of this page that it names, or ""."""

    text: str
    anchor: str = ""


@dataclass(frozen=True, kw_only=True)
class Field:
    """A field or a parameter: `place` says where a parameter stands, `needed` whether it may not be left out."""

    name: str
    words: tuple[Word, ...]
    about: Markup
    place: str = ""
    needed: bool = False
    default: str = ""


@dataclass(frozen=True, kw_only=True)
class Form:
    """A form of a request's body or of a reply: its media type, its type, and a real one."""

    media_type: str
    words: tuple[Word, ...]
    example: str = ""


@dataclass(frozen=True, kw_only=True)
class Reply:
    status: str
    about: str
    forms: tuple[Form, ...]
    headers: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Operation:
    """A route with a method. `asked` is the request line of the example, "" without one."""

    id: str
    method: str
    path: str
    summary: str
    about: Markup
    caller: str
    parameters: tuple[Field, ...]
    body: tuple[Form, ...]
    replies: tuple[Reply, ...]
    errors: tuple[str, ...]
    asked: str


@dataclass(frozen=True, kw_only=True)
class Subject:
    name: str
    about: str
    operations: tuple[Operation, ...]


@dataclass(frozen=True, kw_only=True)
class Type:
    name: str
    about: Markup
    fields: tuple[Field, ...]
    is_strict: bool


@dataclass(frozen=True, kw_only=True)
class ReferenceView:
    title: str
    lede: str
    document_address: str
    other: tuple[str, str]
    subjects: tuple[Subject, ...]
    types: tuple[Type, ...]
    headers: tuple[Field, ...]


def words_of(schema: Schema) -> tuple[Word, ...]:
    """Return a schema's type in words, with its bounds."""
    return tuple(_words(schema))


def _words(schema: Schema) -> Iterator[Word]:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        yield Word(name, name)
    elif choices := [*schema.get("anyOf", ()), *schema.get("oneOf", ())]:
        yield from _join_words(choices, " or ")
        yield from _bounds(schema)
    elif "enum" in schema:
        yield Word(" or ".join(json.encode(value).decode() for value in schema["enum"]))
    elif schema.get("type") == "array":
        yield Word("list of ")
        yield from _items(schema)
        yield from _bounds(schema)
    elif isinstance(below := schema.get("additionalProperties"), dict):
        yield Word("object: by name, ")
        yield from _words(below)
    elif schema.get("format") == "binary":
        yield Word("bytes")
    else:
        kind = str(schema.get("type", "any JSON value"))
        yield Word(NAMED.get(kind, kind))
        yield from _bounds(schema)


def _join_words(schemas: list[Schema], mark: str) -> Iterator[Word]:
    for place, schema in enumerate(schemas):
        if place:
            yield Word(mark)
        yield from _words(schema)


def _items(schema: Schema) -> Iterator[Word]:
    places = schema.get("prefixItems")
    if places:
        yield from _join_words(places, ", then ")
    else:
        yield from _words(schema.get("items") or {})


def _bounds(schema: Schema) -> Iterator[Word]:
    """Yield what a value has to keep to beside its type."""
    least, most = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    told = [f"from {least:g}"] if least is not None else [f"above {above:g}"] if above is not None else []
    told += [f"to {most:.16g}"] if most is not None else [f"below {below:g}"] if below is not None else []
    yield from [Word(", " + " ".join(told))] if told else []
    for unit, of in (("characters", "Length"), ("entries", "Items")):
        fewest, longest = schema.get(f"min{of}"), schema.get(f"max{of}")
        if longest is not None:
            yield Word(f", {'at most' if fewest is None else f'{fewest} to'} {longest} {unit}")
        elif fewest is not None:
            yield Word(f", at least {fewest} {unit}")
    if 0 < len(pattern := schema.get("pattern", "")) <= LONGEST_PATTERN:
        yield Word(f", as {pattern}")


def _fields(schema: Schema) -> tuple[Field, ...]:
    required = schema.get("required", ())
    return tuple(
        Field(
            name=name,
            words=words_of(below),
            about=with_code(below.get("description", "")),
            needed=name in required,
            default=json.encode(below["default"]).decode() if below.get("default") is not None else "",
        )
        for name, below in schema.get("properties", {}).items()
    )


def _parameter(parameter: Schema) -> Field:
    schema = parameter["schema"]
    default = schema.get("default")
    return Field(
        name=parameter["name"],
        words=words_of(schema),
        about=with_code(parameter.get("description", "")),
        place=parameter["in"],
        needed=parameter.get("required", False),
        default="" if default is None else json.encode(default).decode(),
    )


def _forms(content: Schema) -> tuple[Form, ...]:
    return tuple(
        Form(media_type=name, words=words_of(form["schema"]), example=_write_example(name, form.get("example")))
        for name, form in content.items()
    )


def _write_example(media_type: str, example: object) -> str:
    """Return an example as text; of lines the first, on one line as it was sent."""
    if example is None or isinstance(example, str):
        return example or ""
    return json.format(json.encode(example), indent=0 if media_type == NDJSON else 2).decode()


def _caller(operation: Schema) -> str:
    """Return who may ask, in words."""
    kinds: dict[str, Any] = {}
    for requirement in operation.get("security", ()):
        kinds |= requirement or {"nobody": []}
    if "operator" in kinds:
        return "needs an operator’s token"
    if "key" not in kinds:
        return "needs no key"
    return "a key is optional" if "nobody" in kinds else f"needs a key with scope {kinds['key'][0]}"


def _operation(method: str, path: str, operation: Schema) -> Operation:
    replies = [
        Reply(
            status=status,
            about=reply["description"],
            forms=_forms(reply.get("content", {})),
            headers=tuple(reply.get("headers", {})),
        )
        for status, reply in sorted(operation["responses"].items())
        if status < "400"
    ]
    return Operation(
        id=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=operation["summary"],
        about=with_code(operation.get("description", "")),
        caller=_caller(operation),
        parameters=tuple(map(_parameter, operation.get("parameters", ()))),
        body=_forms(operation.get("requestBody", {}).get("content", {})),
        replies=tuple(replies),
        errors=tuple(sorted(status for status in operation["responses"] if status >= "400")),
        asked=operation.get("x-request", ""),
    )


def view_of(document: Schema, *, title: str, lede: str, address: str, other: tuple[str, str]) -> ReferenceView:
    """Return what a page of this document shows: its operations by subject, and its types by name."""
    every = [
        (operations[method]["tags"][0], _operation(method, path, operations[method]))
        for path, operations in document["paths"].items()
        for method in METHODS
        if method in operations
    ]
    subjects = tuple(
        Subject(
            name=tag["name"],
            about=tag["description"],
            operations=tuple(of for name, of in every if name == tag["name"]),
        )
        for tag in document["tags"]
    )
    types = tuple(
        Type(
            name=name,
            about=with_code(schema.get("description", "")),
            fields=_fields(schema),
            is_strict=schema.get("additionalProperties") is False,
        )
        for name, schema in document["components"]["schemas"].items()
    )
    headers: dict[str, Field] = {}
    for operations in document["paths"].values():
        for operation in operations.values():
            for reply in operation["responses"].values():
                for name, header in reply.get("headers", {}).items():
                    about = with_code(header["description"])
                    headers.setdefault(name, Field(name=name, words=words_of(header["schema"]), about=about))
    return ReferenceView(
        title=title,
        lede=lede,
        document_address=address,
        other=other,
        subjects=tuple(subject for subject in subjects if subject.operations),
        types=types,
        headers=tuple(headers[name] for name in sorted(headers)),
    )


@get("/reference", include_in_schema=False, opt=PAGE, sync_to_thread=True)
def reference_page(context: NamedDependency[AppContext], request: Request[Any, Any, Any]) -> Response[Any]:
    """Show the public API."""
    root = context.settings.root
    return _show(
        root,
        request,
        public_document,
        title="Reference of the API",
        lede="Every route that teams and readers use, and every field of what it takes and gives.",
        address=at(root, "schema", "openapi.json"),
        other=(at(root, "reference", "operators"), "The operators’ routes"),
    )


@get("/reference/operators", include_in_schema=False, opt=PAGE, sync_to_thread=True)
def operators_reference_page(context: NamedDependency[AppContext], request: Request[Any, Any, Any]) -> Response[Any]:
    """Show the operators' part of the API."""
    root = context.settings.root
    return _show(
        root,
        request,
        operators_document,
        title="Reference for operators",
        lede="Every route that an operator’s token opens, and every field of what it takes and gives.",
        address=at(root, "schema", "operators.json"),
        other=(at(root, "reference"), "The public routes"),
    )


def _show(
    root: str,
    request: Request[Any, Any, Any],
    choose: Callable[[dict[str, Any]], dict[str, Any]],
    *,
    title: str,
    lede: str,
    address: str,
    other: tuple[str, str],
) -> Response[Any]:
    """Return the page of the part of the document that is chosen. It is made once."""

    def make() -> Page:
        document = choose(request.app.openapi_schema.to_schema())
        view = view_of(document, title=title, lede=lede, address=address, other=other)
        frame = Frame(root=root, title=f"{title} · Tetrad", tab="docs")
        return tag_page(render(request, "reference.html", frame, view))

    return page_response(request, KEPT.get((title, root), make))


HANDLERS = [reference_page, operators_reference_page]
