"""Turn a trial into a scene, and a scene into pictures. The draw's seed picks order and places, nothing else."""

from generator_service.benchmark import Parameters, PictureArray, Streams
from generator_service.benchmarks.kiva.published.question import pictures_of_which
from generator_service.benchmarks.kiva.published.spec import ASPECT, ASPECTS, FULL, Scene, Trial
from generator_service.drawing.pairs import side_by_side
from generator_service.sources.published import PLACE, Corpus
from tetrad.contracts.wire import Facets


def sample(corpus: Corpus, _track: str, setting: str, parameters: Parameters, cell: Facets, streams: Streams) -> Scene:
    """Return the trial of the stratum, its options shuffled anew for each repeat."""
    trial: Trial = corpus.items[int(cell[PLACE])]
    repeats = range(1, int(parameters["repeats"]) + 1)
    asked = repeats if setting == FULL else ()
    return Scene(
        trial=trial,
        classification=tuple(_aspects(trial, streams, repeat) for repeat in asked),
        specification=tuple(streams("specification", repeat).shuffled((trial.value, trial.wrong)) for repeat in asked),
        extrapolation=tuple(
            streams("extrapolation", repeat).shuffled(("right", "wrong", "same")) for repeat in repeats
        ),
    )


def render(corpus: Corpus, scene: Scene, name: str) -> PictureArray:
    """Draw a pair; KeyError for a name that the scene does not have."""
    trial = scene.trial
    if name == "1":
        return side_by_side(corpus.picture(trial.before), corpus.picture(trial.after))
    named = {
        picture: held
        for repeat, places in enumerate(scene.extrapolation, start=1)
        for picture, held in zip(pictures_of_which(repeat)[1:], places, strict=True)
    }
    becomes = {"right": trial.right_picture, "wrong": trial.wrong_picture, "same": trial.test}
    return side_by_side(corpus.picture(trial.test), corpus.picture(becomes[named[name]]))


def describe(scene: Scene) -> tuple[str, dict[str, object]]:
    """Name the trial. No service shows this for a corpus."""
    return f"Published trial {scene.trial.id}: {scene.trial.value}.", {"trial": scene.trial.id}


def _aspects(trial: Trial, streams: Streams, repeat: int) -> tuple[str, ...]:
    stream, right = streams("classification", repeat), ASPECT[trial.domain]
    others = stream.sample([aspect for aspect in ASPECTS if aspect != right], 2)
    return stream.shuffled((right, *others))
