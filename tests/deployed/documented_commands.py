"""The commands of our documents that run in a container, as they stand there: `docker compose exec` and `run`."""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.deployed.compose import ROOT

COMMAND = re.compile(r"docker compose(?P<words>[^`]*?) (?P<verb>exec|run) (?P<rest>[^`]*)")
FLAGS, VALUED = {"-T", "--rm", "--no-deps", "--build"}, {"--user", "--volume", "--env"}
ENDS = {">", "|", "&&", ";"}


@dataclass(frozen=True)
class Documented:
    """A command in a container that runs (`exec`), or in one more of a service (`run`)."""

    place: str
    verb: str
    service: str
    command: tuple[str, ...]
    user: str = ""
    volumes: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()


def find_commands(fill: Mapping[str, str]) -> Iterator[Documented]:
    """Yield the commands of all documents in order; `fill` has what the operator's shell puts for `$NAME`."""
    documents = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "deploy").rglob("*.md"))]
    for path in documents:
        lines = re.sub(r"\\\n\s*", " ", path.read_text()).splitlines()
        for line in lines:
            for found in COMMAND.finditer(line):
                yield read_command(path, found["verb"], _fill(found["rest"], fill))


def _fill(text: str, fill: Mapping[str, str]) -> str:
    for name, value in fill.items():
        text = text.replace(name, value)
    return text


def read_command(path: Path, verb: str, text: str) -> Documented:
    """Return what follows `exec` or `run`.

    Raises:
        ValueError: it has an option that is not known here.
    """
    words = iter(_until_end(shlex.split(text, comments=True)))
    given: dict[str, list[str]] = {name: [] for name in VALUED}
    service = ""
    for word in words:
        if word in VALUED:
            given[word].append(next(words))
        elif word.startswith("-") and word not in FLAGS:
            raise ValueError(f"{path.name}: docker compose {verb} {word} is not tried here")
        elif word not in FLAGS:
            service = word
            break
    return Documented(
        place=path.name,
        verb=verb,
        service=service,
        command=tuple(words),
        user="".join(given["--user"]),
        volumes=tuple(given["--volume"]),
        environment=tuple(given["--env"]),
    )


def _until_end(words: list[str]) -> Iterator[str]:
    for word in words:
        if word in ENDS:
            return
        yield word
