"""Declare the metrics of a report on CARV, and the scores that guessing and partial sight give."""

from itertools import combinations

from generator_service.benchmarks.carv.spec import (
    APPLY,
    CARDINALITY,
    DIFFERENCE,
    DIFFERENT,
    INTERSECTION,
    PROPERTIES,
    SCALING_3,
    SCALING_4,
    SHARED,
    SINGLE,
    UNION,
)
from tetrad.contracts.benchmarks import Ceiling, ChanceLevel, Headline
from tetrad.contracts.metrics import Accuracy, Agreement, Distribution, FailureWeights, Metric

HEADLINE = Headline(metric="accuracy", least_items=200)
LENIENT = "lenient-accuracy"  # the paper's judge: free wording, no conflict with the picture
STATES = 432
PROPERTY_PAIRS = tuple(" ".join(pair) for pair in combinations(PROPERTIES, 2))

METRICS: tuple[Metric, ...] = (
    Accuracy(name="accuracy", help="Captions with all five properties right.", by=("track", "operation")),
    Accuracy(
        name=LENIENT,
        help="Captions that contradict nothing and say what T1 or T2 changes, as the paper's judge was told.",
        by=("track", "operation"),
        rule="lenient",
    ),
    Accuracy(
        name="judge-accuracy",
        help="Captions that the judge calls right. No value where there is no judge.",
        by=("track", "operation"),
        rule="judge",
        optional=True,
    ),
    Agreement(name="judge-agreement", help="How often judge and reader agree.", rule="judge", by=("operation",)),
    Accuracy(name="accuracy-by-atomic", help="By the number of changes in each pair.", by=("atomic", "operation")),
    Accuracy(name="accuracy-by-target", help="By the number of changes to be made.", by=("operation", "target")),
    Accuracy(
        name="accuracy-by-near-miss",
        help="Whether both pairs change one property, each in another way.",
        where={"operation": ("intersection", "difference")},
        by=("near_miss",),
    ),
    Accuracy(
        name="accuracy-by-temptation",
        help="Whether the query fits the changes outside the target, too.",
        where={"operation": ("intersection", "difference")},
        by=("tempting",),
    ),
    Distribution(
        name="failure-stage", help="The first stage of the diagnosis that fails.", outcome="stage", by=("atomic",)
    ),
    FailureWeights(
        name="failure-weights",
        help="How much each pair of changed properties adds to the log odds of failing.",
        facets=("first", "second"),
        values=PROPERTY_PAIRS,
    ),
)

CHANCE = (
    ChanceLevel(
        where={},
        uniform=1 / STATES,
        stated=1 / STATES,
        source="one of 432 states; the paper states no chance level",
    ),
)


PAIR_BLIND: dict[tuple[str, str], float] = {
    (SINGLE, APPLY): 1 / 10,
    (SHARED, UNION): 1 / 40,
    (SHARED, INTERSECTION): 4 / 15,
    (SHARED, DIFFERENCE): 2 / 15,
    (DIFFERENT, UNION): 1 / 40,
    (DIFFERENT, INTERSECTION): 7 / 30,
    (DIFFERENT, DIFFERENCE): 3 / 20,
    (SCALING_3, UNION): 1 / 60,
    (SCALING_3, INTERSECTION): 31 / 240,
    (SCALING_4, UNION): 1 / 48,
    (SCALING_4, INTERSECTION): 29 / 210,
    (CARDINALITY, UNION): 1 / 40,
}
"""The score of the best solver that sees the query and the operation, and neither pair, by track and operation.

That solver makes the likeliest changes: those of the most frequent target set whose values it can guess best. The
figures are counted over every plan with its share of the strata (tests/benchmarks/carv/test_ceilings.py). In
different-source a few contexts are drawn again, so its figures are exact to within one point. `make proof` holds
solvers to them.
"""


CEILINGS = tuple(
    Ceiling(
        solver="pair-blind",
        where={"track": (track,), "operation": (operation,)},
        parameters={},
        value=value,
        why="sees the query and the operation, and makes the likeliest changes",
    )
    for (track, operation), value in PAIR_BLIND.items()
)
