"""The domain of the api knows no HTTP: it raises errors of its own, and one table knows their statuses."""

import ast
import subprocess
import sys
from http import HTTPStatus
from pathlib import Path

import pytest

import api
from api import errors
from api.errors import CapReachedError, DomainError, UnknownKeyError
from api.http.problems import CHALLENGE, problem_of, status_of

ROOT = Path(api.__file__).parent
DOMAIN = ("submissions", "teams", "boards", "practice", "operator", "upstream")
MODULES = sorted(
    [
        *(path for folder in DOMAIN for path in (ROOT / folder).rglob("*.py")),
        *map(ROOT.joinpath, ("errors.py", "context.py")),
    ]
)
WITHOUT_HTTP = """
import importlib, sys
for name in ("litestar", "tetrad.server.problems"):
    sys.modules[name] = None
for name in sys.argv[1:]:
    importlib.import_module(name)
"""


def every_error(kind: type[DomainError] = DomainError) -> list[type[DomainError]]:
    return [kind, *(one for child in kind.__subclasses__() for one in every_error(child))]


def names_of_statuses(path: Path) -> list[str]:
    """Return where a module names a status: a number of one, or HTTPStatus."""
    numbers = {status.value for status in HTTPStatus if status >= HTTPStatus.BAD_REQUEST} - {500}  # as many rows a page
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        is_number = isinstance(node, ast.Constant) and type(node.value) is int and node.value in numbers
        if is_number or (isinstance(node, ast.Name) and node.id in {"HTTPStatus", "ProblemError"}):
            found.append(f"{path.relative_to(ROOT)}: {ast.unparse(node)}")
    return found


def test_the_domain_is_imported_without_litestar_and_without_problems() -> None:
    names = [
        ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__") for path in MODULES
    ]
    assert len(names) > 25
    done = subprocess.run([sys.executable, "-c", WITHOUT_HTTP, *names], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_domain_names_no_status() -> None:
    assert [place for path in MODULES for place in names_of_statuses(path)] == []


@pytest.mark.parametrize("kind", [one for one in every_error() if one is not DomainError])
def test_every_error_of_the_domain_has_a_status(kind: type[DomainError]) -> None:
    assert 400 <= status_of(kind("")) < 600
    assert kind.__module__ == errors.__name__
    assert kind.__doc__


def test_a_problem_holds_the_words_the_faults_and_when_to_ask_again() -> None:
    error = CapReachedError.at("size", 9, "is too much", "ask for less")
    error.retry_after = 7
    problem = problem_of(error)
    assert (problem.status, problem.detail) == (429, "size: is too much; ask for less")
    assert problem.headers == {"Retry-After": "7"}
    [fault] = problem.faults
    assert (fault.field, fault.value, fault.problem, fault.remedy) == ("size", "9", "is too much", "ask for less")
    assert problem_of(UnknownKeyError("")).headers == CHALLENGE
