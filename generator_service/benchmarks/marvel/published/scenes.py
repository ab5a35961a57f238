"""Turn a puzzle into its scene and picture. The seed picks the order and the places of the detail's answers."""

from generator_service.benchmark import Parameters, PictureArray, Streams
from generator_service.benchmarks.marvel.published.spec import AVR_ONLY, OWN_WORDS, Puzzle, Scene
from generator_service.sources.published import PLACE, Corpus
from tetrad.contracts.wire import Facets


def sample(corpus: Corpus, _track: str, setting: str, _parameters: Parameters, cell: Facets, streams: Streams) -> Scene:
    puzzle: Puzzle = corpus.items[int(cell[PLACE])]
    first, second = streams("detail").shuffled((puzzle.detail_right, puzzle.detail_wrong))
    return Scene(puzzle=puzzle, details=(first, second), full=setting != AVR_ONLY, own_words=setting == OWN_WORDS)


def render(corpus: Corpus, scene: Scene, name: str) -> PictureArray:
    """Return the puzzle's one picture; KeyError for another name."""
    if name != "1":
        raise KeyError(f"picture {name!r} is not 1, the only one")
    return corpus.picture(scene.puzzle.picture)


def describe(scene: Scene) -> tuple[str, dict[str, object]]:
    """Name the puzzle. No service shows this for a corpus."""
    return f"Published puzzle {scene.puzzle.id}: choice {scene.puzzle.answer}.", {"puzzle": scene.puzzle.id}
