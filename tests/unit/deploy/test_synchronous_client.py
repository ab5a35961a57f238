"""The synchronous client is the asynchronous one, word for word."""

from pathlib import Path

import pytest

from deploy.drift import write_or_compare
from deploy.synchronous_client import CLIENT, main, make_synchronous


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("asynchronous.py", "synchronous.py"):
        (tmp_path / name).write_text((CLIENT / name).read_text())
    return tmp_path


def test_the_synchronous_client_is_what_the_asynchronous_one_makes() -> None:
    assert main(["--check"]) == 0


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("synchronous.py", "limit: int = 500", "limit: int = 50"),
        ("asynchronous.py", "limit: int = 500", "limit: int = 50"),
        ("asynchronous.py", "until it is done", "until it is over"),
    ],
)
def test_a_change_of_one_of_the_two_alone_is_found_and_mended(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str, old: str, new: str
) -> None:
    changed = folder / name
    assert old in changed.read_text()
    changed.write_text(changed.read_text().replace(old, new))
    assert main(["--check"], folder) == 1
    assert "run `make client`" in capsys.readouterr().err
    assert main([], folder) == 0
    assert main(["--check"], folder) == 0


def test_an_argument_that_is_none_writes_nothing(tmp_path: Path) -> None:
    assert write_or_compare(tmp_path / "page.md", "made", ["--help"], "it") == 2
    assert [*tmp_path.iterdir()] == []


def test_a_word_that_stands_for_none_is_named() -> None:
    with pytest.raises(ValueError, match="no synchronous word for AsyncGenerator: add it to WORDS"):
        make_synchronous("from collections.abc import AsyncGenerator\n")
