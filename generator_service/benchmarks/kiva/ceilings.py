"""State the scores of guessing and of partial sight: exact figures, proven by counting every arrangement.

tests/benchmarks/kiva/test_ceilings.py does the counting; `make proof` holds learned solvers to the figures.
"""

from collections.abc import Iterator, Mapping

from generator_service.benchmarks.kiva.reference import PAPER
from generator_service.benchmarks.kiva.spec import (
    ADULTS,
    BALANCED,
    COMPOSITE,
    COMPOSITIONALITY,
    DOMAINS,
    EIGHT,
    FOUR,
    KIVA,
    NOTHING_TOLD,
    PUBLISHED,
    SENTENCE,
    SEPARATE,
)
from tetrad.contracts.benchmarks import Bar, Ceiling, ChanceLevel
from tetrad.contracts.wire import ParameterValue

Where = dict[str, tuple[str, ...]]

CLASSIFICATION: Where = {"stage": ("classification",)}
SPECIFICATION: Where = {"stage": ("specification",)}
EXTRAPOLATION: Where = {"stage": ("extrapolation",)}
CHANGED: Where = {"change": ("yes",)}
UNTOLD: Where = {"told": (NOTHING_TOLD,)}
_ONE: Where = {"changes": ("1",)}
_SEVERAL: Where = {"changes": ("2", "3"), "pictures": ("4",)}
_EIGHT_PICTURES: Where = {"pictures": ("8",)}

_STATED = f"{PAPER}, section 3.1: the last option is left out of the count"
_OURS = "counted as in section 3.1 of the paper, which states nothing of several changes"
CHANCE = (
    ChanceLevel(where=CLASSIFICATION, uniform=1 / 5, stated=1 / 4, source=_STATED),
    ChanceLevel(where=SPECIFICATION | _EIGHT_PICTURES, uniform=1 / 10, stated=1 / 9, source=_OURS),
    ChanceLevel(where=EXTRAPOLATION | _EIGHT_PICTURES, uniform=1 / 9, stated=1 / 8, source=_OURS),
    ChanceLevel(where=SPECIFICATION | _ONE, uniform=1 / 4, stated=1 / 3, source=_STATED),
    ChanceLevel(where=EXTRAPOLATION | _ONE, uniform=1 / 4, stated=1 / 3, source=_STATED),
    ChanceLevel(where=SPECIFICATION | _SEVERAL, uniform=1 / 6, stated=1 / 5, source=_OURS),
    ChanceLevel(where=EXTRAPOLATION | _SEVERAL, uniform=1 / 5, stated=1 / 4, source=_OURS),
)

Table = Mapping[str, float]
_THIRDS: Table = dict.fromkeys(DOMAINS, 1 / 3)
_HALVES: Table = dict.fromkeys(DOMAINS, 1 / 2)
OPTIONS_ONLY: Mapping[tuple[str, str], Table] = {
    (KIVA, BALANCED): {**_THIRDS, "size": 1 / 2, "reflection": 1 / 2},
    (KIVA, PUBLISHED): {"color": 1 / 3, "size": 1 / 2, "number": 5 / 6, "rotation": 2 / 3, "reflection": 1 / 2},
    (ADULTS, BALANCED): _THIRDS,
    (ADULTS, PUBLISHED): {"color": 1 / 3, "size": 2 / 3, "number": 5 / 6, "rotation": 5 / 7, "reflection": 1 / 2},
}
PAIR_BLIND: Mapping[tuple[str, str], Table] = {
    (KIVA, BALANCED): _HALVES,
    (KIVA, PUBLISHED): {**_HALVES, "number": 5 / 6, "rotation": 2 / 3},
    (ADULTS, BALANCED): _HALVES,
    (ADULTS, PUBLISHED): {**_HALVES, "size": 2 / 3, "number": 11 / 12, "rotation": 5 / 7},
}
WORDS_OF_HOW: Mapping[tuple[str, str], Table] = {
    (KIVA, BALANCED): _HALVES,
    (KIVA, PUBLISHED): {**_HALVES, "rotation": 2 / 3},
    (ADULTS, BALANCED): _HALVES,
    (ADULTS, PUBLISHED): {**_HALVES, "rotation": 5 / 7},
}
_TWO: Where = {"changes": ("2",)}
_THREE: Where = {"changes": ("3",)}
WORDS_OF_WHAT: Mapping[str, tuple[tuple[Where, float], ...]] = {
    KIVA: (({}, 7 / 15),),
    ADULTS: (({}, 38 / 87),),
    COMPOSITIONALITY: ((_TWO, 5 / 12), (_THREE, 8 / 21)),
}
# Two or three changes at once, by the mixtures that are offered: of four options every domain is right in two, of
# eight in four.
MIXED: Mapping[str, tuple[tuple[str, float], ...]] = {FOUR: (("2", 1 / 4), ("3", 1 / 4)), EIGHT: (("3", 1 / 8),)}

_WHY = {
    "options-only": "sees the option pictures without the test input beside them",
    "pair-blind": "sees everything but the given pair, and so knows how the test object starts",
    "text-only": "sees the words of the question only",
}
_WORDS = "the given pair is the only picture of this question, so without it words alone are left"
# No choice of the other two options evens this out: as domains have equal shares, orientation is right in 2/5 of kiva's
# trials, and a solver that always takes it would have to be right in 1/3.
_ORIENTED = "orientation is right for two domains: where offered it is right more often than the others"
_TOLD_BY_EXAMPLES = "solved examples are of the trial's own domain: their answer is the trial's"
_SHOWN_BY_ROW = "the first row of a sentence sheet shows the same change on a third object"

Parameters = dict[str, ParameterValue]
# A parameter that a ceiling does not name may have any value.
# Solved examples have values of their own, so they tell nothing about "how" and "which".
_PAIRS: tuple[Parameters, ...] = ({"presentation": SEPARATE}, {"presentation": COMPOSITE})
_SHEET: Parameters = {"presentation": SENTENCE}
_ALONE: Parameters = {"in_context": 0}
_AFTER_EXAMPLES: Parameters = {"in_context": 2}


def _ceilings() -> Iterator[Ceiling]:
    tables: tuple[tuple[str, Where, Mapping[tuple[str, str], Table], tuple[Parameters, ...]], ...] = (
        ("options-only", EXTRAPOLATION, OPTIONS_ONLY, ({},)),
        ("pair-blind", EXTRAPOLATION, PAIR_BLIND, _PAIRS),
        *((solver, SPECIFICATION, WORDS_OF_HOW, ({},)) for solver in _WHY),
    )
    for solver, stage, table, under in tables:
        for named in under:
            for (track, distractors), values in table.items():
                for domain, value in values.items():
                    where = stage | {"domain": (domain,)}
                    yield _ceiling(solver, track, where, value, _rules(distractors) | named)
            for mixtures, shares in MIXED.items():
                for count, value in shares:
                    where = stage | {"changes": (count,)}
                    yield _ceiling(solver, COMPOSITIONALITY, where, value, _set_mixtures(mixtures) | named)
    yield from _shown_or_worded()


def _shown_or_worded() -> Iterator[Ceiling]:
    """Yield the ceilings of sheets and examples that show the change, and of the words of *what*."""
    ruled = [(track, _rules(distractors), WORDS_OF_WHAT[track]) for track, distractors in PAIR_BLIND]
    ruled += [(COMPOSITIONALITY, _set_mixtures(FOUR), WORDS_OF_WHAT[COMPOSITIONALITY])]
    ruled += [(COMPOSITIONALITY, _set_mixtures(EIGHT), WORDS_OF_WHAT[COMPOSITIONALITY][1:])]
    for track, rules, words_of_what in ruled:
        yield _ceiling("pair-blind", track, EXTRAPOLATION, 1.0, rules | _SHEET, _SHOWN_BY_ROW)
        for solver in ("text-only", "pair-blind"):
            yield _ceiling(solver, track, CLASSIFICATION, 1.0, rules | _AFTER_EXAMPLES, _TOLD_BY_EXAMPLES)
        for where, value in words_of_what:
            for solver in ("text-only", "pair-blind"):
                yield _ceiling(solver, track, CLASSIFICATION | where, value, rules | _ALONE, _ORIENTED)
            yield _ceiling("options-only", track, CLASSIFICATION | where, value, rules, _ORIENTED)


def _rules(distractors: str) -> Parameters:
    return {"distractors": distractors}


def _set_mixtures(mixtures: str) -> Parameters:
    return {"distractors": BALANCED, "mixtures": mixtures}


def _ceiling(  # noqa: PLR0917 - the parts of a ceiling
    solver: str, track: str, where: Where, value: float, parameters: Parameters, why: str | None = None
) -> Ceiling:
    return Ceiling(
        solver=solver,
        track=track,
        where=where | CHANGED | UNTOLD,
        parameters=parameters,
        value=value,
        why=why or (_WHY[solver] if solver == "text-only" or where["stage"] == ("extrapolation",) else _WORDS),
    )


CEILINGS = tuple(_ceilings())
# Shares of right pictures by plain measures of whole pictures, counted over 400 trials of each track: color is hue.
OF_MEASURES: Mapping[str, Mapping[str, float]] = {
    KIVA: {
        "low-level-hue": 0.36,
        "low-level-pixels": 0.235,
        "low-level-edges": 0.16,
        "low-level-hue-b": 0.175,
        "low-level-hue-a-prime": 0.49,
        "low-level-hue-a": 0.305,
    },
    ADULTS: {
        "low-level-hue": 0.265,
        "low-level-pixels": 0.15,
        "low-level-edges": 0.1,
        "low-level-hue-b": 0.13,
        "low-level-hue-a-prime": 0.47,
        "low-level-hue-a": 0.33,
    },
    COMPOSITIONALITY: {
        "low-level-hue": 0.44,
        "low-level-pixels": 0.505,
        "low-level-edges": 0.405,
        "low-level-hue-b": 0.19,
        "low-level-hue-a-prime": 0.43,
        "low-level-hue-a": 0.195,
    },
}
BARS = tuple(
    Bar(solver=solver, track=track, where=EXTRAPOLATION, parameters={}, value=value, items=400)
    for track, values in OF_MEASURES.items()
    for solver, value in values.items()
)
