"""Nets fold to cubes, cubes look as they are drawn, and of four just one is possible."""

from functools import cache
from itertools import permutations

import pytest

from generator_service.benchmarks.marvel.nets.cubes import corner_of
from generator_service.benchmarks.marvel.nets.drawing import _CUBE, _eye, _projection
from generator_service.benchmarks.marvel.nets.folding import (
    NETS,
    VISIBLE,
    Cell,
    Face,
    Frame,
    cross,
    fold,
    is_possible,
    lay_net,
    negative,
    rotate,
    rotations,
)
from generator_service.benchmarks.marvel.nets.marks import MARK_FAMILIES
from generator_service.benchmarks.marvel.spec import REASSEMBLING, SHAPES, SOLID, Puzzle
from tests.benchmarks.marvel.items import puzzle, solved_place

ON_SQUARES = {name for name, family in MARK_FAMILIES.items() if family.turns == 4}


@cache
def drawn() -> list[Puzzle]:
    return [puzzle(SOLID, REASSEMBLING, shape, number) for shape in SHAPES for number in range(120)]


def cubes() -> list[Puzzle]:
    return [puzzle for puzzle in drawn() if puzzle.form == "cube"]


def images(net: int) -> set[frozenset[Cell]]:
    return {frozenset(lay_net(net, quarter, mirrored=flip)) for quarter in range(4) for flip in (False, True)}


def test_there_are_eleven_different_nets_and_each_folds_to_six_faces() -> None:
    assert len(NETS) == 11
    assert len({min(map(sorted, images(net)))[0] and frozenset(images(net)) for net in range(11)}) == 11
    for net in range(11):
        for cells in images(net):
            frames = fold(sorted(cells))
            assert len({frame.normal for frame in frames.values()}) == 6
            assert all(cross(frame.right, frame.up) == frame.normal for frame in frames.values())


def test_neighbours_on_a_net_share_an_edge_of_the_cube() -> None:
    for net in range(11):
        frames = fold(NETS[net])
        for (x, y), frame in frames.items():
            if (x + 1, y) in frames:
                assert frames[x + 1, y].normal == frame.right
            if (x, y + 1) in frames:
                assert frames[x, y + 1].normal == negative(frame.up)


def test_there_are_24_rotations_and_no_reflection_among_them() -> None:
    assert len(set(rotations())) == 24
    for rotation in rotations():
        x, y, z = (rotate(rotation, axis) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
        assert cross(x, y) == z


def test_a_cube_can_be_turned_to_its_own_corner_three_ways_and_never_to_a_mirror_image() -> None:
    cube = [Face(frame.normal, at, frame.up) for at, frame in enumerate(VISIBLE)]
    cube += [Face(negative(frame.normal), at + 3, frame.up) for at, frame in enumerate(VISIBLE)]
    view = (0, 0, 1, 0, 2, 0)
    assert is_possible(cube, view, 4)
    assert not is_possible(cube, (1, 0, 0, 0, 2, 0), 4)
    assert not is_possible(cube, (0, 1, 1, 0, 2, 0), 4)
    assert is_possible(cube, (0, 1, 1, 2, 2, 3), 1)
    possible = [
        order for order in permutations(range(3)) if any(
            is_possible(cube, tuple(v for mark, turn in zip(order, (a, b, c), strict=True) for v in (mark, turn)), 4)
            for a in range(4) for b in range(4) for c in range(4)
        )
    ]  # fmt: skip
    assert possible == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]


@pytest.mark.parametrize("seed", range(5))
def test_visible_faces_are_drawn_unmirrored_and_inside_the_panel(seed: int) -> None:
    project = _projection(_eye(seed), _CUBE)
    for frame in VISIBLE:
        across, above = (_spot(project, frame, 1.0, 0.0), _spot(project, frame, 0.0, 1.0))
        middle = _spot(project, frame, 0.0, 0.0)
        turn = (across[0] - middle[0]) * (above[1] - middle[1]) - (across[1] - middle[1]) * (above[0] - middle[0])
        assert turn < 0, "right, then up, goes counterclockwise on a page whose y runs down"
        corners = [_spot(project, frame, x, y) for x in (-1.0, 1.0) for y in (-1.0, 1.0)]
        assert all(0 < part < 1000 for corner in corners for part in corner)
    left, right, top = (_spot(project, frame, 0.0, 0.0) for frame in VISIBLE)
    assert left[0] < right[0]
    assert top[1] < min(left[1], right[1])


def _spot(project: object, frame: Frame, x: float, y: float) -> tuple[float, float]:
    right, up = frame.right, frame.up
    point = [frame.normal[axis] + x * right[axis] + y * up[axis] for axis in range(3)]
    assert callable(project)
    found: tuple[float, float] = project(tuple(point))
    return found


def test_just_one_cube_is_possible_whatever_way_it_is_looked_at() -> None:
    for question in cubes():
        values, likeness = question.context[0].values, MARK_FAMILIES[question.family].likeness
        cells = {(values[at], values[at + 1]): values[at + 2 : at + 4] for at in range(1, 25, 4)}
        frames = fold(sorted(cells))
        cube = [Face(frames[cell].normal, mark, frames[cell].pointing(turn)) for cell, (mark, turn) in cells.items()]
        possible = [place for place, panel in enumerate(question.choices) if is_possible(cube, panel.values, likeness)]
        assert possible == [question.key] == [solved_place(question)]
        assert len({corner_of(panel.values, likeness) for panel in question.choices}) == 4


def test_every_net_every_family_and_every_kind_of_distractor_comes_up() -> None:
    assert {cube.context[0].values[0] for cube in cubes()} == set(range(11))
    assert {cube.family for cube in cubes()} == ON_SQUARES
    assert 0.35 < len(cubes()) / len(drawn()) < 0.65
    for cube in cubes():
        kinds = [_kind(cube, panel.values) for place, panel in enumerate(cube.choices) if place != cube.key]
        assert None not in kinds, "each is wrong for a reason that can be named"
    found = {_kind(cube, panel.values) for cube in cubes() for panel in cube.choices}
    assert found == {None, "opposite faces side by side", "mirrored", "a face turned"}


def _kind(cube: Puzzle, view: tuple[int, ...]) -> str | None:
    """Name what is wrong with a cube, from where the net's marks come to lie; None where nothing is."""
    values = cube.context[0].values
    cells = {(values[at], values[at + 1]): values[at + 2 : at + 4] for at in range(1, 25, 4)}
    frames = {cells[cell][0]: frame for cell, frame in fold(sorted(cells)).items()}
    x, y, z = (frames[mark].normal for mark in view[::2])
    if negative(x) in {y, z} or negative(y) == z:
        return "opposite faces side by side"
    if cross(x, y) != z:
        return "mirrored"
    faces = [Face(frames[mark].normal, mark, frames[mark].pointing(turn)) for mark, turn in cells.values()]
    return None if is_possible(faces, view, MARK_FAMILIES[cube.family].likeness) else "a face turned"
