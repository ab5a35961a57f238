"""Compute words and truth from the scene: the question, its four options, the key, and the mistake of each option."""

import numpy as np

from generator_service.benchmark import ExtractedAnswers
from generator_service.benchmarks.visanalog import wording
from generator_service.benchmarks.visanalog.facts import option_values
from generator_service.benchmarks.visanalog.families import family_name
from generator_service.benchmarks.visanalog.pictures import role_of, shown_names
from generator_service.benchmarks.visanalog.programs import (
    MOST_STEPS,
    PROGRAMS,
    STEPS,
    neighbours,
    wrong_parts,
)
from generator_service.benchmarks.visanalog.spec import (
    END_TO_END,
    LABELS,
    LADDER,
    SEARCH_SPACE,
    SETTINGS,
    Scene,
)
from tetrad.contracts.items import Choice, ChoiceKey, KeyedQuestion, Option, Picture, Question
from tetrad.contracts.wire import Facets

_SHAPE = Choice(labels=LABELS)


def questions(scene: Scene) -> tuple[KeyedQuestion, ...]:
    """Return the item's question; on the ladder the same one four times, with other pictures each time."""
    texts = [wording.offered(scene.facts, values, scene.query.things) for values in scene.options]
    key = ChoiceKey(label=LABELS[scene.right], outcomes=mistakes(scene))
    rungs = SETTINGS[scene.setting]
    return tuple(
        KeyedQuestion(
            question=_asked(scene, rung, texts, final=rung == rungs[-1]),
            key=key,
            facets=_facets(scene, rung),
            cluster=scene.item,
            option_values=dict(zip(LABELS, texts, strict=True)),
        )
        for rung in rungs
    )


def next_questions(scene: Scene, extracted: ExtractedAnswers) -> tuple[str, ...]:
    """Return the open questions: a rung of the ladder opens once all below it are answered."""
    rungs = SETTINGS[scene.setting]
    answered = 0
    while answered < len(rungs) and rungs[answered] in extracted:
        answered += 1
    return rungs[: answered + 1]


def mistakes(scene: Scene) -> dict[str, str]:
    """Return, by label, the mistake that makes each wrong option look right: one step wrong where that is enough."""
    values = option_values(scene.query.things, scene.facts)
    near = [(name, tuple(values[number].tolist())) for name, number in neighbours(scene.program)]
    known = {value: name for name, value in reversed(near)}
    found = {}
    for place, (label, option) in enumerate(zip(LABELS, scene.options, strict=True)):
        if place != scene.right:
            others = np.flatnonzero((values == option).all(-1)).tolist()
            found[label] = known.get(option) or wrong_parts(scene.program, others)
    return found


def _asked(scene: Scene, rung: str, texts: list[str], *, final: bool) -> Question:
    described = scene.search_space == SEARCH_SPACE[0]
    before = wording.preamble(rung, PROGRAMS[scene.program], MOST_STEPS, described=described)
    return Question(
        id=rung,
        kind=rung,
        text=f"{before}\n\n{wording.asked(scene.facts, scene.query.things)}",
        shape=_SHAPE,
        options=tuple(Option(label=label, text=text) for label, text in zip(LABELS, texts, strict=True)),
        pictures=tuple(
            Picture(name=name, caption=wording.CAPTIONS[role_of(scene, name)])
            for name in shown_names(scene.setting, rung)
        ),
        instruction=wording.INSTRUCTION,
        final=final,
    )


def _facets(scene: Scene, rung: str) -> Facets:
    """Return what reports group by. ranked: the question that counts for the board, one an item."""
    program = PROGRAMS[scene.program]
    counts = rung == (END_TO_END if scene.setting == LADDER else SETTINGS[scene.setting][0])
    return {
        "stage": rung,
        "ranked": "yes" if counts else "no",
        "steps": str(len(program.steps)),
        "asked": family_name(tuple(fact.kind for fact in scene.facts)),
        **{step: "yes" if step in program.steps else "no" for step in STEPS},
    }
