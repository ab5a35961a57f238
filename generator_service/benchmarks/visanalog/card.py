"""State all that is public about this version of VISANALOG: its card."""

from generator_service.benchmarks.visanalog.card_words import MISTAKES, word_families
from generator_service.benchmarks.visanalog.families import BY_NAME
from generator_service.benchmarks.visanalog.metrics import CEILINGS, CHANCE, HEADLINE, METRICS
from generator_service.benchmarks.visanalog.photographs.families import FAMILIES
from generator_service.benchmarks.visanalog.reference import REFERENCE
from generator_service.benchmarks.visanalog.scenes.families import BY_NAME as OF_SCENES
from generator_service.benchmarks.visanalog.spec import (
    COMPOSED,
    END_TO_END,
    LADDER,
    MOST_STEPS,
    NAME,
    OF_THE_PAPER,
    ORACLE,
    PHOTOGRAPHS,
    PROGRAM,
    SCENES,
    SEARCH_SPACE,
    SETTINGS,
    VERSION,
    WRONG_IMAGE,
)
from tetrad.contracts.benchmarks import Card, Credit, Exclusion, Parameter, Setting, Track

_PARAMETERS = (
    Parameter(
        name="steps",
        help="steps of the shortest program (5 goes beyond the paper); 0: the paper's 1 to 4, each as often",
        default=OF_THE_PAPER,
        minimum=OF_THE_PAPER,
        maximum=MOST_STEPS,
    ),
    Parameter(
        name="search_space",
        help="whether the prompt describes the possible steps and their order, as the paper's does",
        default=SEARCH_SPACE[0],
        values=SEARCH_SPACE,
    ),
)
_ASKED = (*dict.fromkeys((*BY_NAME, *OF_SCENES, *FAMILIES)),)
_HELP = {
    END_TO_END: "A, B and C; a question about the hidden D.",
    ORACLE: "D itself.",
    WRONG_IMAGE: "C in D's place: who answers well here needs no edit.",
    PROGRAM: "C, and the edit in words.",
    LADDER: "The same item four times, in fresh contexts: C in D's place; A, B and C; C and the edit; D.",
}

CARD = Card(
    name=NAME,
    version=VERSION,
    title="VISANALOG: visual concept transfer",
    summary="Image A was edited into B. What would the same edit make of C? A question about a picture not shown.",
    question="What would the same edit make of another picture?",
    tracks=(
        Track(
            name=SCENES,
            help="People, vehicles and things that stand about in a place seen from above, fresh for every item.",
            settings=tuple(SETTINGS),
            cost=30,
            picture_cost=570,
        ),
        Track(
            name=COMPOSED,
            help="Composed pictures of 9 to 15 things on a table, fresh for every item.",
            settings=tuple(SETTINGS),
            cost=27,
            picture_cost=580,
        ),
        Track(
            name=PHOTOGRAPHS,
            help="Photographs of the mounted source. Good for solvers of pixels: questions are about what is measured, "
            "colors, light and dark, of which eyes are seldom sure (3 of 12 items); only where annotations name things "
            "do they ask what an eye sees. One to four steps. Items that show one photograph as C count "
            f"as one, so a source of fewer than {HEADLINE.least_items} photographs gives scores and no rank: "
            "packages carry 25.",
            settings=tuple(SETTINGS),
            cost=52,
            picture_cost=420,
        ),
    ),
    settings=tuple(
        Setting(name=name, help=_HELP[name], questions=rungs, apart=len(rungs) > 1) for name, rungs in SETTINGS.items()
    ),
    parameters=_PARAMETERS,
    exclusions=(
        Exclusion(
            where={"setting": (ORACLE, WRONG_IMAGE), "search_space": SEARCH_SPACE[1:]},
            field="search_space",
            problem="this setting says nothing of edits",
            remedy=f"use {SEARCH_SPACE[0]}, the default, or another setting",
        ),
        Exclusion(
            where={"track": (PHOTOGRAPHS,), "steps": (MOST_STEPS,)},
            field="steps",
            problem="what is measured on photographs hardly ever needs all five steps",
            remedy=f"use 1 to 4, 0 for all of these, or track {SCENES} or {COMPOSED}",
        ),
    ),
    metrics=METRICS,
    headline=HEADLINE,
    chance=CHANCE,
    ceilings=CEILINGS,
    reference=REFERENCE,
    credit=Credit(
        title="VisAnalog: A Diagnostic Suite for Visual Concept Transfer on Natural Images",
        authors="Zhaonan Li, Kyle R. Chickering, Bangzheng Li et al.",
        venue="preprint, May 2026",
        url="https://arxiv.org/abs/2605.23141",
        licence="the published questions and their photographs (SA-1B) are their authors'; words and drawn "
        "pictures served here are our own; of photographs, each source names authors",
    ),
    mistakes=dict(MISTAKES),
    value_words=word_families(_ASKED),
    filters={"asked": _ASKED, "steps": ("1", "2", "3", "4", "5")},
)
