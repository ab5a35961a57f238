"""Explain an item: its program in a sentence, and the scene in plain data."""

from generator_service.benchmarks.visanalog import wording
from generator_service.benchmarks.visanalog.pictures import seen
from generator_service.benchmarks.visanalog.programs import PROGRAMS
from generator_service.benchmarks.visanalog.spec import LABELS, Scene


def describe(scene: Scene) -> tuple[str, dict[str, object]]:
    """Return one explaining sentence, and what lies where in C and D."""
    program = PROGRAMS[scene.program]
    steps = wording.step_words(program)
    right = wording.offered(scene.facts, scene.options[scene.right], scene.query.things)
    return (
        f"The edit is: {'; '.join(steps)}; so ({LABELS[scene.right]}) holds of image D: {right}.",
        {
            "program": {step: program._asdict()[step] for step in program.steps},
            "steps": steps,
            "image_c": seen(scene.query.things, 0),
            "image_d": seen(scene.query.things, scene.program),
        },
    )
