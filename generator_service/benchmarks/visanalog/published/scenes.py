"""Turn a published question into its scene and pictures. The seed picks the order; nothing else is drawn."""

from generator_service.benchmark import Parameters, PictureArray, Streams
from generator_service.benchmarks.visanalog.published.question import SHOWN
from generator_service.benchmarks.visanalog.published.spec import Scene
from generator_service.sources.published import PLACE, Corpus
from tetrad.contracts.wire import Facets


def sample(corpus: Corpus, _track: str, setting: str, parameters: Parameters, cell: Facets, _streams: Streams) -> Scene:
    return Scene(asked=corpus.items[int(cell[PLACE])], setting=setting, search_space=str(parameters["search_space"]))


def render(corpus: Corpus, scene: Scene, name: str) -> PictureArray:
    """Return one of the published pictures; KeyError for a name that the setting does not have."""
    shown = {str(place): letter for place, letter in enumerate(SHOWN[scene.setting], 1)}
    return corpus.picture(scene.asked.pictures["ABC".index(shown[name])])


def describe(scene: Scene) -> tuple[str, dict[str, object]]:
    """Name the question. No service shows this for a corpus."""
    asked = scene.asked
    return f"Published question {asked.number}: ({asked.answer}).", {"program": list(asked.program)}
