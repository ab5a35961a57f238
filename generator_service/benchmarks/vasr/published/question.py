"""Turn a published analogy into its scene, its pictures and its question.

The seed picks the places of the candidates. Which of them is right is what most people chose.
"""

from generator_service.benchmark import ExtractedAnswers, Parameters, PictureArray, Streams
from generator_service.benchmarks.vasr.published.spec import GIVEN_COLUMNS, Analogy, Scene
from generator_service.sources.published import PLACE, Corpus
from tetrad.contracts.items import Choice, ChoiceKey, KeyedQuestion, Option, Picture, Question
from tetrad.contracts.wire import Facets

KIND = "which"
TEXT = (
    "Something changes from photograph A to photograph A': who does it, what is done, or what it is done to or with. "
    "Which of the photographs {first} to {last} is to photograph B what A' is to A?"
)


def sample(
    corpus: Corpus, _track: str, _setting: str, _parameters: Parameters, cell: Facets, streams: Streams
) -> Scene:
    analogy: Analogy = corpus.items[int(cell[PLACE])]
    return Scene(analogy=analogy, order=streams("places").shuffle(tuple(range(len(analogy.candidates)))))


def render(corpus: Corpus, scene: Scene, name: str) -> PictureArray:
    """Return a photograph; KeyError for a name that the scene does not have."""
    shown = {str(place): sha for place, sha in enumerate(scene.pictures, 1)}
    return corpus.picture(shown[name])


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


def describe(scene: Scene) -> tuple[str, dict[str, object]]:
    """Name the item. No service shows this for a corpus."""
    return f"Published analogy of row {scene.analogy.place}.", {"row": scene.analogy.place}
