"""Report the progress of drawing people and things, as the cards of benchmarks tell it.

It stands alone so that what serves knows nothing of how they are drawn.
"""

import msgspec

from generator_service.drawing.people.people_maker import layer_names
from generator_service.drawing.people.things import codes
from generator_service.sources.making import failure
from generator_service.sources.people.bank import NAME, PEOPLE
from generator_service.sources.store import SourceStore

PLACE = f"adding/{PEOPLE}/{NAME}"
MINUTES = 15  # on two cores, at the most
_COMMAND = "python -m generator_service.sources build people"


class _Step(msgspec.Struct, frozen=True):
    """A step of an unfinished drawing: the number of files that are stored."""

    read: int


def steps_done(store: SourceStore) -> int:
    """Return how many files of an unfinished drawing are stored."""
    bodies = (store.objects.get(name) for name in store.objects.names(PLACE))
    return max((msgspec.json.decode(body, type=_Step).read for body in bodies if body is not None), default=0)


def total() -> int:
    """Return how many files a whole source has."""
    return len(layer_names()) + len(codes())


def progress_told(store: SourceStore) -> str:
    """Return what a card says while people and things are not there: the problem, then the remedy."""
    done, whole = steps_done(store), total()
    why = failure(store, PEOPLE)
    if why is not None:
        return f"people and things can't be drawn ({why}); give a folder with both packages: {_COMMAND} --given FOLDER"
    left = max(1, MINUTES * (whole - done) // whole)
    return (
        f"people and things are not drawn yet: {done} of {whole} pictures are there; "
        f"wait about {left} minutes while the service draws them, or draw them now: {_COMMAND}"
    )
