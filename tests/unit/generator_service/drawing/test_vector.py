import numpy as np
import pytest

from generator_service.drawing.lettering import SIGNS, sign
from generator_service.drawing.outlines2d import ABSTRACT, GEOMETRIC, Outline, abstract, distance, geometric
from generator_service.drawing.vector import BLACK, GREY, WHITE, Pen, move_path, polar

SQUARE = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
OUTLINES = [*map(geometric, GEOMETRIC), *(abstract(name, seed) for name in ABSTRACT for seed in range(5))]


def test_a_filled_square_covers_its_share_with_smooth_edges() -> None:
    pen = Pen(100)
    pen.fill(move_path(SQUARE, (500, 500), 250, 30), BLACK)
    drawn = pen.finish()
    assert drawn.shape == (100, 100)
    assert np.mean(255 - drawn.astype(float)) / 255 == pytest.approx(0.25, abs=0.005)
    assert len(np.unique(drawn)) > 8, "edges are shaded"


def test_a_line_has_its_width_and_an_outline_what_is_inside() -> None:
    pen = Pen(100)
    pen.line([(100, 500), (900, 500)], width=100)
    assert np.count_nonzero(pen.finish()[:, 50] < 128) == pytest.approx(10, abs=1)
    pen = Pen(100)
    pen.outline(move_path(SQUARE, (500, 500), 300), shade=GREY, width=20)
    drawn = pen.finish()
    assert (drawn[50, 50], drawn[2, 2]) == (GREY, WHITE)
    assert drawn[50, 20] < 60
    pen.disc((500, 500), 100)
    pen.circle((500, 500), 400, shade=None)
    assert pen.finish()[50, 50] == BLACK


@pytest.mark.parametrize("shade", [WHITE, GREY, BLACK, None])
def test_a_stamped_figure_is_the_outline_that_it_stands_for_and_hides_no_more(shade: int | None) -> None:
    at, figure = (500.0, 500.0), geometric("star")
    stamped, outlined = Pen(180), Pen(180)
    for pen in (stamped, outlined):
        pen.fill(move_path(SQUARE, (400, 400), 150), GREY)
    stamped.stamp(figure.points, at, 120, turn=20, shade=shade, width=14)
    outlined.outline(move_path(figure.points, at, 120, 20), shade=shade, width=14)
    assert np.array_equal(stamped.finish(), outlined.finish())
    stamped.stamp(figure.points, (990.0, 10.0), 120, shade=shade)
    assert stamped.finish()[:20, -20:].min() == BLACK, "a part outside of the panel is left out"


def test_a_pen_goes_on_from_a_copy_of_what_another_has_drawn() -> None:
    first, second = Pen(60), Pen(60)
    first.disc((500, 500), 200)
    second.copy_of(first)
    second.disc((100, 100), 50)
    assert second.finish()[30, 30] == BLACK
    assert first.finish()[6, 6] == WHITE


def test_turning_is_clockwise_from_straight_up_about_the_origin_before_shifting() -> None:
    assert polar((0, 0), 1, 90) == pytest.approx((1, 0))
    assert move_path([(0.0, -1.0)], (0, 0), 2, 90)[0] == pytest.approx((2, 0))
    assert move_path([(1.0, 0.0)], (5, 5), 3, 90)[0] == pytest.approx((5, 8))


@pytest.mark.parametrize("outline", OUTLINES, ids=lambda one: one.name)
def test_outlines_fit_the_unit_circle_and_have_room_inside(outline: Outline) -> None:
    assert max(x * x + y * y for x, y in outline.points) <= 1.35
    assert 0.15 < outline.room < 1
    assert outline.points == (geometric(outline.name).points if outline.name in GEOMETRIC else outline.points), (
        "the same each time"
    )


def test_abstract_outlines_are_fresh_for_every_seed_and_the_same_for_the_same() -> None:
    for name in ABSTRACT:
        assert len({abstract(name, seed).points for seed in range(20)}) == 20
        assert abstract(name, 3) is abstract(name, 3)


def test_distance_is_to_the_segment_and_not_to_its_line() -> None:
    assert distance((3, 4), (0, 0), (0, 0)) == 5
    assert distance((0, 2), (-1, 0), (1, 0)) == 2
    assert distance((4, 4), (-1, 0), (1, 0)) == 5


def test_every_sign_is_drawn_and_no_two_are_alike() -> None:
    assert len({sign(one, 30).tobytes() for one in SIGNS}) == len(SIGNS)
    with pytest.raises(KeyError):
        sign("Z", 30)


def test_the_letter_c_is_open_to_the_right() -> None:
    ink = np.less(sign("C", 100).astype(int), 128)
    assert ink[:, :40].any(axis=1)[30:70].all()
    assert ink[:25].any()
    assert ink[75:].any()
    assert not ink[40:60, 60:].any()
