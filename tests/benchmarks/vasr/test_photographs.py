"""Analogies of an operator's annotated photographs: mined, drawn, shown without their names, and apart by part."""

from pathlib import Path

import msgspec
import pytest

from generator_service.benchmarks.vasr import BENCHMARK
from generator_service.benchmarks.vasr.spec import COMPOSED, DIFFICULT, FULL, GIVEN, PHOTOGRAPHS, Photograph, Scene
from generator_service.draws import Draw
from generator_service.items import make_item
from generator_service.mining.catalogue import jobs
from generator_service.mining.counting import Counting
from generator_service.mining.jobs import StageReport, mine
from generator_service.mining.situations.asking import Shown, ask_analogy
from generator_service.mounting import Mounted, TrackUnreadyError
from generator_service.parameters import IdentityError
from generator_service.proving.by_heart import run_by_heart
from generator_service.proving.cases import view_of
from generator_service.proving.conformance import faults_of
from generator_service.proving.samples import Place, sample_at
from generator_service.registry import mount
from generator_service.sources.photographs import Photographs
from generator_service.sources.store import Head, SourceStore, of_folder
from tests.benchmarks.vasr.annotated import lexicon, write_annotated
from tests.unit.generator_service.sources.pictures import add

PLACES = (
    Place(track=PHOTOGRAPHS, setting=FULL, parameters={}),
    Place(track=PHOTOGRAPHS, setting=FULL, parameters={"distractors": "random"}),
    Place(track=PHOTOGRAPHS, setting=FULL, parameters={"candidates": "8"}),
    Place(track=PHOTOGRAPHS, setting="a-and-b", parameters={"presentation": "composite"}),
)


def mined(store: SourceStore, head: Head) -> dict[str, StageReport]:
    """Mine with the corpus's own WordNet."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("generator_service.mining.jobs.open_wordnet", lambda _store: lexicon())
        return {one.stage: one for one in mine(store, head, jobs()["situations"], lambda *_counts: None)}


def opened(store: SourceStore) -> Mounted:
    mounted = mount([BENCHMARK], store).newest("vasr")
    assert mounted is not None
    return mounted


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> SourceStore:
    folder = tmp_path_factory.mktemp("situations")
    store = of_folder(folder / "sources")
    mined(store, add(store, "situations", write_annotated(folder / "given"), "seen", access="public").head)
    return store


@pytest.fixture(scope="module")
def of_photographs(store: SourceStore) -> Mounted:
    return opened(store)


def scenes(mounted: Mounted, number: int, **parameters: str) -> list[Scene]:
    draw = Draw(mounted.benchmark, mounted.identity(PHOTOGRAPHS, FULL, parameters), "3")
    return [make_item(mounted, draw, index).scene for index in range(number)]


def images_of(scene: Scene) -> set[str]:
    shown = [*scene.given, *(one.state for one in scene.options)]
    assert all(isinstance(one, Photograph) for one in shown)
    return {one.name for one in shown if isinstance(one, Photograph)}


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_every_property_of_conformance_holds_on_photographs(of_photographs: Mounted, place: Place) -> None:
    assert not [str(fault) for fault in faults_of(sample_at(of_photographs, place, 60))]


def test_agents_and_items_change_and_distractors_are_difficult_by_default(of_photographs: Mounted) -> None:
    found = scenes(of_photographs, 40)
    assert {scene.role for scene in found} == {"agent", "item"}
    assert {scene.kind for scene in found} == {DIFFICULT}
    for scene in found:
        wrong = sorted(one.mistake for one in scene.options if one.mistake)
        assert wrong in (
            ["lacks the change", "lacks the change", "wrong situation"],
            ["lacks the change", "wrong situation", "wrong situation"],
        )
        assert len(images_of(scene)) == len(GIVEN) + 4


def test_balanced_distractors_are_refused_with_what_to_use(of_photographs: Mounted) -> None:
    with pytest.raises(IdentityError) as refused:
        of_photographs.identity(PHOTOGRAPHS, FULL, {"distractors": "balanced"})
    (fault,) = refused.value.faults
    assert (fault.field, fault.value) == ("parameters.distractors", "balanced")
    assert "use difficult, the default of this track, or random" in fault.remedy


def test_no_name_of_a_file_leaves_with_a_question(of_photographs: Mounted) -> None:
    """imSitu's names hold the verb."""
    for scene in scenes(of_photographs, 10):
        (keyed,) = BENCHMARK.questions(scene)
        sentence, data = BENCHMARK.describe(scene)
        told = msgspec.json.encode([keyed, sentence, data]).decode()
        assert not [name for name in images_of(scene) if name in told or name.partition(".")[0] in told]


def test_the_solution_is_told_in_the_corpus_s_words(of_photographs: Mounted) -> None:
    (scene, *_) = scenes(of_photographs, 1)
    sentence, data = BENCHMARK.describe(scene)
    assert f"the {scene.role} changes from {scene.role} " in sentence
    assert f"{scene.role} {scene.given[0].get(scene.role)}" in str(data["A"])


def test_a_photograph_is_at_most_512_pixels_wide_and_opaque(
    of_photographs: Mounted, monkeypatch: pytest.MonkeyPatch
) -> None:
    (scene, *_) = scenes(of_photographs, 1)
    drawn = BENCHMARK.render(of_photographs.bank, scene, "1")
    assert drawn.shape == (64, 64, 4)
    whole = Photographs.picture
    monkeypatch.setattr(Photographs, "picture", lambda own, name: whole(own, name).repeat(20, axis=1)[:, :, :])
    wide = BENCHMARK.render(of_photographs.bank, scene, "1")
    assert wide.shape == (25, 512, 4)
    assert (wide[..., 3] == 255).all()


def test_who_sees_a_distractor_that_solves_the_analogy_can_t_tell(of_photographs: Mounted) -> None:
    """The planted fault: a distractor is the answer's own picture. The solver refuses to choose."""
    (scene, *_) = scenes(of_photographs, 1)
    (keyed,) = BENCHMARK.questions(scene)
    view = view_of(BENCHMARK, scene, keyed.question)
    assert BENCHMARK.solve(view) == keyed.key.label
    names = {option.label: str(option.picture) for option in keyed.question.options}
    right, other = names.pop(keyed.key.label), next(iter(names.values()))
    twice = msgspec.structs.replace(keyed.question)
    pictures = {**view.pictures, other: view.pictures[right]}
    assert BENCHMARK.solve(type(view)(question=twice, pictures=pictures)) is None


def test_a_distractor_that_shows_the_change_in_another_annotator_s_words_is_dropped() -> None:
    def shown(*frames: dict[str, str]) -> Shown:
        return Shown(frames=frames)

    def run(agent: str, item: str) -> dict[str, str]:
        return {"verb": "running", "agent": agent, "item": item}

    images = {
        "A": shown({"verb": "eating", "agent": "man", "item": "cake"}),
        "A'": shown({"verb": "eating", "agent": "dog", "item": "cake"}),
        "B": shown(run("man", "ball"), run("man", "orange")),
        "B'": shown(run("dog", "ball")),
        "same": shown(run("dog", "stick"), run("dog", "orange")),
        "other": shown(run("dog", "stick")),
        "near": shown(run("cat", "ball")),
        "twin": shown(run("cat", "ball")),
        "nearer": shown(run("cow", "ball")),
    }
    row = {"role": "agent", "from": "man", "to": "dog", **{name: name for name in ("A", "A'", "B", "B'")}}
    found = ask_analogy(
        row | {"other": ["same", "other"], "near": ["near", "twin", "nearer"]}, images.__getitem__, Counting()
    )
    assert found is not None
    assert found["other"] == [["other", 0]], "the first shows B's other frame with the change"
    assert found["near"] == [["near", 0], ["nearer", 0]], "the second reads as the first"
    counting = Counting()
    assert ask_analogy(row | {"other": ["same"], "near": ["near", "nearer"]}, images.__getitem__, counting) is None
    assert counting.counts().dropped == {"too few candidates that don't solve it": {"agent": 1}}


def test_practice_and_sealed_items_share_no_photograph_and_a_solver_by_heart_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("generator_service.proving.by_heart.LEARNED", 20)
    monkeypatch.setattr("generator_service.proving.by_heart.ASKED", 10)
    store = of_folder(tmp_path / "sources")
    head = add(store, "situations", write_annotated(tmp_path / "given"), "half", practice_permille=500).head
    reports = mined(store, head)
    assert reports["analogies"].counts is not None
    assert "images of both parts" in reports["analogies"].counts.dropped
    registry = mount([BENCHMARK], store)
    mounted = registry.newest("vasr")
    assert mounted is not None
    seen = {
        part: {
            image
            for scene in scenes(registry.choose(mounted, ["situations:half"], PHOTOGRAPHS, part), 60)
            for image in images_of(scene)
        }
        for part in ("practice", "sealed")
    }
    assert all(seen.values())
    assert not seen["practice"] & seen["sealed"]
    told = [score.line for score in run_by_heart(store, head, lambda *_counts: None)]
    assert any(line.startswith("vasr, photographs, full: ") for line in told)


def test_a_corpus_without_pictures_says_so_and_composed_scenes_wait_for_people_alone(tmp_path: Path) -> None:
    store = of_folder(tmp_path / "sources")
    head = add(store, "situations", write_annotated(tmp_path / "given", pictures=False), "frames").head
    with pytest.raises(TrackUnreadyError, match="tetrad source mine situations:frames situations"):
        opened(store).check_ready(PHOTOGRAPHS)
    mined(store, head)
    mounted = opened(store)
    with pytest.raises(TrackUnreadyError, match="situations:frames has no pictures of what is annotated"):
        mounted.check_ready(PHOTOGRAPHS)
    assert "situations" not in mounted.lacking[COMPOSED]


def test_missing_photographs_are_listed_and_never_shown(tmp_path: Path) -> None:
    store = of_folder(tmp_path / "sources")
    head = add(store, "situations", write_annotated(tmp_path / "given", missing=3), "some").head
    counts = mined(store, head)["frames"].counts
    assert counts is not None
    assert "3 annotated images have no picture and are left out: verb5_33_" in counts.notes[0]
    missing = set(counts.notes[0].partition(": ")[2].partition(";")[0].split(", "))
    assert len(missing) == 3
    assert not missing & {image for scene in scenes(opened(store), 60) for image in images_of(scene)}


def test_a_corpus_of_too_few_analogies_says_so(tmp_path: Path) -> None:
    store = of_folder(tmp_path / "sources")
    mined(store, add(store, "situations", write_annotated(tmp_path / "given", missing=80), "few").head)
    with pytest.raises(TrackUnreadyError, match=r"no analogies with 4 or with 8 candidates between its \d+ pictures"):
        opened(store).check_ready(PHOTOGRAPHS)
