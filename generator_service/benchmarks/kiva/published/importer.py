"""Read the published layout: pictures <prefix>_<trial>_<part>.png and trackers output_<prefix>.txt, in any folders.

Every trial of every tracker must have its five pictures, of fitting sizes, showing what the tracker says. With
`partial`, trials and values of which there is no picture at all are left out; nothing else is forgiven.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from generator_service.benchmarks.kiva.published.agreement import disagreement
from generator_service.benchmarks.kiva.published.spec import UNDONE, Release, Trial
from generator_service.benchmarks.kiva.published.trackers import Tracked, read_tracker
from generator_service.drawing.canvas import Picture
from generator_service.sources.decoding import UnreadablePictureError, decode_picture
from generator_service.sources.faults import Faults
from generator_service.sources.published import Gathered
from generator_service.sources.reader import Spooled

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
