"""Declare the metrics of a report on VASR, and the scores that guessing and partial sight give."""

from collections.abc import Iterator, Mapping

from generator_service.benchmarks.vasr.spec import (
    BALANCED,
    COMPOSED,
    DIFFICULT,
    FULL,
    GUESSED,
    PARTIAL,
    RANDOM,
    SITUATIONS,
    TWO_ROLES,
    WHICH,
)
from tetrad.contracts.benchmarks import Bar, Ceiling, ChanceLevel, Headline
from tetrad.contracts.metrics import Accuracy, Distribution, Metric
from tetrad.contracts.wire import ParameterValue

HEADLINE = Headline(metric="accuracy", least_items=200)
METRICS: tuple[Metric, ...] = (
    Accuracy(
        name="accuracy",
        help="The right picture, from what of A, A' and B the setting shows.",
        where={"stage": (WHICH, GUESSED)},
        by=("role",),
    ),
    Accuracy(
        name="accuracy-by-options",
        help="By distractors, candidates, what balanced options combine, and what is shown.",
        where={"stage": (WHICH, GUESSED)},
        by=("distractors", "candidates", "sort", "inputs"),
    ),
    Distribution(name="mistakes", help="Of wrong answers: which mistake?", outcome="mistake", by=("role",)),
)
CHANCE = tuple(
    ChanceLevel(
        where={"candidates": (str(count),)},
        uniform=1 / count,
        stated=stated,
        source="one of the candidates (Bitton et al. 2023, table 5)",
    )
    for count, stated in ((4, 0.25), (8, 0.1225))
)

# What an ideal reader of frames gets from a part of the input. Balanced: computed. Of "situations" A tells nothing, A'
# the new value, B the situation.
OF_SITUATIONS = {
    "only-a": 0.25,
    "only-a-prime": 0.5,
    "only-b": 0.5,
    "a-and-b": 0.5,
    "a-and-a-prime": 0.5,
    "a-prime-and-b": 1.0,
}
# Of "two-roles" A has both values of another option. A' and B have one value each of the right option and of that one,
# and nothing says which role changed. A and B show that, and in half of the items the right value is of one option
# alone; so do A and A'.
OF_TWO_ROLES = {
    "only-a": 0.5,
    "only-a-prime": 0.5,
    "only-b": 0.5,
    "a-and-b": 0.75,
    "a-and-a-prime": 0.75,
    "a-prime-and-b": 0.5,
}
# Eight options are the same of "situations" with two more situations; of "two-roles" in two situations, known from B.
OF_EIGHT_SITUATIONS = {**OF_SITUATIONS, "only-a": 0.125, "only-a-prime": 0.25, "a-and-a-prime": 0.25}
OF_EIGHT_TWO_ROLES = {**OF_TWO_ROLES, "only-a": 0.25, "only-a-prime": 0.25, "a-and-a-prime": 0.375}
# Difficult and random: counted over 24,000 items each.
OF_DIFFICULT = {
    "only-a": 0.5,
    "only-a-prime": 0.5,
    "only-b": 0.63,
    "a-and-b": 1.0,
    "a-and-a-prime": 0.5,
    "a-prime-and-b": 1.0,
}
OF_EIGHT_DIFFICULT = dict.fromkeys(PARTIAL, 1.0)
OF_RANDOM = {
    "only-a": 0.64,
    "only-a-prime": 0.946,
    "only-b": 0.999,
    "a-and-b": 0.999,
    "a-and-a-prime": 0.988,
    "a-prime-and-b": 0.999,
}
OF_EIGHT_RANDOM = {**OF_RANDOM, "only-a": 0.4, "only-a-prime": 0.883, "only-b": 0.998, "a-and-a-prime": 0.974}
OF_PARTS: tuple[tuple[str, int, str, Mapping[str, float]], ...] = (
    (BALANCED, 4, SITUATIONS, OF_SITUATIONS),
    (BALANCED, 4, TWO_ROLES, OF_TWO_ROLES),
    (BALANCED, 8, SITUATIONS, OF_EIGHT_SITUATIONS),
    (BALANCED, 8, TWO_ROLES, OF_EIGHT_TWO_ROLES),
    (DIFFICULT, 4, DIFFICULT, OF_DIFFICULT),
    (DIFFICULT, 8, DIFFICULT, OF_EIGHT_DIFFICULT),
    (RANDOM, 4, RANDOM, OF_RANDOM),
    (RANDOM, 8, RANDOM, OF_EIGHT_RANDOM),
)
"""The kind of distractors, how many candidates, the sort, and the ceiling of each partial input."""
ALIKE = "most-like-the-others"
OF_ALIKE = {8: 1.0}
"""What a reader gets of difficult options who sees them alone, by how many there are; of four they tell nothing."""


# Shares of right answers by plain measures of whole pictures, and over how many items they were counted, or more.
OF_MEASURES: tuple[tuple[str, int, int, Mapping[str, float]], ...] = (
    (
        BALANCED,
        4,
        300,
        {
            "low-level-hue": 0.21,
            "low-level-pixels": 0.23,
            "low-level-edges": 0.3,
            "low-level-hue-b": 0.22,
            "low-level-hue-a-prime": 0.25,
            "low-level-hue-a": 0.25,
        },
    ),
    (
        BALANCED,
        8,
        300,
        {
            "low-level-hue": 0.16,
            "low-level-pixels": 0.18,
            "low-level-edges": 0.19,
            "low-level-hue-b": 0.16,
            "low-level-hue-a-prime": 0.12,
            "low-level-hue-a": 0.12,
        },
    ),
    (
        DIFFICULT,
        4,
        300,
        {
            "low-level-hue": 0.28,
            "low-level-pixels": 0.28,
            "low-level-edges": 0.3,
            "low-level-hue-b": 0.27,
            "low-level-hue-a-prime": 0.29,
            "low-level-hue-a": 0.26,
        },
    ),
    (
        RANDOM,
        4,
        300,
        {
            "low-level-hue": 0.25,
            "low-level-pixels": 0.27,
            "low-level-edges": 0.35,
            "low-level-hue-b": 0.26,
            "low-level-hue-a-prime": 0.27,
            "low-level-hue-a": 0.25,
        },
    ),
    (
        DIFFICULT,
        8,
        300,
        {
            "low-level-hue": 0.13,
            "low-level-pixels": 0.14,
            "low-level-edges": 0.21,
            "low-level-hue-b": 0.13,
            "low-level-hue-a-prime": 0.15,
            "low-level-hue-a": 0.1,
        },
    ),
    (
        RANDOM,
        8,
        275,
        {
            "low-level-hue": 0.12,
            "low-level-pixels": 0.15,
            "low-level-edges": 0.22,
            "low-level-hue-b": 0.1,
            "low-level-hue-a-prime": 0.14,
            "low-level-hue-a": 0.13,
        },
    ),
)


def bars() -> tuple[Bar, ...]:
    """Return the scores of solvers that see the whole item, and of it nothing but plain measures."""
    return tuple(
        Bar(
            solver=solver,
            track=COMPOSED,
            where={"stage": (WHICH,)},
            parameters=_of(kind, count),
            value=value,
            items=items,
        )
        for kind, count, items, values in OF_MEASURES
        for solver, value in values.items()
    )


def ceilings() -> tuple[Ceiling, ...]:
    """Return the scores of ideal solvers that see less than the item."""
    return (*_options_only(), *_parts(), *_difficult())


def _options_only() -> Iterator[Ceiling]:
    why = {
        BALANCED: "options are drawn before the answer, and each of them is right equally often",
        DIFFICULT: "each of the four is to the others as the right one is",
        RANDOM: "each option is drawn as the right one is",
    }
    for kind, reason in why.items():
        for count in (4,) if kind == DIFFICULT else (4, 8):
            yield Ceiling(solver="options-only", where={}, parameters=_of(kind, count), value=1 / count, why=reason)


def _parts() -> Iterator[Ceiling]:
    for kind, count, sort, values in OF_PARTS:
        for setting, value in values.items():
            yield Ceiling(
                solver=f"ideal-{setting}",
                where={"inputs": (setting, FULL), "sort": (sort,)},
                parameters=_of(kind, count),
                value=value,
                why=f"a reader of frames that sees {' and '.join(PARTIAL[setting])} and the options",
            )


def _difficult() -> Iterator[Ceiling]:
    why = "as published: some options have the new value, others resemble B, and the answer is like both"
    for count, value in OF_ALIKE.items():
        yield Ceiling(solver=ALIKE, where={}, parameters=_of(DIFFICULT, count), value=value, why=why)


def _of(kind: str, count: int) -> dict[str, ParameterValue]:
    return {"distractors": kind, "candidates": str(count)}
