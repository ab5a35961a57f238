"""State all that is public about this version of KiVA: its card."""

from generator_service.benchmarks.kiva.ceilings import BARS, CEILINGS, CHANCE
from generator_service.benchmarks.kiva.metrics import HEADLINE, METRICS
from generator_service.benchmarks.kiva.reference import REFERENCE
from generator_service.benchmarks.kiva.spec import (
    ADULT_VALUES,
    ADULTS,
    ASKS,
    BACKGROUNDS,
    BALANCED,
    CHANGE_IMAGINED,
    COMBINATIONS,
    COMPOSITIONALITY,
    DISTRACTORS,
    DOMAINS,
    EIGHT,
    EXTRAPOLATION_ONLY,
    FOUR,
    FULL,
    GIVEN_CLASSIFICATION,
    GIVEN_SPECIFICATION,
    JOIN,
    KIVA,
    MIXTURES,
    NAME,
    NONE_FITS,
    NOTHING_CHANGED,
    OTHER_DOMAIN,
    OTHER_VALUE,
    PRESENTATIONS,
    PUBLISHED,
    SENTENCE,
    SEPARATE,
    VERSION,
    WORDINGS,
)
from tetrad.contracts.benchmarks import Card, Credit, Exclusion, Parameter, Setting, Track

_PARAMETERS = (
    Parameter(
        name="distractors",
        help="balanced: every order of (start, right, wrong) is as likely; published: the data set's own rules, for "
        "options and for how colors and counts are drawn",
        default=BALANCED,
        values=DISTRACTORS,
    ),
    Parameter(
        name="presentation",
        help="separate: each option a picture of its own; composite: one stitched sheet for the options; sentence: "
        "three rows of before and after, the last after missing, and candidates for it",
        default=SEPARATE,
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
    Parameter(
        name="crop",
        help="percent of each object picture's side that is kept, cut from its middle and brought back to full size",
        default=100,
        minimum=90,
        maximum=100,
    ),
    Parameter(
        name="in_context",
        help="solved examples of the trial's own domain, each of another value, shown before each question; the paper "
        "shows two",
        default=0,
        minimum=0,
        maximum=2,
        step=2,
    ),
    Parameter(
        name="mixtures",
        help="of several changes at once, how many mixtures of right and wrong ones are offered in words and pictures. "
        "four: two or three things change, and any two of three changes settle which picture is right; eight: three "
        "things change, each is right or wrong in all 2 x 2 x 2 ways, and only all three together settle it",
        default=FOUR,
        values=MIXTURES,
    ),
    Parameter(
        name="wording", help="of the questions: for anyone, or for a small child", default="standard", values=WORDINGS
    ),
)

_HELP = {
    FULL: "What changed, then how (if what was right), then which picture shows the same change.",
    EXTRAPOLATION_ONLY: "Only which picture shows the same change.",
    GIVEN_CLASSIFICATION: "What changed is told; how, then which picture shows the same change.",
    GIVEN_SPECIFICATION: "How it changed is told; which picture shows the same change.",
}
# The paper asks a trial's questions in one dialogue. A single question has nothing to be joined with.
_SETTINGS = tuple(
    Setting(name=name, help=_HELP[name], questions=asks, conversation=len(asks) > 1) for name, asks in ASKS.items()
)
_EVERY = tuple(ASKS)

_MISTAKES = {
    OTHER_DOMAIN: "It names another kind of change than the example shows.",
    OTHER_VALUE: "It is the same kind of change, but by another amount, to another value or in another direction.",
    NOTHING_CHANGED: "It says that nothing changes, and something does.",
    CHANGE_IMAGINED: "It names a change, and nothing changes in the example.",
    NONE_FITS: "It says that none of the others fits, and another one does.",
    **{
        f"{OTHER_VALUE} of {' and '.join(domains)}": f"Its {', '.join(domains)} changes otherwise than in the example."
        for domains in (name.split(JOIN) for name in (*DOMAINS, *COMBINATIONS))
    },
}
_VALUE_WORDS = {
    "2x": "twice as large",
    "1/2x": "half as large",
    "+1": "one more",
    "+2": "two more",
    "-1": "one fewer",
    "-2": "two fewer",
    "x2": "twice as many",
    "x3": "three times as many",
    "/2": "half as many",
    "/3": "a third as many",
    "+90": "quarter turn right",
    "-90": "quarter turn left",
    "180": "half turn",
    "+45": "eighth of a turn right",
    "-45": "eighth of a turn left",
    "+135": "three eighths of a turn right",
    "-135": "three eighths of a turn left",
    "x": "flipped, top to bottom",
    "y": "flipped, left to right",
    "both": "flipped both ways",
}
"""Rotations are clockwise, as in `spec`."""

CARD = Card(
    name=NAME,
    version=VERSION,
    title="KiVA: kid-inspired visual analogies",
    summary="An object changes from left to right: what changed, how, and which new object changes in the same way?",
    question="Which new object changes in the same way?",
    tracks=(
        Track(
            name=KIVA,
            help="14 values in five domains; the test object starts as the given one does.",
            settings=_EVERY,
        ),
        Track(
            name=ADULTS,
            help="29 values in five domains; given and test object start apart (published distractors: as released).",
            settings=_EVERY,
            cost=2.4,
        ),
        Track(
            name=COMPOSITIONALITY,
            help="two or three domains change at once; pictures mix right and wrong changes. Of four such mixtures, "
            "any two of three changes settle which picture is right.",
            settings=_EVERY,
            cost=3.8,
        ),
    ),
    settings=_SETTINGS,
    parameters=_PARAMETERS,
    exclusions=(
        Exclusion(
            where={"track": (COMPOSITIONALITY,), "distractors": (PUBLISHED,)},
            field="distractors",
            problem=f"the data set has no rules for {COMPOSITIONALITY}",
            remedy=f"use {BALANCED}, or another track",
        ),
        Exclusion(
            where={"track": (KIVA, ADULTS), "mixtures": (EIGHT,)},
            field="mixtures",
            problem="one thing changes in a trial of this track, so there is nothing to mix",
            remedy=f"use {FOUR}, or track {COMPOSITIONALITY}",
        ),
        Exclusion(
            where={
                "presentation": (SENTENCE,),
                "setting": tuple(name for name in ASKS if name != EXTRAPOLATION_ONLY),
            },
            field="presentation",
            problem="a sentence sheet is for models that see pictures only, and this setting asks or tells in words",
            remedy=f"use setting {EXTRAPOLATION_ONLY}, or presentation separate or composite",
        ),
        Exclusion(
            where={"presentation": (SENTENCE,), "in_context": (2,)},
            field="in_context",
            problem="a sentence sheet shows its one example in its first row",
            remedy="use 0, or presentation separate or composite",
        ),
    ),
    metrics=METRICS,
    headline=HEADLINE,
    chance=CHANCE,
    ceilings=CEILINGS,
    bars=BARS,
    reference=REFERENCE,
    credit=Credit(
        title="KiVA: Kid-inspired Visual Analogies for Testing Large Multimodal Models",
        authors="Eunice Yiu et al.",
        venue="ICLR 2025",
        url="https://arxiv.org/abs/2407.17773",
        licence="Apache-2.0 (published data set and code); words and pictures served here are our own",
    ),
    mistakes=_MISTAKES,
    value_words=_VALUE_WORDS,
    filters={
        "domain": (*DOMAINS, *COMBINATIONS),
        "value": tuple(value for values in ADULT_VALUES.values() for value in values),
        "change": ("yes", "no"),
    },
)
