"""Fixed puzzles and what they must stay: `python -m tests.benchmarks.marvel.golden` writes them anew.

A change here is a change of output: it needs a new version of the benchmark and a line in the changelog.
"""

import hashlib
import json
from itertools import islice
from pathlib import Path

import msgspec

from generator_service.benchmarks.marvel import BENCHMARK
from generator_service.benchmarks.marvel.pictures import contents
from tests.benchmarks.marvel.items import scenes
from tetrad.contracts.wire import ParameterValue

PATH = Path(__file__).with_name("fixed_items.json")
# Every so many strata of a draw: sheets are large, and examples are sheets, too.
DRAWS: dict[str, tuple[int, str, dict[str, ParameterValue]]] = {
    "panel by panel": (1, "avr-only", {"variant": "panel-by-panel"}),
    "full": (6, "full", {}),
    "few-shot": (9, "few-shot", {"variant": "letters", "shots": 2, "demonstrations": "mixed-configurations"}),
}


def golden() -> dict[str, list[dict[str, object]]]:
    """Return, for one puzzle of every stratum, SHA-256 of scene and questions, keys, SHA-256 of pixels."""
    return {
        name: [
            {
                "scene": _digest(msgspec.json.encode(scene)),
                "questions": _digest(msgspec.json.encode([keyed.question for keyed in BENCHMARK.questions(scene)])),
                "keys": {keyed.question.id: keyed.key.label for keyed in BENCHMARK.questions(scene)},
                "pixels": _digest(b"".join(BENCHMARK.render(None, scene, name).tobytes() for name in contents(scene))),
            }
            for scene in islice(scenes(setting, parameters), 0, None, stride)
        ]
        for name, (stride, setting, parameters) in DRAWS.items()
    }


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


if __name__ == "__main__":
    PATH.write_text(json.dumps(golden(), indent=1) + "\n")
