"""CARV: compositional analogical reasoning in vision (Du et al., 2026)."""

from operator import itemgetter

from generator_service.benchmark import Benchmark
from generator_service.benchmarks.carv.card import CARD
from generator_service.benchmarks.carv.pictures import AFTER, BEFORE, holds
from generator_service.benchmarks.carv.question import describe, next_questions, questions
from generator_service.benchmarks.carv.renderer import render
from generator_service.benchmarks.carv.sampler import sample
from generator_service.benchmarks.carv.solver import solve
from generator_service.benchmarks.carv.strata import strata

BENCHMARK = Benchmark(
    card=CARD,
    kinds=("stage",),
    prepare=itemgetter("stage"),
    strata=strata,
    sample=sample,
    questions=questions,
    next_questions=next_questions,
    render=render,
    describe=describe,
    holds=holds,
    solve=solve,
    clues={"caption": (BEFORE, AFTER), "diagnosis": (BEFORE, AFTER)},
    exempt={
        f"shortcuts/caption/{BEFORE}": "where pairs share their source, the picture that is asked about is that source"
    },
)
