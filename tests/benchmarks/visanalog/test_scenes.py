"""Scenes of people: where everybody stands, in which colours, and that all programs can be told apart on them.

Their pixels are drawn from mannequins, or from people where those are drawn.
"""

from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from PIL import Image

from generator_service.benchmarks.visanalog import BENCHMARK
from generator_service.benchmarks.visanalog.facts import WHOLE
from generator_service.benchmarks.visanalog.identifiability import MARGIN, compare_programs
from generator_service.benchmarks.visanalog.pictures import list_seen
from generator_service.benchmarks.visanalog.programs import INDEX, PRODUCTS, PROGRAMS, Program, programs_of
from generator_service.benchmarks.visanalog.scenes.composing import (
    PERSON_SIZE,
    PERSONS,
    POSES,
    THINGS,
    compose_scene,
    upright,
)
from generator_service.benchmarks.visanalog.scenes.renderer import (
    MOST_COLOURS,
    NUMBER_OF_GROUNDS,
    OF_CHILDREN,
    PERMILLE,
    ground,
    scene_of_people,
)
from generator_service.benchmarks.visanalog.spec import (
    BOARD,
    COLOURS,
    HUES,
    LADDER,
    NAMING,
    PERSON,
    SCENES,
    SPECIAL,
    THING,
    Gathering,
)
from generator_service.benchmarks.visanalog.transforming import transform_picture
from generator_service.draws import Draw, balanced_unit
from generator_service.items import make_item
from generator_service.mounting import Mounted
from generator_service.proving.golden import card_faults
from generator_service.registry import mount
from generator_service.sources.people.bank import PeopleBank, open_people, people_heads
from generator_service.sources.store import SourceStore, of_folder, open_sources
from tests.benchmarks.visanalog.items import many, things_of
from tests.benchmarks.visanalog.test_program_search import assert_program_is_found
from tests.people import add_mannequins, has_people
from tetrad.streams import Stream

ZOOM = INDEX[Program(zoom=True).effect]
NEAR_HUE = 10  # of 256


@pytest.fixture(scope="module")
def store(bank_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> SourceStore:
    if has_people(bank_folder):
        return of_folder(bank_folder)
    store = of_folder(tmp_path_factory.mktemp("mannequins"))
    add_mannequins(store)
    return store


@pytest.fixture(scope="module")
def people(store: SourceStore) -> PeopleBank:
    return open_people(store, people_heads(store)[0])


@pytest.fixture(scope="module")
def mounted(store: SourceStore, bank_folder: Path) -> Mounted:
    """VISANALOG on these people and the built-in objects: else they would be drawn."""
    folders = dict.fromkeys([store.folder, bank_folder])
    found = mount([BENCHMARK], open_sources(",".join(f"file://{folder}" for folder in folders))).newest("visanalog")
    assert found is not None
    return found


def scene(number: int, *, rims: bool = True, posed: bool = True) -> Gathering:
    return compose_scene(SPECIAL, Stream("tests/visanalog/scenes", number), rims=rims, posed=posed)


def test_everybody_is_whole_after_a_zoom_rims_are_halved_and_corners_are_gone() -> None:
    for number in range(40):
        things = scene(number).things
        left = {one["name"]: one["percent"] for one in list_seen(things, ZOOM)}
        for one in things:
            far = max(map(abs, one.at))
            if one.kind in {PERSON, BOARD}:
                assert left[one.name] >= 100 * WHOLE, one
            elif far > 220:
                assert one.name not in left
            else:
                assert 35 <= left[one.name] <= 65, one


def test_each_quarter_has_one_person_and_a_small_thing_in_its_corner_and_nothing_crosses_a_middle_line() -> None:
    for number in range(40):
        things = scene(number, rims=False).things
        assert 9 <= len(things) <= 15
        assert len({one.name for one in things}) == len(things)
        for one in things:
            wide, high = one.half
            assert wide < abs(one.at[0]) <= 256 - wide
            assert high < abs(one.at[1]) <= 256 - high
        for down in (True, False):
            for right in (True, False):
                here = [one for one in things if (one.at[0] > 0, one.at[1] > 0) == (right, down)]
                assert sum(one.kind == PERSON for one in here) == 1
                assert sum(min(map(abs, one.at)) > 220 for one in here) == 1


def test_a_scene_that_is_shown_in_a_pose_is_that_scene_upright_turned_as_a_whole(people: PeopleBank) -> None:
    seen_poses = set()
    for number in range(24):
        shown = scene(number)
        plain = msgspec.structs.replace(shown, things=tuple(upright(shown)), pose=0)
        seen_poses.add(shown.pose)
        assert all(one.pose in {0, 4} for one in plain.things if one.kind != BOARD), "nobody is upside down"
        assert [one.size for one in plain.things if one.kind == PERSON] == [PERSON_SIZE] * 4
        assert [PRODUCTS[shown.pose][one.pose] for one in plain.things] == [one.pose for one in shown.things]
        if number < 8:
            program = next(one for one in PROGRAMS if one.effect == (False, None, shown.pose, 0, False))
            turned = transform_picture(scene_of_people(people, plain), program)
            assert np.array_equal(turned, scene_of_people(people, shown))
    assert seen_poses == set(range(8))
    assert {scene(number, posed=False).pose for number in range(8)} == {0}


def test_clothes_things_and_boards_have_their_colour_where_they_are_said_to_be(people: PeopleBank) -> None:
    for steps in range(6):
        shown, numbers = scene(steps), programs_of(steps)
        drawn = scene_of_people(people, shown)
        program = numbers[len(numbers) // 2]
        hues = np.asarray(Image.fromarray(transform_picture(drawn, PROGRAMS[program])[..., :3]).convert("HSV")).astype(
            int
        )
        for one in list_seen(shown.things, program):
            left, top, right, low = one["box"]
            here = hues[max(top, 0) : low, max(left, 0) : right]
            wanted = HUES[COLOURS.index(one["color"])]
            strong = (here[..., 1] > 120) & (here[..., 2] > 60)
            near = np.abs((here[..., 0] - wanted + 128) % 256 - 128) <= NEAR_HUE
            assert (strong & near).mean() > 0.03, (one, program)


def test_who_and_what_is_drawn_is_there_and_fits_its_box(people: PeopleBank) -> None:
    mannequins = people.size("boy", POSES[0]) == people.size("man", POSES[0])  # a grown-up stands for everybody
    for pose in POSES:
        for who in {who for names in PERSONS.values() for who in names}:
            size = people.size(who, pose)
            permille = OF_CHILDREN if who in {"boy", "girl"} and not mannequins else PERMILLE
            assert size.width * permille <= 1000 * PERSON_SIZE[0], (who, pose)
            assert size.height * permille <= 1000 * PERSON_SIZE[1], (who, pose)
    assert len(THINGS) == len(set(THINGS))


def test_scenes_tell_all_448_programs_apart_by_a_margin(people: PeopleBank) -> None:
    for number in range(4):
        found = compare_programs(scene_of_people(people, scene(number, rims=False, posed=False)))
        assert not found.alike()
        assert found.least() > MARGIN


@pytest.mark.parametrize("steps", [1, 2, 3, 4, 5])
def test_the_program_is_found_in_a_and_b_and_makes_d_of_c(mounted: Mounted, steps: int) -> None:
    draw = Draw(mounted.benchmark, mounted.identity(SCENES, LADDER, {"steps": steps}), "37")
    for index in range(4):
        assert_program_is_found(mounted, make_item(mounted, draw, index).scene)


def test_options_name_things_of_one_kind_only() -> None:
    """Small things lie in corners, so who is told the program would else know the kind of what comes there."""
    for steps in range(1, 6):
        for made in many(SCENES, steps):
            things = things_of(made.query)
            for place, fact in enumerate(made.facts):
                if fact.kind in NAMING:
                    assert len({things[option[place]].kind for option in made.options}) == 1
                    assert {things[option[place]].kind for option in made.options} <= {PERSON, THING}


def test_a_is_upright_and_c_is_in_every_pose() -> None:
    scenes = [made for steps in range(1, 6) for made in many(SCENES, steps)]
    assert {made.source.pose for made in scenes if isinstance(made.source, Gathering)} == {0}
    assert {made.query.pose for made in scenes if isinstance(made.query, Gathering)} == set(range(8))


def test_grounds_differ_and_are_not_alike_about_any_axis() -> None:
    for number in range(NUMBER_OF_GROUNDS):
        assert len(ground(number).getpalette() or []) <= 3 * MOST_COLOURS
        painted, another = (np.asarray(ground(of).convert("RGB")).astype(int) for of in (number, number + 8))
        assert painted.shape == (512, 512, 3)
        assert painted.min() > 60, "what stands on it is seen"
        for other in (painted[::-1], painted[:, ::-1], painted.swapaxes(0, 1), another):
            assert np.abs(painted - other).max() > 8


def test_what_is_written_down_of_a_track_that_waits_for_people_is_not_missed(mounted: Mounted) -> None:
    waiting = replace(mounted, lacking={SCENES: "people are not drawn yet"})
    assert not [fault for fault in card_faults(waiting) if f"'{SCENES}, " in fault]


def test_a_balanced_block_of_a_draw_is_not_longer_than_two_default_submissions() -> None:
    """It is a multiple of the numbers of families of every number of steps."""
    for steps in range(6):
        unit = balanced_unit(BENCHMARK.strata(SCENES, LADDER, {"steps": steps}))
        assert len(unit) <= 600, steps
