"""Fixed trials of the block bank and what they must stay: `python -m tests.benchmarks.kiva.golden` writes them anew.

A change here is a change of output: it needs a new version of the benchmark and a line in the changelog.
"""

import hashlib
import json
from pathlib import Path

import msgspec

from generator_service.benchmarks import kiva
from generator_service.benchmarks.kiva import BENCHMARK
from generator_service.benchmarks.kiva.pictures import contents
from tests.benchmarks.kiva.blocks import block_bank
from tests.benchmarks.kiva.trials import trials

PATH = Path(kiva.__file__).with_name("golden.json")
DRAWS = {
    "balanced, separate": {"repeats": 2},
    "published, composite": {"distractors": "published", "presentation": "composite", "background": "white"},
}


def golden() -> dict[str, list[dict[str, object]]]:
    """Return, for one trial of every cell of each draw, SHA-256 of scene and questions, keys, SHA-256 of pixels."""
    bank = block_bank()
    return {
        name: [
            {
                "scene": _digest(msgspec.json.encode(scene)),
                "questions": _digest(msgspec.json.encode([keyed.question for keyed in BENCHMARK.questions(scene)])),
                "keys": {keyed.question.id: keyed.key.label for keyed in BENCHMARK.questions(scene)},
                "pixels": _digest(b"".join(BENCHMARK.render(bank, scene, name).tobytes() for name in contents(scene))),
            }
            for scene in trials(bank, 1, **parameters)  # type: ignore[arg-type]
        ]
        for name, parameters in DRAWS.items()
    }


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


if __name__ == "__main__":
    PATH.write_text(json.dumps(golden(), indent=1) + "\n")
