"""The card: all that is public about this version of KiVA."""

from generator_service.benchmarks.kiva.metrics import CEILINGS, CHANCE, HEADLINE, METRICS
from generator_service.benchmarks.kiva.reference import REFERENCE
from generator_service.benchmarks.kiva.spec import (
    BACKGROUNDS,
    DISTRACTORS,
    EXTRAPOLATION_ONLY,
    FULL,
    NAME,
    PRESENTATIONS,
    VALUES,
    VERSION,
)
from tetrad.contracts.benchmarks import Card, Credit, Parameter, Setting, Track

_PARAMETERS = (
    Parameter(
        name="distractors",
        help="balanced: every order of (start, right, wrong) is as likely; published: the data set's own rules",
        default="balanced",
        values=DISTRACTORS,
    ),
    Parameter(
        name="presentation",
        help="separate: each option a picture of its own; composite: one stitched sheet for the three options",
        default="separate",
        values=PRESENTATIONS,
    ),
    Parameter(
        name="repeats",
        help="how often each question of a trial is asked, its options reshuffled; the paper asks three times",
        default=1,
        minimum=1,
        maximum=3,
    ),
    Parameter(
        name="no_change",
        help="percent of trials in which nothing changes",
        default=10,
        minimum=0,
        maximum=50,
        step=10,
    ),
    Parameter(name="background", help="what the objects stand on", default="transparent", values=BACKGROUNDS),
)

_SETTINGS = (
    Setting(
        name=FULL,
        help="What changed, then how (if what was right), then which picture shows the same change.",
        questions=("what", "how", "which"),
    ),
    Setting(
        name=EXTRAPOLATION_ONLY,
        help="Only which picture shows the same change.",
        questions=("which",),
    ),
)

CARD = Card(
    name=NAME,
    version=VERSION,
    title="KiVA: kid-inspired visual analogies",
    summary="An object changes from left to right: what changed, how, and which new object changes in the same way?",
    tracks=(
        Track(
            name="kiva",
            help="14 values in five domains; the test object starts as the given one does.",
            settings=(FULL, EXTRAPOLATION_ONLY),
        ),
    ),
    settings=_SETTINGS,
    parameters=_PARAMETERS,
    metrics=METRICS,
    headline=HEADLINE,
    chance=CHANCE,
    ceilings=CEILINGS,
    reference=REFERENCE,
    credit=Credit(
        title="KiVA: Kid-inspired Visual Analogies for Testing Large Multimodal Models",
        authors="Eunice Yiu et al.",
        venue="ICLR 2025",
        url="https://arxiv.org/abs/2407.17773",
        licence="Apache-2.0 (published data set and code); words and pictures served here are our own",
    ),
    filters={
        "domain": tuple(VALUES),
        "value": tuple(value for values in VALUES.values() for value in values),
        "change": ("yes", "no"),
    },
)
