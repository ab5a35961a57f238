"""Explain an item: its program in a sentence, and the scene in plain data."""

from generator_service.benchmarks.visanalog import wording
from generator_service.benchmarks.visanalog.asked import asked_of
from generator_service.benchmarks.visanalog.pictures import seen
from generator_service.benchmarks.visanalog.programs import PROGRAMS
from generator_service.benchmarks.visanalog.spec import LABELS, Photograph, Scene


def describe(scene: Scene) -> tuple[str, dict[str, object]]:
    """Return one explaining sentence, and what lies where in C and D; of a photograph the pose that C is shown in."""
    program = PROGRAMS[scene.program]
    steps = wording.step_words(program)
    right = asked_of(scene).options[scene.right]
    query = scene.query
    if isinstance(query, Photograph):
        shown: dict[str, object] = {"image_c_pose": query.pose, "image_c_hue": 90 * query.hue}
    else:
        shown = {"image_c": seen(query.things, 0), "image_d": seen(query.things, scene.program)}
    return (
        f"The edit is: {'; '.join(steps)}; so ({LABELS[scene.right]}) holds of image D: {right}.",
        {
            "program": {step: program._asdict()[step] for step in program.steps},
            "steps": steps,
            **shown,
        },
    )
