"""Items of photographs: what they ask holds of the pixels, needs the whole program, and can't be told from less."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
import numpy as np
import pytest
from PIL import Image

from generator_service.benchmark import PictureArray, View
from generator_service.benchmarks.visanalog import BENCHMARK
from generator_service.benchmarks.visanalog.asked import asked_of, values_of
from generator_service.benchmarks.visanalog.identifiability import opaque_square
from generator_service.benchmarks.visanalog.photographs.bank import SQUARES, PhotographBank
from generator_service.benchmarks.visanalog.photographs.boxes import LACKING, OTHER_FORM, boxes
from generator_service.benchmarks.visanalog.photographs.families import (
    AT_SIDES,
    HUE_THERE,
    MEASURED,
    choices,
    is_of_things,
)
from generator_service.benchmarks.visanalog.programs import INDEX, PROGRAMS
from generator_service.benchmarks.visanalog.spec import (
    COMPOSED,
    END_TO_END,
    LABELS,
    LADDER,
    ORACLE,
    PHOTOGRAPHS,
    Labelled,
    Photograph,
    Scene,
    Shown,
)
from generator_service.draws import Draw
from generator_service.items import make_item
from generator_service.mining.catalogue import jobs
from generator_service.mining.counting import Counting
from generator_service.mining.jobs import mine
from generator_service.mounting import Mounted
from generator_service.parameters import IdentityError
from generator_service.proving.cases import view_of
from generator_service.proving.conformance import faults_of
from generator_service.proving.samples import Place, sample_at
from generator_service.registry import mount
from generator_service.sources.photographs import Photographs
from generator_service.sources.store import SourceStore, of_folder, open_sources
from tests.benchmarks.visanalog.photographs import painted
from tests.benchmarks.visanalog.test_questions import EDITS
from tests.unit.generator_service.sources.pictures import add

ITEMS = 60


def name_of(picture: Shown) -> str:
    assert isinstance(picture, Photograph)
    return picture.name


def items(mounted: Mounted, count: int, steps: int = 0) -> Iterator[Scene]:
    draw = Draw(mounted.benchmark, mounted.identity(PHOTOGRAPHS, ORACLE, {"steps": steps}), "7")
    return (make_item(mounted, draw, index).scene for index in range(count))


@pytest.fixture(scope="module")
def scenes(of_photographs: Mounted) -> list[Scene]:
    return list(items(of_photographs, 4 * ITEMS))


def answer(scene: Scene) -> str | None:
    """Return what the independent solver answers who is shown D."""
    [keyed] = BENCHMARK.questions(scene)
    return BENCHMARK.solve(view_of(BENCHMARK, scene, keyed.question))


def test_the_track_is_no_default_and_says_what_it_is_good_for() -> None:
    *drawn, last = BENCHMARK.card.tracks
    assert (last.name, BENCHMARK.brought_tracks) == (PHOTOGRAPHS, (PHOTOGRAPHS,))
    assert "Good for solvers of pixels" in last.help
    assert all(track.name not in BENCHMARK.brought_tracks for track in drawn)


@pytest.mark.parametrize("setting", [END_TO_END, LADDER])
def test_every_property_of_conformance_holds_on_photographs(of_photographs: Mounted, setting: str) -> None:
    sample = sample_at(of_photographs, Place(track=PHOTOGRAPHS, setting=setting, parameters={}), 40)
    assert not [str(fault) for fault in faults_of(sample)]


def test_pictures_are_drawn_from_the_square_that_was_kept_and_are_the_same_without_it(
    photograph_store: SourceStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = photograph_store.head("photographs", "seen")
    photographs = Photographs(photograph_store, head, None)
    assert jobs()["visanalog"].table("squares") == SQUARES
    whole = {name: opaque_square(photographs.picture(name)) for name in photographs.pictures}
    with monkeypatch.context() as patch:
        patch.setattr(Photographs, "find_table", lambda *_: None)
        without = PhotographBank(photographs)
    assert all(np.array_equal(without.picture(name), square) for name, square in whole.items())
    kept = PhotographBank(photographs)
    monkeypatch.delattr(Photographs, "picture")
    assert all(np.array_equal(kept.picture(name), square) for name, square in whole.items())


def test_four_steps_are_asked_and_five_are_refused(of_photographs: Mounted) -> None:
    for scene in items(of_photographs, 8, steps=4):
        assert len(PROGRAMS[scene.program].steps) == 4
        assert answer(scene) == LABELS[scene.right]
    with pytest.raises(IdentityError, match="needs all five steps"):
        of_photographs.identity(PHOTOGRAPHS, ORACLE, {"steps": 5})


def test_words_name_no_edit_and_options_are_parallel(scenes: list[Scene]) -> None:
    for scene in scenes[:ITEMS]:
        asked = asked_of(scene)
        said = " ".join([asked.question, *asked.options])
        assert not EDITS.search(said), said
        assert len({text.count(";") for text in asked.options}) == 1


def test_leaving_out_any_one_step_makes_the_right_option_false(scenes: list[Scene]) -> None:
    for scene in scenes[:ITEMS]:
        program = PROGRAMS[scene.program]
        for step in program.steps:
            other = msgspec.structs.replace(scene, program=INDEX[program.without(step).effect])
            assert answer(other) != LABELS[scene.right], (program, step)


def test_what_is_right_holds_of_the_pixels_of_d(of_photographs: Mounted, scenes: list[Scene]) -> None:
    """The table holds cells of 13 pixels, in the pose as it lies in the source: pixels are turned, cut and coloured."""
    asked = set()
    for scene in scenes[:ITEMS]:
        if is_of_things(scene.facts[0]):
            continue
        drawn = BENCHMARK.render(of_photographs.bank, scene, "1")
        assert seen_on(drawn, scene) == asked_of(scene).options[scene.right]
        asked |= {fact.kind for fact in scene.facts}
    assert len(asked) >= 8


def seen_on(drawn: PictureArray, scene: Scene) -> str | None:
    """Return the option that holds of pixels: they are handed to the solver as cells of 4 pixels."""
    small = Image.fromarray(drawn[..., :3]).resize((128, 128), Image.Resampling.BOX)
    [keyed] = BENCHMARK.questions(scene)
    held = {"1": {"target": {"cells": small.tobytes().hex(), "things": []}}}
    label = BENCHMARK.solve(View(question=keyed.question, pictures=held))
    return None if label is None else dict(zip(LABELS, asked_of(scene).options, strict=True))[label]


def test_rotating_the_hues_of_c_moves_every_hue_on_and_nothing_else(of_photographs: Mounted) -> None:
    """So who knows the program and the options of a hue, and not C, can't prefer one."""
    bank = of_photographs.bank.photographs
    for name in bank.telling[:3]:
        known = bank.read_tables(name)
        for choice in choices(known.things):
            plain = values_of(Photograph(name, known.look, known.things, 3), choice)
            moved = values_of(Photograph(name, known.look, known.things, 3, hue=2), choice)
            for place, fact in enumerate(choice):
                told = plain[:, place] >= 0
                assert (told == (moved[:, place] >= 0)).all()
                if len(choice) > 1 and place == 0:
                    assert (plain[:, 0] == moved[:, 0]).all()
                elif fact.kind.startswith("hue "):
                    assert (moved[told, place] == plain[told, place] ^ 2).all()


def test_a_half_turn_of_c_exchanges_opposite_places(of_photographs: Mounted) -> None:
    """So who knows a program without swaps, and not C, can't prefer one of two opposite places."""
    bank = of_photographs.bank.photographs
    unswapped = [number for number, program in enumerate(PROGRAMS) if program.swap is None]
    for name in bank.telling[:3]:
        known = bank.read_tables(name)
        for choice in choices(known.things):
            if len(choice) < 2 or choice[1].kind != HUE_THERE:
                continue
            plain = values_of(Photograph(name, known.look, known.things, 1), choice)[unswapped]
            turned = values_of(Photograph(name, known.look, known.things, 3), choice)[unswapped]
            told = plain[:, 0] >= 0
            edges = MEASURED[choice[0].kind][1] in AT_SIDES
            opposite = (plain[told, 0] + 2) % 4 if edges else 3 - plain[told, 0]
            assert (turned[told, 0] == opposite).all()
            assert (turned[told, 1] == plain[told, 1]).all()


def test_a_is_a_photograph_on_which_what_looks_like_the_program_gives_the_right_option(
    of_photographs: Mounted, monkeypatch: pytest.MonkeyPatch
) -> None:
    bank: PhotographBank = of_photographs.bank.photographs
    clear = bank.telling[:2]

    def alike(own: PhotographBank, name: str, _program: int) -> list[int]:
        assert own is bank
        return [] if name in clear else list(range(len(PROGRAMS)))

    monkeypatch.setattr(PhotographBank, "alike", alike)
    scenes = [scene for scene in items(of_photographs, 30) if name_of(scene.query) not in clear]
    assert scenes
    assert {name_of(scene.source) for scene in scenes} == set(clear)


def test_c_is_asked_in_poses_of_its_table_and_a_is_another_photograph(scenes: list[Scene]) -> None:
    poses = set()
    for scene in scenes[:ITEMS]:
        assert isinstance(scene.query, Photograph)
        assert name_of(scene.source) != name_of(scene.query)
        poses.add((scene.query.pose, scene.query.hue))
    assert len(poses) > 20


def test_questions_of_annotated_photographs_name_things(scenes: list[Scene]) -> None:
    asked = [asked_of(scene).question for scene in scenes if is_of_things(scene.facts[0])]
    assert len(asked) > 5
    assert all("dog" in words or "cup" in words or "bicycle" in words for words in asked)


def instances(**changed: object) -> bytes:
    body = {
        "images": [{"id": 4, "file_name": "a.png", "width": 1024, "height": 512}],
        "annotations": [{"image_id": 4, "category_id": 7, "bbox": [300, 40, 100, 50], "iscrowd": 0}],
        "categories": [{"id": 7, "name": "dog"}],
    }
    return msgspec.json.encode(body | changed)


def test_boxes_are_brought_to_the_middle_square_at_512_pixels() -> None:
    found = dict(boxes(iter([("i.json", instances())]), ["folder/a.png", "b.png"], Counting()))
    assert found == {"folder/a.png": [Labelled("dog", (-162.0, -191.0), (50.0, 25.0))]}


@pytest.mark.parametrize(
    "annotations",
    [
        [{"image_id": 4, "category_id": 7, "bbox": [10, 40, 100, 50]}],  # out of the middle square
        [{"image_id": 4, "category_id": 7, "bbox": [300, 40, 20, 50]}],  # too thin to see
        [{"image_id": 4, "category_id": 7, "bbox": [300, 40, 400, 50]}],  # too wide to lie in a quarter
        [{"image_id": 4, "category_id": 7, "bbox": [300, 40, 100, 50], "iscrowd": 1}],
        [{"image_id": 4, "category_id": 7, "bbox": [300 + 9 * two, 40, 100, 50]} for two in range(2)],  # which dog?
    ],
)
def test_things_that_nobody_can_be_asked_about_are_left_out(annotations: object) -> None:
    assert not list(boxes(iter([("i.json", instances(annotations=annotations))]), ["a.png"], Counting()))


def test_json_of_another_form_and_photographs_that_are_not_there_are_told() -> None:
    counting = Counting()
    images = [{"id": 4, "file_name": "a.png", "height": 512}]
    files = [("notes.json", b'{"text": "no boxes"}'), ("i.json", instances(images=images)), ("j.json", instances())]
    assert not list(boxes(iter(files), ["b.png"], counting))
    told = counting.counts()
    assert told.dropped == {LACKING: {"photographs": 1}, OTHER_FORM: {"annotation files": 2}}
    assert told.examples[LACKING] == ["j.json: a.png"]
    assert [one.partition(" - ")[0] for one in told.examples[OTHER_FORM]] == [
        "notes.json: Object missing required field `images`",
        "i.json: Object missing required field `width`",
    ]


def mined(folder: Path, pictures: Mapping[str, PictureArray]) -> SourceStore:
    """Return a store with these pictures as a source of photographs, mined."""
    given = folder / "given"
    given.mkdir()
    for name, pixels in pictures.items():
        Image.fromarray(pixels).save(given / name)
    store = of_folder(folder / "sources")
    add(store, "photographs", given, "some", access="public")
    mine(store, store.head("photographs", "some"), jobs()["visanalog"], lambda *_counts: None)
    return store


def on(store: SourceStore, bank_folder: Path) -> Mounted:
    mounted = mount([BENCHMARK], open_sources(f"file://{store.folder},file://{bank_folder}")).newest("visanalog")
    assert mounted is not None
    return mounted


def grey(number: int) -> PictureArray:
    """Return blocks of light and dark, which no rotation of hues changes."""
    pixels = np.random.default_rng(number).integers(0, 255, (8, 8), np.uint8).repeat(32, axis=0).repeat(32, axis=1)
    return np.asarray(Image.fromarray(pixels).convert("RGBA"))


def shifted(pixels: PictureArray, levels: int) -> PictureArray:
    """Return a picture with its hues moved on, by levels of Pillow's 256, and half as strong."""
    hue, saturation, value = Image.fromarray(pixels).convert("RGB").convert("HSV").split()
    moved = hue.point([(level + levels) % 256 for level in range(256)])
    paler = saturation.point([level // 2 for level in range(256)])
    return np.asarray(Image.merge("HSV", (moved, paler, value)).convert("RGB").convert("RGBA"))


def test_beside_coloured_photographs_grey_ones_are_a_where_the_hue_does_not_matter(
    bank_folder: Path, tmp_path: Path
) -> None:
    coloured = {f"seen_{number}.png": painted(number) for number in range(4)}
    mounted = on(mined(tmp_path, coloured | {f"grey_{number}.png": grey(number) for number in range(3)}), bank_folder)
    bank = mounted.bank.photographs
    assert len(bank.telling) == len(coloured) + 3
    assert bank.alike("grey_0.png", INDEX[PROGRAMS[5].effect])
    seen = set()
    for scene in items(mounted, 100):
        seen.add(name_of(scene.source).partition("_")[0])
        assert answer(scene) == LABELS[scene.right]
        if name_of(scene.source).startswith("grey"):
            values = values_of(scene.query, scene.facts)
            others = bank.alike(name_of(scene.source), scene.program)
            assert len(others) == 3, "the same program with each other hue rotation"
            assert (values[list(others)] == values[scene.program]).all()
            assert not any("hue" in fact.kind for fact in scene.facts)
    assert seen == {"seen", "grey"}


def test_hues_at_the_edge_of_a_name_are_solved_too(bank_folder: Path, tmp_path: Path) -> None:
    """Rotating C's hues rounds them: some leave the 34 degrees within which they are asked for."""
    edge = {f"edge_{number}.png": shifted(painted(number), 24) for number in range(7)}
    for scene in items(on(mined(tmp_path, edge), bank_folder), 100):
        [keyed] = BENCHMARK.questions(scene)
        assert BENCHMARK.solve(view_of(BENCHMARK, scene, keyed.question)) == LABELS[scene.right]


def test_pale_photographs_leave_the_composed_track_served(bank_folder: Path, tmp_path: Path) -> None:
    mounted = on(mined(tmp_path, {f"{number}.png": grey(number) for number in range(3)}), bank_folder)
    assert "of more colors" in mounted.lacking[PHOTOGRAPHS]
    assert COMPOSED not in mounted.lacking
    assert make_item(mounted, Draw(mounted.benchmark, mounted.identity(COMPOSED, ORACLE, {}), "1"), 0).questions
