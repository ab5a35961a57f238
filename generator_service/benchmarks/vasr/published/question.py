"""Turn a published analogy into its scene, its pictures and its question.

The seed picks the places of the candidates. Which of them is right is what most people chose.
"""

from generator_service.benchmark import ExtractedAnswers, Parameters, PictureArray, Streams
from generator_service.benchmarks.vasr.published.spec import SETTING, SHOWN, Analogy, Scene
from generator_service.benchmarks.vasr.spec import GUESSED, WHICH
from generator_service.sources.published import PLACE, Corpus
from tetrad.contracts.items import Choice, ChoiceKey, KeyedQuestion, Option, Picture, Question
from tetrad.contracts.wire import Facets

_WHOLE = (
    "Something changes from photograph A to photograph A': who does it, what is done, or what it is done to or with. "
    "Which of the photographs {first} to {last} is to photograph B what A' is to A?"
)
_PART = (
    "In a puzzle something changes from photograph A to photograph A', and the answer is to photograph B what A' is to "
    "A. You see only {shown}. Which of the photographs {first} to {last} is the answer?"
)


def sample(corpus: Corpus, _track: str, setting: str, _parameters: Parameters, cell: Facets, streams: Streams) -> Scene:
    analogy: Analogy = corpus.items[int(cell[PLACE])]
    order = streams("places").shuffle(tuple(range(len(analogy.candidates))))
    return Scene(analogy=analogy, order=order, setting=setting)


def render(corpus: Corpus, scene: Scene, name: str) -> PictureArray:
    """Return a photograph; KeyError for a name that the scene does not have."""
    shown = {str(place): sha for place, sha in enumerate(scene.pictures, 1)}
    return corpus.picture(shown[name])


def questions(scene: Scene) -> tuple[KeyedQuestion, ...]:
    """Return the one question of an item."""
    labels = tuple(str(place) for place in range(1, 1 + len(scene.order)))
    shown, kind = SHOWN[scene.setting], _kind_of(scene)
    text = _WHOLE if kind == WHICH else _PART
    question = Question(
        id=kind,
        kind=kind,
        text=text.format(first=labels[0], last=labels[-1], shown=" and ".join(shown)),
        shape=Choice(labels=labels),
        options=tuple(Option(label=label, picture=str(place)) for place, label in enumerate(labels, 1 + len(shown))),
        pictures=tuple(
            Picture(name=str(place), caption=f"picture {name}") for place, name in enumerate((*shown, *labels), 1)
        ),
        final=True,
    )
    key = ChoiceKey(label=labels[scene.order.index(scene.analogy.gold)])
    facets = {
        "stage": kind,
        "candidates": str(len(labels)),
        "people": "as mined" if scene.analogy.mined else "otherwise",
        **({"role": scene.analogy.role} if scene.analogy.role else {}),
    }
    return (KeyedQuestion(question=question, key=key, facets=facets, cluster=str(scene.analogy.place)),)


def _kind_of(scene: Scene) -> str:
    return WHICH if scene.setting == SETTING else GUESSED


def next_questions(scene: Scene, _extracted: ExtractedAnswers) -> tuple[str, ...]:
    return (_kind_of(scene),)


def describe(scene: Scene) -> tuple[str, dict[str, object]]:
    """Name the item. No service shows this for a corpus."""
    return f"Published analogy of row {scene.analogy.place}.", {"row": scene.analogy.place}
