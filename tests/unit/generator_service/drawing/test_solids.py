import math

import numpy as np
import pytest

from generator_service.drawing import mesh, outlines, rasterize, solids
from generator_service.drawing.exact import Dice, cosine, sine, unit

COLOUR = (200, 100, 50)


def _area(outline: outlines.Outline) -> float:
    pairs = zip(outline, [*outline[1:], outline[0]], strict=True)
    return sum(a[0] * b[1] - a[1] * b[0] for a, b in pairs) / 2


def _volume(solid: mesh.Mesh) -> float:
    a, b, c = (solid.vertices[solid.faces[:, k]] for k in range(3))
    return float(abs((a * np.cross(b, c)).sum()) / 6)


def test_sines_are_rounded_far_above_the_error_of_any_libm() -> None:
    assert sine(30) == 0.5
    assert cosine(60) == 0.5
    assert len(str(sine(12.345)).split(".")[1]) <= 9


def test_dice_stay_in_bounds_and_follow_their_generator() -> None:
    dice, same = Dice(np.random.default_rng(3)), Dice(np.random.default_rng(3))
    values = [dice.between(-0.5, 2.0) for _ in range(300)]
    assert values == [same.between(-0.5, 2.0) for _ in range(300)]
    assert -0.5 <= min(values) < -0.3
    assert 1.8 < max(values) <= 2.0
    assert {dice.whole(1, 3) for _ in range(60)} == {1, 2, 3}
    assert {dice.pick("ab") for _ in range(60)} == {"a", "b"}
    assert 30 < sum(dice.chance(50) for _ in range(100)) < 70


def test_a_concave_outline_is_cut_into_triangles_of_its_own_area() -> None:
    arrow = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (2.0, 1.0), (0.0, 4.0)]
    cut = outlines.triangles(arrow)
    assert len(cut) == 3
    assert sum(_area([arrow[k] for k in trio]) for trio in cut) == pytest.approx(_area(arrow))


def test_an_outline_that_crosses_itself_is_still_cut_to_the_end() -> None:
    bow_tie = [(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.2), (-0.5, 0.1)]
    assert len(outlines.triangles(bow_tie)) == 4


def test_insetting_a_square_moves_its_sides_by_the_distance() -> None:
    square = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)]
    assert outlines.inset(square, 0.5) == [(0.5, 0.5), (3.5, 0.5), (3.5, 3.5), (0.5, 3.5)]


def test_rounding_and_curving_keep_an_outline_near_its_corners() -> None:
    square = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)]
    assert 15 < _area(outlines.round_corners(square, 0.5)) < 16
    assert _area(outlines.circle(2.0)) == pytest.approx(4 * math.pi, rel=0.01)
    assert 16 < _area(outlines.curve(square)) < 26


def test_solids_have_the_volume_of_what_they_are() -> None:
    assert _volume(solids.ellipsoid(1, 2, 3, COLOUR)) == pytest.approx(8 * math.pi, rel=0.03)
    assert _volume(solids.tube([(0, 0, 0), (0, 5, 0)], 1.0, COLOUR)) == pytest.approx(5 * math.pi, rel=0.03)
    assert _volume(solids.ring(3, 0.5, COLOUR)) == pytest.approx(2 * math.pi**2 * 3 * 0.25, rel=0.06)
    assert _volume(solids.box(2, 3, 4, COLOUR, bevel=0.01)) == pytest.approx(24, rel=0.01)
    assert _volume(solids.extrude(outlines.circle(1.0), 2, COLOUR)) == pytest.approx(2 * math.pi, rel=0.02)
    assert _volume(solids.disc(1, 0.2, COLOUR)) == pytest.approx(0.2 * math.pi, rel=0.05)


def test_a_tube_around_a_corner_keeps_its_thickness() -> None:
    bend = solids.tube([(0, 0, 0), (0, 0, 2), (2, 0, 2)], [0.5, 0.5, 0.5], COLOUR)
    assert np.abs(bend.vertices[:, 1]).max() == pytest.approx(0.5)


def test_meshes_move_turn_stretch_and_take_paint() -> None:
    cube = solids.box(2, 2, 2, COLOUR)
    assert cube.move(1, 2, 3).vertices.mean(axis=0) == pytest.approx([1, 2, 3])
    assert cube.scale(2, 1, 1).vertices[:, 0].max() == pytest.approx(2)
    right = mesh.Mesh(np.array([[1.0, 0.0, 0.0]]), np.zeros((0, 3), int), np.zeros((0, 3)), np.zeros(0))
    assert right.turn("z", 90).vertices[0] == pytest.approx([0, 1, 0])
    assert right.turn("y", 90).vertices[0] == pytest.approx([0, 0, -1])
    half = cube.paint((0, 0, 0), lambda middle: middle[:, 0] > 0)
    assert 0 < (half.colours.sum(axis=1) == 0).sum() < len(half.faces)
    assert (cube.paint((1, 2, 3)).colours == (1, 2, 3)).all()
    assert cube.tone(2, 1, 0).colours[0].tolist() == [255, 100, 0]
    assert (cube.polish(0.9).gloss == 0.9).all()


def test_joined_parts_keep_their_faces() -> None:
    both = mesh.join(solids.box(1, 1, 1, COLOUR), solids.box(1, 1, 1, (1, 1, 1)).move(5))
    count = len(both.faces) // 2
    assert both.vertices[both.faces[count:]][..., 0].min() > 4


def test_normals_are_smooth_on_a_ball_and_sharp_at_the_edges_of_a_block() -> None:
    ball = solids.ellipsoid(1, 1, 1, COLOUR)
    normals = mesh.corner_normals(ball.vertices, ball.faces)
    outward = unit(ball.vertices)[ball.faces]
    has_area = (normals != 0).any(axis=(1, 2))  # a quad at a pole has one triangle without
    assert has_area.mean() > 0.9
    assert np.abs((normals * outward).sum(axis=2))[has_area].min() > 0.98
    block = solids.extrude([(0, 0), (1, 0), (1, 1), (0, 1)], 1, COLOUR)
    assert np.abs(mesh.corner_normals(block.vertices, block.faces)).max(axis=2) == pytest.approx(1)


def test_the_nearer_triangle_hides_the_farther_one_and_shared_edges_leave_no_gap() -> None:
    near = [[0, 0], [0, 512], [512, 0]]
    corners = np.array([[[0, 0], [1024, 0], [0, 1024]], [[1024, 1024], [1024, 0], [0, 1024]], near])
    depths = np.array([[1.0] * 3, [1.0] * 3, [2.0] * 3])
    seen = rasterize.rasterize(corners, depths, 64)
    assert seen.sample.tolist() == list(range(64 * 64))
    grid = seen.face.reshape(64, 64)
    assert grid[5, 5] == 2
    assert grid[40, 10] == 0
    assert grid[60, 60] == 1
    assert seen.weights.sum(axis=0) == pytest.approx(1, abs=1e-5)


def test_the_largest_grid_is_covered_as_wider_integers_say() -> None:
    last, side = rasterize.LARGEST - 1, rasterize.LARGEST // rasterize.SUB - 1
    corners = np.array([[[0, last], [last, last - 16], [last // 3, 5]]])
    seen = rasterize.rasterize(corners, np.ones((1, 3)), side)
    middle = np.arange(side, dtype=np.int64) * rasterize.SUB + rasterize.SUB // 2
    x, y = middle[None, :], middle[:, None]
    edges = list(zip(corners[0], np.roll(corners[0], -1, axis=0), strict=True))
    sides = [(bx - ax) * (y - ay) - (by - ay) * (x - ax) for (ax, ay), (bx, by) in edges]
    inside = np.all([one <= 0 for one in sides], axis=0) | np.all([one >= 0 for one in sides], axis=0)
    assert seen.sample.tolist() == np.flatnonzero(inside).tolist()


def test_triangles_without_area_or_outside_the_grid_leave_nothing() -> None:
    corners = np.array([[[8, 8], [200, 200], [104, 104]], [[-500, -500], [-100, -500], [-100, -90]]])
    seen = rasterize.rasterize(corners, np.zeros((2, 3)), 32)
    assert len(seen.sample) == 0
