"""Published trials of KiVA asked as its paper asks: one sheet or several pictures, told stages, no change."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from generator_service.benchmark import Benchmark, Streams
from generator_service.benchmarks.kiva import layout
from generator_service.benchmarks.kiva.published import ADULTS_LAYOUT
from generator_service.drawing.canvas import resize
from generator_service.sources.published import Corpus
from generator_service.sources.store import of_folder
from tests.unit.generator_service.sources.pictures import add_corpus
from tetrad.contracts.items import ChoiceKey, KeyedQuestion
from tetrad.streams import StreamFamily

EVERY = range(29)


@pytest.fixture(scope="module")
def corpus(adults_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return add_corpus(of_folder(tmp_path_factory.mktemp("corpora")), ADULTS_LAYOUT, adults_folder)


@pytest.fixture(scope="module")
def benchmark(corpus: Corpus) -> Benchmark:
    return ADULTS_LAYOUT.benchmark(corpus)


def scene_of(benchmark: Benchmark, corpus: Corpus, place: int, setting: str, **chosen: Any) -> Any:
    parameters = {parameter.name: parameter.default for parameter in benchmark.card.parameters} | chosen
    streams = Streams(StreamFamily("tests").narrow(place))
    return benchmark.sample(corpus, corpus.name, setting, parameters, {"place": str(place)}, streams)


def right_text(keyed: KeyedQuestion) -> str:
    return next(option.text or "" for option in keyed.question.options if option.label == keyed.key.label)


def test_no_trial_is_unchanged_unless_asked_for(benchmark: Benchmark, corpus: Corpus) -> None:
    assert all(scene_of(benchmark, corpus, place, "full").change for place in EVERY)


def test_a_draw_from_before_the_two_parameters_is_drawn_as_it_was(benchmark: Benchmark, corpus: Corpus) -> None:
    streams = Streams(StreamFamily("tests").narrow(3))
    old = benchmark.sample(corpus, corpus.name, "full", {"repeats": 1, "reader": "statement"}, {"place": "3"}, streams)
    assert old == scene_of(benchmark, corpus, 3, "full")


def test_a_trial_without_a_change_shows_the_same_picture_twice_and_says_so(
    benchmark: Benchmark, corpus: Corpus
) -> None:
    scenes = [scene_of(benchmark, corpus, place, "full", no_change=50) for place in EVERY]
    unchanged = [scene for scene in scenes if not scene.change]
    assert 5 <= len(unchanged) <= 24, "half of 29, drawn by the seed"
    for scene in unchanged:
        what, how, which = benchmark.questions(scene)
        pair = benchmark.render(corpus, scene, "1")
        side = pair.shape[0]
        assert np.array_equal(pair[:, :side], pair[:, -side:])
        assert right_text(what) == right_text(how) == "Nothing changed between left and right."
        assert which.option_values[which.key.label] == "same"
        assert {keyed.facets["change"] for keyed in (what, how, which)} == {"no"}
        assert isinstance(which.key, ChoiceKey)
        assert set(which.key.outcomes.values()) == {"a change where there is none", "none fits"}


def test_a_told_stage_is_told_truly_and_is_not_asked(benchmark: Benchmark, corpus: Corpus) -> None:
    for place, change in ((0, 0), (15, 0), (28, 50)):
        scene = scene_of(benchmark, corpus, place, "full", no_change=change)
        what, how, _ = benchmark.questions(scene)
        told_what = scene_of(benchmark, corpus, place, "given-classification", no_change=change)
        asked = benchmark.questions(told_what)
        assert [keyed.question.kind for keyed in asked] == ["how", "which"]
        assert all(
            keyed.question.text.startswith(f"What has changed is known. {right_text(what)}\n") for keyed in asked
        )
        [which] = benchmark.questions(scene_of(benchmark, corpus, place, "given-specification", no_change=change))
        assert which.question.text.startswith(f"How it has changed is known. {right_text(how)}\n")


@pytest.mark.parametrize("setting", ["full", "extrapolation-only"])
def test_one_sheet_shows_the_given_pair_and_the_options_in_their_places(
    benchmark: Benchmark, corpus: Corpus, setting: str
) -> None:
    scene = scene_of(benchmark, corpus, 3, setting, presentation="composite", repeats=2)
    asked = [keyed.question for keyed in benchmark.questions(scene) if keyed.question.kind == "which"]
    assert [len(question.pictures) for question in asked] == [1, 1]
    assert [option.picture for option in asked[0].options] == [None] * 4
    plan, shown = layout.SHEETS[3], {"right": scene.trial.right_picture, "wrong": scene.trial.wrong_picture}
    for question, places in zip(asked, scene.extrapolation, strict=True):
        sheet = benchmark.render(corpus, scene, question.pictures[0].name)
        for (left, top), held in zip(plan.options_at, places, strict=True):
            panel = sheet[top : top + layout.SIDE, left + layout.SIDE + layout.GAP :][:, : layout.SIDE]
            own = corpus.picture(shown.get(held, scene.trial.test))
            assert np.array_equal(panel, resize(own, layout.SIDE, layout.SIDE))


def test_a_picture_that_a_sheet_replaces_is_not_there(benchmark: Benchmark, corpus: Corpus) -> None:
    scene = scene_of(benchmark, corpus, 3, "extrapolation-only", presentation="composite")
    with pytest.raises(KeyError, match="'2' is not of this trial"):
        benchmark.render(corpus, scene, "2")
