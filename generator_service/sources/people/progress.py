"""Report the progress of drawing people and things, as the cards of benchmarks tell it.

It stands alone so that what serves knows nothing of how they are drawn.
"""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

import msgspec

from generator_service.drawing.people.people_maker import layer_names
from generator_service.drawing.people.things import codes
from generator_service.sources.making import failure
from generator_service.sources.people.bank import NAME, PEOPLE
from generator_service.sources.store import SourceStore

PLACE = f"adding/{PEOPLE}/{NAME}"
_RECENT = 6  # steps from which the time left is estimated; the median of their times ignores one interruption
_COMMAND = "python -m generator_service.commands build people"


class _Step(msgspec.Struct, frozen=True):
    """A step of an unfinished drawing: the number of files that are stored, and the time in seconds since 1970."""

    read: int
    made_at: float = 0.0


def steps_done(store: SourceStore) -> int:
    """Return how many files of an unfinished drawing are stored."""
    return max((step.read for step in _steps(store)), default=0)


def _steps(store: SourceStore) -> list[_Step]:
    bodies = (store.objects.get(name) for name in store.objects.names(PLACE))
    steps = [msgspec.json.decode(body, type=_Step) for body in bodies if body is not None]
    return sorted(steps, key=lambda step: step.read)


def _time_left(steps: Sequence[_Step]) -> str:
    """Return the time left in words, from how long the last steps took on this machine."""
    recent = [step for step in steps[-_RECENT:] if step.made_at]
    paces = [
        (after.made_at - before.made_at) / (after.read - before.read)
        for before, after in pairwise(recent)
        if after.read > before.read
    ]
    if not paces:
        return "some minutes"
    minutes = max(1, round(median(paces) * (total() - steps[-1].read) / 60))
    return "about 1 minute" if minutes == 1 else f"about {minutes} minutes"


def total() -> int:
    """Return how many files a whole source has."""
    return len(layer_names()) + len(codes())


def progress_text(store: SourceStore) -> str:
    """Return what a card says while people and things are not there: the problem, then the remedy."""
    steps, whole = _steps(store), total()
    done = steps[-1].read if steps else 0
    why = failure(store, PEOPLE)
    if why is not None:
        return f"people and things can't be drawn ({why}); give a folder with both packages: {_COMMAND} --given FOLDER"
    return (
        f"people and things are not drawn yet: {done} of {whole} pictures are there; "
        f"wait {_time_left(steps)} while the service draws them, or draw them now: {_COMMAND}"
    )
