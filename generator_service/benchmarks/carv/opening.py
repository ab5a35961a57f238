"""Which questions are open: the only one, from the start."""

from generator_service.benchmark import Readings
from generator_service.benchmarks.carv.spec import DIAGNOSIS, Scene


def opens(scene: Scene, _readings: Readings) -> tuple[str, ...]:
    return ("diagnosis" if scene.setting == DIAGNOSIS else "caption",)
