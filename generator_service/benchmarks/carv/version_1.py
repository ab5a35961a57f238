"""Version 1 of CARV, for draws that were sealed under it: the stage that they name shows plain rooms seen from afar."""

from dataclasses import replace as replaced

from msgspec.structs import replace

from generator_service.benchmark import Benchmark
from generator_service.benchmarks.carv.reference import FIRST_REFERENCE
from generator_service.benchmarks.carv.spec import PUBLISHED
from generator_service.drawing.stage.first_stage import FIRST
from tetrad.contracts.benchmarks import Card

VERSION = 1


def first_version(newest: Benchmark) -> Benchmark:
    """Return the benchmark as version 1 was: the same code on its own stage, without the published prompt."""
    return replaced(newest, card=_card(newest.card), bound={"stage": FIRST.digest})


def _card(card: Card) -> Card:
    kept = tuple(setting for setting in card.settings if setting.name != PUBLISHED)
    names = tuple(setting.name for setting in kept)
    tracks = tuple(replace(track, settings=names) for track in card.tracks)
    return replace(card, version=VERSION, tracks=tracks, settings=kept, reference=FIRST_REFERENCE)
