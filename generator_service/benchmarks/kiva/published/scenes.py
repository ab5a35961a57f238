"""Turn a trial into a scene, and a scene into pictures.

The draw's seed picks order and places, and which trials show no change if there are to be such.
"""

from generator_service.benchmark import Parameters, PictureArray, Streams
from generator_service.benchmarks.kiva import layout
from generator_service.benchmarks.kiva.published.question import is_verbal, pictures_of_which
from generator_service.benchmarks.kiva.published.spec import Scene, Trial
from generator_service.benchmarks.kiva.spec import ASKS, ASPECT, ASPECTS, COMPOSITE, SEPARATE
from generator_service.drawing.canvas import INK, Picture, resize, side_by_side
from generator_service.sources.published import PLACE, Corpus
from tetrad.contracts.wire import Facets

_PERCENT = 100
_EMPTY = (0, 0, 0, 0)


def sample(corpus: Corpus, _track: str, setting: str, parameters: Parameters, cell: Facets, streams: Streams) -> Scene:
    """Return the trial of the stratum, its options shuffled anew for each repeat."""
    trial: Trial = corpus.items[int(cell[PLACE])]
    repeats, asks = range(1, int(parameters["repeats"]) + 1), ASKS[setting]
    # Draws from before these two parameters were there have neither.
    no_change, presentation = int(parameters.get("no_change", 0)), str(parameters.get("presentation", SEPARATE))
    return Scene(
        trial=trial,
        setting=setting,
        presentation=presentation,
        change=not no_change or streams("change").below(_PERCENT) >= no_change,
        classification=tuple(_aspects(trial, streams, repeat) for repeat in repeats if "what" in asks),
        specification=tuple(
            streams("specification", repeat).shuffle((trial.value, trial.wrong)) for repeat in repeats if "how" in asks
        ),
        extrapolation=tuple(streams("extrapolation", repeat).shuffle(("right", "wrong", "same")) for repeat in repeats),
    )


def render(corpus: Corpus, scene: Scene, name: str) -> PictureArray:
    """Draw a pair, or a sheet of pairs of 256 pixels a side; KeyError for a name that the scene does not have."""
    if name == "1" and (scene.presentation != COMPOSITE or is_verbal(scene)):
        return side_by_side(*_open_given_pair(corpus, scene))
    for repeat, places in enumerate(scene.extrapolation, start=1):
        names = pictures_of_which(scene, repeat)
        if scene.presentation == COMPOSITE and name == names[0]:
            return _sheet(corpus, scene, places)
        if scene.presentation != COMPOSITE and name in names[1:]:
            return side_by_side(*_option(corpus, scene, places[names.index(name) - 1]))
    raise KeyError(f"picture {name!r} is not of this trial")


def _open_given_pair(corpus: Corpus, scene: Scene) -> tuple[Picture, Picture]:
    trial = scene.trial
    return corpus.picture(trial.before), corpus.picture(trial.after if scene.change else trial.before)


def _option(corpus: Corpus, scene: Scene, held: str) -> tuple[Picture, Picture]:
    trial = scene.trial
    becomes = {"right": trial.right_picture, "wrong": trial.wrong_picture, "same": trial.test}
    return corpus.picture(trial.test), corpus.picture(becomes[held])


def _sheet(corpus: Corpus, scene: Scene, places: tuple[str, ...]) -> PictureArray:
    plan = layout.SHEETS[len(places)]
    sheet = layout.blank_sheet(len(places), _EMPTY, INK)
    _lay(sheet, plan.given_at, _open_given_pair(corpus, scene))
    for at, held in zip(plan.options_at, places, strict=True):
        _lay(sheet, at, _option(corpus, scene, held))
    return sheet


def _lay(sheet: PictureArray, at: tuple[int, int], pair: tuple[Picture, Picture]) -> None:
    left, top = at
    for panel in pair:
        sheet[top : top + layout.SIDE, left : left + layout.SIDE] = resize(panel, layout.SIDE, layout.SIDE)
        left += layout.SIDE + layout.GAP


def describe(scene: Scene) -> tuple[str, dict[str, object]]:
    """Name the trial. No service shows this for a corpus."""
    return f"Published trial {scene.trial.id}: {scene.trial.value}.", {"trial": scene.trial.id}


def _aspects(trial: Trial, streams: Streams, repeat: int) -> tuple[str, ...]:
    stream, right = streams("classification", repeat), ASPECT[trial.domain]
    others = stream.sample([aspect for aspect in ASPECTS if aspect != right], 2)
    return stream.shuffle((right, *others))
