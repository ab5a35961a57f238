"""State all that is public about this version of CARV: its card."""

from generator_service.benchmarks.carv.metrics import CEILINGS, CHANCE, HEADLINE, LENIENT, METRICS
from generator_service.benchmarks.carv.reference import REFERENCE
from generator_service.benchmarks.carv.spec import (
    CARDINALITY,
    DIAGNOSIS,
    DIFFERENT,
    DIRECT,
    FREE_FORM,
    NAME,
    OPERATIONS,
    ORACLE,
    PUBLISHED,
    SCALING_3,
    SCALING_4,
    SETTINGS,
    SHARED,
    SINGLE,
    SYMBOLIC,
    VERSION,
)
from tetrad.contracts.benchmarks import Card, Credit, Setting, Track

_CAPTION, _DIAGNOSIS = ("caption",), ("diagnosis",)
_SETTINGS = (
    Setting(name=DIRECT, help="All pictures; the caption of the changed query.", questions=_CAPTION),
    Setting(
        name=PUBLISHED,
        help="The same, asked as the paper's direct prompt asks: it names no property and no value. Judged leniently.",
        questions=_CAPTION,
        metric=LENIENT,
    ),
    Setting(name=DIAGNOSIS, help="The same in four steps, each of them judged.", questions=_DIAGNOSIS),
    Setting(name=FREE_FORM, help="The four steps in free words; the caption is judged.", questions=_CAPTION),
    Setting(name=ORACLE, help="All pictures, and the changes of each pair in words.", questions=_CAPTION),
    Setting(name=SYMBOLIC, help="No picture: every state in words.", questions=_CAPTION),
)
_TRACKS = (
    (SHARED, 2.3, "Two pairs that start as the query does, two changes each: union, intersection, difference."),
    (DIFFERENT, 4.5, "Two pairs and a query that all start differently."),
    (SINGLE, 2.8, "One pair, two changes, a query that starts differently."),
    (SCALING_3, 3.8, "Shared source, three changes each: union, intersection."),
    (SCALING_4, 4.1, "Shared source, four changes each: union, intersection."),
    (CARDINALITY, 2.8, "Shared source, unions of three changes against unions of four."),
)

CARD = Card(
    name=NAME,
    version=VERSION,
    title="CARV: compositional analogical reasoning in vision",
    summary="Two pairs of pictures each make some changes: make both, the common ones or the first's own to a third.",
    question="What does the third picture become?",
    tracks=tuple(Track(name=name, help=text, settings=SETTINGS, cost=cost) for name, cost, text in _TRACKS),
    settings=_SETTINGS,
    parameters=(),
    metrics=METRICS,
    headline=HEADLINE,
    chance=CHANCE,
    ceilings=CEILINGS,
    reference=REFERENCE,
    credit=Credit(
        title="CARV: A Diagnostic Benchmark for Compositional Analogical Reasoning in Multimodal LLMs",
        authors="Yongkang Du, Xiaohan Zou, Minhao Cheng, Lu Lin",
        venue="preprint, March 2026",
        url="https://arxiv.org/abs/2603.27958",
        licence="the data set (edits of photographs by Kamath et al. 2023) is its authors' and is not released yet; "
        "words and pictures served here are our own",
    ),
    filters={
        "operation": OPERATIONS,
        "atomic": ("2", "3", "4"),
        "target": ("1", "2", "3", "4", "5"),
        "near_miss": ("yes", "no"),
        "tempting": ("yes", "no"),
    },
)
