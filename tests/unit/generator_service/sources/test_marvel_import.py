"""MARVEL's published layout: whole it is mounted, and each thing wrong with it is named."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from generator_service.benchmarks.marvel.published import LAYOUT
from generator_service.commands.sources import add_layout
from generator_service.sources.store import SourceStore
from tests.published import save, thing
from tests.unit.generator_service.sources.pictures import add_corpus, faults_of

Entries = list[dict[str, Any]]


@pytest.fixture
def folder(marvel_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(marvel_folder, tmp_path / "copy"))


def change_entries(folder: Path, change: Callable[[Entries], object]) -> None:
    path = folder / "marvel_label.json"
    entries = json.loads(path.read_text())
    change(entries)
    path.write_text(json.dumps(entries))


def test_a_whole_set_has_every_puzzle_in_order(store: SourceStore, marvel_folder: Path) -> None:
    corpus = add_corpus(store, LAYOUT, marvel_folder)
    assert corpus.name == "marvel-published"
    assert [puzzle.id for puzzle in corpus.items] == list(range(1, 37, 3))
    first = corpus.items[0]
    assert (first.pattern, first.configuration, first.answer, first.panels) == ("temporal movement", "sequence", 1, 4)
    assert (first.detail_right, first.detail_wrong) == ("two", "three")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"answer": 5}, "answer is 5"),
        ({"answer": 0}, "answer is 0"),
        ({"pattern": "Music"}, "pattern is 'Music'"),
        ({"task_configuration": "Circle"}, "task_configuration is 'Circle'"),
        ({"c_perception_answer_tuple": [9, 4, 13]}, "c_perception_answer_tuple is 9, 4, 13"),
        ({"c_perception_answer_tuple": [4, 4, 9]}, "c_perception_answer_tuple is 4, 4, 9"),
        ({"f_perception_distractor": "Two "}, "f_perception_answer and f_perception_distractor are no two answers"),
        ({"f_perception_answer": ""}, "f_perception_answer and f_perception_distractor are no two answers"),
        ({"f_perception_question": " "}, "f_perception_question is empty or too long"),
    ],
    ids=str,
)
def test_a_label_that_can_t_be_is_named(
    store: SourceStore, folder: Path, change: dict[str, object], problem: str
) -> None:
    change_entries(folder, lambda entries: entries[0].update(change))
    assert faults_of(store, LAYOUT, folder) == {"puzzle 1": problem}


def test_a_doubled_id_a_missing_picture_and_a_picture_too_many_are_all_named(store: SourceStore, folder: Path) -> None:
    change_entries(folder, lambda entries: entries.append(entries[2]))
    (folder / "Marvel" / "4.png").unlink()
    save(folder / "Marvel" / "999.png", thing(1))
    save(folder / "other" / "1.png", thing(1))
    (folder / "Marvel" / "10.png").write_bytes(b"nothing")
    assert faults_of(store, LAYOUT, folder) == {
        "puzzle 7": "is doubled, again as entry 12",
        "4.png": "is missing",
        "Marvel/999.png": "is of no puzzle in the JSON",
        "other/1.png": "is there twice, also as Marvel/1.png",
        "Marvel/10.png": "is not a readable PNG",
    }


def test_an_entry_of_the_wrong_type_or_without_a_field_is_named(store: SourceStore, folder: Path) -> None:
    change_entries(folder, lambda entries: entries[1].update(answer="two"))
    change_entries(folder, lambda entries: entries[2].pop("pattern"))
    found = faults_of(store, LAYOUT, folder)
    assert "$.answer" in found["marvel_label.json, entry 1"]
    assert "`pattern`" in found["marvel_label.json, entry 2"]


@pytest.mark.parametrize("text", ["{}", "no json", "[1, 2"])
def test_a_file_that_is_no_list_is_named(store: SourceStore, folder: Path, text: str) -> None:
    (folder / "marvel_label.json").write_text(text)
    assert "is no JSON list" in faults_of(store, LAYOUT, folder)["marvel_label.json"]


def test_there_must_be_one_json_file(store: SourceStore, folder: Path) -> None:
    (folder / "second.json").write_text("[]")
    assert "there are 2" in faults_of(store, LAYOUT, folder)["JSON"]


def test_puzzles_without_a_picture_are_left_out_where_a_part_is_asked_for(store: SourceStore, folder: Path) -> None:
    (folder / "Marvel" / "4.png").unlink()
    assert [puzzle.id for puzzle in add_corpus(store, LAYOUT, folder, partial=True).items] == [1, *range(7, 37, 3)]
    assert add_layout(store, "marvel", str(folder), partial=True).left_out == ["4.png: is missing; add the picture"]


def test_pictures_of_single_panels_may_lie_beside_the_puzzles(store: SourceStore, folder: Path) -> None:
    save(folder / "panels" / "question_1_0.png", thing(1))
    assert len(add_corpus(store, LAYOUT, folder).items) == 12
