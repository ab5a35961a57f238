"""VISANALOG's published fields: whole they are mounted and asked, and each thing wrong with them is named."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from generator_service.benchmarks.visanalog.published import LAYOUT
from generator_service.commands.sources import add_layout
from generator_service.draws import Draw
from generator_service.items import make_item
from generator_service.proving.conformance import faults_of as unheld
from generator_service.proving.samples import places, sample_at
from generator_service.registry import mount
from generator_service.sources.faults import SourceFaultsError
from generator_service.sources.published import Corpus, add_published, open_published
from generator_service.sources.store import SourceStore
from tests.published import visanalog_entries, write_visanalog, write_visanalog_parquet
from tests.unit.generator_service.sources.pictures import add_corpus, faults_of

Entries = list[dict[str, Any]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_visanalog(tmp_path / "released")


def open_named(store: SourceStore) -> Corpus:
    [head] = store.heads()
    return open_published(store, head)


def change_entries(folder: Path, change: Callable[[Entries], object]) -> None:
    path = folder / "data" / "test.jsonl"
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    change(entries)
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))


def test_whole_questions_are_mounted_in_order_whatever_form_choices_and_program_have(
    store: SourceStore, folder: Path
) -> None:
    def change(entries: Entries) -> None:
        entries[1] |= {
            "choices": {"A": "one", "B": "two", "C": "three", "D": "four"},
            "answer": "(b)".upper(),
            "program": "zoom -> flip vertical",
        }

    change_entries(folder, change)
    corpus = add_corpus(store, LAYOUT, folder)
    assert corpus.name == "visanalog-published"
    assert [item.number for item in corpus.items] == list(range(12))
    assert (corpus.items[0].answer, corpus.items[0].kinds) == ("A", ("zoom",))
    assert (corpus.items[1].choices, corpus.items[1].answer) == (("one", "two", "three", "four"), "B")
    assert corpus.items[1].kinds == ("zoom", "flip")
    assert corpus.items[3].kinds == ("swap", "rotation", "flip", "hue")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"answer": "E"}, "answer is 'E'"),
        ({"choices": ["a", "b", "c"]}, "choices are 3 different texts"),
        ({"choices": ["a", "b", "c", "c"]}, "choices are 3 different texts"),
        ({"question": " "}, "question or choices are empty or too long"),
        ({"program": ["sharpen"]}, "program is \"['sharpen']\""),
        ({"program": ["zoom", "crop"]}, "program is \"['zoom', 'crop']\""),
        ({"program": []}, "program is '[]'"),
        ({"image_C": "images/99.png"}, "image_C (images/99.png) is missing, or several files have this name"),
    ],
    ids=str,
)
def test_what_can_t_be_is_named(store: SourceStore, folder: Path, change: dict[str, object], problem: str) -> None:
    change_entries(folder, lambda entries: entries[0].update(change))
    assert faults_of(store, LAYOUT, folder) == {"data/test.jsonl, entry 0 (q0)": problem}


def test_a_broken_picture_and_a_missing_field_are_named(store: SourceStore, folder: Path) -> None:
    change_entries(folder, lambda entries: entries[2].pop("answer"))
    (folder / "data" / "images" / "4_B.png").write_bytes(b"nothing")
    found = faults_of(store, LAYOUT, folder)
    assert found.keys() == {"data/test.jsonl, entry 2 (q2)", "data/images/4_B.png"}
    assert "answer" in found["data/test.jsonl, entry 2 (q2)"]


def test_a_fault_names_the_entry_s_own_number_whatever_is_wrong_with_earlier_ones(
    store: SourceStore, folder: Path
) -> None:
    def change(entries: Entries) -> None:
        entries[0].pop("program")
        entries[5]["answer"] = "E"
        entries[7].pop("id")
        entries[7]["answer"] = "F"
        entries[8]["id"] = 88
        entries[8].pop("image_A")

    change_entries(folder, change)
    assert faults_of(store, LAYOUT, folder).keys() == {
        f"data/test.jsonl, entry {entry}" for entry in ("0 (q0)", "5 (q5)", "7", "8 (88)")
    }


def test_every_question_is_asked_once_in_each_setting_with_its_own_words_and_pictures(
    store: SourceStore, folder: Path
) -> None:
    add_published(store, LAYOUT, str(folder))
    mounted = mount([], store, published=True).newest("visanalog-published")
    assert mounted is not None
    chosen = list(places(mounted))
    assert {place.setting for place in chosen} == {"end-to-end", "program", "wrong-image"}
    assert not [str(fault) for place in chosen for fault in unheld(sample_at(mounted, place))]
    for setting, pictures in (("end-to-end", 3), ("program", 1), ("wrong-image", 1)):
        draw = Draw(mounted.benchmark, mounted.identity("visanalog-published", setting, {}), "1")
        items = [make_item(mounted, draw, index) for index in range(12)]
        assert len({item.scene.asked.number for item in items}) == 12
        for item in items:
            [keyed] = item.questions
            assert keyed.question.text.endswith(item.scene.asked.question)
            assert len(keyed.question.pictures) == pictures
            assert ("; ".join(item.scene.asked.program) in keyed.question.text) == (setting == "program")


def test_parquet_with_the_pictures_inside_is_the_same_corpus(store: SourceStore, folder: Path, tmp_path: Path) -> None:
    beside = add_corpus(store, LAYOUT, folder)
    inside = add_published(store, LAYOUT, str(write_visanalog_parquet(tmp_path / "parquet")))
    assert inside.digest == beside.digest


def test_columns_may_be_named_and_written_otherwise(store: SourceStore, folder: Path) -> None:
    beside = add_corpus(store, LAYOUT, folder)

    def change(entries: Entries) -> None:
        for entry in entries:
            entry["Image_a"], entry["options"] = entry.pop("image_A"), json.dumps(entry.pop("choices"))

    change_entries(folder, change)
    assert add_published(store, LAYOUT, str(folder)).digest == beside.digest


def test_a_cut_parquet_file_and_one_with_a_broken_picture_are_named(store: SourceStore, tmp_path: Path) -> None:
    released = write_visanalog_parquet(tmp_path / "parquet")
    whole = (released / "data" / "test-00000-of-00002.parquet").read_bytes()
    (released / "data" / "test-00000-of-00002.parquet").write_bytes(whole[: len(whole) // 2])
    assert "is no whole Parquet file" in faults_of(store, LAYOUT, released)["data/test-00000-of-00002.parquet"]
    png = whole.index(b"\x89PNG")
    (released / "data" / "test-00000-of-00002.parquet").write_bytes(whole[:png] + b"xxxx" + whole[png + 4 :])
    assert faults_of(store, LAYOUT, released) == {
        "data/test-00000-of-00002.parquet, entry 0 (q0)": "is not a readable JPEG or PNG or WEBP"
    }


def test_without_pyarrow_parquet_is_refused_with_a_remedy(
    store: SourceStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    released = tmp_path / "released"
    released.mkdir()
    (released / "test.parquet").write_bytes(b"PAR1")
    assert "pyarrow" in faults_of(store, LAYOUT, released)["test.parquet"]


def test_a_partial_corpus_says_which_questions_it_leaves_out_and_why(store: SourceStore, folder: Path) -> None:
    (folder / "data" / "images" / "3_B.png").unlink()
    for letter in ("A.png", "B.png", "C.jpg"):
        (folder / "data" / "images" / f"5_{letter}").unlink()
    assert faults_of(store, LAYOUT, folder).keys() == {f"data/test.jsonl, entry {place} (q{place})" for place in (3, 5)}
    added = add_layout(store, "visanalog", str(folder), partial=True)
    of_five = "image_A (images/5_A.png), image_B (images/5_B.png) and image_C (images/5_C.jpg) are missing"
    several = "or several files have this name; add the picture"
    assert added.left_out == [
        f"data/test.jsonl, entry 3 (q3): image_B (images/3_B.png) is missing, {several}",
        f"data/test.jsonl, entry 5 (q5): {of_five}, {several}s",
    ]
    assert len(open_named(store).items) == 10


def test_questions_that_lie_there_twice_are_refused_and_both_files_are_named(
    store: SourceStore, folder: Path, tmp_path: Path
) -> None:
    released = write_visanalog_parquet(tmp_path / "parquet")
    for shard in (released / "data").iterdir():
        (folder / "data" / shard.name).write_bytes(shard.read_bytes())
    found = faults_of(store, LAYOUT, folder)
    assert found == {
        f"data/test-0000{shard}-of-00002.parquet and data/test.jsonl": "hold the same questions: 6, such as entry 0 "
        f"(q{6 * shard}) of the first and entry {6 * shard} (q{6 * shard}) of the second"
        for shard in range(2)
    }


def test_a_question_is_the_same_whatever_form_its_pictures_are_saved_in(store: SourceStore, folder: Path) -> None:
    """One has another file of the same pixels and no id, one the same id and pictures saved anew with loss."""
    images = folder / "data" / "images"

    def change(entries: Entries) -> None:
        with Image.open(images / "0_A.png") as image:
            image.save(images / "again.webp", lossless=True)
        with Image.open(images / "1_A.png") as image:
            image.save(images / "again.jpg", quality=60)
        same = {name: value for name, value in entries[0].items() if name != "id"}
        entries += [same | {"image_A": "images/again.webp"}, entries[1] | {"image_A": "images/again.jpg"}]
        entries += [entries[2] | {"id": "other", "image_C": "images/9_C.jpg"}]  # the same words, and another picture

    change_entries(folder, change)
    assert faults_of(store, LAYOUT, folder) == {
        "data/test.jsonl": "holds questions twice: 2, such as entry 0 (q0) and entry 12"
    }


@pytest.mark.parametrize(
    ("program", "found"),
    [(["flip horizontal", "zoom"], "flip, zoom"), ("hue 90; rotate 90; swap (0,1)", "hue, rotation, swap")],
)
def test_steps_in_an_order_that_the_paper_does_not_have_are_refused(
    store: SourceStore, folder: Path, program: object, found: str
) -> None:
    change_entries(folder, lambda entries: entries[0].update(program=program))
    assert faults_of(store, LAYOUT, folder) == {
        "data/test.jsonl, entry 0 (q0)": f"program has its steps in the order {found}; the paper's is zoom, swap, "
        "rotation, flip, hue"
    }


@pytest.mark.parametrize(
    ("program", "sides", "fits"),
    [
        ("rotate 90", (80, 120), True),
        ("rotate 90", (120, 80), True),  # cut to the old size, as Pillow does where it isn't told to expand
        ("swap 0 1", (120, 79), True),  # tiles of an odd side lose a pixel
        ("zoom", (80, 120), False),
        ("rotate 90", (100, 66), False),
        ("zoom", (96, 64), False),
    ],
)
def test_picture_b_has_the_size_of_a_or_its_sides_exchanged_by_a_rotation(
    store: SourceStore, folder: Path, program: str, sides: tuple[int, int], *, fits: bool
) -> None:
    images = folder / "data" / "images"
    for letter, size in (("A", (120, 80)), ("B", sides)):
        Image.effect_noise(size, 50).convert("RGB").save(images / f"0_{letter}.png")
    change_entries(folder, lambda entries: entries[0].update(program=program))
    if fits:
        assert len(add_corpus(store, LAYOUT, folder).items) == 12
    else:
        width, height = sides
        assert faults_of(store, LAYOUT, folder) == {
            "data/test.jsonl, entry 0 (q0)": f"image_B is {width} x {height} pixels and image_A 120 x 80"
        }


def test_files_about_a_data_set_are_passed_over_and_other_data_is_named(store: SourceStore, folder: Path) -> None:
    for name in ("dataset_infos.json", "data/dataset_info.json", "data/state.json", "croissant.json"):
        (folder / name).write_text('{"default": {"features": {}}}')
    for name in ("README.md", "LICENSE", ".gitattributes", "requirements.txt"):
        (folder / name).write_text("words")
    assert len(add_corpus(store, LAYOUT, folder).items) == 12


def test_data_that_is_not_read_is_refused_with_its_name(store: SourceStore, folder: Path) -> None:
    (folder / "data" / "data-00000-of-00001.arrow").write_bytes(b"ARROW1")
    (folder / "more.csv").write_text("question,answer")
    (folder / "config.json").write_text('{"a": 1}')
    found = faults_of(store, LAYOUT, folder)
    assert found == {
        "data/data-00000-of-00001.arrow": "may hold questions and is in a form that is not read",
        "more.csv": "may hold questions and is in a form that is not read",
        "config.json": "is no JSON list (it is of type dict)",
    }


@pytest.mark.parametrize(
    ("program", "steps"),
    [
        ("swap_tiles(0, 3), rotate(90)", ("swap_tiles(0, 3)", "rotate(90)")),
        ("[swap_tiles(0, 3), rotate(90)]", ("swap_tiles(0, 3)", "rotate(90)")),
        ("['swap_tiles(0, 3)', 'rotate(90)']", ("swap_tiles(0, 3)", "rotate(90)")),
        ("swap [0, 3] -> rotate 90", ("swap [0, 3]", "rotate 90")),
        (
            [{"name": "swap_tiles", "tiles": [0, 3]}, {"name": "rotate", "degrees": 90, "tiles": None}],
            ("swap_tiles(tiles=[0,3])", "rotate(degrees=90)"),
        ),
        (
            [{"op": "swap", "params": {"tiles": [0, 3]}}, {"type": "rotation", "args": [90]}],
            ("swap(tiles=[0,3])", "rotation(90)"),
        ),
        ([{"swap_tiles": [0, 3]}, {"rotate": 90, "swap_tiles": None}], ("swap_tiles([0,3])", "rotate(90)")),
        (["swap (0, 3)", {"name": "rotate"}], ("swap (0, 3)", "rotate")),
    ],
    ids=str,
)
def test_a_program_may_be_written_in_several_ways(
    store: SourceStore, folder: Path, program: object, steps: tuple[str, ...]
) -> None:
    change_entries(folder, lambda entries: entries[0].update(program=program))
    asked = add_corpus(store, LAYOUT, folder).items[0]
    assert (asked.program, asked.kinds) == (steps, ("swap", "rotation"))


@pytest.mark.parametrize(
    "program",
    [7, {"zoom": True, "rotate": 90}, [["rotate", 90]], [{"degrees": 90, "tiles": [0, 1]}], "swap (0"],
    ids=str,
)
def test_a_program_in_another_form_is_refused_with_those_that_are_read(
    store: SourceStore, folder: Path, program: object
) -> None:
    change_entries(folder, lambda entries: entries[0].update(program=program))
    with pytest.raises(SourceFaultsError) as refused:
        add_corpus(store, LAYOUT, folder)
    [fault] = refused.value.faults
    assert fault.field == "data/test.jsonl, entry 0 (q0)"
    assert fault.problem.startswith("program is ")
    for form in ("a list of texts", "a list of objects", "one text"):
        assert form in fault.remedy


def test_a_program_of_objects_is_read_from_parquet(store: SourceStore, tmp_path: Path) -> None:
    import pyarrow as pa  # noqa: PLC0415 -- slow, and needed here alone
    from pyarrow import parquet  # noqa: PLC0415 -- same

    beside = write_visanalog(tmp_path / "beside", 1) / "data"
    [entry] = visanalog_entries(1)
    for name in ("image_A", "image_B", "image_C"):
        entry[name] = {"bytes": (beside / str(entry[name])).read_bytes(), "path": None}
    entry["program"] = [{"name": "swap_tiles", "tiles": [0, 3]}, {"name": "rotate", "degrees": 90}]
    released = tmp_path / "released"
    released.mkdir()
    parquet.write_table(pa.Table.from_pylist([entry]), released / "test.parquet")
    [asked] = add_corpus(store, LAYOUT, released).items
    assert asked.program == ("swap_tiles(tiles=[0,3])", "rotate(degrees=90)")
