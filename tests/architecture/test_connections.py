"""Every HTTP client keeps the connections that it opened: `tetrad.connections` says why."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
OURS = ("tetrad", "api", "generator_service", "scoring_service", "inference_gateway")
CLIENTS = {"Client", "AsyncClient", "HTTPTransport", "AsyncHTTPTransport"}
ONE_BY_ONE = {
    "api/upstream/generator.py": 1,  # it asks whether a new connection is answered
    "generator_service/benchmarks/visanalog/writing/job.py": 1,
    "tetrad/environments/tasksets.py": 1,
}
"""How many clients of a module have one request at a time, so that they never have two connections."""


def find_unlimited(tree: ast.AST) -> Iterator[int]:
    """Yield the line of each client or transport of httpx with httpx's own limits; a given transport has its own."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and is_client(call.func):
            given = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
            if given.get("limits") != "LIMITS" and given.get("transport") != "transport":
                yield call.lineno


def is_client(called: ast.expr) -> bool:
    return isinstance(called, ast.Attribute) and called.attr in CLIENTS and ast.unparse(called.value) == "httpx"


def test_clients_keep_their_connections() -> None:
    modules = {str(path.relative_to(ROOT)): path for part in OURS for path in (ROOT / part).rglob("*.py")}
    found = {name: list(find_unlimited(ast.parse(path.read_text()))) for name, path in modules.items()}
    assert {name: len(lines) for name, lines in found.items() if lines} == ONE_BY_ONE, found
