"""State all that is public about this version of VASR: its card."""

from generator_service.benchmarks.vasr.metrics import CHANCE, HEADLINE, METRICS, bars, ceilings
from generator_service.benchmarks.vasr.reference import REFERENCE
from generator_service.benchmarks.vasr.spec import (
    BALANCED,
    COMPOSED,
    DIFFICULT,
    FULL,
    GUESSED,
    KINDS,
    NAME,
    PARTIAL,
    PHOTOGRAPHS,
    PRESENTATIONS,
    RANDOM,
    ROLES,
    SEPARATE,
    VERSION,
    WHICH,
)
from tetrad.contracts.benchmarks import Card, Credit, Exclusion, Parameter, Setting, Track

_SETTINGS = (
    Setting(name=FULL, help="A, A' and B are shown.", questions=(WHICH,)),
    *(
        Setting(name=name, help=f"Only {' and '.join(shown)} {'is' if len(shown) == 1 else 'are'} shown.",
                questions=(GUESSED,))
        for name, shown in PARTIAL.items()
    ),
)  # fmt: skip

_MISTAKES = {
    "third value": "What changes from A to A' has a third value there, neither the old nor the new one.",
    "wrong situation": "It has the change, but B's situation is another.",
    "both": "It has neither the change nor B's situation.",
    "wrong role": "Something else of B is changed there than what changes from A to A'.",
    "kept B, wrong situation": "It keeps the old value, and B's situation is another.",
    "lacks the change": "It resembles B, and lacks the change.",
    "unrelated": "It has to do with neither B nor the change.",
}

CARD = Card(
    name=NAME,
    version=VERSION,
    title="VASR: visual analogies of situation recognition",
    summary="One thing changes from A to A': who, what or with what. Which picture shows B with the same change?",
    question="Which picture shows B with the same change?",
    mistakes=_MISTAKES,
    tracks=(
        Track(
            name=COMPOSED,
            help="Scenes composed afresh from posed people, animals, things and places.",
            settings=tuple(setting.name for setting in _SETTINGS),
            cost=7.7,
            picture_cost=430,
        ),
        Track(
            name=PHOTOGRAPHS,
            help="Analogies mined from the annotated photographs of the mounted source, such as imSitu or SWiG.",
            settings=tuple(setting.name for setting in _SETTINGS),
            cost=8,  # of this track neither is measured: no package has such a source
            picture_cost=450,
        ),
    ),
    settings=_SETTINGS,
    parameters=(
        Parameter(
            name="distractors",
            help="balanced: a part of A, A' and B tells as little as it can; difficult: as published, the option amid "
            "the others is often right; random: unrelated scenes",
            default=BALANCED,
            defaults={PHOTOGRAPHS: DIFFICULT},
            values=KINDS,
        ),
        Parameter(name="candidates", help="how many pictures to choose from", default="4", values=("4", "8")),
        Parameter(
            name="presentation",
            help="separate: every picture by itself; composite: one sheet with A, A' and B above and the options below",
            default=SEPARATE,
            values=PRESENTATIONS,
        ),
    ),
    exclusions=(
        Exclusion(
            where={"track": (PHOTOGRAPHS,), "distractors": (BALANCED,)},
            field="distractors",
            problem="photographs of every combination of two values are not there",
            remedy=f"use {DIFFICULT}, the default of this track, or {RANDOM}",
        ),
    ),
    metrics=METRICS,
    headline=HEADLINE,
    chance=CHANCE,
    ceilings=ceilings(),
    bars=bars(),
    reference=REFERENCE,
    credit=Credit(
        title="VASR: Visual Analogies of Situation Recognition",
        authors="Yonatan Bitton, Ron Yosef, Eliyahu Strugo, Dafna Shahaf, Roy Schwartz, Gabriel Stanovsky",
        venue="AAAI 2023",
        url="https://arxiv.org/abs/2212.04542",
        licence="the authors' photographs (imSitu, SWiG) are not served; the scenes and words here are our own",
    ),
    filters={"role": ROLES},
)
