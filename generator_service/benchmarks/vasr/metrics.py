"""Declare the metrics of a report on VASR, and the scores that guessing and partial sight give."""

from collections.abc import Iterator, Mapping

from generator_service.benchmarks.vasr.question import GUESSED, WHICH
from generator_service.benchmarks.vasr.spec import BALANCED, DIFFICULT, FULL, PARTIAL, SITUATIONS, TWO_ROLES
from tetrad.contracts.benchmarks import Ceiling, ChanceLevel, Headline
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

# What an ideal reader of frames gets from a part of the input, of balanced options.
# Of "situations" A tells nothing, A' the new value, B the situation.
OF_SITUATIONS = {
    "only-a": 0.25,
    "only-a-prime": 0.5,
    "only-b": 0.5,
    "a-and-b": 0.5,
    "a-and-a-prime": 0.5,
    "a-prime-and-b": 1.0,
}
# Of "two-roles" A has the old value and A''s other one: with A the answer is what differs from it in both roles. A' and
# B have one value each of the answer and of its opposite, and nothing says which role changed.
OF_TWO_ROLES = {
    "only-a": 1.0,
    "only-a-prime": 0.5,
    "only-b": 0.5,
    "a-and-b": 1.0,
    "a-and-a-prime": 1.0,
    "a-prime-and-b": 0.5,
}
# Eight options are three things combined: the situation, known from B alone, and two roles as above.
OF_EIGHT = {
    "only-a": 0.5,
    "only-a-prime": 0.25,
    "only-b": 0.5,
    "a-and-b": 1.0,
    "a-and-a-prime": 0.5,
    "a-prime-and-b": 0.5,
}
OF_PARTS: tuple[tuple[int, str, Mapping[str, float]], ...] = (
    (4, SITUATIONS, OF_SITUATIONS),
    (4, TWO_ROLES, OF_TWO_ROLES),
    (8, TWO_ROLES, OF_EIGHT),
)
"""How many candidates, the sort, and the ceiling of each partial input."""
ALIKE = "most-like-the-others"
OF_ALIKE = {4: 0.67, 8: 1.0}
"""What a reader gets of difficult options who sees them alone, counted: at least so much is told."""


def ceilings() -> tuple[Ceiling, ...]:
    """Return the scores of ideal solvers that see less than the item."""
    return (*_options_only(), *_parts(), *_difficult())


def _options_only() -> Iterator[Ceiling]:
    why = "options are every combination of two values of two or three things, drawn before the answer"
    for count in (4, 8):
        yield Ceiling(solver="options-only", where={}, parameters=_of(BALANCED, count), value=1 / count, why=why)


def _parts() -> Iterator[Ceiling]:
    for count, sort, values in OF_PARTS:
        for setting, value in values.items():
            yield Ceiling(
                solver=f"ideal-{setting}",
                where={"inputs": (setting, FULL), "sort": (sort,)},
                parameters=_of(BALANCED, count),
                value=value,
                why=f"a reader of frames that sees {' and '.join(PARTIAL[setting])} and the options",
            )


def _difficult() -> Iterator[Ceiling]:
    why = "as published: some options have the new value, others resemble B, and the answer is like both"
    for count, value in OF_ALIKE.items():
        yield Ceiling(solver=ALIKE, where={}, parameters=_of(DIFFICULT, count), value=value, why=why)


def _of(kind: str, count: int) -> dict[str, ParameterValue]:
    return {"distractors": kind, "candidates": str(count)}
