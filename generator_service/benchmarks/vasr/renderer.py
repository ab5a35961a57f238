"""Draw the picture of a state: the people, things and places of the source, composed."""

from generator_service.benchmark import PictureArray
from generator_service.benchmarks.vasr.spec import Scene
from generator_service.drawing.people.composing import Look, People, Situation, composed


def render(people: People, scene: Scene, name: str) -> PictureArray:
    """Return a picture of 512 x 512 pixels; KeyError for a name that the scene does not have."""
    state, look = scene.state(name), scene.looks[scene.pictures[name]]
    return composed(people, Situation(state.verb, dict(state.values)), Look(**look)).picture
