"""The pixel solver of KiVA: every question is the same search, for the option whose change fits the pictures best."""

from collections.abc import Mapping, Sequence

from tetrad.contracts.inference import Message
from tetrad.solvers.kiva_pixels.changes import Distances, distances
from tetrad.solvers.kiva_pixels.panels import Pair, cut_pair
from tetrad.solvers.kiva_pixels.sheet import cut_sheet, is_sheet
from tetrad.solvers.kiva_pixels.words import covered
from tetrad.solvers.reading import SeenOption, SeenQuestion, read_question

FITS = 0.2  # the right change is off by rounding and resampling, under 0.1; the nearest wrong one by 0.3 and more
NOT_MINE = "I can't tell: I read pairs of panels, side by side, and options in brackets that say or show a change."


class PixelSolver:
    """Replies "(B)", or says that it can't tell: it never guesses."""

    def reply(self, messages: Sequence[Message]) -> str:
        """Answer one question of KiVA.

        Raises:
            PictureError: a picture can't be decoded within bounds.
        """
        question = read_question(messages)
        if not question.context or not question.options:
            return NOT_MINE
        given, shown = _pairs(question)
        label = _say(question.options, distances(given)) if not shown else _show(question.options, given, shown)
        return f"({label})" if label else NOT_MINE


def _pairs(question: SeenQuestion) -> tuple[Pair, Mapping[str, Pair]]:
    """The given pair, and each option's pair by label where options are pictures, their own or on the sheet."""
    picture = question.context[0].pixels()
    worded = any(covered(option.text) for option in question.options if option.picture is None)
    if not is_sheet(picture):
        own = {option.label: option.picture.pixels() for option in question.options if option.picture is not None}
        return cut_pair(picture), {label: cut_pair(pixels) for label, pixels in own.items()}
    given, below = cut_sheet(picture)
    return given, {} if worded else dict(zip((option.label for option in question.options), below, strict=False))


def _say(options: Sequence[SeenOption], given: Distances) -> str | None:
    """The option whose words cover the change nearest to the given pair; else the one that covers none."""
    said = {option.label: covered(option.text) for option in options}
    off = {label: min(given[change] for change in changes) for label, changes in said.items() if changes}
    return _nearest(options, off)


def _show(options: Sequence[SeenOption], given: Pair, shown: Mapping[str, Pair]) -> str | None:
    """The option that shows, with the given pair, one same change: both distances count, for symmetric objects."""
    known = {change: off for change, off in distances(given).items() if off <= FITS}
    found = {label: distances(pair, known) for label, pair in shown.items()}
    off = {label: min((known[change] + far[change] for change in known), default=1.0) for label, far in found.items()}
    return _nearest(options, off)


def _nearest(options: Sequence[SeenOption], off: Mapping[str, float]) -> str | None:
    """The option that is off least, if it fits; else the first that names and shows no change; else None."""
    best = min(off, key=off.__getitem__, default=None)
    if best is not None and off[best] <= FITS:
        return best
    return next((option.label for option in options if option.label not in off), None)
