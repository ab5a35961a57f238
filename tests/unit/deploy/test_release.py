"""A release is what the commit holds: reproducible, of one version in both forms, and refused where it would not be."""

import subprocess
import sys
import tarfile
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from api.client_wheel import Wheel, make_wheel
from deploy import release
from deploy.release import SUMS, ReleaseError, build_release
from tetrad.versions import ROOT


def git(clone: Path, *arguments: str) -> None:
    names = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"]
    subprocess.run(["git", *names, *arguments], cwd=clone, check=True, capture_output=True)


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release") / "clone"
    git(ROOT, "clone", "--quiet", "--no-local", "--no-tags", "--depth", "1", f"file://{ROOT}", str(folder))
    git(folder, "tag", "v9.8.7")
    return folder


def test_wheel_and_sdist_of_a_tag_hold_the_same_package(clone: Path, tmp_path: Path) -> None:
    files = build_release(clone, tmp_path / "dist")
    wheel, sdist = "tetrad-9.8.7-py3-none-any.whl", "tetrad-9.8.7.tar.gz"
    assert set(files) == {wheel, sdist, SUMS} == {path.name for path in (tmp_path / "dist").iterdir()}
    subprocess.run(["sha256sum", "--check", "--strict", SUMS], cwd=tmp_path / "dist", check=True, capture_output=True)
    with tarfile.open(fileobj=BytesIO(files[sdist])) as archive:
        archive.extractall(tmp_path, filter="data")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(build, cwd=tmp_path / "tetrad-9.8.7", check=True, capture_output=True)
    modules = [
        {name: archive.read(name) for name in archive.namelist() if name.startswith("tetrad/")}
        for archive in (zipfile.ZipFile(BytesIO(files[wheel])), zipfile.ZipFile(tmp_path / wheel))
    ]
    assert modules[0] == modules[1]
    assert len(modules[0]) > 100


def test_what_is_not_committed_is_in_no_release(clone: Path, tmp_path: Path) -> None:
    (clone / "tetrad" / "later.py").touch()
    with pytest.raises(ReleaseError, match=r"later\.py"):
        build_release(clone, tmp_path / "dist")
    (clone / "tetrad" / "later.py").unlink()
    assert not (tmp_path / "dist").exists()


def test_a_build_that_is_not_reproducible_writes_nothing(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[Wheel] = []

    def make_another(root: Path, version: str) -> Wheel:
        made = make_wheel(root, version)
        built.append(Wheel(made.name, made.body + bytes(len(built)), made.sha256))
        return built[-1]

    monkeypatch.setattr(release, "make_wheel", make_another)
    with pytest.raises(ReleaseError, match=r"second build of tetrad-9.8.7-py3"):
        build_release(clone, tmp_path / "dist")
    assert not (tmp_path / "dist").exists()
