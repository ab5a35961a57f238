"""CARV: compositional analogical reasoning in vision (Du et al., 2026)."""

from pathlib import Path

from generator_service.benchmark import Benchmark
from generator_service.benchmarks.carv.bank import load_bank
from generator_service.benchmarks.carv.card import CARD
from generator_service.benchmarks.carv.explanation import describe
from generator_service.benchmarks.carv.opening import next_questions
from generator_service.benchmarks.carv.question import questions
from generator_service.benchmarks.carv.renderer import render
from generator_service.benchmarks.carv.sampler import sample
from generator_service.benchmarks.carv.strata import strata

BENCHMARK = Benchmark(
    card=CARD,
    own_bank=load_bank,
    strata=strata,
    sample=sample,
    questions=questions,
    next_questions=next_questions,
    render=render,
    describe=describe,
    sources=tuple(sorted(Path(__file__).parent.glob("*.py"))),
)
