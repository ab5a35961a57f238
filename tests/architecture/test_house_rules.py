"""The house's rules that no linter knows: names, leftovers, the layout."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.banned_names import banned_names

ROOT = Path(__file__).parents[2]
VAGUE = re.compile(r"^(utils?|helpers?|common|base|managers?|misc|core)$")
LEFTOVER = re.compile(
    "|".join(
        [r"\bTO" + r"DO\b", r"\bFIX" + r"ME\b", r"\bXX" + r"X\b", "Not" + "ImplementedError", "pragma: no " + "cover"]
    )
)
# Rule 16: a docstring says what a thing does or is ("Return the open questions."), not "What is open" as a noun clause.
NOUN_CLAUSE = re.compile(r"(What|How|Who|Whose|Which|Whether|When|Where)\b")
IN_PLAIN_SENTENCES = (
    *("api", "generator_service", "inference_gateway", "scoring_service"),
    *(
        "tetrad/client",
        "tetrad/contracts",
        "tetrad/extraction",
        "tetrad/internal",
        "tetrad/prompting",
        "tetrad/server",
        "tetrad/solvers",
    ),
)
PRODUCT = ("api", "bench", "deploy", "generator_service", "inference_gateway", "scoring_service", "tetrad")
GLOBAL_RANDOMNESS = re.compile(
    r"np\.random\.(seed|rand|randint|choice|shuffle)\(|(?<![\w.])random\.(seed|random|choice|shuffle|randint)\("
)
# Nobody owns our name on an index: whoever registered it would run code with users' keys. An address stands behind it.
NAME = r"""["']?\btetrad\b(?:\[[a-z,]+\])?+"""
FROM_AN_INDEX = re.compile(
    "|".join(
        [
            rf"\b(?:install|uvx|pipx run|uv add|poetry add|--with)\b[^\n`|;&#]*?[\s=]{NAME}(?![\w./\[{{:-]|\s*@)",
            rf"(?:default|PACKAGE|package) *[:=] *{NAME}[\"']? *$",
            rf"^\W*{NAME} *[=>~]=",
        ]
    ),
    re.MULTILINE,
)
HERE = (str(ROOT) + "/", str(Path.home()) + "/")


def listed() -> list[Path]:
    """Return what git holds, or would with `git add`."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    return [ROOT / name for name in names if name]


def tracked(suffix: str = "") -> list[Path]:
    return [path for path in listed() if path.name.endswith(suffix) and path.is_file()]


PYTHON = tracked(".py")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_there_is_python_to_look_at() -> None:
    assert len(PYTHON) > 50


def is_test(path: Path) -> bool:
    return "tests" in path.relative_to(ROOT).parts


def test_files_are_named_for_what_they_do() -> None:
    named = {path: path.stem if path.stem != "__init__" else path.parent.name for path in PYTHON}
    assert [name_of(path) for path, name in named.items() if VAGUE.match(name)] == []


def test_files_hold_no_leftovers() -> None:
    assert [name_of(path) for path in PYTHON if LEFTOVER.search(path.read_text())] == []


def noun_clauses(source: str) -> Iterator[str]:
    """Yield the first lines of docstrings that are noun clauses."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            documented = ast.get_docstring(node) or ""
            if NOUN_CLAUSE.match(documented):
                yield documented.partition("\n")[0]


def test_docstrings_are_statements() -> None:
    folders = [ROOT / folder for folder in IN_PLAIN_SENTENCES]
    paths = [path for path in PYTHON if any(folder in path.parents for folder in folders)]
    assert [(name_of(path), clause) for path in paths for clause in noun_clauses(path.read_text())] == []


def test_a_docstring_that_is_a_noun_clause_is_found() -> None:
    assert list(noun_clauses('def one() -> None:\n    """What opens a question."""\n')) == ["What opens a question."]
    assert list(noun_clauses('def one() -> None:\n    """Return what opens a question."""\n')) == []


def banned_below(folder: str) -> list[str]:
    paths = [path for path in PYTHON if ROOT / folder in path.parents]
    return [f"{name_of(path)}:{line}: {name}" for path in paths for line, name in banned_names(path.read_text())]


@pytest.mark.parametrize("folder", PRODUCT)
def test_loop_variables_and_functions_have_names_that_tell_something(folder: str) -> None:
    assert banned_below(folder) == []


@pytest.mark.parametrize(
    ("source", "banned"),
    [
        ("for one in rows: pass", ["one"]),
        ("async def look():\n    async for one in rows: pass", ["one"]),
        ("names = [one.name for one in rows]", ["one"]),
        ("names = {name: one for name, (one, _) in rows}", ["one"]),
        ("def told(text): ...", ["told"]),
        ("class Asked:\n    async def _checked(self): ...", ["_checked"]),
        ("for row in rows: pass\nnames = [row.name for row in rows]\none = 1", []),
        ("def tell_listener(text): ...\ndef embed(text): ...\ndef is_told(text): ...\ndef checked_body(text): ...", []),
        ("class Asked:\n    @property\n    def told(self): ...\n    @cached_property\n    def asked(self): ...", []),
    ],
)
def test_a_name_that_tells_nothing_is_found(source: str, banned: list[str]) -> None:
    assert [name for _, name in banned_names(source)] == banned


def test_nothing_of_the_product_draws_from_a_global_generator() -> None:
    assert [name_of(path) for path in PYTHON if not is_test(path) and GLOBAL_RANDOMNESS.search(path.read_text())] == []


def test_no_file_holds_a_path_of_this_machine() -> None:
    texts = (path for path in tracked() if path.suffix in {".py", ".md", ".toml", ".yaml", ".txt", ".sh", ".json", ""})
    assert [name_of(path) for path in texts if any(here in path.read_text(errors="replace") for here in HERE)] == []


def test_nothing_in_the_tree_is_a_link() -> None:
    """A linked virtual environment leads to a folder of one machine, and stands where `make` wants to make its own."""
    assert [name_of(path) for path in listed() if path.is_symlink()] == []


def test_nothing_tells_anyone_to_install_our_name_from_an_index() -> None:
    texts = [path for path in tracked() if path.suffix in {".py", ".md", ".toml", ".yaml", ".yml", ".txt", ".sh", ""}]
    found = [(name_of(path), FROM_AN_INDEX.findall(path.read_text(errors="replace"))) for path in texts]
    assert [(name, lines) for name, lines in found if lines and name != name_of(Path(__file__))] == []


@pytest.mark.parametrize(
    "line",
    [
        "pip install tetrad",
        "run: python -m pip install --quiet 'tetrad[solvers]'",
        'pip install --upgrade "tetrad" numpy',
        "pip install numpy tetrad==0.1.0",
        "uv tool install tetrad",
        "uvx tetrad ci",
        "pipx run tetrad",
        "uv add tetrad",
        "    default: tetrad",
        "TETRAD_PACKAGE: tetrad[inspect]",
        "tetrad>=0.1",
    ],
)
def test_an_install_from_an_index_is_found(line: str) -> None:
    assert FROM_AN_INDEX.search(line)


@pytest.mark.parametrize(
    "line",
    [
        'pip install "tetrad @ https://tetrad.example.org/client/tetrad-0.1.0-py3-none-any.whl#sha256=0"',
        'pip install "tetrad[solvers] @ ADDRESS"',
        "pip install .",
        "`pip install .` installs `tetrad` into an environment",
        "pip install -r tetrad/requirements.txt",
    ],
)
def test_an_install_from_an_address_or_a_clone_is_none(line: str) -> None:
    assert not FROM_AN_INDEX.search(line)


def test_no_tracked_file_is_large() -> None:
    assert [name_of(path) for path in tracked() if path.stat().st_size > 1_000_000] == []


def test_the_top_level_is_the_layout() -> None:
    allowed = {
        "api",
        "generator_service",
        "scoring_service",
        "inference_gateway",
        "deploy",
        "tests",
        "openapi",
        "tetrad",
        "docs",
        "requirements",
        "bench",
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "CITATION.cff",
        "SECURITY.md",
        "LICENSE",
        "Makefile",
        "pyproject.toml",
    }
    tops = {path.relative_to(ROOT).parts[0] for path in tracked()}
    assert {top for top in tops if not top.startswith(".")} <= allowed


def test_pools_of_processes_come_from_the_module_whose_workers_end_with_their_parent() -> None:
    made = {name_of(path) for path in PYTHON if "ProcessPoolExecutor(" in path.read_text() and path != Path(__file__)}
    assert made == {"generator_service/drawing/parallel.py"}
