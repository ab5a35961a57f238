"""Declare the metrics of a report on MARVEL, and the scores of guessing."""

from generator_service.benchmarks.marvel.spec import CELLS, CONFIGURATIONS, LENGTHS, PANELS, SEQUENCE
from tetrad.contracts.benchmarks import Bar, Ceiling, ChanceLevel, Headline
from tetrad.contracts.metrics import Accuracy, AnswerDistribution, Distribution, GroupAccuracy, Metric

Where = dict[str, tuple[str, ...]]
PAPER = "Jiang et al. 2024 (MARVEL)"
HEADLINE = Headline(metric="avr", least_items=200)

AVR: Where = {"stage": ("avr",)}
FINE: Where = {"stage": ("fine",)}
COARSE: Where = {"stage": ("coarse",), "kind": ("context-panels", "choice-panels", "all-panels")}

METRICS: tuple[Metric, ...] = (
    Accuracy(name="avr", help="Is the puzzle solved? By pattern.", where=AVR, by=("pattern",)),
    Accuracy(name="avr-by-configuration", help="The same by configuration.", where=AVR, by=("configuration",)),
    Accuracy(name="avr-by-shape", help="The same by kind of shape.", where=AVR, by=("shape",)),
    Accuracy(
        name="avr-by-cell", help="The same by pattern and configuration.", where=AVR, by=("pattern", "configuration")
    ),
    Accuracy(
        name="fine-perception", help="Is the detail of one choice seen? By kind of detail.", where=FINE, by=("kind",)
    ),
    Accuracy(name="fine-perception-by-pattern", help="The same by pattern.", where=FINE, by=("pattern",)),
    Accuracy(name="fine-perception-by-shape", help="The same by kind of shape.", where=FINE, by=("shape",)),
    Accuracy(name="coarse-perception", help="Are the panels counted? By what is counted.", where=COARSE, by=("kind",)),
    GroupAccuracy(name="perc-c", help="All three counts of a puzzle are right.", where=COARSE, by=("configuration",)),
    GroupAccuracy(
        name="perc-c-f",
        help="All counts and the detail are right.",
        where={"stage": ("coarse", "fine")},
        by=("configuration",),
    ),
    GroupAccuracy(
        name="perc-c-f-avr",
        help="All counts, the detail and the puzzle are right.",
        where={"stage": ("coarse", "fine", "avr")},
        by=("pattern",),
    ),
    AnswerDistribution(
        name="answer-distribution",
        help="Share of the choice taken most often; a run biased to places is marked, as the paper's dagger does.",
        where=AVR,
    ),
    Distribution(
        name="mistakes",
        help="Of wrong choices: which attribute breaks the rule? By pattern.",
        outcome="mistake",
        where=AVR,
        by=("pattern",),
    ),
)

CHANCE = (
    ChanceLevel(where=AVR, uniform=1 / 4, stated=1 / 4, source=f"{PAPER}, table 2"),
    ChanceLevel(where=FINE, uniform=1 / 2, stated=1 / 2, source=f"{PAPER}, table 2"),
)


def best_constant_counts(configuration: str) -> float:
    """Return the share of right counts for a model that always gives the configuration's most frequent ones.

    Counts follow from the configuration, and in a sequence from its length too.
    """
    if configuration != SEQUENCE:
        return 1.0
    patterns = [pattern for pattern, cell in CELLS if cell == SEQUENCE]
    shares: dict[int, float] = dict.fromkeys(range(4, 9), 0.0)
    for pattern in patterns:
        for length in LENGTHS[pattern]:
            shares[length] += 1 / len(LENGTHS[pattern]) / len(patterns)
    return max(shares.values(), default=0.0)


OF_CONTEXT = {"location": 0.5, "color": 0.893, "shape": 0.804, "quantity": 0.5, "comparison": 0.5}
"""How often who sees the context alone tells a detail, by its kind: 1/2, and 1/2 of the share that all panels share.

Counted over 20,000 items.
"""
# Shares of right choices by plain measures of whole pictures, counted over 300 puzzles. Puzzles have no hues, so a
# histogram of them takes the first choice.
OF_MEASURES = {
    "low-level-hue": 0.25,
    "low-level-pixels": 0.25,
    "low-level-edges": 0.23,
    "low-level-hue-b": 0.25,
    "low-level-hue-a-prime": 0.25,
    "low-level-hue-a": 0.25,
}
BARS = tuple(
    Bar(solver=solver, where=AVR, parameters={"variant": PANELS}, value=value, items=300)
    for solver, value in OF_MEASURES.items()
)
CEILINGS = (
    *(
        Ceiling(
            solver="options-only",
            where={**AVR, "pattern": (pattern,), "configuration": (configuration,)},
            parameters={},
            value=1 / 4,
            why="sees the four choices and nothing of the context",
        )
        for pattern, configuration in CELLS
    ),
    Ceiling(
        solver="pair-blind",
        where=AVR,
        parameters={"variant": PANELS},
        value=1 / 4,
        why="sees the pictures of the four choices, and nothing of the context",
    ),
    *(
        Ceiling(
            solver="context-only",
            where={**FINE, "kind": (kind,)},
            parameters={},
            value=value,
            why="sees the context and no choice: it shows whatever all panels share, and some details are such",
        )
        for kind, value in OF_CONTEXT.items()
    ),
    Ceiling(solver="text-only", where=FINE, parameters={}, value=1 / 2, why="sees the words of the question only"),
    *(
        Ceiling(
            solver="constant-counts",
            where={**COARSE, "configuration": (configuration,)},
            parameters={},
            value=best_constant_counts(configuration),
            why="always gives the configuration's most frequent counts, and sees no picture: a floor for perc-c",
        )
        for configuration in CONFIGURATIONS
    ),
)
