"""No call over the network, and none of the object store, inside a transaction: it would hold locks and a snapshot."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SERVICES = ("api", "generator_service", "scoring_service")
TRANSACTIONS = {"read_transaction", "write_transaction", "begin"}
FAR = {"generator", "store", "gateway", "judge", "doorbell", "http", "httpx", "client", "redis"}
"""Names of what answers from elsewhere, wherever it hangs: workplace.store, services.generator, self._http."""


def far_calls(tree: ast.AST) -> Iterator[str]:
    """Yield each far call in a transaction of this module: in the block, or in a function of the module it calls."""
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for block in ast.walk(tree):
        if isinstance(block, ast.With) and any(map(opens_transaction, block.items)):
            for statement in block.body:
                yield from within(statement, functions, frozenset())


def opens_transaction(item: ast.withitem) -> bool:
    return isinstance(item.context_expr, ast.Call) and names(item.context_expr.func)[-1] in TRANSACTIONS


def within(node: ast.AST, functions: dict[str, ast.FunctionDef], seen: frozenset[str]) -> Iterator[str]:
    for call in (part for part in ast.walk(node) if isinstance(part, ast.Call)):
        called = names(call.func)
        if FAR & {part.lstrip("_") for part in called[:-1]}:
            yield f"{call.lineno}: {'.'.join(called)}"
        elif called[-1] in functions and called[-1] not in seen:
            yield from within(functions[called[-1]], functions, seen | {called[-1]})


def names(node: ast.AST) -> list[str]:
    """Return the parts of a dotted name; calls and indexes in between leave nothing."""
    if isinstance(node, ast.Attribute):
        return [*names(node.value), node.attr]
    return [node.id] if isinstance(node, ast.Name) else [""]


MODULES = [path for service in SERVICES for path in sorted((ROOT / service).rglob("*.py"))]


def test_no_transaction_waits_for_another_machine() -> None:
    found = {str(path.relative_to(ROOT)): list(far_calls(ast.parse(path.read_text()))) for path in MODULES}
    assert {name: calls for name, calls in found.items() if calls} == {}


def test_there_are_transactions_to_look_at() -> None:
    blocks = [
        node
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.With) and any(map(opens_transaction, node.items))
    ]
    assert len(blocks) > 40


@pytest.mark.parametrize(
    "inside",
    [
        "workplace.store.get(connection.execute(name).scalar_one())",
        "self._http.post('/')",
        "services.generator.close_draws([])",
        "keep(services)",
        "answer = [services.gateway.models() for one in rows]",
    ],
)
def test_a_far_call_in_a_transaction_is_found(inside: str) -> None:
    called = "def keep(services):\n    services.store.put('a', b'')\n"
    block = f"with read_transaction(engine) as connection, other():\n    if row:\n        {inside}\n"
    assert len(list(far_calls(ast.parse(called + block)))) == 1


@pytest.mark.parametrize(
    "block",
    [
        "with read_transaction(engine) as connection:\n    connection.execute(query)\nstore.get(name)",
        "with write_transaction(engine) as connection:\n    publish(connection, store)",
        "with kept_alive(engine):\n    store.get(name)",
    ],
)
def test_what_stands_outside_is_none(block: str) -> None:
    assert list(far_calls(ast.parse(block))) == []
