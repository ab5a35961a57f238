"""The card of KiVA's published set."""

from generator_service.benchmarks.kiva.published.spec import EXTRAPOLATION_ONLY, FULL, NAME, VERSION
from generator_service.benchmarks.kiva.reference import extrapolations
from generator_service.sources.published import Corpus
from generator_service.sources.published_cards import READER, notice_of
from tetrad.contracts.benchmarks import Card, Ceiling, ChanceLevel, Credit, Headline, Parameter, Setting, Track
from tetrad.contracts.metrics import Accuracy, ConditionalAccuracy, Distribution, Inconsistency, Metric

_PAPER = "Yiu et al. 2025 (KiVA)"
_STATED = f"{_PAPER}, section 3.1: the last option is left out of the count"
Where = dict[str, tuple[str, ...]]
_CLASSIFICATION: Where = {"stage": ("classification",)}
_SPECIFICATION: Where = {"stage": ("specification",)}
_EXTRAPOLATION: Where = {"stage": ("extrapolation",)}

_METRICS: tuple[Metric, ...] = (
    Accuracy(
        name="extrapolation",
        help="Is the picture with the same change found?",
        where=_EXTRAPOLATION,
        by=("domain",),
    ),
    Accuracy(name="extrapolation-by-value", help="The same by value.", where=_EXTRAPOLATION, by=("value",)),
    Accuracy(name="classification", help="Is what changed named?", where=_CLASSIFICATION, by=("domain",)),
    Accuracy(
        name="specification",
        help="Is how it changed named? Asked of every trial, whatever was right before.",
        where=_SPECIFICATION,
        by=("domain",),
    ),
    ConditionalAccuracy(
        name="specification-after-right",
        help="The same where what changed was named: the paper's figure.",
        where=_SPECIFICATION,
        given=_CLASSIFICATION,
        within=("repeat",),
        by=("domain",),
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
# The published distractor rule leaks, because distractors are made from the answer (see the ceilings of the benchmark
# kiva).
_OPTIONS_ONLY = {"color": 1 / 3, "size": 1 / 2, "number": 5 / 6, "rotation": 2 / 3, "reflection": 1 / 2}


def card_of(corpus: Corpus) -> Card:
    """Return the card of a mounted set, whole or in part."""
    return Card(
        name=NAME,
        version=VERSION,
        title="KiVA as published",
        summary="The paper's own trials: what changed, how, and which other object changes in the same way?",
        tracks=(Track(name=NAME, help="The mounted trials of kiva's 14 values.", settings=(FULL, EXTRAPOLATION_ONLY)),),
        settings=(
            Setting(
                name=FULL,
                help="All three questions of every trial, one after the other, whatever was right.",
                questions=("what", "how", "which"),
                conversation=True,
            ),
            Setting(name=EXTRAPOLATION_ONLY, help="Only which picture shows the same change.", questions=("which",)),
        ),
        parameters=(
            Parameter(
                name="repeats",
                help="how often each question is asked, its options reshuffled; the paper asks three times",
                default=1,
                minimum=1,
                maximum=3,
            ),
            READER,
        ),
        metrics=_METRICS,
        headline=Headline(metric="extrapolation", least_items=200),
        chance=_CHANCE,
        ceilings=tuple(
            Ceiling(
                solver="options-only",
                where=_EXTRAPOLATION | {"domain": (domain,)},
                parameters={},
                value=value,
                why="sees the three option pictures without the test input beside them",
            )
            for domain, value in _OPTIONS_ONLY.items()
        ),
        reference=tuple(extrapolations(NAME, "")),
        credit=Credit(
            title="KiVA: Kid-inspired Visual Analogies for Testing Large Multimodal Models",
            authors="Eunice Yiu et al.",
            venue="ICLR 2025",
            url="https://arxiv.org/abs/2407.17773",
            licence="Apache-2.0 (published data set); mounted by the operator, the questions' words are ours",
        ),
        largest_draw=len(corpus.items),
        corpus=notice_of(corpus, labels_public=True),
    )
