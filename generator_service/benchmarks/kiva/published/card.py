"""The cards of KiVA's published sets."""

from collections.abc import Iterator

from generator_service.benchmarks.kiva.published.spec import KIVA, VERSION, Release
from generator_service.benchmarks.kiva.reference import (
    STAGES,
    THESE_PICTURES,
    count_replies,
    count_stages,
    extrapolations,
    told_change,
)
from generator_service.benchmarks.kiva.spec import (
    ASKS,
    COMPOSITE,
    EXTRAPOLATION_ONLY,
    FULL,
    GIVEN_CLASSIFICATION,
    GIVEN_SPECIFICATION,
    SEPARATE,
)
from generator_service.sources.published import Corpus
from generator_service.sources.published_cards import READER, notice_of
from tetrad.contracts.benchmarks import (
    Card,
    Ceiling,
    ChanceLevel,
    Credit,
    Headline,
    Parameter,
    ReferenceRow,
    Setting,
    Track,
)
from tetrad.contracts.metrics import Accuracy, ConditionalAccuracy, Distribution, Inconsistency, Metric

_PAPER = "Yiu et al. 2025 (KiVA)"
_STATED = f"{_PAPER}, section 3.1: the last option is left out of the count"
Where = dict[str, tuple[str, ...]]
_CLASSIFICATION: Where = {"stage": ("classification",)}
_SPECIFICATION: Where = {"stage": ("specification",)}
_EXTRAPOLATION: Where = {"stage": ("extrapolation",)}
_CHANGED: Where = {"change": ("yes",)}
_HELP = {
    FULL: "All three questions of every trial, one after the other, whatever was right.",
    EXTRAPOLATION_ONLY: "Only which picture shows the same change.",
    GIVEN_CLASSIFICATION: "What changed is told; how, then which picture shows the same change.",
    GIVEN_SPECIFICATION: "How it changed is told; which picture shows the same change.",
}

_METRICS: tuple[Metric, ...] = (
    Accuracy(
        name="extrapolation",
        help="Is the picture with the same change found?",
        where=_EXTRAPOLATION | _CHANGED,
        by=("domain",),
    ),
    Accuracy(name="extrapolation-by-value", help="The same by value.", where=_EXTRAPOLATION | _CHANGED, by=("value",)),
    Accuracy(name="classification", help="Is what changed named?", where=_CLASSIFICATION | _CHANGED, by=("domain",)),
    Accuracy(
        name="specification",
        help="Is how it changed named? Asked of every trial, whatever was right before.",
        where=_SPECIFICATION | _CHANGED,
        by=("domain",),
    ),
    ConditionalAccuracy(
        name="specification-after-right",
        help="The same where what changed was named: the paper's figure.",
        where=_SPECIFICATION | _CHANGED,
        given=_CLASSIFICATION,
        within=("repeat",),
        by=("domain",),
    ),
    Accuracy(
        name="no-change",
        help="Trials in which nothing changes: is that seen? By stage.",
        where={"change": ("no",)},
        by=("stage",),
    ),
    Inconsistency(
        name="inconsistency",
        help="Share of a trial's repeats that differ from its most frequent choice.",
        by=("stage",),
    ),
    Distribution(
        name="mistakes",
        help="Of wrong answers: which mistake does the chosen option stand for? By stage.",
        outcome="mistake",
        by=("stage",),
    ),
)
_CHANCE = (
    ChanceLevel(where=_CLASSIFICATION, uniform=1 / 5, stated=1 / 4, source=_STATED),
    ChanceLevel(where=_SPECIFICATION, uniform=1 / 4, stated=1 / 3, source=_STATED),
    ChanceLevel(where=_EXTRAPOLATION, uniform=1 / 4, stated=1 / 3, source=_STATED),
)


_PARAMETERS = (
    Parameter(
        name="presentation",
        help="separate: each option a picture of its own; composite: one stitched sheet, its panels 256 pixels "
        "a side; the paper shows several pictures to some models and one to others",
        default=SEPARATE,
        values=(SEPARATE, COMPOSITE),
    ),
    Parameter(
        name="no_change",
        help="percent of trials whose given pair shows the first picture twice, drawn by the seed; the paper takes 10",
        default=0,
        minimum=0,
        maximum=50,
        step=10,
    ),
    Parameter(
        name="repeats",
        help="how often each question is asked, its options reshuffled; the paper asks three times",
        default=1,
        minimum=1,
        maximum=3,
    ),
    READER,
)
_CREDIT = Credit(
    title="KiVA: Kid-inspired Visual Analogies for Testing Large Multimodal Models",
    authors="Eunice Yiu et al.",
    venue="ICLR 2025",
    url="https://arxiv.org/abs/2407.17773",
    licence="Apache-2.0 (published data set); mounted by the operator, the questions' words are ours",
)


def _published_rows(release: Release) -> Iterator[ReferenceRow]:
    yield from count_stages(STAGES[release.layout], release.name, THESE_PICTURES, how="specification-after-right")
    if release is KIVA:
        yield from extrapolations(KIVA.name, THESE_PICTURES)
        yield from count_replies(KIVA.name, THESE_PICTURES)
        yield told_change(KIVA.name, THESE_PICTURES)


def card_of(release: Release, corpus: Corpus) -> Card:
    """Return the card of a mounted set, whole or in part."""
    return Card(
        name=release.name,
        version=VERSION,
        title=f"{release.title} as published",
        summary="The paper's own trials: what changed, how, and which other object changes in the same way?",
        tracks=(
            Track(
                name=release.name,
                help=f"The mounted trials of the {len(release.values)} values of {release.title}.",
                settings=tuple(ASKS),
            ),
        ),
        settings=tuple(
            Setting(name=name, help=_HELP[name], questions=asks, conversation=len(asks) > 1)
            for name, asks in ASKS.items()
        ),
        parameters=_PARAMETERS,
        metrics=_METRICS,
        headline=Headline(metric="extrapolation", least_items=200),
        chance=_CHANCE,
        # The published distractor rule leaks, because distractors are made from the answer.
        ceilings=tuple(
            Ceiling(
                solver="options-only",
                where=_EXTRAPOLATION | _CHANGED | {"domain": (domain,)},
                parameters={},
                value=value,
                why="sees the three option pictures without the test input beside them",
            )
            for domain, value in release.options_only.items()
        ),
        reference=tuple(_published_rows(release)),
        credit=_CREDIT,
        largest_draw=len(corpus.items),
        corpus=notice_of(corpus, labels_public=True),
    )
