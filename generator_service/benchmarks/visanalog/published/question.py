"""Turn a published question into its scene, its pictures and its question.

The seed picks the order of items; nothing else is drawn. Question and choices are the corpus's own; the rest is ours.
"""

from generator_service.benchmark import ExtractedAnswers, Parameters, PictureArray, Streams
from generator_service.benchmarks.visanalog import wording
from generator_service.benchmarks.visanalog.published.spec import KINDS, LABELS, MOST_STEPS, Scene
from generator_service.benchmarks.visanalog.spec import END_TO_END, PROGRAM, SEARCH_SPACE, WRONG_IMAGE
from generator_service.sources.published import PLACE, Corpus
from tetrad.contracts.items import Choice, ChoiceKey, KeyedQuestion, Option, Picture, Question
from tetrad.contracts.wire import Facets

SHOWN = {END_TO_END: ("A", "B", "C"), PROGRAM: ("C",), WRONG_IMAGE: ("C",)}
"""The pictures that each setting shows, by their published letters."""
_CAPTIONS = {END_TO_END: "Image {}.", PROGRAM: "Image {}.", WRONG_IMAGE: "The image."}


def sample(corpus: Corpus, _track: str, setting: str, parameters: Parameters, cell: Facets, _streams: Streams) -> Scene:
    return Scene(asked=corpus.items[int(cell[PLACE])], setting=setting, search_space=str(parameters["search_space"]))


def render(corpus: Corpus, scene: Scene, name: str) -> PictureArray:
    """Return one of the published pictures; KeyError for a name that the setting does not have."""
    shown = {str(place): letter for place, letter in enumerate(SHOWN[scene.setting], 1)}
    return corpus.picture(scene.asked.pictures["ABC".index(shown[name])])


def questions(scene: Scene) -> tuple[KeyedQuestion, ...]:
    """Return the question, as the scene's setting asks it."""
    asked, setting = scene.asked, scene.setting
    described = scene.search_space == SEARCH_SPACE[0]
    question = Question(
        id=setting,
        kind=setting,
        text=f"{wording.preamble(setting, asked.program, MOST_STEPS, described=described)}\n\n{asked.question}",
        shape=Choice(labels=LABELS),
        options=tuple(Option(label=label, text=text) for label, text in zip(LABELS, asked.choices, strict=True)),
        pictures=tuple(
            Picture(name=str(place), caption=_CAPTIONS[setting].format(letter))
            for place, letter in enumerate(SHOWN[setting], 1)
        ),
        instruction=wording.INSTRUCTION,
        final=True,
    )
    facets = {
        "stage": setting,
        "ranked": "yes",
        "steps": str(len(asked.program)),
        **{kind: "yes" if kind in asked.kinds else "no" for kind in KINDS},
    }
    return (
        KeyedQuestion(
            question=question, key=ChoiceKey(label=asked.answer), facets=facets, cluster=asked.pictures[2][:16]
        ),
    )


def next_questions(scene: Scene, _extracted: ExtractedAnswers) -> tuple[str, ...]:
    """Return the one question."""
    return (scene.setting,)


def describe(scene: Scene) -> tuple[str, dict[str, object]]:
    """Name the question. No service shows this for a corpus."""
    asked = scene.asked
    return f"Published question {asked.number}: ({asked.answer}).", {"program": list(asked.program)}
