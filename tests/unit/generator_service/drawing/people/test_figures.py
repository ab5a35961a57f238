"""Bodies take the poses that the data says, the same on every machine."""

import hashlib

import numpy as np
import pytest

from generator_service.drawing.people.body import between, heads, move_bones, read_template, turn_places
from generator_service.drawing.people.figure import NUMBER, WORN, person, pose_person, rotation
from generator_service.drawing.people.people_maker import EVERYBODY, layer_names, whos_of
from generator_service.drawing.people.poses import POSES
from generator_service.drawing.people.vocabulary import OCCUPATIONS, PERSONS
from generator_service.drawing.people.wearing import OUTFITS
from tests.unit.generator_service.drawing.people.conftest import Mannequins
from tests.unit.generator_service.drawing.people.mannequin import files

DATA = files()


@pytest.mark.parametrize("towards", [(1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.3, 0.5, -0.8), (0.0, 1.0, 0.0)])
def test_the_smallest_rotation_takes_one_direction_to_another(towards: tuple[float, float, float]) -> None:
    turn = between(np.array([0.0, 2.0, 0.0]), np.array(towards))
    found = turn_places(turn, np.array([0.0, 1.0, 0.0]))
    assert np.allclose(found, np.array(towards) / np.linalg.norm(towards))
    assert np.allclose(turn @ turn.T, np.eye(3))


def test_a_body_that_turns_no_bone_stays_as_it_is() -> None:
    template = read_template(lambda path: DATA[path])
    begins = heads(template, template.vertices)
    still = np.tile(np.eye(3), (len(template.bones), 1, 1))
    vertices, ends = move_bones(template, template.vertices, begins, still)
    assert np.allclose(vertices, template.vertices)
    assert np.allclose(ends, begins)


@pytest.mark.parametrize("name", POSES)
def test_limbs_point_where_the_pose_says(name: str) -> None:
    template = read_template(lambda path: DATA[path])
    pose = POSES[name]
    figure = pose_person(person(template, template.vertices, long_hair=False, skirt=""), pose)
    for side, sign, arm, leg in (
        ("Left", 1, pose.left_arm, pose.left_leg),
        ("Right", -1, pose.right_arm, pose.right_leg),
    ):
        for upper, lower, wanted in (
            (f"{side}Arm", f"{side}ForeArm", arm.upper),
            (f"{side}ForeArm", f"{side}Hand", arm.lower),
            (f"{side}UpLeg", f"{side}Leg", leg.upper),
            (f"{side}Leg", f"{side}Foot", leg.lower),
        ):
            along = figure.ends[lower] - figure.ends[upper]
            asked = np.array([sign * wanted[0], wanted[1], wanted[2]])
            cosine = float(along @ asked / np.linalg.norm(along) / np.linalg.norm(asked))
            assert cosine > 0.9999, (name, upper)


def test_everybody_stands_on_the_ground(mannequins: Mannequins) -> None:
    for who in ("man", "girl", "cook female"):
        layer = mannequins.person(who, "stand")
        assert 0 <= layer.top + layer.part.shape[0] < 60  # the eye looks down a little on the feet


def test_every_value_of_a_person_is_drawn_and_every_outfit_worn() -> None:
    for value in (*PERSONS, *OCCUPATIONS):
        assert whos_of(value.name)
    assert {value.name for value in OCCUPATIONS} <= OUTFITS.keys()
    assert len({str(name) for name in layer_names()}) == len(EVERYBODY) * len(POSES)


def test_gear_shows_and_has_its_colours(mannequins: Mannequins) -> None:
    plain, cook = mannequins.person("man", "stand"), mannequins.person("cook male", "stand")
    assert (plain.worn, int(plain.part.max()) < WORN) == ((), True)
    assert int(cook.part.max()) == WORN + len(cook.worn) - 1 >= WORN
    assert cook.top < plain.top  # the hat


def test_anchor_points_lie_on_the_layer(mannequins: Mannequins) -> None:
    layer = mannequins.person("man", "hit")
    height, width = layer.part.shape
    for name, anchor in layer.anchors.items():
        x, y = anchor.x - layer.left, anchor.y - layer.top
        assert -4 <= x < width + 4, name
        assert -4 <= y < height + 4, name
    hand = layer.anchors["hand"]
    near = layer.part[hand.y - layer.top - 12 : hand.y - layer.top + 12, hand.x - layer.left - 12 :][:, :24]
    assert (near == NUMBER["hand"]).any()


def test_layers_are_the_same_on_every_machine(mannequins: Mannequins) -> None:
    found = hashlib.sha256()
    for who, pose in (("man", "run"), ("woman", "sit"), ("knight male", "fence")):
        layer = mannequins.person(who, pose)
        found.update(layer.part.tobytes() + layer.shade.tobytes() + layer.depth.tobytes())
    assert found.hexdigest() == "fac9d3dace646b7caac43174754f04d909d2282c2e36b5d316f8a9eeb0dc078e"


def test_a_rotation_by_a_quarter_turns_the_axes() -> None:
    assert np.allclose(turn_places(rotation((0, 1, 0), 90), np.array([0.0, 0.0, 1.0])), [1.0, 0.0, 0.0])
