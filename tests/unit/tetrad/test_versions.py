"""The package's version: of a tag, of a commit, of an image, of neither."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from packaging.version import Version

import tetrad
from tetrad import versions
from tetrad.versions import RELEASE, ROOT, find_version, revision_in, version_of

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def git(folder: Path, *command: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    return subprocess.run(
        ["git", *who, *command], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.mark.parametrize(
    ("revision", "expected"),
    [
        ("v0.1.0", "0.1.0"),
        ("v1.2.0rc1", "1.2.0rc1"),
        (COMMIT, f"{RELEASE}.dev0+g0123456789ab"),
        ("", f"{RELEASE}.dev0"),
    ],
)
def test_a_version_names_the_tag_or_the_commit(revision: str, expected: str) -> None:
    assert version_of(revision) == expected
    assert str(Version(expected)) == expected, "as PEP 440 writes it"


def test_a_commit_comes_before_the_release_that_it_leads_to() -> None:
    assert Version(version_of(COMMIT)) < Version(RELEASE)


@pytest.mark.parametrize(
    ("file", "names"), [("CITATION.cff", {"version"}), ("deploy/helm/tetrad/Chart.yaml", {"version", "appVersion"})]
)
def test_what_is_cited_and_the_chart_name_the_release(file: str, names: set[str]) -> None:
    named = yaml.safe_load((ROOT / file).read_text())
    assert {name: named[name] for name in names} == dict.fromkeys(names, RELEASE)


def test_git_is_asked_for_the_tag_then_for_the_commit(tmp_path: Path) -> None:
    assert revision_in(tmp_path) == ""
    git(tmp_path, "init", "--quiet")
    assert revision_in(tmp_path) == "", "nothing is committed"
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", "first")
    commit = git(tmp_path, "rev-parse", "HEAD")
    git(tmp_path, "tag", "--annotate", "nightly", "--message", "no release")
    assert revision_in(tmp_path) == commit
    git(tmp_path, "tag", "--annotate", "v0.2.0", "--message", "a release")
    assert revision_in(tmp_path) == "v0.2.0"
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", "second")
    assert revision_in(tmp_path) == git(tmp_path, "rev-parse", "HEAD")
    (below := tmp_path / "an archive of sources").mkdir()
    assert revision_in(below) == "", "the clone above it is another project's"


def test_an_image_takes_its_revision_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "ROOT", tmp_path)
    (tmp_path / "pyproject.toml").touch()
    find = find_version.__wrapped__
    assert find() == f"{RELEASE}.dev0"
    (tmp_path / "REVISION").write_text(COMMIT)
    assert find() == f"{RELEASE}.dev0+g0123456789ab"
    (tmp_path / "REVISION").write_text("v0.1.0\n")
    assert find() == "0.1.0"


def test_the_command_line_and_the_package_say_it() -> None:
    said = subprocess.run(
        [sys.executable, "-m", "tetrad", "--version"], capture_output=True, text=True, check=True
    ).stdout
    assert said.strip() == tetrad.__version__ == find_version()


def test_a_start_of_the_command_line_starts_no_git() -> None:
    hook = "lambda event, _: event == 'subprocess.Popen' and sys.exit('a process was started')"
    subprocess.run([sys.executable, "-c", f"import sys; sys.addaudithook({hook}); import tetrad.cli.main"], check=True)
