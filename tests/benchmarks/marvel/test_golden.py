import json

from tests.benchmarks.marvel.golden import PATH, golden


def test_fixed_puzzles_stay_as_they_are() -> None:
    assert golden() == json.loads(PATH.read_text())
