"""Fixed items and what they must stay: `python -m tests.benchmarks.carv.golden` writes them anew.

A change here is a change of output: it needs a new version of the benchmark and a line in the changelog.
"""

import hashlib
import json
import os
from pathlib import Path

import msgspec

from generator_service.benchmarks.carv import BENCHMARK
from generator_service.benchmarks.carv.bank import CarvBank, load_bank
from generator_service.benchmarks.carv.spec import SETTINGS, TRACKS
from tests.benchmarks.carv.items import items

PATH = Path(__file__).with_name("fixed_items.json")
EACH = 6


def golden(bank: CarvBank) -> dict[str, object]:
    """Return the bank's digest, and for items of each track SHA-256 of scene and questions, keys, and of pixels."""
    drawn = {
        f"{track}, {setting}": [
            {
                "scene": _digest(msgspec.json.encode(scene)),
                "question": _digest(msgspec.json.encode(BENCHMARK.questions(scene)[0].question)),
                "key": BENCHMARK.questions(scene)[0].key.label,
            }
            for _, scene in items(track, EACH, setting)
        ]
        for track in TRACKS
        for setting in SETTINGS
    }
    [(_, shown), *_] = items("different-source", 1)
    pixels = _digest(b"".join(BENCHMARK.render(bank, shown, name).tobytes() for name in "12345"))
    return {"bank": bank.digest, "pixels": pixels, "items": drawn}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


if __name__ == "__main__":
    folder = Path(os.environ.get("TETRAD_SOURCES") or Path(__file__).parents[3] / "var" / "sources")
    PATH.write_text(json.dumps(golden(load_bank(folder)), indent=1) + "\n")
