"""Every verb makes a picture of every kind of agent, with a box for every value that the frame names."""

from random import Random

import numpy as np
import pytest
from PIL import Image

from generator_service.drawing.canvas import Picture
from generator_service.drawing.people.arranging import Actor, Sprite
from generator_service.drawing.people.composing import (
    CHOICES,
    Composed,
    Look,
    Situation,
    _draw_actor,
    _draw_sprite,
    _Frame,
    _Laid,
    boxes_of,
    compose_situation,
    place_picture_of,
)
from generator_service.drawing.people.dyes import LIGHTS, light_picture
from generator_service.drawing.people.layers import Anchor, PersonLayer
from generator_service.drawing.people.places import SIDE, VARIANTS
from generator_service.drawing.people.situations import ARRANGEMENTS
from generator_service.drawing.people.things import SCENERY, THINGS, codes
from generator_service.drawing.people.vocabulary import PLACES, VALUES, VERBS, Verb, values_of
from tests.unit.generator_service.drawing.people.conftest import Mannequins

LEAST = 0.04  # of the picture, the box of whatever can be asked about


def _situation(verb: Verb, rng: Random, agent: str) -> Situation:
    values: dict[str, str] = {role: rng.choice(values_of(verb, role)).name for role in verb.roles}
    return Situation(verb.name, values | {"agent": agent})


def _composed(mannequins: Mannequins, verb: Verb, agent: str, look: Look) -> Composed:
    return compose_situation(mannequins, _situation(verb, Random(verb.name), agent), look)


def test_every_verb_is_arranged_and_every_value_has_a_picture() -> None:
    assert set(ARRANGEMENTS) == {verb.name for verb in VERBS}
    pictured = {value.name for role in ("item", "tool", "vehicle", "victim") for value in VALUES[role]}
    assert pictured <= set(THINGS)
    assert len({THINGS[name].code for name in pictured}) == len(pictured)
    assert set(SCENERY.values()) <= set(codes())


@pytest.mark.parametrize("light", range(len(LIGHTS)))
def test_a_light_leaves_of_each_value_its_share_and_alpha_as_it_is(light: int) -> None:
    values = np.arange(256 * 4).reshape(64, 16) % 256
    lit = light_picture(np.stack([values] * 4, axis=-1).astype(np.uint8), light)
    assert np.array_equal(lit, np.stack([values * share // 256 for share in (*LIGHTS[light], 256)], axis=-1))


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_a_picture_has_a_large_box_for_every_value(verb: Verb, mannequins: Mannequins) -> None:
    for agent in ("man", "zebra") if verb.animals else ("man",):
        found = _composed(mannequins, verb, agent, Look(mirrored=0))
        assert found.picture.shape == (SIDE, SIDE, 4)
        assert set(found.boxes) == set(verb.roles) - {"place"}
        for role, (left, top, right, bottom) in found.boxes.items():
            assert 0 <= left < right <= SIDE
            assert 0 <= top < bottom <= SIDE
            assert (right - left) * (bottom - top) >= LEAST * SIDE * SIDE, (agent, role)


class Toddlers(Mannequins):
    """Everybody is two thirds as tall."""

    def person(self, who: str, pose: str) -> PersonLayer:
        layer = super().person(who, pose)
        rows, columns = ([int(place * 1.5) for place in range(side * 2 // 3)] for side in layer.part.shape)
        part, shade, depth = (plane[rows][:, columns] for plane in (layer.part, layer.shade, layer.depth))
        anchors = {name: Anchor(one.x * 2 // 3, one.y * 2 // 3, one.depth) for name, one in layer.anchors.items()}
        return PersonLayer(layer.left * 2 // 3, layer.top * 2 // 3, part, shade, depth, anchors, layer.worn)


def test_whoever_is_small_is_shown_larger() -> None:
    """A child that lies on a boat, or stands beside a fuel pump, would have under 3% of the picture."""
    people = Toddlers()
    for verb in VERBS[::3]:
        situation, look = _situation(verb, Random(verb.name), "boy"), Look(closeness=3)
        found = compose_situation(people, situation, look)
        assert boxes_of(people, situation, look) == found.boxes
        for role, (left, top, right, bottom) in found.boxes.items():
            assert (right - left) * (bottom - top) >= LEAST * SIDE * SIDE, (situation, role)


def test_boxes_are_known_without_drawing(mannequins: Mannequins) -> None:
    for number, verb in enumerate(VERBS[::7]):
        for agent in ("man", "horse"):
            if not any(value.name == agent for value in values_of(verb, "agent")):
                continue
            look = Look(who=number % 4, mirrored=number % 2, shift=number % 9, closeness=number % 4)
            situation = _situation(verb, Random(verb.name), agent)
            assert boxes_of(mannequins, situation, look) == compose_situation(mannequins, situation, look).boxes


def test_a_mirrored_picture_is_the_mirror_image_and_so_are_its_boxes(mannequins: Mannequins) -> None:
    verb = VERBS[0]
    plain, mirrored = (_composed(mannequins, verb, "man", Look(mirrored=side)) for side in (0, 1))
    assert np.array_equal(plain.picture[:, ::-1], mirrored.picture)
    left, top, right, bottom = plain.boxes["item"]
    assert mirrored.boxes["item"] == (SIDE - right, top, SIDE - left, bottom)


def test_the_same_situation_and_look_make_the_same_picture(mannequins: Mannequins) -> None:
    first, second = (_composed(mannequins, VERBS[45], "man", Look(top=3)) for _ in range(2))
    assert np.array_equal(first.picture, second.picture)
    assert first.boxes == second.boxes


def test_clothes_complexion_and_place_change_the_picture(mannequins: Mannequins) -> None:
    plain = _composed(mannequins, VERBS[0], "man", Look())
    for look in (Look(top=4), Look(legs=2), Look(hair=3), Look(complexion=2), Look(ground=1), Look(shift=8)):
        assert not np.array_equal(plain.picture, _composed(mannequins, VERBS[0], "man", look).picture), look


def test_a_look_is_drawn_within_its_choices() -> None:
    rng = Random(1)
    looks = [Look.draw(rng.randrange) for _ in range(200)]
    for name, number in CHOICES.items():
        assert {getattr(look, name) for look in looks} == set(range(number))


def test_places_differ_and_come_in_several_colours(mannequins: Mannequins) -> None:
    pictures = {
        place_picture_of(mannequins, place.name, variant).tobytes() for place in PLACES for variant in range(VARIANTS)
    }
    assert len(pictures) == len(PLACES) * VARIANTS


def test_what_is_held_is_behind_the_fingers_and_before_the_trunk(mannequins: Mannequins) -> None:
    """The held thing hides some of the agent, and some of the agent hides it."""
    found = _composed(mannequins, VERBS[0], "man", Look(mirrored=0))
    left, top, right, bottom = found.boxes["item"]
    inside = found.picture[top:bottom, left:right, :3].reshape(-1, 3)
    code = THINGS[_situation(VERBS[0], Random(VERBS[0].name), "man").values["item"]].code
    tile = mannequins.thing(code)[0, 0, :3]
    share = (np.abs(inside.astype(int) - tile).max(axis=1) < 3).mean()
    assert 0.5 < share < 1.0


@pytest.mark.parametrize("scale", [0.6, 0.97, 1.3])
def test_what_is_nearer_is_laid_once_more_where_it_was(scale: float, mannequins: Mannequins) -> None:
    person = _draw_actor(mannequins, "man", Actor(pose="carry", at=(0, 0)), Look(), _Frame(scale, 250, 450))
    whole, part, every = (Image.new("RGBA", (SIDE, SIDE), (90, 120, 150, 255)) for _ in range(3))
    person.lay(whole)
    person.lay_nearer(part, int(person.layer.depth.max()) - 20)
    drawn = (np.asarray(part) != (90, 120, 150, 255)).any(axis=-1)
    alike = (np.asarray(part) == np.asarray(whole)).all(axis=-1)
    assert 30 < drawn.sum() < 0.5 * person.window.width * person.window.height
    assert (drawn & alike).sum() > 0.8 * drawn.sum()  # but for the rim, where it is mixed with what was there
    person.lay_nearer(every, 1)
    assert np.array_equal(np.asarray(every), np.asarray(whole))


class Misty(Mannequins):
    """Its things are half transparent everywhere, in every colour."""

    def thing(self, code: str) -> Picture:
        return np.random.default_rng(int(code.partition("-")[0], 16)).integers(0, 256, (50, 60, 4), np.uint8)


@pytest.mark.parametrize(("wide", "high"), [(60, 50), (30, 25), (60, 49), (90, 75)])
@pytest.mark.parametrize("corner", [(100, 100), (-10, 490)])
def test_a_thing_is_laid_over_what_is_there_as_pillow_scales_it(wide: int, high: int, corner: tuple[int, int]) -> None:
    """Twice rounded, and halved before it is scaled further: two levels of 255 apart at the most."""
    name, people = next(iter(THINGS)), Misty()
    ground = np.random.default_rng(1).integers(0, 256, (SIDE, SIDE, 3), np.uint8)
    canvas = Image.fromarray(ground).convert("RGBA")
    laid = _Laid(Sprite(name=name, at=(0, 0), area=1), corner[0], corner[1], wide, high)
    left, top, right, bottom = _draw_sprite(canvas, people, laid, _Frame(1.0, 0.0, 0.0))
    kernel = Image.Resampling.BOX if wide < 60 else Image.Resampling.BICUBIC
    scaled = np.asarray(Image.fromarray(people.thing(THINGS[name].code)).resize((wide, high), kernel)).astype(int)
    part = scaled[top - corner[1] : bottom - corner[1], left - corner[0] : right - corner[0]]
    mixed = part[..., :3] * part[..., 3:] + ground[top:bottom, left:right] * (255 - part[..., 3:])
    expected = ground.copy()
    expected[top:bottom, left:right] = (mixed + 127) // 255
    assert right > left
    assert np.abs(np.asarray(canvas)[..., :3].astype(int) - expected).max() <= 2
