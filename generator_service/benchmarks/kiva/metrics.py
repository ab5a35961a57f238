"""What a report on KiVA counts, as data, and what guessing and partial sight give."""

from generator_service.benchmarks.kiva.reference import PAPER
from generator_service.benchmarks.kiva.spec import DOMAINS
from tetrad.contracts.benchmarks import (
    Accuracy,
    Ceiling,
    ChanceLevel,
    ConditionalAccuracy,
    Headline,
    Inconsistency,
    Metric,
)

HEADLINE = Headline(metric="extrapolation", least_items=200)

Where = dict[str, tuple[str, ...]]

_CLASSIFICATION: Where = {"stage": ("classification",)}
_SPECIFICATION: Where = {"stage": ("specification",)}
_EXTRAPOLATION: Where = {"stage": ("extrapolation",)}
_VERBAL: Where = {"stage": ("classification", "specification")}
_CHANGED: Where = {"change": ("yes",)}
_UNCHANGED: Where = {"change": ("no",)}
_REPEAT = ("repeat",)

METRICS: tuple[Metric, ...] = (
    Accuracy(
        name="extrapolation",
        help="Trials with a change: is the picture with the same change found?",
        where=_EXTRAPOLATION | _CHANGED,
        by=("domain",),
    ),
    Accuracy(
        name="extrapolation-by-value",
        help="The same for each of the 14 values.",
        where=_EXTRAPOLATION | _CHANGED,
        by=("value",),
    ),
    Accuracy(
        name="classification",
        help="Trials with a change: is what changed named?",
        where=_CLASSIFICATION | _CHANGED,
        by=("domain",),
    ),
    ConditionalAccuracy(
        name="specification",
        help="Where what changed was named: is how it changed named too?",
        where=_SPECIFICATION | _CHANGED,
        given=_CLASSIFICATION,
        within=_REPEAT,
        by=("domain",),
    ),
    ConditionalAccuracy(
        name="extrapolation-after-right-words",
        help="Extrapolation in trials whose verbal questions were all answered right.",
        where=_EXTRAPOLATION | _CHANGED,
        given=_VERBAL,
        within=_REPEAT,
        by=("domain",),
    ),
    ConditionalAccuracy(
        name="extrapolation-after-wrong-words",
        help="Extrapolation in trials with a verbal question answered wrong or not at all.",
        where=_EXTRAPOLATION | _CHANGED,
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
)

_STATED = f"{PAPER}, section 3.1: the last option is left out of the count"
CHANCE = (
    ChanceLevel(where=_CLASSIFICATION, uniform=1 / 5, stated=1 / 4, source=_STATED),
    ChanceLevel(where=_SPECIFICATION, uniform=1 / 4, stated=1 / 3, source=_STATED),
    ChanceLevel(where=_EXTRAPOLATION, uniform=1 / 4, stated=1 / 3, source=_STATED),
)

# Proven by counting every arrangement: tests/benchmarks/kiva/test_ceilings.py.
OPTIONS_ONLY = {
    "balanced": {"color": 1 / 3, "size": 1 / 2, "number": 1 / 3, "rotation": 1 / 3, "reflection": 1 / 2},
    "published": {"color": 1 / 3, "size": 1 / 2, "number": 5 / 6, "rotation": 2 / 3, "reflection": 1 / 2},
}
PAIR_BLIND = {
    "balanced": dict.fromkeys(DOMAINS, 1 / 2),
    "published": {"color": 1 / 2, "size": 1 / 2, "number": 5 / 6, "rotation": 2 / 3, "reflection": 1 / 2},
}
WORDS_OF_HOW = {
    "balanced": dict.fromkeys(DOMAINS, 1 / 2),
    "published": {"color": 1 / 2, "size": 1 / 2, "number": 1 / 2, "rotation": 2 / 3, "reflection": 1 / 2},
}
WORDS_OF_WHAT = 7 / 15

_WHY = {
    "options-only": "sees the three option pictures without the test input beside them",
    "pair-blind": "sees everything but the given pair, and so knows which option shows no change",
    "text-only": "sees the words of the question only",
}


def _ceilings() -> tuple[Ceiling, ...]:
    tables = (
        ("options-only", _EXTRAPOLATION, OPTIONS_ONLY),
        ("pair-blind", _EXTRAPOLATION, PAIR_BLIND),
        ("text-only", _SPECIFICATION, WORDS_OF_HOW),
    )
    by_domain = [
        Ceiling(
            solver=solver,
            where=stage | _CHANGED | {"domain": (domain,)},
            parameters={"distractors": distractors},
            value=value,
            why=_WHY[solver],
        )
        for solver, stage, table in tables
        for distractors, values in table.items()
        for domain, value in values.items()
    ]
    of_what = Ceiling(
        solver="text-only",
        where=_CLASSIFICATION | _CHANGED,
        parameters={},
        value=WORDS_OF_WHAT,
        why="orientation is right for two domains of five: where offered it is right in half the trials",
    )
    return (*by_domain, of_what)


CEILINGS = _ceilings()
