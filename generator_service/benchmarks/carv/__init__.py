"""CARV: compositional analogical reasoning in vision (Du et al., 2026)."""

from generator_service.benchmark import Benchmark
from generator_service.benchmarks.carv.bank import load_bank
from generator_service.benchmarks.carv.card import CARD
from generator_service.benchmarks.carv.cells import cells
from generator_service.benchmarks.carv.explanation import describe
from generator_service.benchmarks.carv.opening import opens
from generator_service.benchmarks.carv.pictures import AFTER, BEFORE, holds
from generator_service.benchmarks.carv.question import questions
from generator_service.benchmarks.carv.renderer import render
from generator_service.benchmarks.carv.sampler import sample
from generator_service.benchmarks.carv.solver import solve

BENCHMARK = Benchmark(
    card=CARD,
    own_bank=load_bank,
    cells=cells,
    sample=sample,
    questions=questions,
    opens=opens,
    render=render,
    describe=describe,
    holds=holds,
    solve=solve,
    clues={"caption": (BEFORE, AFTER), "diagnosis": (BEFORE, AFTER)},
)
