"""VISANALOG: visual concept transfer (Li et al., 2026)."""

from generator_service.benchmark import Benchmark
from generator_service.benchmarks.visanalog.bank import prepare
from generator_service.benchmarks.visanalog.card import CARD
from generator_service.benchmarks.visanalog.photographs.bank import TABLES
from generator_service.benchmarks.visanalog.pictures import AFTER, BEFORE, INSTEAD, QUERY, TARGET, holds
from generator_service.benchmarks.visanalog.programs import MISTAKES
from generator_service.benchmarks.visanalog.question import describe, next_questions, questions
from generator_service.benchmarks.visanalog.renderer import render
from generator_service.benchmarks.visanalog.sampler import sample, strata
from generator_service.benchmarks.visanalog.solver import solve
from generator_service.benchmarks.visanalog.spec import (
    COMPOSED,
    END_TO_END,
    ORACLE,
    PHOTOGRAPHS,
    PROGRAM,
    RUNGS,
    SCENES,
    WRONG_IMAGE,
)

_NO_KEY = "the picture shown is C, and the key is of D: who sees C alone can't find it"

BENCHMARK = Benchmark(
    card=CARD,
    kinds={SCENES: ("people",), COMPOSED: ("objects",), PHOTOGRAPHS: ("photographs",)},
    tables={"photographs": TABLES},
    prepare=prepare,
    strata=strata,
    sample=sample,
    questions=questions,
    next_questions=next_questions,
    render=render,
    describe=describe,
    holds=holds,
    solve=solve,
    outcomes=dict.fromkeys(RUNGS, MISTAKES),
    clues={
        END_TO_END: (BEFORE, AFTER, QUERY),
        PROGRAM: (QUERY,),
        ORACLE: (TARGET,),
        WRONG_IMAGE: (INSTEAD,),
    },
    brought_tracks=(PHOTOGRAPHS,),
    exempt={f"key/{WRONG_IMAGE}": _NO_KEY},
)
