"""VASR's published layout: whole it is mounted, and each thing wrong with it is named."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from generator_service.benchmark import Streams
from generator_service.benchmarks.vasr.published import LAYOUT
from generator_service.benchmarks.vasr.spec import ROLES
from generator_service.sources.faults import Faults, SourceFaultsError, line
from generator_service.sources.published import add_published, open_published
from generator_service.sources.store import SourceStore
from tests.published import vasr_rows, write_vasr_rows
from tests.unit.generator_service.sources.pictures import add_corpus, faults_of
from tetrad.contracts.items import ChoiceKey
from tetrad.streams import StreamFamily


@pytest.fixture
def folder(vasr_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(vasr_folder, tmp_path / "copy"))


def test_the_candidate_that_most_people_chose_is_right_whatever_was_mined(
    store: SourceStore, vasr_folder: Path
) -> None:
    corpus = add_corpus(store, LAYOUT, vasr_folder)
    assert corpus.name == "vasr-published"
    assert [(item.place, item.gold, item.mined) for item in corpus.items[3:6]] == [
        (4, 0, True),
        (5, 2, False),
        (6, 0, True),
    ]
    benchmark = LAYOUT.benchmark(corpus)
    places = set()
    for turn in range(12):
        streams = Streams(StreamFamily("tests").narrow(turn))
        scene = benchmark.sample(corpus, corpus.name, "as-published", {}, {"place": "4"}, streams)
        (keyed,) = benchmark.questions(scene)
        assert isinstance(keyed.key, ChoiceKey)
        assert keyed.facets["people"] == "otherwise"
        option = next(option for option in keyed.question.options if option.label == keyed.key.label)
        shown = benchmark.render(corpus, scene, str(option.picture))
        with Image.open(vasr_folder / "images" / "other1_4.jpg") as photograph:
            assert np.array_equal(shown[..., :3], np.asarray(photograph.convert("RGB")))
        places.add(keyed.key.label)
    assert len(places) > 1, "the answer's place is drawn"


def test_the_card_has_all_figures_of_difficult_distractors_and_asks_partial_inputs_and_roles(
    store: SourceStore, folder: Path
) -> None:
    rows = [{**row, "different_key": role} for row, role in zip(vasr_rows(6), ROLES, strict=True)]
    write_vasr_rows(folder, rows)
    corpus = add_corpus(store, LAYOUT, folder)
    benchmark = LAYOUT.benchmark(corpus)
    card = benchmark.card
    assert len(card.reference) == 36
    assert {row.pictures for row in card.reference} == {"the paper's test set, of which some is mounted here"}
    assert {setting for row in card.reference for setting in row.where["setting"]} == set(card.tracks[0].settings)
    assert [role for row in card.reference for role in row.where.get("role", ())].count("victim") == 3
    asked: dict[str, str] = {}
    for setting in card.settings:
        streams = Streams(StreamFamily("tests"))
        scene = benchmark.sample(corpus, corpus.name, setting.name, {}, {"place": "2"}, streams)
        (keyed,) = benchmark.questions(scene)
        assert (keyed.question.kind, keyed.facets["role"]) == (setting.questions[0], ROLES[2])
        assert benchmark.next_questions(scene, {}) == (keyed.question.id,)
        assert isinstance(keyed.key, ChoiceKey)
        right = next(option.picture for option in keyed.question.options if option.label == keyed.key.label)
        shown = corpus.picture(scene.analogy.candidates[scene.analogy.gold])
        assert np.array_equal(benchmark.render(corpus, scene, str(right)), shown)
        asked[setting.name] = " ".join(picture.caption for picture in keyed.question.pictures[:-4])
    assert asked == {
        "as-published": "picture A picture A' picture B",
        "only-a-prime": "picture A'",
        "only-b": "picture B",
        "a-prime-and-b": "picture A' picture B",
    }


def test_photographs_are_kept_as_png_without_their_names(store: SourceStore, vasr_folder: Path) -> None:
    head = add_published(store, LAYOUT, str(vasr_folder))
    source = store.open(head)
    assert not any("verb" in name for name in source.by_name)
    corpus = open_published(store, head)
    assert bytes(source.read(corpus.items[0].given[0])).startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("column", "value", "problem"),
    [
        ("distractors", "other0_0.jpg", "no list of names"),
        ("distractors", "[1, 2]", "no list of names"),
        ("distractors", "['verbd_0.jpg', 'other0_0.jpg']", "2 of them different"),
        ("distractors", "[]", "has 1 candidates"),
        ("workers_most_common_answer", "verba_0.jpg", "none of its candidates"),
        ("workers_most_common_answer", "", "none of its candidates"),
    ],
)
def test_a_row_that_can_t_be_asked_is_named(
    store: SourceStore, folder: Path, column: str, value: str, problem: str
) -> None:
    rows = vasr_rows(10)
    rows[0][column] = value
    write_vasr_rows(folder, rows)
    assert problem in faults_of(store, LAYOUT, folder)["row 1"]


def test_missing_and_broken_photographs_are_listed_and_partial_leaves_out_the_missing_ones(
    store: SourceStore, folder: Path
) -> None:
    (folder / "images" / "verba_3.jpg").unlink()
    (folder / "images" / "other2_6.jpg").unlink()
    assert faults_of(store, LAYOUT, folder) == {
        "verba_3.jpg": "is missing, row 4 shows it",
        "other2_6.jpg": "is missing, row 7 shows it",
    }
    (folder / "images" / "verbb_8.jpg").write_bytes(b"no photograph")
    with pytest.raises(SourceFaultsError, match=r"verbb_8\.jpg"):
        add_published(store, LAYOUT, str(folder), partial=True)
    (folder / "images" / "verbb_8.jpg").unlink()
    faults = Faults()
    corpus = open_published(store, add_published(store, LAYOUT, str(folder), partial=True, faults=faults))
    assert [line(fault) for fault in faults.left_out] == [
        "row 4: verba_3.jpg missing; add what is missing",
        "row 7: other2_6.jpg missing; add what is missing",
        "row 9: verbb_8.jpg missing; add what is missing",
    ]
    assert [item.place for item in corpus.items] == [1, 2, 3, 5, 6, 8, 10]


def test_a_table_that_is_none_is_named(store: SourceStore, folder: Path) -> None:
    path = folder / "gold_test.csv"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0].replace("C_img", "third"), *lines[1:]]))
    assert faults_of(store, LAYOUT, folder) == {"gold_test.csv": "has no column C_img"}
    path.write_bytes(b"\xff\xfe")
    assert "is no CSV file in UTF-8" in faults_of(store, LAYOUT, folder)["gold_test.csv"]
    shutil.copy(path, folder / "gold_dev.csv")
    assert "there are 2" in faults_of(store, LAYOUT, folder)["CSV"]
