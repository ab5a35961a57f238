"""Ask a published analogy: which candidate is right is what most people chose."""

from generator_service.benchmark import ExtractedAnswers
from generator_service.benchmarks.vasr.published.spec import GIVEN_COLUMNS, Scene
from tetrad.contracts.items import Choice, ChoiceKey, KeyedQuestion, Option, Picture, Question

KIND = "which"
TEXT = (
    "Something changes from photograph A to photograph A': who does it, what is done, or what it is done to or with. "
    "Which of the photographs {first} to {last} is to photograph B what A' is to A?"
)


def questions(scene: Scene) -> tuple[KeyedQuestion, ...]:
    """Return the one question of an item."""
    labels = tuple(str(place) for place in range(1, 1 + len(scene.order)))
    names = (*GIVEN_COLUMNS, *labels)
    question = Question(
        id=KIND,
        kind=KIND,
        text=TEXT.format(first=labels[0], last=labels[-1]),
        shape=Choice(labels=labels),
        options=tuple(
            Option(label=label, picture=str(place)) for place, label in enumerate(labels, 1 + len(GIVEN_COLUMNS))
        ),
        pictures=tuple(Picture(name=str(place), caption=f"picture {name}") for place, name in enumerate(names, 1)),
        final=True,
    )
    key = ChoiceKey(label=labels[scene.order.index(scene.analogy.gold)])
    facets = {
        "stage": KIND,
        "candidates": str(len(labels)),
        "people": "as mined" if scene.analogy.mined else "otherwise",
    }
    return (KeyedQuestion(question=question, key=key, facets=facets, cluster=str(scene.analogy.place)),)


def next_questions(_scene: Scene, _extracted: ExtractedAnswers) -> tuple[str, ...]:
    return (KIND,)
