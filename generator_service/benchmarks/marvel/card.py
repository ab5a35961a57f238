"""State all that is public about this version of MARVEL: its card."""

from generator_service.benchmarks.marvel.card_words import MISTAKES, VALUE_WORDS
from generator_service.benchmarks.marvel.metrics import BARS, CEILINGS, CHANCE, HEADLINE, METRICS
from generator_service.benchmarks.marvel.question import COARSE_KINDS, DETAIL, PUZZLE
from generator_service.benchmarks.marvel.reference import REFERENCE
from generator_service.benchmarks.marvel.spec import (
    AVR_ONLY,
    CONFIGURATIONS,
    DEMONSTRATIONS,
    DESCRIBED,
    FEW_SHOT,
    FULL,
    NAME,
    PATTERNS,
    SETTINGS,
    SHAPES,
    VARIANTS,
    VERSION,
)
from tetrad.contracts.benchmarks import Card, Credit, Exclusion, Parameter, Setting, Track

_PARAMETERS = (
    Parameter(
        name="variant",
        help="plain; a question mark in the blank; letters for the choices' numbers; a picture a panel; other words",
        default="plain",
        values=VARIANTS,
    ),
    Parameter(name="shots", help="solved examples in the few-shot setting", default=1, minimum=1, maximum=2),
    Parameter(
        name="demonstrations",
        help="few-shot examples: same pattern or another, in sequence form; or the same pattern, two-row and sequence",
        default=DEMONSTRATIONS[0],
        values=DEMONSTRATIONS,
    ),
)

_WITHOUT_EXAMPLES = tuple(name for name in SETTINGS if name != FEW_SHOT)
_EXCLUSIONS = (
    Exclusion(
        where={"setting": _WITHOUT_EXAMPLES, "shots": (2,)},
        field="shots",
        problem="this setting shows no solved examples",
        remedy=f"use 1, the default, or setting {FEW_SHOT}",
    ),
    Exclusion(
        where={"setting": _WITHOUT_EXAMPLES, "demonstrations": DEMONSTRATIONS[1:]},
        field="demonstrations",
        problem="this setting shows no solved examples",
        remedy=f"use {DEMONSTRATIONS[0]}, the default, or setting {FEW_SHOT}",
    ),
)

_SETTINGS = (
    Setting(
        name=FULL,
        help="Three counts of panels, one detail of a choice, and the puzzle; all open at once.",
        questions=(*COARSE_KINDS, DETAIL, PUZZLE),
    ),
    Setting(name=AVR_ONLY, help="The puzzle alone.", questions=(PUZZLE,)),
    Setting(name=DESCRIBED, help="The puzzle, with every panel's exact description in words.", questions=(PUZZLE,)),
    Setting(name=FEW_SHOT, help="The puzzle after solved examples from a public pool.", questions=(PUZZLE,)),
)

CARD = Card(
    name=NAME,
    version=VERSION,
    title="MARVEL: multidimensional abstract visual reasoning",
    summary="Panels follow a rule: which of four choices completes them? And were they seen rightly at all?",
    question="Which choice completes the panels?",
    tracks=(
        Track(
            name=NAME,
            help="Six patterns in five configurations (20 cells), geometric and abstract shapes, every cell as often.",
            settings=SETTINGS,
            cost=34,
            picture_cost=220,
        ),
    ),
    settings=_SETTINGS,
    parameters=_PARAMETERS,
    exclusions=_EXCLUSIONS,
    metrics=METRICS,
    headline=HEADLINE,
    chance=CHANCE,
    ceilings=CEILINGS,
    bars=BARS,
    reference=REFERENCE,
    credit=Credit(
        title="MARVEL: Multidimensional Abstraction and Reasoning through Visual Evaluation and Learning",
        authors="Yifan Jiang, Jiarui Zhang, Kexuan Sun et al.",
        venue="NeurIPS 2024",
        url="https://arxiv.org/abs/2404.13591",
        licence="the published puzzles are their authors'; words, rules and pictures served here are our own",
    ),
    mistakes=MISTAKES,
    value_words=VALUE_WORDS,
    filters={"pattern": PATTERNS, "configuration": CONFIGURATIONS, "shape": SHAPES},
)
