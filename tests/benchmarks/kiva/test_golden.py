import json

from tests.benchmarks.kiva.golden import PATH, golden


def test_fixed_trials_stay_as_they_are() -> None:
    assert golden() == json.loads(PATH.read_text())
