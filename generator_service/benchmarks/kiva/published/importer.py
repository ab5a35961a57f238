"""Read the published layout: pictures <prefix>_<trial>_<part>.png and trackers output_<prefix>.txt, in any folders.

Every trial of every tracker must have its five pictures, of fitting sizes, showing what the tracker says. With
`partial`, trials and values of which there is no picture at all are left out; nothing else is forgiven.

Pictures are held to the trackers by our own drawing rules. In KiVA turns and reflections must match exactly and colors
within rounding. Counts are checked cell by cell, sizes by measuring. The pictures of KiVA-adults were each drawn from
an object that is not published, and saved on white. There turns and reflections match if no part of the picture
differs, seen from afar.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from pathlib import PurePosixPath

import numpy as np

from generator_service.benchmarks.kiva.published.spec import ADULTS, UNDONE, Release, Trial
from generator_service.benchmarks.kiva.published.trackers import Tracked, read_tracker
from generator_service.drawing import canvas
from generator_service.drawing.canvas import COLUMNS, Picture
from generator_service.sources.decoding import UnreadablePictureError, decode_picture
from generator_service.sources.faults import Faults
from generator_service.sources.published import Gathered
from generator_service.sources.reader import Spooled

Pictures = Mapping[str, Picture]
SCALES: Mapping[str, tuple[float, float]] = {
    "2x": (2, 2),
    "1/2x": (0.5, 0.5),
    "wider": (2, 1),
    "narrower": (0.5, 1),
    "taller": (1, 2),
    "shorter": (1, 0.5),
}
# Measured on the released pictures of KiVA-adults: where twice stands against half, the wrong picture is drawn from the
# object's own size and not from the test picture's.
ADULTS_WRONG_SCALES: Mapping[str, tuple[float, float]] = {"1/2x": (0.8, 0.8), "2x": (1.25, 1.25)}
MIX_ROUNDING = 1  # levels of a channel: both pictures were rounded once
GREY_ROUNDING = 3  # levels: a mix is doubled before its luma is taken
EDGE = 3  # pixels: a resampled outline is blurred
FAINT = 8  # alpha up to which a pixel counts as a blurred outline
AFAR = 32  # pixels a side
AFAR_LEVELS = 24  # of 255; the released pictures differ by less, and by another turn in 56 places or more
_LUMA = np.array([299, 587, 114])


def disagreement(  # noqa: PLR0917 - the parts of a trial
    release: Release, domain: str, value: str, wrong: str, tracked: Tracked, pictures: Pictures
) -> str:
    """Return the difference between tracker and pictures in words, "" if there is none."""
    if domain == "number":
        return _counts(release, value, tracked, pictures)
    before, after, test, right, other = release.parts
    for start, end, change in ((before, after, value), (test, right, value), (test, other, wrong)):
        if domain == "size" and release is ADULTS and end == other:
            shown = _measures(pictures[start], pictures[end], ADULTS_WRONG_SCALES.get(change, SCALES[change]))
        else:
            shown = _SHOWS[domain](release, pictures[start], pictures[end], change)
        if not shown:
            return f"{end} is not {start} changed by {change}"
    return ""


def _shows_turn(release: Release, before: Picture, after: Picture, value: str) -> bool:
    return _same(release, canvas.rotate(before, int(value) % 360), after)


def _shows_mirror(release: Release, before: Picture, after: Picture, value: str) -> bool:
    return _same(release, canvas.reflect(before, "both" if value == "both" else "x" if value == "x" else "y"), after)


def _same(release: Release, ours: Picture, theirs: Picture) -> bool:
    if release is not ADULTS:
        return np.array_equal(ours, theirs)
    gap = np.abs(_from_afar(ours) - _from_afar(theirs))
    return bool((gap <= AFAR_LEVELS).all())


def _from_afar(picture: Picture) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return canvas.resize(canvas.flatten(picture, "white"), AFAR, AFAR)[..., :3].astype(np.int64)


def _shows_tint(release: Release, before: Picture, after: Picture, value: str) -> bool:
    """Tell whether one object has one of the other colors before and this color after."""
    if not np.array_equal(before[..., 3], after[..., 3]):
        return False
    seen = before[..., 3] > 0
    starts = [known for domain, known in release.values.values() if domain == "color" and known != value]
    return any(_shows_recoloring(before[seen], after[seen], start, value) for start in starts)


def _shows_recoloring(before: Picture, after: Picture, start: str, value: str) -> bool:
    """Tell whether one object, tinted by `start` and by `value`, looks like these pixels, each (n, 4)."""
    was, became = before[:, :3].astype(np.int64), after[:, :3].astype(np.int64)
    if "grey" not in {start, value}:
        # One grey pixel under two tints differs by half of the difference between the tints' colors.
        return bool((np.abs(2 * (became - was) - (_target(value) - _target(start))) <= 2 * MIX_ROUNDING).all())
    # A tint mixes an object half and half with a color, so twice a picture less the color is the object.
    mixed, grey, color = (was, became, start) if value == "grey" else (became, was, value)
    own = (2 * mixed - _target(color)) @ _LUMA // 1000
    return bool((np.abs(own[:, None] - grey) <= GREY_ROUNDING).all())


def _target(color: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return twice what a tint adds to black: the color that it mixes in, within rounding."""
    black = np.zeros((1, 1, 4), np.uint8)
    black[..., 3] = 255
    [tint] = [tint for tint in canvas.TINTS if tint == color]
    return 2 * canvas.tint(black, tint)[0, 0, :3].astype(np.int64)


def _shows_scale(_release: Release, before: Picture, after: Picture, value: str) -> bool:
    return _measures(before, after, SCALES[value])


def _measures(before: Picture, after: Picture, scales: tuple[float, float]) -> bool:
    return all(
        abs(grown - scale * length) <= EDGE
        for scale, length, grown in zip(scales, _extent(before), _extent(after), strict=True)
    )


def _extent(picture: Picture) -> tuple[int, int]:
    """Return width and height of what is drawn, in pixels."""
    rows, columns = np.nonzero(_mask_drawn(picture))
    return (int(np.ptp(columns)) + 1, int(np.ptp(rows)) + 1) if rows.size else (0, 0)


def _mask_drawn(picture: Picture) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Return a mask of what is drawn. In the few opaque pictures of the release, that is all but the ground."""
    solid: np.ndarray[tuple[int, int], np.dtype[np.bool_]] = picture[..., 3] > FAINT
    if not solid.all():
        return solid
    ground = picture[0, 0, :3].astype(np.int64)
    return np.asarray((np.abs(picture[..., :3] - ground) > FAINT).any(axis=-1))


_SHOWS: Mapping[str, Callable[[Release, Picture, Picture, str], bool]] = {
    "rotation": _shows_turn,
    "reflection": _shows_mirror,
    "color": _shows_tint,
    "size": _shows_scale,
}


def _counts(release: Release, value: str, tracked: Tracked, pictures: Pictures) -> str:
    told = [tracked.before, tracked.after.removesuffix(".0"), tracked.test, tracked.wrong]
    if not all(text.isdecimal() for text in told):
        return f"counts are numbers, the tracker says {', '.join(told)}"
    before, after, test, wrong = map(int, told)
    if after != _counted_on(before, value):
        return f"the tracker goes from {before} to {after}, which is not {value}"
    counts = (Fraction(before), Fraction(after), Fraction(test), _counted_on(test, value), Fraction(wrong))
    return next(_find_miscounts(pictures, zip(release.parts, counts, strict=True)), "")


def _find_miscounts(pictures: Pictures, expected: Iterable[tuple[str, Fraction]]) -> Iterator[str]:
    for part, count in expected:
        seen = count_objects(pictures[part])
        if seen != count:
            yield f"{part} shows {'no row of equal objects' if seen is None else seen} and not {count}"


def _counted_on(count: int, value: str) -> Fraction:
    """Return the count after the change. Divisions of KiVA-adults are exact."""
    if value[0] == "x":
        return Fraction(count * int(value[1:]))
    return Fraction(count, int(value[1:])) if value[0] == "/" else Fraction(count + int(value))


def count_objects(picture: Picture) -> int | None:
    """Return the number of equal objects in the cells, four to a row from the top left; None for anything else."""
    cell = picture.shape[0] // COLUMNS
    stamps = [
        picture[row * cell : (row + 1) * cell, column * cell : (column + 1) * cell]
        for row in range(COLUMNS)
        for column in range(COLUMNS)
    ]
    filled = [bool(stamp[..., 3].any()) for stamp in stamps]
    count = sum(filled)
    row_of_equals = all(filled[:count]) and all(np.array_equal(stamp, stamps[0]) for stamp in stamps[:count])
    return count if row_of_equals else None


_TRACKER = re.compile(r"output_(?P<prefix>.+)\.txt")
_DEGREES = re.compile(r"[+-]?[0-9]{1,3}")
_PUBLISHED = "give the files as they were published"


def gather(release: Release, source: Spooled, partial: bool, faults: Faults) -> Gathered:  # noqa: FBT001 -- the layouts' one signature
    """Return the release's trials and their pictures. Add what is wrong to `faults`."""
    reading = _Reading(release, source, faults)
    for prefix in release.values:
        reading.read_value(prefix, partial=partial)
    for name in reading.list_unread():
        faults.add(name, "belongs to no trial of any tracker", _PUBLISHED)
    return Gathered(tuple(reading.trials), reading.pictures)


class _Reading:
    """One pass over a source."""

    def __init__(self, release: Release, source: Spooled, faults: Faults) -> None:
        self.trials: list[Trial] = []
        self.pictures: dict[str, bytes] = {}
        self._release, self._source, self._faults = release, source, faults
        parts = "|".join(release.parts)
        self._shown = self._place_files(re.compile(rf"(?P<prefix>.+?)_(?P<trial>0|[1-9][0-9]*)_(?P<part>{parts})\.png"))
        self._tracked = self._place_files(_TRACKER)

    def list_unread(self) -> list[str]:
        return sorted([*self._shown.values(), *self._tracked.values()])

    def read_value(self, prefix: str, *, partial: bool) -> None:
        tracker = self._tracked.pop((prefix,), None)
        if tracker is None:
            if partial:
                self._faults.leave_out(f"output_{prefix}.txt", "is missing", "add it")
            else:
                self._faults.add(f"output_{prefix}.txt", "is missing", "add it, or mount what there is with --partial")
            return
        trials = read_tracker(tracker, self._source.read(tracker), self._release.fields, self._faults)
        absent = [place for place in range(len(trials)) if not self._has_any(prefix, place)]
        if absent:
            problem = f"{len(absent)} of {len(trials)} trials ({_spans(absent)}) have no pictures"
            self._faults.lacks(tracker, problem, "add them", partial=partial)
        for place, tracked in enumerate(trials):
            if place not in absent:
                self._read_trial(prefix, place, tracked)

    def _read_trial(self, prefix: str, place: int, tracked: Tracked) -> None:
        name, (domain, value) = f"{prefix}_{place}", self._release.values[prefix]
        shas = {part: self._read_picture(name, part) for part in self._release.parts}
        pictures = {part: picture for part, (_, picture) in shas.items() if picture is not None}
        if len(pictures) < len(self._release.parts) or not self._sizes_fit(name, pictures):
            return
        wrong = _wrong_words(self._release, domain, value, tracked)
        if wrong is None:
            told = f"the tracker says {tracked.after} against {tracked.wrong}"
            self._faults.add(name, f"{told}, which are no two values of {domain} with {value} right", _PUBLISHED)
            return
        problem = disagreement(self._release, domain, value, wrong, tracked, pictures)
        if problem:
            self._faults.add(name, f"tracker and pictures disagree: {problem}", _PUBLISHED)
            return
        before, after, test, right_picture, wrong_picture = (shas[part][0] for part in self._release.parts)
        self.trials.append(
            Trial(
                id=name,
                domain=domain,
                value=value,
                wrong=wrong,
                before=before,
                after=after,
                test=test,
                right_picture=right_picture,
                wrong_picture=wrong_picture,
            )
        )

    def _read_picture(self, trial: str, part: str) -> tuple[str, Picture | None]:
        prefix, _, place = trial.rpartition("_")
        name = self._shown.pop((prefix, place, part), None)
        if name is None:
            self._faults.add(f"{trial}_{part}.png", "is missing", "add the picture")
            return "", None
        body = self._source.read(name)
        sha = hashlib.sha256(body).hexdigest()
        try:
            picture = decode_picture(body)
        except UnreadablePictureError as error:
            self._faults.add(name, str(error), "give a whole PNG")
            return "", None
        self.pictures[sha] = body
        return sha, picture

    def _sizes_fit(self, trial: str, pictures: Mapping[str, Picture]) -> bool:
        """Check that each object's pictures are square and of one size. Another size would give the right one away."""
        fits = True
        for parts in (self._release.parts[:2], self._release.parts[2:]):
            sizes = {pictures[part].shape[:2] for part in parts}
            if len(sizes) > 1 or any(height != width for height, width in sizes):
                listed = ", ".join(f"{pictures[part].shape[1]} x {pictures[part].shape[0]}" for part in parts)
                self._faults.add(trial, f"{', '.join(parts)} are {listed} pixels", "make them square and of one size")
                fits = False
        return fits

    def _has_any(self, prefix: str, place: int) -> bool:
        return any((prefix, str(place), part) in self._shown for part in self._release.parts)

    def _place_files(self, pattern: re.Pattern[str]) -> dict[tuple[str, ...], str]:
        """Return the files whose last name fits, by the parts of that name. Duplicates and unknown files are faults."""
        found: dict[tuple[str, ...], str] = {}
        for name in self._source.names():
            match = pattern.fullmatch(PurePosixPath(name).name)
            if match is None:
                continue
            known = self._release.values
            if match["prefix"] not in known:
                problem = f"{match['prefix']!r} is no value of {self._release.title}"
                self._faults.add(name, problem, f"values are {', '.join(known)}")
            elif match.groups() in found:
                self._faults.add(name, f"is there twice, also as {found[match.groups()]}", "keep one of them")
            else:
                found[match.groups()] = name
        return found


def _wrong_words(release: Release, domain: str, value: str, tracked: Tracked) -> str | None:
    """Return the value of the wrong words, or None if the tracker's two values don't fit together."""
    if domain == "number":
        return UNDONE[value]
    wrong = release.value_named(domain, tracked.wrong)
    if release.starts and domain == "rotation":  # the tracker tells the given object's turns, not the value
        return wrong if wrong != value and _turns_by(tracked, value) else None
    return wrong if release.value_named(domain, tracked.after) == value != wrong else None


def _turns_by(tracked: Tracked, value: str) -> bool:
    """Tell whether the given object turns by the value, from one turn of the tracker to the next."""
    if not all(_DEGREES.fullmatch(text) for text in (tracked.before, tracked.after)):
        return False
    return (int(tracked.before) + int(value) - int(tracked.after)) % 360 == 0


def _spans(places: Iterable[int]) -> str:
    """Write numbers in order as spans: "0, 5 to 49"."""
    spans: list[list[int]] = []
    for place in places:
        if spans and spans[-1][1] == place - 1:
            spans[-1][1] = place
        else:
            spans.append([place, place])
    return ", ".join(f"{low} to {high}" if low < high else str(low) for low, high in spans)
