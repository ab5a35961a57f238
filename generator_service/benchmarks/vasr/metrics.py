"""Declare the metrics of a report on VASR, and the scores that guessing and partial sight give."""

from generator_service.benchmarks.vasr.question import GUESSED, WHICH
from generator_service.benchmarks.vasr.spec import BALANCED, PARTIAL
from tetrad.contracts.benchmarks import Ceiling, ChanceLevel, Headline
from tetrad.contracts.metrics import Accuracy, Distribution, Metric
from tetrad.contracts.wire import ParameterValue

HEADLINE = Headline(metric="accuracy", least_items=200)
METRICS: tuple[Metric, ...] = (
    Accuracy(name="accuracy", help="The right picture, all three given.", where={"stage": (WHICH,)}, by=("role",)),
    Accuracy(
        name="accuracy-by-options",
        help="By distractors, candidates, and what balanced options combine.",
        where={"stage": (WHICH,)},
        by=("distractors", "candidates", "sort"),
    ),
    Accuracy(
        name="partial-accuracy",
        help="The right picture, only a part of the input given.",
        where={"stage": (GUESSED,)},
        by=("inputs", "role"),
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

# What an ideal reader of frames gets from a part of the input, balanced options: the mean over the two sorts.
# Of sort "situations": A tells nothing, A' the new value, B the situation.
# Of sort "two-roles": A has the old value and A''s other one: with A the answer is what differs from it in both roles.
# A' and B have one value each of the answer and of its opposite, and nothing says which role changed.
OF_FOUR = {
    "only-a": 0.625,
    "only-a-prime": 0.5,
    "only-b": 0.5,
    "a-and-b": 0.75,
    "a-and-a-prime": 0.75,
    "a-prime-and-b": 0.75,
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


def ceilings() -> tuple[Ceiling, ...]:
    """Return the exact scores of ideal solvers that see less than the item."""
    found = []
    for count, values in ((4, OF_FOUR), (8, OF_EIGHT)):
        parameters: dict[str, ParameterValue] = {"distractors": BALANCED, "candidates": str(count)}
        why = "options are every combination of two values of two or three things, drawn before the answer"
        found.append(Ceiling(solver="options-only", where={}, parameters=parameters, value=1 / count, why=why))
        found += [
            Ceiling(
                solver=f"ideal-{setting}",
                where={"inputs": (setting,)},
                parameters=parameters,
                value=value,
                why=f"a reader of frames that sees {' and '.join(PARTIAL[setting])} and the options",
            )
            for setting, value in values.items()
        ]
    return tuple(found)
