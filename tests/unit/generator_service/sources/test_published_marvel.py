"""MARVEL's published puzzles: what our report says of a constant answer is what the labels say, counted apart."""

import json
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from generator_service.benchmarks.marvel.card import CARD as FRESH_CARD
from generator_service.benchmarks.marvel.published import LAYOUT
from generator_service.benchmarks.marvel.published.spec import Scene
from generator_service.benchmarks.marvel.spec import PATTERNS as FRESH_PATTERNS
from generator_service.draws import Draw
from generator_service.mounting import Mounted
from generator_service.sealing.draw_keys import keyed_items
from generator_service.sources.published import Corpus
from generator_service.sources.store import of_folder
from scoring_service.scoring import score
from tests.unit.generator_service.sources.pictures import add_corpus
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.items import KeyedQuestion
from tetrad.extraction.answers import extract_answer
from tetrad.internal.draws import DrawKeys

REPOSITORY = Path(__file__).parents[4]
DATA = Path(os.environ.get("TETRAD_DATA", REPOSITORY.parent / "shared" / "data"))
PUZZLES = 257


@pytest.fixture(scope="module")
def folder() -> Path:
    if not (DATA / "marvel").is_dir():
        pytest.skip(f"MARVEL's puzzles are not at {DATA / 'marvel'}: set TETRAD_DATA to the folder that holds marvel/")
    return DATA / "marvel"


@pytest.fixture(scope="module")
def labels(folder: Path) -> dict[int, dict[str, Any]]:
    """The published JSON, read without any code of ours."""
    return {entry["id"]: entry for entry in json.loads((folder / "marvel_label.json").read_text())}


@pytest.fixture(scope="module")
def corpus(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return add_corpus(of_folder(tmp_path_factory.mktemp("corpora")), LAYOUT, folder)


@pytest.fixture(scope="module")
def keyed(corpus: Corpus) -> list[KeyedQuestion]:
    """Every question with its key, as scoring gets them."""
    mounted = Mounted(LAYOUT.benchmark(corpus), corpus, corpus.digest)
    draw = Draw(mounted.benchmark, mounted.identity("marvel-published", "full", {}), "7")
    return [keyed for item in keyed_items(mounted, draw, range(PUZZLES), []) for keyed in item.questions]


def test_all_257_puzzles_are_mounted_once(corpus: Corpus, labels: dict[int, dict[str, Any]]) -> None:
    assert [puzzle.id for puzzle in corpus.items] == sorted(labels)
    assert len(corpus.items) == PUZZLES


def test_perc_c_of_constant_counts_is_the_share_of_puzzles_with_those_counts(
    corpus: Corpus, labels: dict[int, dict[str, Any]]
) -> None:
    """Whoever always counts 9, 4 and 13 and takes choice 1 and the first answer; a corpus's values have two digits."""
    said = {"context-panels": "9", "choice-panels": "4", "all-panels": "13", "detail": "(A)", "puzzle": "(1)"}
    mounted = Mounted(LAYOUT.benchmark(corpus), corpus, corpus.digest)
    draw = Draw(mounted.benchmark, mounted.identity("marvel-published", "full", {}), "7")
    answers = [
        SealedAnswer(item=item, question=question, response=f"The answer is {text}.")
        for item in range(PUZZLES)
        for question, text in said.items()
    ]
    keys = DrawKeys(
        identity=draw.identity,
        size=PUZZLES,
        seed=draw.seed,
        commitment=draw.commitment(PUZZLES),
        items=keyed_items(mounted, draw, range(PUZZLES), answers),
    )
    report = score("sub_1", keys, answers, mounted.benchmark.card, scored_at="2026-01-01T00:00:00Z")
    found = {metric.name: metric.value for metric in report.metrics if not metric.facets}
    assert found["answer-distribution"] == 1
    counted = [entry for entry in labels.values() if tuple(entry["c_perception_answer_tuple"]) == (9, 4, 13)]
    assert found["perc-c"] == pytest.approx(len(counted) / PUZZLES)
    assert len(counted) / PUZZLES > 0.3
    details = {
        keyed_question.cluster: keyed_question.key.label
        for held in keys.items
        for keyed_question in held.questions
        if keyed_question.question.id == "detail"
    }
    seen = [entry for entry in counted if details[str(entry["id"])] == "A"]
    assert found["perc-c-f"] == pytest.approx(len(seen) / PUZZLES)
    assert found["perc-c-f-avr"] == pytest.approx(sum(entry["answer"] == 1 for entry in seen) / PUZZLES)


@pytest.mark.parametrize("choice", [1, 2, 3, 4])
def test_a_constant_choice_scores_what_the_labels_say(
    keyed: list[KeyedQuestion], labels: dict[int, dict[str, Any]], choice: int
) -> None:
    puzzles = [puzzle for puzzle in keyed if puzzle.facets["stage"] == "avr"]
    read = [extract_answer(puzzle.question.shape, None, f"The answer is ({choice}).").answer for puzzle in puzzles]
    right = sum(answer == puzzle.key.label for answer, puzzle in zip(read, puzzles, strict=True))
    counted = sum(entry["answer"] == choice for entry in labels.values())
    assert (right, len(puzzles)) == (counted, PUZZLES)
    assert {1: 66, 2: 54, 3: 75, 4: 62}[choice] == counted


def test_patterns_and_configurations_are_counted_alike(
    keyed: list[KeyedQuestion], labels: dict[int, dict[str, Any]]
) -> None:
    puzzles = [puzzle for puzzle in keyed if puzzle.facets["stage"] == "avr"]
    assert {puzzle.facets["pattern"] for puzzle in puzzles} == set(FRESH_PATTERNS), "named as those of fresh puzzles"
    patterns = Counter(puzzle.facets["pattern"].replace("-", " ") for puzzle in puzzles)
    assert patterns == Counter(entry["pattern"].lower().replace("-", " ") for entry in labels.values())
    names = {"3D": "reassembling"}
    configurations = Counter(puzzle.facets["configuration"] for puzzle in puzzles)
    told = (entry["task_configuration"] for entry in labels.values())
    assert configurations == Counter(names.get(name, name.lower()) for name in told)


def test_the_report_tells_what_the_paper_tells(corpus: Corpus) -> None:
    """All that the fresh benchmark's does but what there are no labels of: kinds of shape, of detail, of mistake."""
    metrics = {metric.name: metric.by for metric in LAYOUT.benchmark(corpus).card.metrics}
    assert metrics["avr"] == ("pattern",)
    assert metrics["avr-by-configuration"] == ("configuration",)
    assert metrics["avr-by-cell"] == ("pattern", "configuration")
    assert metrics["coarse-perception"] == ("kind",)
    assert {"fine-perception", "perc-c", "perc-c-f", "perc-c-f-avr", "answer-distribution"} <= set(metrics)
    fresh = {metric.name for metric in FRESH_CARD.metrics}
    unlabelled = {"avr-by-shape", "fine-perception-by-pattern", "fine-perception-by-shape", "mistakes"}
    assert set(metrics) == fresh - unlabelled


def test_only_a_net_has_nothing_blank(corpus: Corpus) -> None:
    benchmark, configurations = LAYOUT.benchmark(corpus), Counter[str]()
    for puzzle in corpus.items:
        scene = Scene(puzzle=puzzle, details=(puzzle.detail_right, puzzle.detail_wrong), full=True)
        for question in benchmark.questions(scene)[:3]:
            assert ("blank" in question.question.text) is (puzzle.configuration != "reassembling")
            assert "{" not in question.question.text
            assert question.facets["kind"] == question.question.kind
        configurations[puzzle.configuration] += 1
    assert configurations["reassembling"] == 7


def test_the_data_set_s_own_words_are_asked_as_they_are(corpus: Corpus, labels: dict[int, dict[str, Any]]) -> None:
    benchmark, solids = LAYOUT.benchmark(corpus), Counter[str]()
    assert [setting.name for setting in benchmark.card.settings] == ["full", "avr-only", "own-words"]
    for puzzle in corpus.items:
        entry, answers = labels[puzzle.id], (puzzle.detail_right, puzzle.detail_wrong)
        ours, own = (
            benchmark.questions(Scene(puzzle=puzzle, details=answers, full=True, own_words=own))
            for own in (False, True)
        )
        counts, detail, asked = (
            entry["c_perception_question_tuple"],
            entry["f_perception_question"],
            entry["avr_question"],
        )
        assert [keyed.question.text for keyed in own] == [text.strip() for text in (*counts, detail, asked)]
        assert [keyed.key for keyed in own] == [keyed.key for keyed in ours]
        for name in ("cube", "tetrahedron"):
            if puzzle.configuration == "reassembling" and name in asked:
                assert f"net of a {name}" in ours[-1].question.text
                solids[name] += 1
    assert solids == {"cube": 4, "tetrahedron": 3}


def test_a_set_without_its_words_has_no_setting_for_them_and_its_figures_stay(corpus: Corpus) -> None:
    silent = replace(corpus, items=tuple(msgspec.structs.replace(puzzle, own_words=()) for puzzle in corpus.items))
    card, whole = (LAYOUT.benchmark(published).card for published in (silent, corpus))
    assert [setting.name for setting in card.settings] == ["full", "avr-only"]
    assert len(card.reference) == len(whole.reference)
    assert any("own-words" in row.where["setting"] for row in whole.reference)
    assert not any("own-words" in row.where["setting"] for row in card.reference)
    nets = [puzzle for puzzle in silent.items if puzzle.configuration == "reassembling"]
    for puzzle in nets:
        scene = Scene(puzzle=puzzle, details=(puzzle.detail_right, puzzle.detail_wrong), full=False)
        assert "net of a cube" in LAYOUT.benchmark(silent).questions(scene)[0].question.text


def test_every_count_and_detail_is_the_label_s(keyed: list[KeyedQuestion], labels: dict[int, dict[str, Any]]) -> None:
    places = {"context-panels": 0, "choice-panels": 1, "all-panels": 2}
    seen = Counter[str]()
    for question in keyed:
        entry = labels[int(question.cluster)]
        if question.question.kind in places:
            assert int(question.key.label) == entry["c_perception_answer_tuple"][places[question.question.kind]]
            answer = extract_answer(question.question.shape, None, f"There are {question.key.label} panels.").answer
            assert answer == question.key.label
        seen[question.question.kind] += 1
    assert set(seen.values()) == {PUZZLES}


def test_the_detail_s_right_answer_is_the_published_one_on_either_side(
    corpus: Corpus, labels: dict[int, dict[str, Any]]
) -> None:
    mounted = Mounted(LAYOUT.benchmark(corpus), corpus, corpus.digest)
    draw = Draw(mounted.benchmark, mounted.identity("marvel-published", "full", {}), "8")
    sides = Counter[str]()
    for index in range(PUZZLES):
        scene = mounted.benchmark.sample(corpus, "marvel-published", "full", {}, draw.cell(index), draw.streams(index))
        detail = next(keyed for keyed in mounted.benchmark.questions(scene) if keyed.question.kind == "detail")
        texts = {option.label: option.text for option in detail.question.options}
        entry = labels[int(detail.cluster)]
        assert texts.pop(detail.key.label) == entry["f_perception_answer"].strip()
        assert list(texts.values()) == [entry["f_perception_distractor"].strip()]
        sides[detail.key.label] += 1
    assert min(sides.values()) > PUZZLES // 3
