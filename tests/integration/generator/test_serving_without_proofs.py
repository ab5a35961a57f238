"""The generator serves without what proves benchmarks, and without what few processes need and all would wait for."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
START = """
import json, sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"sklearn", "scipy", "trimesh", "boto3"}:
            raise ModuleNotFoundError(f"{name} is blocked by the test")

sys.meta_path.insert(0, Blocked())
BEFORE
from litestar.testing import TestClient
from generator_service.app import create_app
from generator_service.settings import GeneratorSettings

bank, record = sys.argv[1:]
settings = GeneratorSettings(
    seed_secret="s" * 32, practice_token="p" * 32, sealed_token="q" * 32, keys_token="k" * 32,
    database_url=record, sources_url=f"file://{bank}", bank="builtin",
)
with TestClient(create_app(settings)) as client:
    ready = client.get("/health/ready").json()["status"]
proves = [name for name in sys.modules if ".proving" in name or name.endswith(".knowledge")]
import generator_service.commands.__main__
print(json.dumps([ready, proves]))
"""


def started(bank_folder: Path, tmp_path: Path, before: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", START.replace("BEFORE", before), str(bank_folder)]
    record = f"sqlite:///{tmp_path}/generator.sqlite"
    return subprocess.run([*command, record], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)


def test_the_generator_and_its_commands_start_without_them_and_it_loads_nothing_that_proves(
    bank_folder: Path, tmp_path: Path
) -> None:
    ended = started(bank_folder, tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout.splitlines()[-1]) == ["ready", []]


def test_what_is_known_for_proofs_could_not_be_loaded_there(bank_folder: Path, tmp_path: Path) -> None:
    ended = started(bank_folder, tmp_path, before="import generator_service.benchmarks.kiva.knowledge")
    assert ended.returncode != 0
    assert "is blocked by the test" in ended.stderr
