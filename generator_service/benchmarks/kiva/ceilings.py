"""What guessing and partial sight give: exact figures, proven by counting every arrangement.

tests/benchmarks/kiva/test_ceilings.py does the counting; `make proof` holds learned solvers to the figures.
"""

from collections.abc import Iterator, Mapping

from generator_service.benchmarks.kiva.reference import PAPER
from generator_service.benchmarks.kiva.spec import (
    ADULTS,
    BALANCED,
    COMPOSITIONALITY,
    DOMAINS,
    KIVA,
    NOTHING_TOLD,
    PUBLISHED,
)
from tetrad.contracts.benchmarks import Ceiling, ChanceLevel

Where = dict[str, tuple[str, ...]]

CLASSIFICATION: Where = {"stage": ("classification",)}
SPECIFICATION: Where = {"stage": ("specification",)}
EXTRAPOLATION: Where = {"stage": ("extrapolation",)}
CHANGED: Where = {"change": ("yes",)}
UNTOLD: Where = {"told": (NOTHING_TOLD,)}
_ONE: Where = {"changes": ("1",)}
_SEVERAL: Where = {"changes": ("2", "3")}

_STATED = f"{PAPER}, section 3.1: the last option is left out of the count"
_OURS = "counted as in section 3.1 of the paper, which states nothing of several changes"
CHANCE = (
    ChanceLevel(where=CLASSIFICATION, uniform=1 / 5, stated=1 / 4, source=_STATED),
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
    (ADULTS, PUBLISHED): {"color": 1 / 3, "size": 1 / 2, "number": 5 / 6, "rotation": 5 / 7, "reflection": 1 / 2},
}
PAIR_BLIND: Mapping[tuple[str, str], Table] = {
    (KIVA, BALANCED): _HALVES,
    (KIVA, PUBLISHED): {**_HALVES, "number": 5 / 6, "rotation": 2 / 3},
    (ADULTS, BALANCED): _HALVES,
    (ADULTS, PUBLISHED): {**_HALVES, "number": 11 / 12, "rotation": 5 / 7},
}
WORDS_OF_HOW: Mapping[tuple[str, str], Table] = {
    (KIVA, BALANCED): _HALVES,
    (KIVA, PUBLISHED): {**_HALVES, "rotation": 2 / 3},
    (ADULTS, BALANCED): _HALVES,
    (ADULTS, PUBLISHED): {**_HALVES, "rotation": 5 / 7},
}
WORDS_OF_WHAT = {KIVA: 7 / 15, ADULTS: 38 / 87}
# Several changes at once, two and three alike: four options in which every domain is right twice.
MIXED = 1 / 4
WORDS_OF_WHAT_OF_TWO, WORDS_OF_WHAT_OF_THREE = 5 / 12, 8 / 21

_WHY = {
    "options-only": "sees the option pictures without the test input beside them",
    "pair-blind": "sees everything but the given pair, and so knows how the test object starts",
    "text-only": "sees the words of the question only",
}


def _ceilings() -> Iterator[Ceiling]:
    tables = (
        ("options-only", EXTRAPOLATION, OPTIONS_ONLY),
        ("pair-blind", EXTRAPOLATION, PAIR_BLIND),
        ("text-only", SPECIFICATION, WORDS_OF_HOW),
    )
    for solver, stage, table in tables:
        for (track, distractors), values in table.items():
            for domain, value in values.items():
                yield _ceiling(solver, track, stage | {"domain": (domain,)}, value, distractors)
        for count in ("2", "3"):
            yield _ceiling(solver, COMPOSITIONALITY, stage | {"changes": (count,)}, MIXED)
    why = "orientation is right for two domains: where offered it is right more often than the others"
    for track, value in WORDS_OF_WHAT.items():
        yield _ceiling("text-only", track, CLASSIFICATION, value, why=why)
    for count, value in (("2", WORDS_OF_WHAT_OF_TWO), ("3", WORDS_OF_WHAT_OF_THREE)):
        yield _ceiling("text-only", COMPOSITIONALITY, CLASSIFICATION | {"changes": (count,)}, value, why=why)


def _ceiling(  # noqa: PLR0917 - the parts of a ceiling
    solver: str, track: str, where: Where, value: float, distractors: str | None = None, why: str | None = None
) -> Ceiling:
    return Ceiling(
        solver=solver,
        track=track,
        where=where | CHANGED | UNTOLD,
        parameters={} if distractors is None else {"distractors": distractors},
        value=value,
        why=why or _WHY[solver],
    )


CEILINGS = tuple(_ceilings())
