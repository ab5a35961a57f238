"""Turn an analogy into its scene and pictures. The seed picks the places of the candidates."""

from generator_service.benchmark import Parameters, PictureArray, Streams
from generator_service.benchmarks.vasr.published.spec import Analogy, Scene
from generator_service.sources.published import PLACE, Corpus
from tetrad.contracts.wire import Facets


def sample(
    corpus: Corpus, _track: str, _setting: str, _parameters: Parameters, cell: Facets, streams: Streams
) -> Scene:
    analogy: Analogy = corpus.items[int(cell[PLACE])]
    return Scene(analogy=analogy, order=streams("places").shuffled(tuple(range(len(analogy.candidates)))))


def render(corpus: Corpus, scene: Scene, name: str) -> PictureArray:
    """Return a photograph; KeyError for a name that the scene does not have."""
    shown = {str(place): sha for place, sha in enumerate(scene.pictures, 1)}
    return corpus.picture(shown[name])


def describe(scene: Scene) -> tuple[str, dict[str, object]]:
    """Name the item. No service shows this for a corpus."""
    return f"Published analogy of row {scene.analogy.place}.", {"row": scene.analogy.place}
