"""Every module, file and make target that documents and scripts name is there. The changelog tells of the past."""

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OURS = ("tetrad", "api", "generator_service", "scoring_service", "inference_gateway", "tests", "bench")
DOCUMENTS = sorted(
    [*ROOT.glob("docs/**/*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "tests" / "README.md"]
    + [path for path in ROOT.glob("generator_service/**/*.md") if path.is_file()]
)
ENDINGS = {"", ".sh", ".yaml", ".py", ".md"}
SCRIPTS = sorted(
    [ROOT / "Makefile", ROOT / ".ci" / "run", ROOT / "requirements" / "lock.sh"]
    + [path for path in ROOT.glob("deploy/**/*") if path.suffix in ENDINGS and path.is_file()]
)
RUN = re.compile(r"\bpython3? (?:-\w+ )*-m ([\w.]+)")
APP = re.compile(r"\b([a-z_]+(?:\.[a-z_]+)+):([a-z_]+)\b")
CODE = re.compile(r"`([^`\n]+)`")
FILE = re.compile(r"(?:[\w.-]+/)*\w+\.py|(?:[\w.-]+/)+(?:[\w.-]+\.[a-z]+)?")  # a module, or a path
DOTTED = re.compile(rf"(?:{'|'.join(OURS)})(?:\.\w+)+")
TARGET = re.compile(r"\bmake ([a-z-]+)\b")


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def missing(document: Path, text: str) -> Iterator[str]:
    """Yield what the text names and is not there."""
    yield from (module for module in RUN.findall(text) if not is_module(module))
    yield from (f"{module}:{name}" for module, name in APP.findall(text) if not is_attribute(f"{module}.{name}"))
    if document.suffix == ".md":
        spans = CODE.findall(text)
        yield from (span for span in spans if FILE.fullmatch(span) and not is_file(document, span))
        yield from (span for span in spans if DOTTED.fullmatch(span) and not is_attribute(span))
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
        yield from (f"make {name}" for span in spans for name in TARGET.findall(span) if name not in targets)


def is_module(name: str) -> bool:
    if name.split(".", maxsplit=1)[0] not in OURS:
        return importlib.util.find_spec(name) is not None
    return source_of(name) is not None


def is_attribute(name: str) -> bool:
    """Return whether this is a module of ours, or a name that stands in one."""
    module, _, attribute = name.rpartition(".")
    source = source_of(module)
    found = source is not None and re.search(rf"\b{attribute}\b", source.read_text()) is not None
    return found or source_of(name) is not None or module.split(".")[0] not in OURS


def source_of(module: str) -> Path | None:
    place = ROOT / module.replace(".", "/")
    candidates = (place.with_suffix(".py"), place / "__init__.py", place / "__main__.py")
    return next((path for path in candidates if path.is_file()), None)


def is_file(document: Path, name: str) -> bool:
    """Return whether a document may name a file so: from a folder above it, or a module by its name alone.

    A path that begins with no folder of ours is a user's own file.
    """
    if not name.endswith(".py") and not (ROOT / name.partition("/")[0]).is_dir():
        return True
    above = [folder for folder in document.parents if folder == ROOT or ROOT in folder.parents]
    return any((folder / name).exists() for folder in above) or (
        document.parent != ROOT and any(document.parent.rglob(name))
    )


@pytest.mark.parametrize("document", DOCUMENTS + SCRIPTS, ids=named)
def test_what_is_named_is_there(document: Path) -> None:
    assert list(missing(document, document.read_text())) == []


@pytest.mark.parametrize(
    "text",
    [
        "run `python -m generator_service.corpora.old add`",
        "`tetrad.client.NoClient` has the same verbs",
        "`tetrad.reading.choice` reads it",
        "see `drawing/nowhere.py`",
        "the folder `api/nowhere/`",
        "`make nothing` does it",
        "serve scoring_service.app:create_app",
    ],
)
def test_what_is_gone_is_found(text: str) -> None:
    assert list(missing(ROOT / "docs" / "run.md", text)) != []
