import numpy as np
import pytest

from generator_service.drawing.bank import ObjectBank
from generator_service.drawing.bank_maker import draw
from generator_service.drawing.canvas import Picture, reflect, rotate, tint
from generator_service.drawing.visibility import STATES, THRESHOLD, measure, score
from generator_service.drawing.visibility import _halve as halved
from generator_service.drawing.visibility import _on_grey as on_grey

POSES = [state for state in STATES if not state.startswith(("color", "hue", "size"))]


def _posed(picture: Picture, state: str) -> Picture:
    domain, _, value = state.partition(":")
    if domain == "rotation":
        return rotate(picture, int(value))
    return reflect(picture, value) if domain == "reflection" else picture  # type: ignore[arg-type]


def _measured(a: Picture, b: Picture) -> int:
    return score(on_grey(halved(a)), on_grey(halved(b)))


def _disc(squeeze: float = 1.0, side: int = 256) -> Picture:
    y, x = np.mgrid[:side, :side] - (side - 1) / 2
    picture = np.zeros((side, side, 4), np.uint8)
    picture[x * x + (y / squeeze) ** 2 < 100**2] = (200, 160, 90, 255)
    return picture


def test_the_table_says_for_every_pair_of_poses_what_the_two_pictures_say() -> None:
    picture = draw("teapot", 2)
    table = measure(picture)
    for a in POSES:
        for b in POSES:
            real = _measured(_posed(picture, a), _posed(picture, b))
            eighths = a[-2:] in ("45", "35", "25", "15") or b[-2:] in ("45", "35", "25", "15")
            assert abs(table.difference(a, b) - real) <= (40 if eighths else 0), (a, b)


def test_the_table_says_for_every_pair_of_colours_what_the_two_pictures_say() -> None:
    picture = draw("duck", 2)
    table = measure(picture)
    small = halved(picture)
    assert table.difference("color:red", "color:blue") == score(
        on_grey(tint(small, "red")), on_grey(tint(small, "blue"))
    )
    assert table.difference("plain", "color:grey") == score(on_grey(small), on_grey(tint(small, "grey")))


def test_differences_are_symmetric_and_null_for_a_state_with_itself() -> None:
    table = measure(draw("key", 0))
    for a in POSES:
        assert table.difference(a, a) == 0
        for b in POSES:
            assert table.difference(a, b) == table.difference(b, a)


def test_a_disc_turned_or_mirrored_is_no_visible_change_but_a_tinted_or_stretched_one_is() -> None:
    table = measure(_disc())
    assert max(*table.turns, *table.mirrors) < THRESHOLD
    assert not table.chiral
    assert table.difference("plain", "color:blue") == 1000
    assert table.difference("plain", "size:2x1") > 400


def test_an_ellipse_shows_quarter_turns_but_not_half_turns_or_mirrors() -> None:
    table = measure(_disc(0.6))
    assert table.difference("rotation:90", "plain") > THRESHOLD
    assert table.difference("rotation:90", "rotation:270") == 0
    assert table.difference("rotation:45", "rotation:315") > THRESHOLD
    assert table.difference("reflection:x", "reflection:y") == 0


def test_the_area_is_the_covered_share_of_the_canvas() -> None:
    assert abs(measure(_disc()).area - round(1000 * np.pi * 100**2 / 256**2)) <= 3


def test_what_stands_out_from_a_backdrop_is_the_share_that_differs_from_it() -> None:
    white = np.zeros((128, 128, 4), np.uint8)
    white[32:96, 32:96] = 255
    half = white.copy()
    half[32:64, 32:96, :3] = (200, 30, 30)
    assert [measure(white).shows("plain", backdrop) for backdrop in ("white", "black")] == [0, 1000]
    assert [measure(half).shows("plain", backdrop) for backdrop in ("white", "black")] == [500, 1000]
    assert measure(white).shows("color:grey", "white") == 0
    assert measure(white).shows("color:yellow", "white") == 1000, "its blue is half gone"
    near = white.copy()
    near[32:96, 32:96, :3] = 231
    assert measure(near).shows("plain", "white") == 0, "24 levels are no difference"
    near[32:96, 32:96, :3] = 230
    assert measure(near).shows("plain", "white") == 1000
    with pytest.raises(KeyError):
        measure(white).shows("size:2x2", "white")


@pytest.mark.parametrize(("a", "b"), [("color:red", "rotation:90"), ("plain", "color:pink"), ("nonsense", "nonsense")])
def test_states_that_do_not_compare_are_refused(a: str, b: str) -> None:
    with pytest.raises(ValueError, match="don't compare"):
        measure(_disc(side=64)).difference(a, b)


def test_kiva_changes_are_visible_on_every_object_of_the_bank(builtin_bank: ObjectBank) -> None:
    for record in builtin_bank.objects:
        for a in POSES:
            for b in POSES:
                same = a == b or {a, b} == {"rotation:180", "reflection:both"}
                assert builtin_bank.visible(record.id, a, b) != same, (record.id, a, b)
        assert 60 < builtin_bank.area(record.id) < 700, record.id
