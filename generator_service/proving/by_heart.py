"""A solver that knows the practice half of a divided source by heart, run on the half that sealed draws use.

It keeps every option that practice showed, and whether it was right. Of a picture it keeps a small copy. Of an option
in words it keeps the words, with a small copy of the question's pictures. In a new question it chooses the option that
is most like right ones. It does better than guessing where both halves show the same things, such as a photograph that
the source holds twice. It compares no picture of a question with another: that would be solving it.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np
import numpy.typing as npt
from PIL import Image

from generator_service.benchmark import Benchmark, PictureArray
from generator_service.draws import Draw
from generator_service.finding import find_benchmarks
from generator_service.items import make_item
from generator_service.mounting import Mounted
from generator_service.proving.samples import fits
from generator_service.registry import Registry, mount
from generator_service.sources.memorised import Memorised, keep_memorised
from generator_service.sources.objects import BUILTIN, HOUSEHOLD, OBJECTS
from generator_service.sources.parts import Part
from generator_service.sources.serving import ServedSources
from generator_service.sources.store import Head, SourceStore
from tetrad.contracts.items import Choice, Question

LEARNED, ASKED = 400, 200  # items of practice, and of sealed draws
NEAREST = 5
_OPAQUE = 255
SMALL = 8  # pixels a side of the copy that is kept of a picture
SEEDS: dict[Part, str] = {"practice": "1", "sealed": "2"}
Row = npt.NDArray[np.float32]
Progress = Callable[[str, int, int], None]
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Seen:
    """One question as the solver sees it: of each option its words ("" where it is a picture) and its pixels."""

    kind: str
    words: tuple[str, ...]
    looks: tuple[Row, ...]
    right: int


class Memory:
    """The options of practice, by the kind of their question and their words."""

    def __init__(self, seen: Sequence[Seen]) -> None:
        kept: dict[tuple[str, str], list[tuple[Row, bool]]] = defaultdict(list)
        for question in seen:
            for place, words in enumerate(question.words):
                kept[question.kind, words].append((question.looks[place], place == question.right))
        self._kept = {
            name: (np.stack([row for row, _ in rows]), np.array([right for _, right in rows], np.float32))
            for name, rows in kept.items()
        }

    def answer(self, question: Seen) -> int:
        """Return the place of the option that is most like right ones; among equals, the one nearest to a known one."""
        scores = [
            self._score(question.kind, words, row) for words, row in zip(question.words, question.looks, strict=True)
        ]
        return max(range(len(scores)), key=lambda place: scores[place])

    def _score(self, kind: str, words: str, row: Row) -> tuple[float, float]:
        known = self._kept.get((kind, words))
        if known is None:
            return 0.0, -np.inf
        apart = ((known[0] - row) ** 2).sum(axis=1)
        nearest = np.argsort(apart, kind="stable")[:NEAREST]
        return float(known[1][nearest].mean()), -float(apart[nearest[0]])


def run_by_heart(store: SourceStore, head: Head, progress: Progress) -> list[Memorised]:
    """Run the solver on every track and setting that draws from a divided source; keep the scores and return them.

    A track that can't be drawn from, for want of a table or of pictures, is left out; the log says why.
    """
    if head.practice_permille is None:
        return []
    registry = _open_registry(store, head)
    found = [score for mounted in registry.all() for score in _scores(registry, mounted, head, progress)]
    keep_memorised(store, head, found)
    return found


def _open_registry(store: SourceStore, head: Head) -> Registry:
    """Mount the benchmarks that draw from this source, on tracks whose other sources are there: none is drawn."""
    sources = ServedSources(store)
    names = [head.name for head in sources.offered_heads(OBJECTS)]
    bank = next((name for name in (HOUSEHOLD, BUILTIN, *names) if name in names), "")
    drawing = [
        drawn_from for benchmark in find_benchmarks() if (drawn_from := _drawing(benchmark, head, sources)) is not None
    ]
    return mount(drawing, store, bank, defaults=head.title)


def _drawing(benchmark: Benchmark, head: Head, sources: ServedSources) -> Benchmark | None:
    tracks = tuple(
        track
        for track in benchmark.card.tracks
        if head.kind in benchmark.kinds_of(track.name)
        and all(sources.offered_heads(kind) for kind in benchmark.kinds_of(track.name))
    )
    if not tracks:
        return None
    return replace(benchmark, card=msgspec.structs.replace(benchmark.card, tracks=tracks))


def _scores(registry: Registry, mounted: Mounted, head: Head, progress: Progress) -> Iterator[Memorised]:
    for track in mounted.benchmark.card.tracks:
        for setting in track.settings:
            try:
                learned = _look_at(registry, mounted, head, track.name, setting, "practice", LEARNED, progress)
                asked = _look_at(registry, mounted, head, track.name, setting, "sealed", ASKED, progress)
                sealed = registry.choose(mounted, [head.title], track.name, "sealed")
            except Exception as error:  # noqa: BLE001 - a benchmark may raise anything where a half has few pictures
                where = f"{mounted.benchmark.name}, {track.name}, {setting}"
                log.warning("not run by heart", extra={"where": where, "error": str(error)})
                continue
            if learned and asked:
                memory = Memory(learned)
                yield Memorised(
                    benchmark=mounted.benchmark.name,
                    version=mounted.benchmark.version,
                    track=track.name,
                    setting=setting,
                    bank=sealed.digest_of(track.name),
                    learned=LEARNED,
                    asked=len(asked),
                    right=sum(memory.answer(question) == question.right for question in asked),
                    chance=sum(1 / len(question.words) for question in asked) / len(asked),
                )


def _look_at(  # noqa: PLR0917 - whose items, which, and how many
    registry: Registry,
    mounted: Mounted,
    head: Head,
    track: str,
    setting: str,
    part: Part,
    items: int,
    progress: Progress,
) -> list[Seen]:
    """Look at the choices of some items of one half that the headline is about."""
    half = registry.choose(mounted, [head.title], track, part)
    card = mounted.benchmark.card
    where = next(metric.where for metric in card.metrics if metric.name == card.metric_of(setting))
    draw = Draw(half.benchmark, half.identity(track, setting, {}), SEEDS[part])
    found: list[Seen] = []
    stage = f"{mounted.benchmark.name}, {track}, {setting}, {part}"
    for index in range(items):
        item = make_item(half, draw, index)
        shown: dict[str, Row] = {}
        for keyed in item.questions:
            if isinstance(keyed.question.shape, Choice) and fits(where, keyed.facets):
                for picture in keyed.question.pictures:
                    if picture.name not in shown:
                        shown[picture.name] = small(half.benchmark.render(half.bank, item.scene, picture.name))
                found.append(seen_in(keyed.question, keyed.key.label, shown))
        progress(stage, index + 1, items)
    return found


def seen_in(question: Question, key: str, shown: dict[str, Row]) -> Seen:
    """Return what the solver sees of a question, whose pictures are given as small copies by name."""
    offered = {option.picture for option in question.options}
    beside = [shown[picture.name] for picture in question.pictures if picture.name not in offered]
    around: Row = np.stack(beside or [np.zeros(3 * SMALL * SMALL, np.float32)]).mean(axis=0, dtype=np.float32)
    return Seen(
        kind=question.kind,
        words=tuple("" if option.picture is not None else option.text or "" for option in question.options),
        looks=tuple(around if option.picture is None else shown[option.picture] for option in question.options),
        right=[option.label for option in question.options].index(key),
    )


def small(pixels: PictureArray, side: int = SMALL) -> Row:
    """Return the picture on white with so many pixels a side, flat: its colours and where they lie."""
    laid = Image.fromarray(np.ascontiguousarray(pixels))
    if pixels[..., 3].min() < _OPAQUE:
        laid = Image.alpha_composite(Image.new("RGBA", laid.size, "white"), laid)
    return np.asarray(
        laid.convert("RGB").resize((side, side), Image.Resampling.BOX, reducing_gap=1.0), np.float32
    ).ravel() / np.float32(255)
