"""VASR: visual analogies of situation recognition (Bitton et al., 2023)."""

from generator_service.benchmark import Benchmark
from generator_service.benchmarks.vasr.bank import prepare
from generator_service.benchmarks.vasr.card import CARD
from generator_service.benchmarks.vasr.photographs.bank import TABLES
from generator_service.benchmarks.vasr.question import MISTAKES, describe, next_questions, questions
from generator_service.benchmarks.vasr.renderer import render
from generator_service.benchmarks.vasr.sampler import sample, strata
from generator_service.benchmarks.vasr.solver import OPTION, holds, mistake, solve
from generator_service.benchmarks.vasr.spec import COMPOSED, GIVEN, GUESSED, PHOTOGRAPHS, WHICH

_PART = "the part of the input that is shown does not tell the answer: how far it does is what is measured"

BENCHMARK = Benchmark(
    card=CARD,
    kinds={COMPOSED: ("people",), PHOTOGRAPHS: ("situations",)},
    tables={"situations": TABLES},
    prepare=prepare,
    strata=strata,
    sample=sample,
    questions=questions,
    next_questions=next_questions,
    render=render,
    describe=describe,
    holds=holds,
    solve=solve,
    clues={WHICH: GIVEN, GUESSED: (OPTION,)},
    outcomes={WHICH: MISTAKES},
    mistake=mistake,
    brought_tracks=(PHOTOGRAPHS,),
    exempt={f"key/{GUESSED}": _PART, f"clue/{GUESSED}": _PART},
)
