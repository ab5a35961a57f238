"""The wheel that an instance serves: the same bytes for the same files, and what hatchling builds of them."""

import base64
import email
import hashlib
import os
import shutil
import subprocess
import sys
import time
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from api.client_wheel import Wheel, make_wheel
from tetrad.versions import ROOT, find_version

VERSION = "0.1.0.dev0+g0123456789ab"


def contents(body: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(BytesIO(body)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def wheel() -> Wheel:
    return make_wheel(ROOT, VERSION)


def test_another_folder_another_time_and_other_modes_make_the_same_bytes(
    wheel: Wheel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "elsewhere"
    for name in sorted(["pyproject.toml", "LICENSE"], reverse=True):
        copy.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, copy)
    shutil.copytree(ROOT / "tetrad", copy / "tetrad")
    (copy / "tetrad" / "notes.txt").write_text("a file that is no module")
    for path in copy.rglob("*.py"):
        os.utime(path, (1e9, 1e9))
        path.chmod(0o600)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    time.tzset()
    again = make_wheel(copy, VERSION)
    assert (again.name, again.sha256) == (wheel.name, wheel.sha256)
    assert again.body == wheel.body
    assert wheel.sha256 == hashlib.sha256(wheel.body).hexdigest()
    (copy / "tetrad" / "__init__.py").write_text("")
    assert make_wheel(copy, VERSION).sha256 != wheel.sha256


def test_it_holds_what_hatchling_builds(tmp_path: Path) -> None:
    """Hatchling is what `pip install .` builds with. The long description is for an index, and is left out here."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (built,) = tmp_path.glob("*.whl")
    ours, theirs = make_wheel(ROOT, find_version()), contents(built.read_bytes())
    assert ours.name == built.name
    served = contents(ours.body)
    assert served.keys() == theirs.keys()
    differing = {name.partition("/")[2] for name, body in served.items() if body != theirs[name]}
    assert differing <= {"METADATA", "WHEEL", "RECORD", "entry_points.txt"}
    about = f"tetrad-{find_version()}.dist-info"
    points = [each[f"{about}/entry_points.txt"].decode().split() for each in (served, theirs)]
    assert sorted(points[0]) == sorted(points[1])
    fields = [email.message_from_bytes(each[f"{about}/METADATA"]) for each in (served, theirs)]
    mine, his = (sorted((name, " ".join(text.split())) for name, text in each.items()) for each in fields)
    others = {"Description-Content-Type", "Metadata-Version"}
    assert [field for field in mine if field[0] not in others] == [field for field in his if field[0] not in others]
    assert fields[0]["Description-Content-Type"] == "text/markdown"
    assert str(fields[0].get_payload()).strip().startswith(fields[0]["Summary"]), "what an index shows of it"


def test_an_image_makes_it_without_git_or_a_build_tool(tmp_path: Path) -> None:
    recipe = (ROOT / "deploy" / "Dockerfile").read_text()
    assert "COPY LICENSE pyproject.toml ./" in recipe
    assert "> REVISION" in recipe
    for name in ("LICENSE", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    for name in ("tetrad", "api"):
        shutil.copytree(ROOT / name, tmp_path / name)
    (tmp_path / "REVISION").write_text("fedcba9876543210fedcba9876543210fedcba98")
    made = (
        "from api.client_wheel import client_wheel; import sys; print(client_wheel().name, 'hatchling' in sys.modules)"
    )
    bare = {"PATH": "", "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-P", "-c", made], cwd=tmp_path, env=bare, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["tetrad-0.1.0.dev0+gfedcba987654-py3-none-any.whl", "False"], done.stderr


def test_its_record_names_every_file_with_its_digest(wheel: Wheel) -> None:
    held = contents(wheel.body)
    record = next(name for name in held if name.endswith("/RECORD"))
    for line in held.pop(record).decode().splitlines():
        name, digest, size = line.rsplit(",", 2)
        if name == record:
            assert (digest, size) == ("", "")
            continue
        body = held.pop(name)
        expected = base64.urlsafe_b64encode(hashlib.sha256(body).digest()).decode().rstrip("=")
        assert (digest, size) == (f"sha256={expected}", str(len(body)))
    assert held == {}
