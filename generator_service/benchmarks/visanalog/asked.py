"""Put together what an item asks: the values of its facts under every program, its question and options in words."""

from typing import NamedTuple

from generator_service.benchmarks.visanalog import wording
from generator_service.benchmarks.visanalog.facts import option_values
from generator_service.benchmarks.visanalog.families import family_name
from generator_service.benchmarks.visanalog.photographs.facts import photograph_values
from generator_service.benchmarks.visanalog.photographs.families import family_of
from generator_service.benchmarks.visanalog.photographs.wording import photograph_asks, photograph_offers
from generator_service.benchmarks.visanalog.programs import Ints
from generator_service.benchmarks.visanalog.scenes.wording import scene_asks, scene_offers
from generator_service.benchmarks.visanalog.spec import Fact, Gathering, Photograph, Scene, Shown


class Asked(NamedTuple):
    """The question of an item: its words, its options in their order, and the family that they are of."""

    question: str
    options: tuple[str, ...]
    family: str


def values_of(picture: Shown, facts: tuple[Fact, ...]) -> Ints:
    """Return the values of all facts of a picture under every program, (programs, facts), read-only."""
    if isinstance(picture, Photograph):
        return photograph_values(picture, facts)
    return option_values(picture.things, facts)


def asked_of(scene: Scene) -> Asked:
    """Return the words of an item."""
    query, facts = scene.query, scene.facts
    if isinstance(query, Photograph):
        offered = tuple(photograph_offers(facts, values) for values in scene.options)
        return Asked(photograph_asks(facts, query.things), offered, family_of(facts))
    family = family_name(tuple(fact.kind for fact in facts))
    if isinstance(query, Gathering):
        offered = tuple(scene_offers(facts, values, query.things) for values in scene.options)
        return Asked(scene_asks(facts, scene.options[0], query.things), offered, family)
    offered = tuple(wording.word_option(facts, values, query.things) for values in scene.options)
    return Asked(wording.word_question(facts, query.things), offered, family)
