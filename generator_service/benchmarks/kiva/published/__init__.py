"""KiVA's and KiVA-adults' published trials as corpora (Yiu et al., 2025)."""

from functools import partial

from generator_service.benchmarks.kiva.published.card import card_of
from generator_service.benchmarks.kiva.published.importer import gather
from generator_service.benchmarks.kiva.published.question import next_questions, questions
from generator_service.benchmarks.kiva.published.scenes import describe, render, sample
from generator_service.benchmarks.kiva.published.spec import ADULTS, KIVA, VERSION, Release, Trial
from generator_service.sources.published import Layout


def _layout(release: Release) -> Layout:
    return Layout(
        name=release.layout,
        help=f"{release.title}'s released pictures <prefix>_<trial>_<part>.png with their trackers output_<prefix>.txt",
        version=VERSION,
        item=Trial,
        gather=partial(gather, release),
        card=partial(card_of, release),
        sample=sample,
        questions=questions,
        next_questions=next_questions,
        render=render,
        describe=describe,
    )


LAYOUT, ADULTS_LAYOUT = _layout(KIVA), _layout(ADULTS)
LAYOUTS = (LAYOUT, ADULTS_LAYOUT)
