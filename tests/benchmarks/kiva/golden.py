"""Fixed trials of the block bank and what they must stay: `python -m tests.benchmarks.kiva.golden` writes them anew.

A change here is a change of output: it needs a new version of the benchmark and a line in the changelog.
"""

import hashlib
import json
from pathlib import Path

import msgspec

from generator_service.benchmarks.kiva import BENCHMARK
from generator_service.benchmarks.kiva.pictures import contents
from tests.benchmarks.kiva.blocks import block_bank
from tests.benchmarks.kiva.trials import trials
from tetrad.contracts.wire import ParameterValue

PATH = Path(__file__).with_name("fixed_items.json")
DRAWS: dict[str, tuple[str, str, dict[str, ParameterValue]]] = {
    "kiva, balanced, separate": ("kiva", "full", {"repeats": 2}),
    "kiva, published, composite": (
        "kiva",
        "full",
        {"distractors": "published", "presentation": "composite", "background": "white"},
    ),
    "kiva, solved examples, cropped": ("kiva", "given-classification", {"in_context": 2, "crop": 92, "no_change": 0}),
    "adults, balanced": ("kiva-adults", "full", {}),
    "adults, published, told": ("kiva-adults", "given-specification", {"distractors": "published", "wording": "child"}),
    "adults, sentence": ("kiva-adults", "extrapolation-only", {"presentation": "sentence", "background": "black"}),
    "compositionality": ("kiva-compositionality", "full", {}),
    "compositionality, eight mixtures": (
        "kiva-compositionality",
        "full",
        {"mixtures": "eight", "presentation": "composite", "background": "white"},
    ),
    "compositionality, composite": ("kiva-compositionality", "extrapolation-only", {"presentation": "composite"}),
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
            for scene in list(trials(bank, 1, setting, track, **parameters))[
                :: 1 if setting == "full" and track == "kiva" else 3
            ]
        ]
        for name, (track, setting, parameters) in DRAWS.items()
    }


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


if __name__ == "__main__":
    PATH.write_text(json.dumps(golden(), indent=1) + "\n")
