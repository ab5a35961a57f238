"""Declare the metrics of a report on KiVA, as data."""

from generator_service.benchmarks.kiva.version_2.ceilings import (
    CHANGED,
    CLASSIFICATION,
    EXTRAPOLATION,
    SPECIFICATION,
    Where,
)
from generator_service.benchmarks.kiva.version_2.spec import GIVEN_CLASSIFICATION, TELLS
from tetrad.contracts.benchmarks import Headline
from tetrad.contracts.metrics import Accuracy, ConditionalAccuracy, Distribution, Inconsistency, Metric

HEADLINE = Headline(metric="extrapolation", least_items=200)

_VERBAL: Where = {"stage": ("classification", "specification")}
_UNCHANGED: Where = {"change": ("no",)}
_TOLD_WHAT: Where = {"told": (TELLS[GIVEN_CLASSIFICATION],)}
_REPEAT = ("repeat",)

METRICS: tuple[Metric, ...] = (
    Accuracy(
        name="extrapolation",
        help="Trials with a change: is the picture with the same change found?",
        where=EXTRAPOLATION | CHANGED,
        by=("domain",),
    ),
    Accuracy(
        name="extrapolation-by-value",
        help="The same for each value, of trials with one change.",
        where=EXTRAPOLATION | CHANGED,
        by=("value",),
    ),
    Accuracy(
        name="extrapolation-by-changes",
        help="The same by how many things change at once.",
        where=EXTRAPOLATION | CHANGED,
        by=("changes",),
    ),
    Accuracy(
        name="classification",
        help="Trials with a change: is what changed named?",
        where=CLASSIFICATION | CHANGED,
        by=("domain",),
    ),
    ConditionalAccuracy(
        name="specification",
        help="Where what changed was named: is how it changed named too?",
        where=SPECIFICATION | CHANGED,
        given=CLASSIFICATION,
        within=_REPEAT,
        by=("domain",),
    ),
    Accuracy(
        name="specification-when-told-what",
        help="Where what changed is told beforehand (given-classification): is how it changed named?",
        where=SPECIFICATION | CHANGED | _TOLD_WHAT,
        by=("domain",),
    ),
    ConditionalAccuracy(
        name="extrapolation-after-right-words",
        help="Extrapolation in trials whose verbal questions were all answered right.",
        where=EXTRAPOLATION | CHANGED,
        given=_VERBAL,
        within=_REPEAT,
        by=("domain",),
    ),
    ConditionalAccuracy(
        name="extrapolation-after-wrong-words",
        help="Extrapolation in trials with a verbal question answered wrong or not at all.",
        where=EXTRAPOLATION | CHANGED,
        given=_VERBAL,
        given_correct=False,
        within=_REPEAT,
        by=("domain",),
    ),
    Inconsistency(
        name="inconsistency",
        help="Share of a trial's repeats that differ from its most frequent choice.",
        by=("stage", "domain"),
    ),
    Accuracy(
        name="no-change",
        help="Trials in which nothing changes: is that seen? By stage.",
        where=_UNCHANGED,
        by=("stage",),
    ),
    Distribution(
        name="mistakes",
        help="Of wrong answers: which mistake does the chosen option stand for? By stage.",
        outcome="mistake",
        by=("stage",),
    ),
    Distribution(
        name="extrapolation-mistakes",
        help="The same of the pictures chosen in trials with a change, by domain.",
        outcome="mistake",
        where=EXTRAPOLATION | CHANGED,
        by=("domain",),
    ),
)
