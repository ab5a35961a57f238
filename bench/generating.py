"""Rows of the generator and of scoring, in this process: one core, timed by the processor time it takes."""

import time
from collections.abc import Iterator
from statistics import median

import msgspec

from bench.measuring import Bench, Line, core_seconds, interleaved, median_ratio
from generator_service.benchmark import PictureArray
from generator_service.drawing.png import encode_png
from generator_service.items import make_item
from generator_service.sealing import keyed_items
from scoring_service.collecting import collector_paused
from scoring_service.scoring import score
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.draws import DrawKeys

MOST_RATIO, LEAST_KEYS, MOST_SCORING_SECONDS = 2.0, 20_000, 5.0
PUBLIC_GENERATOR = "KiVA's own: 17 to 25/s, colour 2/s"
REPLIES = ("({})", "The answer is ({}).", "**{}**", "I see a change, so I choose option {}.", "Answer: {}")


def trials(bench: Bench) -> Iterator[Line]:
    """Make trials of every track with all pictures as PNG, against encoding the same pixels alone."""
    for track in bench.mounted.benchmark.card.tracks:
        yield _trials_of(bench, track.name)


def _trials_of(bench: Bench, track: str) -> Line:
    mounted, draw, count = bench.mounted, bench.draw("101", track), bench.scale.trials
    kept: dict[int, list[PictureArray]] = {}

    def made(turn: int) -> None:
        kept[turn] = []
        for index in range(turn * count, (turn + 1) * count):
            item = make_item(mounted, draw, index)
            names = {picture.name: None for keyed in item.questions for picture in keyed.question.pictures}
            for name in names:
                pixels = mounted.benchmark.render(mounted.bank, item.scene, name)
                encode_png(pixels)
                kept[turn].append(pixels)

    def encoded(turn: int) -> None:
        for pixels in kept.pop(turn):
            encode_png(pixels)

    whole, alone = interleaved(bench.scale.rounds, made, encoded, clock=time.process_time)
    ratio = median_ratio(whole, alone)
    return Line(
        name=f"{track} trials with pictures, one core",
        value=f"{count / median(whole):.1f}/s",
        ratio=f"{ratio:.2f} x encoding the PNGs alone ({PUBLIC_GENERATOR})",
        aim=f"{MOST_RATIO} x or less",
        met=ratio <= MOST_RATIO,
    )


def keys(bench: Bench) -> Iterator[Line]:
    """Make trials without rendering; every question has a key."""
    mounted, draw, count = bench.mounted, bench.draw("102"), bench.scale.keys
    made = [0]

    def unseen(turn: int) -> None:
        items = (make_item(mounted, draw, index) for index in range(turn * count, (turn + 1) * count))
        made[0] += sum(len(item.questions) for item in items)

    (taken,) = interleaved(bench.scale.rounds, unseen, clock=time.process_time)
    trials_a_second = count / median(taken)
    keys_a_second = made[0] / (bench.scale.rounds * count) * trials_a_second
    yield Line(
        name="keys without rendering, one core",
        value=f"{keys_a_second:,.0f}/s",
        ratio=f"{trials_a_second:,.0f} trials/s of three questions",
        aim=f"{LEAST_KEYS:,}/s or more",
        met=keys_a_second >= LEAST_KEYS,
    )


def scoring(bench: Bench) -> Iterator[Line]:
    """Make the keys of a draw, carry them over as JSON, read and score every answer."""
    mounted, draw = bench.mounted, bench.draw("103")
    items = max(1, bench.scale.answers // 3)
    sealed = [
        SealedAnswer(
            item=index,
            question=keyed.question.id,
            response=REPLIES[index % len(REPLIES)].format(keyed.key.label),
        )
        for index in range(items)
        for keyed in make_item(mounted, draw, index).questions
    ]
    carried: list[bytes] = []

    def reveal() -> None:
        held = DrawKeys(
            identity=draw.identity,
            size=items,
            seed=draw.seed,
            commitment=draw.commitment(items),
            items=keyed_items(mounted, draw, items, sealed),
        )
        carried[:] = [msgspec.json.encode(held)]

    def judge() -> None:
        held = msgspec.json.decode(carried[0], type=DrawKeys)
        with collector_paused():  # as a job runs
            report = score("sub_bench", held, sealed, mounted.benchmark.card, scored_at="2026-01-01T00:00:00Z")
        if report.unread or report.missing:
            raise AssertionError(f"{report.unread} unread, {report.missing} missing: the bench's replies are plain")

    keyed, judged = core_seconds(reveal), core_seconds(judge)
    total = keyed + judged
    yield Line(
        name=f"{len(sealed):,} choice answers read and scored",
        value=f"{total:.2f} s",
        ratio=f"keys {keyed:.2f} s, reading and scoring {judged:.2f} s",
        aim=f"{MOST_SCORING_SECONDS:.0f} s or less",
        met=total <= MOST_SCORING_SECONDS,
    )
