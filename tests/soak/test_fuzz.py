"""Hostile requests, drawn from the OpenAPI documents of api and gateway: none is answered by 5xx.

TETRAD_SOAK_FUZZ requests (4,000) go to each, TETRAD_SOAK_SEED (1) draws them. Each fits its operation but for a few
faults: values of fields, forms of bodies, headers, names in paths and queries. It stands beside tests/e2e/
test_document.py, which sends what the document allows and what it doesn't, and holds the replies to it.
"""

import gzip
import http.client
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from tests.answering import answer_all, open_submission, wait_scored
from tests.instance import Instance, running
from tetrad.client import Client

TOYS = Path(__file__).parents[1] / "toy_benchmarks"
REQUESTS, SEED = int(os.environ.get("TETRAD_SOAK_FUZZ", "4000")), os.environ.get("TETRAD_SOAK_SEED", "1")
STATUS_SEEN = 0.05  # a share of requests that get past their checks, so that the fuzz reaches further than 4xx
DEEP = 300
TEXTS = [
    *("", " ", "\0", "a\0b", "\ud800", "\U000e0041", "\u202eabc", "é" * 5000, "x" * 70_000, "../../etc/passwd"),
    *("%00", "null", "-1", "1e999", "NaN", "0x10", "' OR 1=1 --", "{{7*7}}", "\r\nX: y", "sub_" + "0" * 32),
    *("data:image/png;base64,AAAA", "data:image/png;base64,iVBORw0KGgo=", "http://127.0.0.1/", "constant", "kiva"),
]
VALUES: list[Any] = [
    *TEXTS,
    *(None, True, False, 0, -1, 1, 2**31, 2**63, -(2**63) - 1, 10**400, 0.1, 1e308, float("nan"), float("inf"), 1e-9),
    *([], {}, [[]], [None] * 2000, {"": ""}, {"a": {"a": {}}}, [{"role": "user", "content": "A or B?"}]),
]
HEADERS: dict[str, Sequence[str]] = {
    "Accept": ("", "*/*;q=x", "text/csv", "application/xml", "a" * 9000, "text/html, " * 300, "image/*;q=0.0.1"),
    "Content-Type": ("", "text/plain", "application/json; charset=utf-7", "text/csv", "application/x-ndjson", "a/b/c"),
    "Content-Encoding": ("gzip", "gzip, gzip", "br", "identity", "\xff"),
    "Idempotency-Key": ("", "a", "\xe9\xe9", "x" * 300, "a b", "0" * 64),
    "Last-Event-ID": ("-1", "x", "9" * 40, "\xb2"),
    "If-None-Match": ("*", '"', 'W/""', '"a", ' * 500),
    "Range": ("bytes=0-0", "bytes=-", "items=1-2"),
    "X-Forwarded-For": ("1.2.3.4", "x", "::1, " * 100, "\xff"),
    "X-Request-Id": ("", "x" * 500, "a\tb", "\xe9"),
    "traceparent": ("00-0-0-00", "00-" + "f" * 32 + "-" + "f" * 16 + "-01", "zz"),
    "Authorization": ("", "Bearer", "Bearer \xe9", "Basic Og==", "Bearer " + "x" * 8000, "Bearer tgw_a.b"),
    "Expect": ("100-continue",),
    "Cookie": ("a=b; " * 200,),
}


class Fuzz:
    """Draws requests to the operations of one document."""

    def __init__(self, document: Mapping[str, Any], known: Mapping[str, str], random: Random) -> None:
        self._schemas = document["components"]["schemas"]
        self._operations = [
            (path, method.upper(), operation)
            for path, operations in document["paths"].items()
            for method, operation in operations.items()
        ]
        self._known, self._random = known, random

    def request(self) -> tuple[str, str, bytes, dict[str, str]]:
        """Return method, target, body and headers of a request with one fault to four, or none."""
        random = self._random
        path, method, operation = random.choice(self._operations)
        faults = Counter(random.choices(["value", "body", "header", "path", "query", ""], k=random.randint(1, 4)))
        target, query = path, []
        for parameter in operation.get("parameters", []):
            name, place = parameter["name"], parameter["in"]
            fitting = self._known.get(name) or str(self._value(parameter.get("schema", {}), 0))
            drawn = str(random.choice(TEXTS)) if faults[place] else fitting
            if place == "path":
                target = target.replace(f"{{{name}}}", self._quote(drawn) or "x").replace(f"{{{name}:path}}", drawn)
            elif place == "query" and random.random() < 0.4:
                query += [f"{name}={self._quote(drawn)}"] * random.choice([1, 1, 1, 2])
        if faults["query"] and random.random() < 0.3:
            query.append(random.choice(["x=1", "=", "&&", "cursor=AAAA", "%zz=1", "limit=99999999999999999999"]))
        headers = {"Content-Type": "application/json"}
        body = self._body(operation, faults)
        for _ in range(faults["header"]):
            name = random.choice(list(HEADERS))
            headers[name] = random.choice(HEADERS[name])
        return method, target + ("?" + "&".join(query) if query else ""), body, headers

    def _body(self, operation: Mapping[str, Any], faults: Mapping[str, int]) -> bytes:
        content = operation.get("requestBody", {}).get("content", {})
        if not content:
            return b"" if not faults["body"] else b"{}"
        document = self._value(content.get("application/json", {}).get("schema", {}), 0)
        for _ in range(faults["value"]):
            document = self._harmed(document)
        body = json.dumps(document).encode(errors="surrogatepass")
        for _ in range(faults["body"]):
            body = self._reformed(body)
        return body

    def _value(self, schema: Mapping[str, Any], depth: int) -> Any:
        """Return a value of the schema, or what is near one."""
        random = self._random
        if "$ref" in schema:
            schema = self._schemas[schema["$ref"].rpartition("/")[2]]
        for choice in ("oneOf", "anyOf"):
            if choice in schema:
                return self._value(random.choice(schema[choice]), depth)
        if "enum" in schema or "const" in schema:
            return random.choice(schema.get("enum") or [schema["const"]])
        kind = schema.get("type")
        kind = random.choice(kind) if isinstance(kind, list) else kind
        if kind == "object" or "properties" in schema:
            wanted = schema.get("required", [])
            return {
                name: self._known.get(name) or self._value(part, depth + 1)
                for name, part in schema.get("properties", {}).items()
                if name in wanted or (depth < 4 and random.random() < 0.4)
            }
        if kind == "array":
            return [self._value(schema.get("items", {}), depth + 1) for _ in range(random.randint(1, 3))]
        if kind in {"integer", "number"}:
            low = schema.get("minimum", schema.get("exclusiveMinimum", 0))
            return random.choice([low, low + 1, schema.get("maximum", low + 2)])
        return {"boolean": True, "null": None, "string": "toy"}.get(str(kind), "a")

    def _harmed(self, document: Any) -> Any:
        """Return the document with one value, drawn at any depth, replaced by a hostile one."""
        random = self._random
        if isinstance(document, dict) and document and random.random() < 0.9:
            name = random.choice(list(document))
            return {**document, name: self._harmed(document[name])}
        if isinstance(document, list) and document and random.random() < 0.8:
            place = random.randrange(len(document))
            return [*document[:place], self._harmed(document[place]), *document[place + 1 :]]
        return random.choice(VALUES)

    def _reformed(self, body: bytes) -> bytes:
        cut = self._random.randrange(len(body) + 1)
        return self._random.choice(
            [
                *(b"", b"\xff\xfe", b"[" * DEEP * 100, b'{"a":' * DEEP + b"1" + b"}" * DEEP, body[:cut], body + b"x"),
                *(body[:cut] + b"\0" + body[cut:], body.replace(b":", b": 1" * 3), body[:-1] + b"," + body[1:]),
                *(gzip.compress(body), gzip.compress(b" " * 2**22), gzip.compress(body)[:-6], b"\xef\xbb\xbf" + body),
                *(
                    body.decode("latin-1").encode("utf-16"),
                    b"item,question,answer\n0,\xff,\n",
                    b"1" * 5000,
                    b'"' * 3000,
                ),
            ]
        )

    def _quote(self, text: str) -> str:
        return quote(text.encode(errors="replace")[:1500], safe="" if self._random.random() < 0.7 else "/:;,@%")


def status_of(url: str, asked: tuple[str, str, bytes, dict[str, str]], token: str) -> int:
    """Send the request on a connection of its own, and return the status of its reply."""
    method, target, body, headers = asked
    place = urlsplit(url)
    with closing(http.client.HTTPConnection(str(place.hostname), place.port, timeout=60)) as connection:
        connection.putrequest(method, quote(target, safe="/?&=%:;,@+"), skip_accept_encoding=True)
        for name, value in {"Authorization": f"Bearer {token}", "Content-Length": str(len(body)), **headers}.items():
            connection.putheader(name, value.replace("\r\n", " ").encode("latin-1", "replace"))
        connection.endheaders(body)
        return connection.getresponse().status


def fuzz(url: str, document: Mapping[str, Any], known: Mapping[str, str], tokens: Sequence[str]) -> Counter[int]:
    """Send the requests, and return how many there were of each status; 5xx are told at once."""
    random = Random(f"{SEED} {url.rpartition(':')[0]} {min(document['paths'])}")
    requests, statuses = Fuzz(document, known, random), Counter[int]()
    for number in range(REQUESTS):
        asked = requests.request()
        status = status_of(url, asked, random.choice(tokens))
        statuses[status] += 1
        if status >= 500:
            print(f"request {number}: {status} for {asked[0]} {asked[1][:300]} {asked[3]} {asked[2][:500]!r}")  # noqa: T201
    print(f"{url}: {dict(sorted(statuses.items()))}")  # noqa: T201
    return statuses


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory, bank_folder: Path) -> Iterator[Instance]:
    with running(tmp_path_factory.mktemp("fuzz") / "home", bank_folder, str(TOYS)) as instance:
        yield instance


@pytest.fixture(scope="module")
def client(instance: Instance) -> Iterator[Client]:
    with instance.team("fuzz") as client:
        yield client


@pytest.mark.parametrize("document", ["openapi", "operators"])
def test_no_hostile_request_fails_the_api(document: str, instance: Instance, client: Client) -> None:
    scored = open_submission(client, "fuzzed", size=4)
    answer_all(client, scored.id)
    wait_scored(client, scored.id)
    item = client.practice("toy", track="toy", seed=1, limit=1).items[0]
    picture = item.questions[0].pictures[0].name
    names = {"submission": scored.id, "benchmark": "toy", "item": item.id, "name": picture, "track": "toy"}
    key = client._authorization["Authorization"].removeprefix("Bearer ")
    statuses = fuzz(instance.url, described(instance.url, document), names, [key, instance.secrets.operator_token])
    check(instance, "api", statuses)


def test_no_hostile_request_fails_the_gateway(instance: Instance) -> None:
    url = instance.gateway_url
    statuses = fuzz(url, described(url, "openapi"), {"model": "constant"}, [instance.secrets.judge_token])
    check(instance, "gateway", statuses)


def described(url: str, document: str) -> dict[str, Any]:
    place = urlsplit(url)
    with closing(http.client.HTTPConnection(str(place.hostname), place.port, timeout=60)) as connection:
        connection.request("GET", f"/schema/{document}.json")
        found: dict[str, Any] = json.loads(connection.getresponse().read())
        return found


def check(instance: Instance, service: str, statuses: Counter[int]) -> None:
    assert sum(number for status, number in statuses.items() if status >= 500) == 0
    assert sum(statuses[status] for status in (200, 201, 202)) > STATUS_SEEN * REQUESTS
    assert (instance.data_directory.logs / f"{service}.log").read_text().count("unhandled error") == 0
