"""The data directory that commit b1a7143 made, unpacked, with the present code's instance running on it."""

import json
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.instance import Instance, running
from tests.upgrading.observing import Observer

FIXTURE = Path(__file__).parent / "data" / "b1a7143.tar.xz"
FRESH = {"conversation": "fresh"}
"""Which of a setting's boards holds what b1a7143 asked: each question in a fresh context."""


@dataclass(frozen=True)
class Upgraded:
    """The fixture's expectations and the instance's replies directly after the upgrade."""

    expected: dict[str, Any]
    reports: dict[str, Any]
    submissions: dict[str, Any]
    boards: list[Any]
    log: list[Any]
    corpora: dict[str, str]
    open: dict[str, Any]

    def of_role(self, *roles: str) -> list[dict[str, Any]]:
        """Return the fixture's submissions that are there for one of these."""
        found = [one for one in self.expected["submissions"] if one["role"] in roles]
        assert found, roles
        return found

    def key(self, team: str) -> str:
        return str(self.expected["teams"][team]["key"])


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with expected.json and home; what code draws is not in it."""
    folder = tmp_path_factory.mktemp("b1a7143")
    with tarfile.open(FIXTURE) as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture(scope="session")
def instance(unpacked: Path, bank_folder: Path) -> Iterator[Instance]:
    """The present code's instance, on the older one's data directory."""
    with running(unpacked / "home", bank_folder) as instance:
        yield instance


@pytest.fixture(scope="session")
def upgraded(instance: Instance, unpacked: Path) -> Iterator[Upgraded]:
    expected = json.loads((unpacked / "expected.json").read_text())
    observers = {name: Observer(instance.url, team["key"]) for name, team in expected["teams"].items()}
    known = {one["id"]: (observers[one["team"]], one) for one in expected["submissions"]}
    first = next(iter(observers.values()))
    yield Upgraded(
        expected=expected,
        boards=[
            first.board(
                {**board["query"], **FRESH, "version": board["board"]["version"]}, bank_of(expected, board["query"])
            )
            for board in expected["boards"]
        ],
        submissions={name: asker.get(f"/v1/submissions/{name}") for name, (asker, _) in known.items()},
        reports={
            name: asker.get(f"/v1/submissions/{name}/report") for name, (asker, one) in known.items() if "report" in one
        },
        log=first.log(),
        corpora=first.corpora(),
        open={name: asker.open_questions(name) for name, (asker, one) in known.items() if "open" in one},
    )
    for observer in observers.values():
        observer.close()


def bank_of(expected: dict[str, Any], query: dict[str, str]) -> str:
    """Return the sources that a board's submissions drew from: since sources are part of a board, one digest."""
    identities = [one["submission"]["identity"] for one in expected["submissions"]]
    (bank,) = {one["bank"] for one in identities if query.items() <= one.items()}
    return str(bank)
