"""VISANALOG's published fields: whole they are mounted and asked, and each thing wrong with them is named."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from generator_service.benchmarks.visanalog.published import LAYOUT
from generator_service.draws import Draw
from generator_service.items import make_item
from generator_service.proving.conformance import faults_of as unheld
from generator_service.proving.samples import places, sample_at
from generator_service.registry import mount
from generator_service.sources.faults import SourceFaultsError
from generator_service.sources.published import add_published
from generator_service.sources.store import SourceStore
from tests.published import write_visanalog, write_visanalog_parquet
from tests.unit.generator_service.sources.pictures import add_corpus

Entries = list[dict[str, Any]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_visanalog(tmp_path / "released")


def faults_of(store: SourceStore, folder: Path) -> dict[str, str]:
    with pytest.raises(SourceFaultsError) as refused:
        add_corpus(store, LAYOUT, folder)
    assert store.heads() == []
    return {fault.field: fault.problem for fault in refused.value.faults}


def change_entries(folder: Path, change: Callable[[Entries], object]) -> None:
    path = folder / "data" / "test.jsonl"
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    change(entries)
    path.write_text("".join(json.dumps(one) + "\n" for one in entries))


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
    assert [one.number for one in corpus.items] == list(range(12))
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
        ({"image_C": "images/99.png"}, "its picture images/99.png is missing, or several have this name"),
    ],
    ids=str,
)
def test_what_can_t_be_is_named(store: SourceStore, folder: Path, change: dict[str, object], problem: str) -> None:
    change_entries(folder, lambda entries: entries[0].update(change))
    assert faults_of(store, folder) == {"question 0": problem}


def test_a_broken_picture_and_a_missing_field_are_named(store: SourceStore, folder: Path) -> None:
    change_entries(folder, lambda entries: entries[2].pop("answer"))
    (folder / "data" / "images" / "4_B.png").write_bytes(b"nothing")
    found = faults_of(store, folder)
    assert found.keys() == {"data/test.jsonl, entry 2", "data/images/4_B.png"}
    assert "answer" in found["data/test.jsonl, entry 2"]


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
        for one in entries:
            one["Image_a"], one["options"] = one.pop("image_A"), json.dumps(one.pop("choices"))

    change_entries(folder, change)
    assert add_published(store, LAYOUT, str(folder)).digest == beside.digest


def test_a_cut_parquet_file_and_one_with_a_broken_picture_are_named(store: SourceStore, tmp_path: Path) -> None:
    released = write_visanalog_parquet(tmp_path / "parquet")
    whole = (released / "data" / "test-00000-of-00002.parquet").read_bytes()
    (released / "data" / "test-00000-of-00002.parquet").write_bytes(whole[: len(whole) // 2])
    assert "is no whole Parquet file" in faults_of(store, released)["data/test-00000-of-00002.parquet"]
    png = whole.index(b"\x89PNG")
    (released / "data" / "test-00000-of-00002.parquet").write_bytes(whole[:png] + b"xxxx" + whole[png + 4 :])
    assert faults_of(store, released) == {
        "data/test-00000-of-00002.parquet, question 0": "is not a readable JPEG or PNG or WEBP"
    }


def test_without_pyarrow_parquet_is_refused_with_a_remedy(
    store: SourceStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    released = tmp_path / "released"
    released.mkdir()
    (released / "test.parquet").write_bytes(b"PAR1")
    assert "pyarrow" in faults_of(store, released)["test.parquet"]
