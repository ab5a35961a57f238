"""An upgrade of a benchmark's folder, as a start of the generator finds it: `OLDER` keeps open draws answerable."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TOY = ROOT / "tests" / "toy_benchmarks" / "toy" / "__init__.py"
START = """
import json, pathlib, sys
import msgspec
from generator_service.sealing.record import Record
from generator_service.finding import find_benchmarks
from generator_service.registry import mount
from generator_service.sealing.sealed_draws import Sealing
from tetrad.internal.draws import DrawRequest, ItemAnswers

folder, asked, *others = sys.argv[1:]
found = [one for one in find_benchmarks([pathlib.Path(folder)]) if one.name == "shades"]
mounted = mount(found, pathlib.Path(folder, "sources"))
sealing = Sealing("s" * 32, Record(f"sqlite:///{folder}/generator.sqlite"), mounted)
sealing.check_versions()
identity = dict(nonce="n", benchmark="shades", track="toy", setting="full", parameters={}, size=4)
sealed = [sealing.seal(DrawRequest(submission=name, **identity)).identity.version for name in (asked, *others)]
texts = [sealing.ask(name, [ItemAnswers(item=0)])[0].questions[0].text for name in (asked, *others)]
print(json.dumps(list(zip(sealed, texts))))
sealing.close([asked])
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of benchmarks with one in it: the toy, under a name of its own."""
    place = tmp_path / "shades"
    place.mkdir()
    toy = TOY.read_text().replace('name="toy",\n    version=1', 'name="shades",\n    version=1')
    (place / "__init__.py").write_text(toy)
    return place


def start(folder: Path, *submissions: str) -> subprocess.CompletedProcess[str]:
    """Start, seal these draws unless they are, ask each, and close the first."""
    command = [sys.executable, "-c", START, str(folder.parent), *submissions]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)


def told(ended: subprocess.CompletedProcess[str]) -> list[list[object]]:
    assert ended.returncode == 0, ended.stderr
    versions: list[list[object]] = json.loads(ended.stdout)
    return versions


def test_an_upgrade_keeps_the_older_version_until_its_draws_close(folder: Path) -> None:
    first = (folder / "__init__.py").read_text()
    second = first.replace("version=1", "version=2").replace("What is the", "Which is the")
    old, new = [1, "What is the name of this shade?"], [2, "Which is the name of this shade?"]
    assert told(start(folder, "sub_0", "sub_1")) == [old, old]

    (folder / "__init__.py").write_text(second)  # drops it
    refused = start(folder, "sub_2")
    assert refused.returncode != 0
    assert "1 open of shades version 1" in refused.stderr
    assert "start the release before again" in refused.stderr

    (folder / "first.py").write_text(first)
    older = "from generator_service.benchmarks.shades import first\n\nOLDER = {1: first.BENCHMARK}\n"
    (folder / "__init__.py").write_text(f"{second}\n{older}")
    assert told(start(folder, "sub_1", "sub_2")) == [old, new]

    (folder / "__init__.py").write_text(second)
    assert told(start(folder, "sub_3", "sub_2")) == [new, new]
