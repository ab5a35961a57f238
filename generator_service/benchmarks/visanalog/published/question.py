"""Compute words and truth of a published question. Question and choices are the corpus's own; the rest is ours."""

from generator_service.benchmark import ExtractedAnswers
from generator_service.benchmarks.visanalog import wording
from generator_service.benchmarks.visanalog.published.spec import KINDS, LABELS, MOST_STEPS, Scene
from generator_service.benchmarks.visanalog.spec import END_TO_END, PROGRAM, SEARCH_SPACE, WRONG_IMAGE
from tetrad.contracts.items import Choice, ChoiceKey, KeyedQuestion, Option, Picture, Question

SHOWN = {END_TO_END: ("A", "B", "C"), PROGRAM: ("C",), WRONG_IMAGE: ("C",)}
"""The pictures that each setting shows, by their published letters."""
_CAPTIONS = {END_TO_END: "Image {}.", PROGRAM: "Image {}.", WRONG_IMAGE: "The image."}


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
