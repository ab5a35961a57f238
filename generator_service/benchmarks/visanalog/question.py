"""Compute words and truth from the scene: the question, its four options, the key, and the mistake of each option."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from generator_service.benchmark import ExtractedAnswers
from generator_service.benchmarks.visanalog import wording
from generator_service.benchmarks.visanalog.asked import Asked, asked_of, values_of
from generator_service.benchmarks.visanalog.pictures import list_seen, role_of, shown_names
from generator_service.benchmarks.visanalog.programs import (
    MOST_STEPS,
    PROGRAMS,
    STEPS,
    Ints,
    Truths,
    near,
    wrong_parts,
)
from generator_service.benchmarks.visanalog.spec import (
    END_TO_END,
    LABELS,
    LADDER,
    PROGRAM,
    SEARCH_SPACE,
    SETTINGS,
    Photograph,
    Scene,
)
from tetrad.canonical import hexdigest
from tetrad.contracts.items import Choice, ChoiceKey, KeyedQuestion, Option, Picture, Question
from tetrad.contracts.wire import Facets

_SHAPE = Choice(labels=LABELS)


def questions(scene: Scene) -> tuple[KeyedQuestion, ...]:
    """Return the item's question; on the ladder the same one four times, with other pictures each time."""
    asked = asked_of(scene)
    key = ChoiceKey(label=LABELS[scene.right], outcomes=mistakes(scene))
    rungs = SETTINGS[scene.setting]
    return tuple(
        KeyedQuestion(
            question=_question(scene, rung, asked, final=rung == rungs[-1]),
            key=key,
            facets=_facets(scene, rung, asked.family),
            cluster=_cluster(scene),
            option_values=dict(zip(LABELS, asked.options, strict=True)),
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
    values, (names, numbers) = values_of(scene.query, scene.facts), near(scene.program)
    known = dict(zip(map(tuple, values[numbers[::-1]].tolist()), reversed(names), strict=True))
    found = {}
    for place, (label, option) in enumerate(zip(LABELS, scene.options, strict=True)):
        if place != scene.right:
            found[label] = known.get(option) or wrong_parts(scene.program, _making_right(values, option))
    return found


def _making_right(values: Ints, option: Sequence[int]) -> Truths:
    """Tell which programs of PLACED make an option right. By columns: of a short axis NumPy takes longer."""
    right: Truths = values[:, 0] == option[0]
    for place, value in enumerate(option[1:], 1):
        right &= values[:, place] == value
    return right


def _cluster(scene: Scene) -> str:
    """Name what is not independent: an item alone; items that show one photograph as C."""
    query = scene.query
    return hexdigest("tetrad/photograph/1", query.name)[:16] if isinstance(query, Photograph) else scene.item


def _question(scene: Scene, rung: str, asked: Asked, *, final: bool) -> Question:
    before = _preamble(rung, scene.program if rung == PROGRAM else 0, scene.search_space)
    return Question(
        id=rung,
        kind=rung,
        text=f"{before}\n\n{asked.question}",
        shape=_SHAPE,
        options=tuple(Option(label=label, text=text) for label, text in zip(LABELS, asked.options, strict=True)),
        pictures=tuple(
            Picture(name=name, caption=wording.CAPTIONS[role_of(scene, name)])
            for name in shown_names(scene.setting, rung)
        ),
        instruction=wording.INSTRUCTION,
        final=final,
    )


@lru_cache(maxsize=1024)
def _preamble(rung: str, program: int, search_space: str) -> str:
    """Return what stands before the question. It tells of the program where it is that rung's."""
    described = search_space == SEARCH_SPACE[0]
    return wording.preamble(rung, wording.step_words(PROGRAMS[program]), MOST_STEPS, described=described)


def _facets(scene: Scene, rung: str, family: str) -> Facets:
    """Return what reports group by. ranked: the question that counts for the board, one an item."""
    steps, taken = _steps(scene.program)
    counts = rung == (END_TO_END if scene.setting == LADDER else SETTINGS[scene.setting][0])
    return {
        "stage": rung,
        "ranked": "yes" if counts else "no",
        "steps": steps,
        "asked": family,
        **taken,
    }


@lru_cache(maxsize=512)
def _steps(number: int) -> tuple[str, Mapping[str, str]]:
    """Return what reports tell of a program: how many steps it has, and for each step whether it has it."""
    steps = PROGRAMS[number].steps
    return str(len(steps)), {step: "yes" if step in steps else "no" for step in STEPS}


def describe(scene: Scene) -> tuple[str, dict[str, object]]:
    """Return one explaining sentence, and what lies where in C and D; of a photograph the pose that C is shown in."""
    program = PROGRAMS[scene.program]
    steps = wording.step_words(program)
    right = asked_of(scene).options[scene.right]
    query = scene.query
    if isinstance(query, Photograph):
        shown: dict[str, object] = {"image_c_pose": query.pose, "image_c_hue": 90 * query.hue}
    else:
        shown = {"image_c": list_seen(query.things, 0), "image_d": list_seen(query.things, scene.program)}
    return (
        f"The edit is: {'; '.join(steps)}; so ({LABELS[scene.right]}) holds of image D: {right}.",
        {
            "program": {step: program._asdict()[step] for step in program.steps},
            "steps": steps,
            **shown,
        },
    )
