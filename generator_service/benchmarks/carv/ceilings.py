"""State the score of the best solver that sees the query and the operation, and neither pair.

That solver makes the likeliest changes: those of the most frequent target set whose values it can guess best. The
figures are counted over every plan with its share of the strata (tests/benchmarks/carv/test_ceilings.py). In
different-source a few contexts are drawn again, so its figures are exact to within one point. `make proof` holds
solvers to them.
"""

from generator_service.benchmarks.carv.spec import (
    APPLY,
    CARDINALITY,
    DIFFERENCE,
    DIFFERENT,
    INTERSECTION,
    SCALING_3,
    SCALING_4,
    SHARED,
    SINGLE,
    UNION,
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
