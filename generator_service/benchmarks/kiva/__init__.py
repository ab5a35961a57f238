"""KiVA: kid-inspired visual analogies (Yiu et al., 2025)."""

from generator_service.benchmark import Benchmark
from generator_service.benchmarks.kiva.card import CARD
from generator_service.benchmarks.kiva.eligible import prepare
from generator_service.benchmarks.kiva.opening import next_questions
from generator_service.benchmarks.kiva.pictures import GIVEN, holds
from generator_service.benchmarks.kiva.question import MISTAKES, describe, questions
from generator_service.benchmarks.kiva.renderer import render
from generator_service.benchmarks.kiva.sampler import sample, strata
from generator_service.benchmarks.kiva.solver import solve

BENCHMARK = Benchmark(
    card=CARD,
    kinds=("objects",),
    prepare=lambda sources: prepare(sources["objects"]),
    strata=strata,
    sample=sample,
    questions=questions,
    next_questions=next_questions,
    render=render,
    describe=describe,
    holds=holds,
    solve=solve,
    outcomes=MISTAKES,
    clues={"what": (GIVEN,), "how": (GIVEN,), "which": (GIVEN,)},
)
