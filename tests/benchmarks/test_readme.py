"""The page for those who add a benchmark: its example runs, and what it says of conformance is all there is."""

import re
import subprocess
import sys
from pathlib import Path

from generator_service import benchmarks
from generator_service.proving.conformance import OF_BENCHMARKS, OF_SAMPLES

ROOT = Path(__file__).parents[2]
README = Path(str(benchmarks.__file__)).with_name("README.md")
TOY = ROOT / "tests" / "toy_benchmarks" / "toy" / "__init__.py"


def example() -> str:
    [code] = re.findall(r"^```python\n(.*?)^```$", README.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    return str(code)


def test_the_example_is_the_toy_of_the_tests() -> None:
    assert example() == TOY.read_text("utf-8"), f"copy {TOY.relative_to(ROOT)} into {README.relative_to(ROOT)}"


def test_whoever_copies_the_example_into_a_folder_of_their_own_has_a_benchmark_without_faults(tmp_path: Path) -> None:
    """As the page says: a folder out of the tree, golden items, then conformance."""
    folder = tmp_path / "mine"
    (folder / "copied").mkdir(parents=True)
    (folder / "copied" / "__init__.py").write_text(
        example().replace('name="toy",\n    version=1', 'name="copied",\n    version=1')
    )
    first = run("conformance", folder, tmp_path)
    assert first.returncode == 1
    assert "golden: " in first.stdout
    assert "run `make golden`" in first.stdout
    assert run("golden", folder, tmp_path).returncode == 0
    second = run("conformance", folder, tmp_path)
    assert (second.returncode, second.stdout) == (0, "1 benchmarks, 0 faults\n")


def run(tool: str, folder: Path, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", f"generator_service.proving.{tool}", "copied", "--folder", str(folder)]
    asked = [*command, "--bank", str(tmp_path / "bank")]
    return subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)


def test_every_property_is_described() -> None:
    text = README.read_text("utf-8")
    assert [name for name in OF_SAMPLES if f"`{name}`" not in text] == []
    described = {*OF_SAMPLES, "card", "exempt", "tables"}
    assert set(OF_BENCHMARKS) <= described
    assert "| `tables` |" in text
