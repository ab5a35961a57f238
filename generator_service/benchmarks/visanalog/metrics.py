"""Declare the metrics of a report on VISANALOG, and the scores that guessing and partial sight give."""

from generator_service.benchmarks.visanalog.spec import END_TO_END, ORACLE, PROGRAM, WRONG_IMAGE
from tetrad.contracts.benchmarks import Ceiling, ChanceLevel, Headline
from tetrad.contracts.metrics import Accuracy, AnswerDistribution, Distribution, Gap, Metric

Where = dict[str, tuple[str, ...]]
PAPER = "Li et al. 2026 (VisAnalog)"
HEADLINE = Headline(metric="accuracy", least_items=200)
RANKED: Where = {"ranked": ("yes",)}


def _of(rung: str) -> Where:
    return {"stage": (rung,)}


METRICS: tuple[Metric, ...] = (
    Accuracy(
        name="accuracy", help="Is the hidden picture answered about rightly? By steps.", where=RANKED, by=("steps",)
    ),
    Accuracy(name="accuracy-by-question", help="The same by what is asked.", where=RANKED, by=("asked",)),
    *(
        Accuracy(
            name=f"accuracy-with-{step}",
            help=f"The same by whether the program has a step of this kind: {step}.",
            where=RANKED,
            by=(step,),
        )
        for step in ("zoom", "swap", "rotation", "flip", "hue")
    ),
    Accuracy(
        name="accuracy-by-setting",
        help="By what is shown: Acc(D) is oracle, Acc(C, T) program, Acc(A, B, C) end-to-end; wrong-image has C in D's "
        "place. On the ladder, `all` mixes the four.",
        by=("stage",),
    ),
    Accuracy(name="accuracy-by-setting-and-steps", help="The same by steps, too.", by=("stage", "steps")),
    Gap(
        name="inference-gap",
        help="Acc(C, T) less Acc(A, B, C), on the ladder: what is lost in finding the program. By steps.",
        where=_of(PROGRAM),
        less=_of(END_TO_END),
        by=("steps",),
    ),
    Gap(
        name="application-gap",
        help="Acc(D) less Acc(C, T), on the ladder: what is lost in applying the program. By steps.",
        where=_of(ORACLE),
        less=_of(PROGRAM),
        by=("steps",),
    ),
    Gap(
        name="transfer-gap",
        help="Acc(A, B, C) less the accuracy with C in D's place, on the ladder. By steps.",
        where=_of(END_TO_END),
        less=_of(WRONG_IMAGE),
        by=("steps",),
    ),
    AnswerDistribution(name="answer-distribution", help="Share of the place that is chosen most often.", where=RANKED),
    Distribution(
        name="mistakes",
        help="Of wrong answers: which mistake makes this option look right? By steps.",
        outcome="mistake",
        where=RANKED,
        by=("steps",),
    ),
)

CHANCE = (ChanceLevel(where={}, uniform=1 / 4, stated=1 / 4, source=f"{PAPER}, figure 2"),)

_LONGER: Where = {"steps": ("2", "3", "4", "5")}
_UP_TO_FOUR: Where = {"steps": ("2", "3", "4")}
_ONE: Where = {"steps": ("1",)}
CEILINGS = (
    Ceiling(
        solver="options-only", where={}, parameters={}, value=1 / 4, why="sees the question and the four options alone"
    ),
    Ceiling(
        solver="pair-blind",
        where=_LONGER,
        parameters={},
        value=1 / 4,
        why="sees C and the options, and counts the programs of each: the right one was drawn before the program",
    ),
    Ceiling(
        solver="c-and-options",
        where=_ONE,
        parameters={},
        value=1 / 3,
        why="sees C and the options: one of them holds of C itself, and is never right",
    ),
    Ceiling(
        solver="one-part",
        where=_UP_TO_FOUR,
        parameters={},
        value=0.52,
        why="sees C, the options and one part of the program (zoom and swap; rotation and flip; or hue), and counts "
        "the programs that have it: two options are left",
    ),
    Ceiling(
        solver="one-part",
        where={"steps": ("5",)},
        parameters={},
        value=0.87,
        why="sees C, the options and one part of the program: of five steps, zoom and swap often leave one option",
    ),
    Ceiling(
        solver="query-blind",
        where={},
        parameters={},
        value=1 / 4,
        why="sees A, B and the options, so it knows the program; names, poses and colors in C are drawn",
    ),
)
