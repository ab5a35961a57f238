"""The stage: geometry of every prop at every anchor point, pictures put together, and the bank on disk."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from generator_service.drawing.exact import Dice
from generator_service.drawing.props import PROPS
from generator_service.drawing.props.prop import Prop
from generator_service.drawing.solids import box
from generator_service.drawing.stage import stage_maker
from generator_service.drawing.stage.anchor_points import RELATIONS, anchors_of
from generator_service.drawing.stage.camera import MARGIN, SIDE, Camera, Lens
from generator_service.drawing.stage.furniture import DESIGNS, FINISHES, KINDS
from generator_service.drawing.stage.layers import Layer
from generator_service.drawing.stage.stage_bank import StageBank, compose_picture, visible
from generator_service.drawing.stage.stage_maker import Drawn, PropName, RoomName
from generator_service.drawing.stage.views import ANCHORS, PANS, VIEWS
from generator_service.sources.stage import keep_stage, load_stage, open_stage
from generator_service.sources.store import SourceDamagedError, of_folder

Span = tuple[int, int]
Kept = dict[PropName, Layer]
PAIRS = list(product(KINDS, RELATIONS))
LYING = {"book", "scissors"}
GAP = 4  # pixels between a thing beside the furniture and the furniture


@pytest.fixture(scope="module")
def bank(bank_folder: Path) -> StageBank:
    return load_stage(bank_folder)


@pytest.fixture(scope="module")
def layers(bank: StageBank) -> Kept:
    places = product(PROPS, range(bank.variants), ANCHORS, range(bank.views))
    names = [PropName(prop.name, variant, anchor.name, view) for prop, variant, anchor, view in places]
    return {name: bank.prop(name) for name in names}


def columns(layer: Layer) -> Span:
    used = np.flatnonzero((layer.pixels[..., 3] > 0).any(axis=0))
    return layer.left + int(used[0]), layer.left + int(used[-1])


def shared(one: Layer, other: Layer) -> int:
    """Count the pixels that both props cover."""
    left, top = max(one.left, other.left), max(one.top, other.top)
    right, low = (
        min(each.left + each.depth.shape[1] for each in (one, other)),
        min(each.top + each.depth.shape[0] for each in (one, other)),
    )
    if right <= left or low <= top:
        return 0
    masks = [
        each.pixels[top - each.top : low - each.top, left - each.left : right - each.left, 3] > 0
        for each in (one, other)
    ]
    return int((masks[0] & masks[1]).sum())


def frame(layer: Layer, relation: str) -> Iterator[tuple[int, int]]:
    """Yield the first and the last column of the picture's frame wherever it may stand in this relation."""
    for shift in (-MARGIN, MARGIN):
        left = (layer.depth.shape[1] - SIDE) // 2 + PANS.get(relation, 0) + shift
        yield left, left + SIDE - 1


def rooms(bank: StageBank, furniture: str) -> Iterator[tuple[int, Layer]]:
    for design, view in product(range(DESIGNS), range(bank.views)):
        yield view, bank.room(RoomName(furniture, "red", design, view))


def test_nothing_is_clipped_wherever_the_frame_stands(bank: StageBank, layers: Kept) -> None:
    whole = bank.room(RoomName("table", "red", 0, 0))
    for name, layer in layers.items():
        rows, (first, last) = np.flatnonzero(layer.depth.any(axis=1)), columns(layer)
        assert layer.top + rows[0] >= 2 * MARGIN, name
        assert layer.top + rows[-1] < SIDE, name
        for left, right in frame(whole, name.anchor.split("-")[0]):
            assert left <= first, name
            assert last <= right, name


@pytest.mark.parametrize(("furniture", "relation"), PAIRS)
def test_furniture_is_whole_and_fills_the_picture(bank: StageBank, furniture: str, relation: str) -> None:
    for _, room in rooms(bank, furniture):
        across, down = (np.flatnonzero(room.depth.any(axis=axis)) for axis in (0, 1))
        for left, right in frame(room, relation):
            assert left + 2 < across[0]
            assert across[-1] < right - 2
        assert down[0] > 2 * MARGIN
        assert down[-1] < SIDE - 2
        assert 0.45 * SIDE < across[-1] - across[0] < 0.65 * SIDE


@pytest.mark.parametrize(("furniture", "relation"), PAIRS)
def test_two_props_never_overlap(layers: Kept, furniture: str, relation: str) -> None:
    [(one, other)] = anchors_of(furniture, relation, 2)
    for prop, view in product(PROPS, range(len(VIEWS))):
        ones, others = (
            [(variant, layers[PropName(prop.name, variant, anchor, view)]) for variant in range(4)]
            for anchor in (one, other)
        )
        for (variant, first), (also, second) in product(ones, others):
            assert not shared(first, second), (prop.name, variant, also, view)


@pytest.mark.parametrize(("furniture", "relation"), PAIRS)
def test_props_are_seen_whole_and_under_furniture_nearly_so(
    bank: StageBank, layers: Kept, furniture: str, relation: str
) -> None:
    least = 0.85 if relation == "under" else 1.0
    anchors = {anchor for number in (1, 2) for way in anchors_of(furniture, relation, number) for anchor in way}
    for view, room in rooms(bank, furniture):
        for prop, variant, anchor in product(PROPS, range(bank.variants), anchors):
            layer = layers[PropName(prop.name, variant, anchor, view)]
            share = visible(room, layer).sum() / (layer.pixels[..., 3] > 0).sum()
            assert share >= least, (prop.name, variant, anchor, view)


@pytest.mark.parametrize("furniture", KINDS)
def test_left_and_right_stand_clear_of_the_furniture_and_under_stands_within_it(
    bank: StageBank, layers: Kept, furniture: str
) -> None:
    for view, room in rooms(bank, furniture):
        across = np.flatnonzero(room.depth.any(axis=0))
        for prop, variant in product(PROPS, range(bank.variants)):
            at = {anchor.name: columns(layers[PropName(prop.name, variant, anchor.name, view)]) for anchor in ANCHORS}
            for place in ("near", "far"):
                assert at[f"left-{place}"][1] + GAP < across[0], (prop.name, variant, view)
                assert at[f"right-{place}"][0] - GAP > across[-1], (prop.name, variant, view)
            for anchor in ("under-left", "under-middle", "under-right"):
                assert across[0] < sum(at[anchor]) / 2 < across[-1]


def test_every_prop_is_large_enough_to_be_told(layers: Kept) -> None:
    for name, layer in layers.items():
        covered = layer.pixels[..., 3] > 128
        assert covered.sum() > 700, name
        assert covered.any(axis=1).sum() >= 26, name


def test_the_three_finishes_differ_clearly_in_colour(bank: StageBank) -> None:
    means = {}
    for finish in FINISHES:
        room = bank.room(RoomName("chair", finish, 0, 0))
        means[finish] = room.pixels[..., :3][room.depth > 0].mean(axis=0)
    assert means["red"][0] > 2 * means["red"][2]
    assert means["blue"][2] > 2 * means["blue"][0]
    assert means["wood"][0] > means["wood"][1] > means["wood"][2]
    assert means["wood"][1] > 2 * means["red"][1]


def test_a_layer_alone_is_the_one_of_the_bank(bank: StageBank) -> None:
    room, prop = RoomName("table", "wood", 1, 2), PropName("scissors", 3, "chair-left", 1)
    for drawn, kept in ((stage_maker.draw_room(room), bank.room(room)), (stage_maker.draw_prop(prop), bank.prop(prop))):
        assert (drawn.left, drawn.top) == (kept.left, kept.top)
        for part in ("pixels", "depth", "shadow"):
            assert np.array_equal(getattr(drawn, part), getattr(kept, part))


@pytest.mark.parametrize("prop", PROPS, ids=lambda prop: prop.name)
def test_a_prop_stands_on_the_ground_at_its_size_and_has_no_colour_of_furniture(prop: Prop) -> None:
    for seed in range(4):
        mesh = prop.build_at_scale(Dice(np.random.default_rng(seed)))
        low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
        assert abs(low[1]) < 1e-9
        assert 0.85 * prop.size < (high - low).max() < 1.15 * prop.size
        assert (high[1] < 0.3 * prop.size) == (prop.name in LYING)
        assert np.abs(low[[0, 2]] + high[[0, 2]]).max() < 1e-9
        red, green, blue = mesh.colours.T
        assert not ((red > 1.8 * green) & (red > 1.8 * blue)).any(), "red"
        assert not ((blue > 1.5 * green) & (blue > 1.5 * red)).any(), "blue"


def test_the_camera_finds_the_way_back_from_the_picture_to_the_floor() -> None:
    camera = Camera(yaw=11.0, pitch=25.0, lens=Lens(target=0.7, distance=6.0, focal=1200.0, wide=640, high=540))
    spot = box(0.001, 0.001, 0.001, (0, 0, 0)).move(0.7, 0.0, 0.4)
    [across, down] = camera.project(camera.turn_to_eye(spot).vertices)[0].mean(axis=0)
    x, z = camera.plane(0.0, camera.canvas)
    assert abs(x[int(down), int(across)] - 0.7) < 0.02
    assert abs(z[int(down), int(across)] - 0.4) < 0.02
    [across, down] = camera.project(camera.turn_to_eye(spot.move(y=0.5, z=-2.4)).vertices)[0].mean(axis=0)
    x, y = camera.wall(-2.0, camera.canvas)
    assert abs(x[int(down), int(across)] - 0.7) < 0.02
    assert abs(y[int(down), int(across)] - 0.5) < 0.02


def test_the_frame_moves_over_what_is_drawn(bank: StageBank) -> None:
    room = bank.room(RoomName("table", "blue", 0, 0))
    still, moved = compose_picture(room, [], (0, 0)), compose_picture(room, [], (5, -7))
    assert np.array_equal(still[:-7, 5:], moved[7:, :-5])


def test_anchors_are_as_many_as_props() -> None:
    for furniture, relation in PAIRS:
        for number in (1, 2):
            assert {len(way) for way in anchors_of(furniture, relation, number)} == {number}


@pytest.fixture
def few(tmp_path: Path) -> tuple[Path, list[Drawn]]:
    rng = np.random.default_rng(0)

    def drawn(name: str, side: int, *, shadowed: bool) -> Drawn:
        pixels = rng.integers(0, 256, (side, side, 4), np.uint8)
        depth = rng.integers(0, 60_000, (side, side), np.uint16)
        shadow = rng.integers(0, 256, (side, side), np.uint8) if shadowed else np.zeros(0, np.uint8)
        return Drawn(name, Layer(3, 4, pixels, depth, shadow))

    return tmp_path, [drawn("ware small 0 x 0", 20, shadowed=True), drawn("room large red 0 0", 500, shadowed=False)]


def test_layers_come_back_from_the_store_as_they_were(few: tuple[Path, list[Drawn]]) -> None:
    folder, drawn = few
    store = of_folder(folder)
    stored = open_stage(store, keep_stage(store, drawn, "few"))
    for each in drawn:
        back = stored.read(each.name)
        assert (back.left, back.top) == (3, 4)
        assert np.array_equal(back.pixels, each.layer.pixels)
        assert np.array_equal(back.depth, each.layer.depth)
        assert np.array_equal(back.shadow, each.layer.shadow)
        assert not back.pixels.flags.writeable


def test_a_changed_layer_is_never_shown(few: tuple[Path, list[Drawn]]) -> None:
    folder, drawn = few
    head = keep_stage(of_folder(folder), drawn, "few")
    (pack,) = (path for path in (folder / "packs").rglob("*") if path.is_file())
    pack.write_bytes(pack.read_bytes()[:-1] + b"!")
    stage = open_stage(of_folder(folder), head)
    assert stage.read(drawn[0].name)
    with pytest.raises(SourceDamagedError, match=drawn[1].name):
        stage.read(drawn[1].name)


def test_a_bank_is_drawn_once_with_progress_and_opened_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = RoomName("table", "red", 0, 0), PropName("mug", 0, "table-middle", 0)
    monkeypatch.setattr(stage_maker, "plan", lambda *_: stage_maker.Plan((one,), (two,), "few"))
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0})
    told: list[tuple[int, int]] = []
    first = load_stage(tmp_path, progress=lambda *of: told.append(of))
    again = load_stage(tmp_path, progress=lambda *of: told.append(of))
    assert told == [(1, 2), (2, 2)]
    assert first.digest == again.digest
    assert first.picture(one, [two], (0, 0)).shape == (SIDE, SIDE, 4)
    with pytest.raises(KeyError):
        first.room(RoomName("chair", "red", 0, 0))


def test_what_is_drawn_now_is_what_the_kept_bank_holds(bank: StageBank) -> None:
    rooms = [RoomName(kind, "red", 0, 1) for kind in KINDS]
    props = [PropName(prop.name, 1, anchor.name, 2) for prop, anchor in zip(PROPS, ANCHORS, strict=False)]
    drawn = [*map(stage_maker.draw_room, rooms), *map(stage_maker.draw_prop, props)]
    kept = [*map(bank.room, rooms), *map(bank.prop, props)]
    for one, other in zip(drawn, kept, strict=True):
        assert (one.left, one.top) == (other.left, other.top)
        assert np.array_equal(one.pixels, other.pixels), "other layers need another stage_maker.VERSION"
        assert np.array_equal(one.depth, other.depth)
        assert np.array_equal(one.shadow, other.shadow)


def test_a_plan_asks_for_no_more_than_there_is() -> None:
    with pytest.raises(ValueError, match="views must be 1 to 4"):
        stage_maker.plan(5, 1)
    small, whole = stage_maker.plan(1, 1), stage_maker.plan()
    assert len(small.props) * 16 == len(whole.props)
    assert small.recipe != whole.recipe


def test_the_whole_stage_has_the_digest_that_is_written_down(bank: StageBank) -> None:
    assert bank.digest == "164e92041d709e87f553a673cf4344f3784b4c313bf4ff4878b602307533ef17"
