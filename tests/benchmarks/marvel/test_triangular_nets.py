"""Nets of triangles fold to tetrahedra and octahedra, and of four views just one is possible."""

from functools import cache
from itertools import combinations

import numpy as np
import pytest

from generator_service.benchmarks.marvel.nets.drawing import _IN_SPACE, _projection
from generator_service.benchmarks.marvel.nets.marks import MARK_FAMILIES, _told_apart
from generator_service.benchmarks.marvel.nets.triangular import (
    OCTAHEDRON,
    TETRAHEDRON,
    Cell,
    TriangularSolid,
    lay_net,
    spots_of,
)
from generator_service.benchmarks.marvel.spec import REASSEMBLING, SHAPES, SOLID, Puzzle
from tests.benchmarks.marvel.items import puzzle, solved_place

SOLIDS = (TETRAHEDRON, OCTAHEDRON)
NETS = {TETRAHEDRON.name: 2, OCTAHEDRON.name: 11}
by_solid = pytest.mark.parametrize("solid", SOLIDS, ids=lambda solid: solid.name)


@cache
def drawn() -> list[Puzzle]:
    return [puzzle(SOLID, REASSEMBLING, shape, number) for shape in SHAPES for number in range(200)]


def of(solid: TriangularSolid) -> list[Puzzle]:
    return [puzzle for puzzle in drawn() if puzzle.form == solid.name]


def one_of_its_images(cells: frozenset[Cell]) -> tuple[Cell, ...]:
    return min(
        tuple(sorted(lay_net(sorted(cells), sixth, mirrored=flip))) for sixth in range(6) for flip in (False, True)
    )


def beside(cell: Cell) -> set[Cell]:
    near = [(cell[0] + x, cell[1] + y) for x in (-1, 0, 1) for y in (-1, 0, 1)]
    return {other for other in near if len(set(spots_of(other)) & set(spots_of(cell))) == 2}


def connected(triangles: int) -> set[tuple[Cell, ...]]:
    """List the figures of so many triangles that hang together by their edges, each in one of its images."""
    figures: set[tuple[Cell, ...]] = {((0, 0),)}
    for _ in range(triangles - 1):
        figures = {
            one_of_its_images(frozenset([*figure, other]))
            for figure in figures
            for cell in figure
            for other in beside(cell) - set(figure)
        }
    return figures


@by_solid
def test_the_nets_are_all_figures_of_triangles_that_fold_to_every_face(solid: TriangularSolid) -> None:
    folding = {
        figure
        for figure in connected(solid.faces)
        if len({frozenset(corners) for corners in solid.fold(figure).values()}) == solid.faces
    }
    assert folding == {one_of_its_images(frozenset(net)) for net in solid.nets}
    assert len(solid.nets) == NETS[solid.name]


@by_solid
def test_a_net_laid_otherwise_is_the_same_figure_and_folds_clockwise(solid: TriangularSolid) -> None:
    clockwise = {corners[by:] + corners[:by] for corners in solid.all_faces for by in range(3)}
    for net in solid.nets:
        for sixth in range(6):
            for flip in (False, True):
                cells = lay_net(net, sixth, mirrored=flip)
                assert min(y for _, y in cells) == 0
                assert min(x for x, _ in cells) in {0, 1}
                assert one_of_its_images(frozenset(cells)) == one_of_its_images(frozenset(net))
                folded = solid.fold(cells)
                assert set(folded.values()) <= clockwise
                for a, b in combinations(folded, 2):
                    if b in beside(a):
                        on_edge = {
                            (one, other)
                            for one, spot in zip(folded[a], spots_of(a), strict=True)
                            for other, same in zip(folded[b], spots_of(b), strict=True)
                            if spot == same
                        }
                        assert len(on_edge) == 2
                        assert all(one == other for one, other in on_edge), "neighbours share the corners of an edge"


@pytest.mark.parametrize(("solid", "count"), [(TETRAHEDRON, 12), (OCTAHEDRON, 24)])
def test_rotations_turn_space_and_never_mirror_it(solid: TriangularSolid, count: int) -> None:
    spots = np.array(_IN_SPACE[solid.name][0])
    assert len(set(solid.rotations)) == count
    for to in solid.rotations:
        turned, *_ = np.linalg.lstsq(spots, spots[list(to)], rcond=None)
        assert np.allclose(spots @ turned, spots[list(to)])
        assert np.linalg.det(turned) == pytest.approx(1)


@by_solid
@pytest.mark.parametrize("seed", range(5))
def test_visible_faces_are_drawn_unmirrored_and_no_other_is_in_sight(solid: TriangularSolid, seed: int) -> None:
    spots, eye, _ = _IN_SPACE[solid.name]
    project = _projection(eye(seed), spots)
    for place, corners in enumerate(solid.all_faces):
        (ax, ay), (bx, by), (cx, cy) = (project(spots[corner]) for corner in corners)
        clockwise = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)  # on a page whose y runs down
        assert (clockwise > 0) is (place < solid.seen)
        assert all(0 < part < 1000 for part in (ax, ay, bx, by, cx, cy))
    if solid is OCTAHEDRON:
        front, left, top, right, bottom, _ = (project(spot) for spot in spots)
        assert left[0] < front[0] < right[0]
        assert top[1] < front[1] < bottom[1]
    else:
        tip, front, left, right = (project(spot) for spot in spots)
        assert left[0] < front[0] < right[0]
        assert tip[1] < min(left[1], right[1]) < front[1]


def test_on_a_tetrahedron_two_faces_lie_side_by_side_in_one_way() -> None:
    printed = {frozenset(corners): (mark, corners[0]) for mark, corners in enumerate(TETRAHEDRON.all_faces)}
    possible = {
        (left, a, right, b)
        for left, right in ((0, 1), (1, 0))
        for a in range(3)
        for b in range(3)
        if TETRAHEDRON.is_possible(printed, (left, a, right, b), 3)
    }
    assert possible == {(0, 0, 1, 0), (1, 1, 0, 2)}, "as they are, and turned half about the edge between them"


def test_on_an_octahedron_four_faces_go_round_a_corner_in_one_order() -> None:
    printed = {frozenset(corners): (mark, corners[0]) for mark, corners in enumerate(OCTAHEDRON.all_faces)}
    round_about = [0, 1, 2, 3]
    for by in range(4):
        order = round_about[by:] + round_about[:by]
        assert OCTAHEDRON.is_possible(printed, tuple(value for mark in order for value in (mark, 0)), 3)
        assert not OCTAHEDRON.is_possible(printed, tuple(value for mark in order[::-1] for value in (mark, 0)), 1)
    assert not OCTAHEDRON.is_possible(printed, (0, 1, 1, 0, 2, 0, 3, 0), 3)
    assert OCTAHEDRON.is_possible(printed, (0, 1, 1, 0, 2, 0, 3, 0), 1)


@by_solid
def test_just_one_view_is_possible_however_the_solid_is_turned(solid: TriangularSolid) -> None:
    found = of(solid)
    assert len(found) > 60
    for one in found:
        values, likeness = one.context[0].values, MARK_FAMILIES[one.family].likeness
        cells = {(values[at], values[at + 1]): values[at + 2 : at + 4] for at in range(1, len(values), 4)}
        printed = {
            frozenset(corners): (mark, corners[turn])
            for cell, corners in solid.fold(tuple(cells)).items()
            for mark, turn in [cells[cell]]
        }
        assert len(printed) == solid.faces
        views = [panel.values for panel in one.choices]
        possible = [place for place, view in enumerate(views) if solid.is_possible(printed, view, likeness)]
        assert possible == [one.key] == [solved_place(one)]
        assert len({solid.same(view, likeness) for view in views}) == 4
    assert {one.context[0].values[0] for one in found} == set(range(NETS[solid.name]))


@pytest.mark.parametrize(("parts", "shades", "least"), [(6, (0, 1), 8), (4, (0, 1, 2), 8)])
def test_fillings_differ_however_they_are_turned(parts: int, shades: tuple[int, ...], least: int) -> None:
    found = _told_apart(parts, shades)
    assert len(found) >= least
    assert len(set(found)) == len(found)
