"""Words, keys, facets, and what each setting shows."""

import re
from collections import Counter

import msgspec
import pytest
from scipy.stats import binom

from generator_service.benchmarks.carv import BENCHMARK
from generator_service.benchmarks.carv.spec import (
    DIAGNOSIS,
    DIRECT,
    PUBLISHED,
    SETTINGS,
    SYMBOLIC,
    TRACKS,
    VALUES,
    Scene,
    answer,
    changes,
    shown_states,
    target,
)
from tests.benchmarks.carv.items import items
from tetrad.contracts.items import DiagnosisKey, KeyedQuestion, Question, StateCaptionKey
from tetrad.extraction.answers import extract_answer
from tetrad.extraction.judging import judge_answer
from tetrad.prompting import Wording, find_strategy
from tetrad.solvers import open_solver


def one(track: str, setting: str, place: int = 0) -> tuple[Scene, KeyedQuestion]:
    scene = [scene for _, scene in items(track, place + 1, setting)][place]
    [keyed] = BENCHMARK.questions(scene)
    return scene, keyed


def reply(question: Question, solver: str) -> str:
    messages = find_strategy("direct").messages(question, {}, Wording())
    return open_solver(solver).reply(messages)


def score(track: str, solver: str, count: int = 60) -> dict[str, float]:
    """Return a solver's share of right answers by operation, in the symbolic setting."""
    right: dict[str, list[bool]] = {}
    for _, scene in items(track, count, SYMBOLIC):
        [keyed] = BENCHMARK.questions(scene)
        read = extract_answer(keyed.question.shape, None, reply(keyed.question, solver))
        right.setdefault(scene.operation, []).append(judge_answer(keyed.key, read.answer).verdict == "correct")
    return {operation: sum(verdicts) / len(verdicts) for operation, verdicts in right.items()}


@pytest.mark.parametrize("track", TRACKS)
def test_the_words_of_the_symbolic_setting_suffice(track: str) -> None:
    assert set(score(track, "state-symbolic").values()) == {1.0}


@pytest.mark.parametrize("track", TRACKS)
def test_copying_a_given_picture_is_never_right(track: str) -> None:
    for solver in ("state-copy-query", "state-copy-first", "state-copy-second"):
        assert set(score(track, solver).values()) == {0.0}


@pytest.mark.parametrize("track", TRACKS)
def test_applying_everything_is_right_for_unions_and_never_where_the_query_is_tempting(track: str) -> None:
    found = score(track, "state-everything")
    assert found.get("union", found.get("apply")) == 1.0
    if TRACKS[track].shared:
        assert all(value == 0 for operation, value in found.items() if operation not in {"union", "apply"})


@pytest.mark.parametrize("track", TRACKS)
def test_a_query_tempts_exactly_where_every_change_could_be_made_and_some_must_not(track: str) -> None:
    kinds = Counter[tuple[str, bool]]()
    for facets, scene in items(track, 300):
        every = {change for pair in scene.pairs for change in changes(pair)}
        fits = all(getattr(scene.query, change.property) == change.old for change in every)
        assert scene.tempting == (facets["tempting"] == "yes") == (fits and every != set(target(scene)))
        overdone = msgspec.structs.replace(scene.query, **{change.property: change.new for change in every})
        assert not (scene.tempting and overdone == answer(scene))
        kinds[scene.operation, scene.tempting] += 1
    both = track == "different-source"
    for operation in {"intersection", "difference"} & set(TRACKS[track].operations):
        assert kinds[operation, True]
        assert bool(kinds[operation, False]) == both


@pytest.mark.parametrize("solver", ["state-majority", "random", "constant"])
def test_counting_and_guessing_get_next_to_nothing(solver: str) -> None:
    assert max(score("different-source", solver).values()) < 0.12


@pytest.mark.parametrize("solver", ["random", "constant"])
def test_guessing_stays_in_its_chance_interval(solver: str) -> None:
    counts = score("shared-source", solver, 1296)
    right = round(sum(counts.values()) * 1296 / 3)
    low, high = binom.interval(0.99, 1296, 1 / 432)
    assert low <= right <= high


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_question_shows_what_its_setting_says_and_nothing_of_the_answer(setting: str) -> None:
    for _, scene in items("different-source", 40, setting):
        [keyed] = BENCHMARK.questions(scene)
        question = keyed.question
        assert [picture.name for picture in question.pictures] == ([] if setting == SYMBOLIC else list("12345"))
        words = f"{question.text} {question.instruction}"
        assert ("Picture 1: " in words) == (setting == SYMBOLIC)
        assert ("T2: [" in words) == (setting == "oracle-decomposition")
        assert isinstance(keyed.key, DiagnosisKey if setting == DIAGNOSIS else StateCaptionKey)
        assert not re.search(r"\{|\}\}", re.sub(r'\{"[^}]*\}', "", words)), "every placeholder is filled"


def test_a_single_pair_shows_three_pictures_and_speaks_of_one_pair() -> None:
    for setting in SETTINGS:
        _, keyed = one("single", setting)
        assert len(keyed.question.pictures) in {0, 3}
        words = f"{keyed.question.text} {keyed.question.instruction}"
        assert "T2" not in words
        assert "picture 3" in words


def test_a_lenient_reading_needs_what_either_pair_changes() -> None:
    for _, scene in items("shared-source", 50):
        [keyed] = BENCHMARK.questions(scene)
        assert isinstance(keyed.key, StateCaptionKey)
        touched = {name for facet in ("first", "second") for name in keyed.facets[facet].split()}
        assert set(keyed.key.needed) == touched


def test_a_solution_says_why_in_words() -> None:
    scene, keyed = one("shared-source", "direct", 3)
    sentence, data = BENCHMARK.describe(scene)
    assert sentence.startswith("T1 is {[")
    assert len(data["captions"]) == len(shown_states(scene)) == 5  # type: ignore[arg-type]
    assert extract_answer(keyed.question.shape, None, sentence.rpartition(" becomes ")[2]).answer == keyed.key.label


def test_the_published_prompt_names_no_property_and_no_value() -> None:
    """As the paper's direct prompt: pairs, T1 and T2, the operation, a caption in JSON, and nothing else."""
    for track in TRACKS:
        _, keyed = one(track, PUBLISHED)
        words = f"{keyed.question.text} {keyed.question.instruction}".lower()
        values = {value for values in VALUES.values() for value in values} - {"on", "left"}  # words of every question
        named = {value for value in values if re.search(rf"\b{value}s?\b", words)}
        assert named <= {"one"}
        assert not re.search(r"property|properties|furniture|colou?r|how many|position|straight below", words)
        assert '{"caption": "..."}' in keyed.question.instruction
        _, direct = one(track, DIRECT)
        assert (keyed.key, keyed.facets.keys()) == (direct.key, direct.facets.keys())
