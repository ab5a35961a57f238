import json
from pathlib import Path

from generator_service.benchmarks.carv.bank import load_bank
from tests.benchmarks.carv.golden import PATH, golden


def test_fixed_items_stay_as_they_are(bank_folder: Path) -> None:
    assert golden(load_bank(bank_folder)) == json.loads(PATH.read_text())
