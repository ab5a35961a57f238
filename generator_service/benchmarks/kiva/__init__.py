"""KiVA: kid-inspired visual analogies (Yiu et al., 2025)."""

from pathlib import Path

from generator_service.benchmark import Benchmark
from generator_service.benchmarks.kiva.card import CARD
from generator_service.benchmarks.kiva.eligible import prepare
from generator_service.benchmarks.kiva.explanation import describe
from generator_service.benchmarks.kiva.opening import next_questions
from generator_service.benchmarks.kiva.question import questions
from generator_service.benchmarks.kiva.renderer import render
from generator_service.benchmarks.kiva.sampler import sample
from generator_service.benchmarks.kiva.strata import strata

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
    sources=tuple(sorted(Path(__file__).parent.glob("*.py"))),
)
