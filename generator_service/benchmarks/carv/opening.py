"""Return the open questions of an item: its only one, from the start."""

from generator_service.benchmark import ExtractedAnswers
from generator_service.benchmarks.carv.spec import DIAGNOSIS, Scene


def next_questions(scene: Scene, _extracted: ExtractedAnswers) -> tuple[str, ...]:
    return ("diagnosis" if scene.setting == DIAGNOSIS else "caption",)
