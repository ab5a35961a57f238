"""MARVEL: multidimensional abstract visual reasoning (Jiang et al., 2024)."""

from pathlib import Path

from generator_service.benchmark import Benchmark
from generator_service.benchmarks.marvel.card import CARD
from generator_service.benchmarks.marvel.explanation import describe
from generator_service.benchmarks.marvel.question import next_questions, questions
from generator_service.benchmarks.marvel.renderer import render
from generator_service.benchmarks.marvel.sampler import sample
from generator_service.benchmarks.marvel.strata import strata

BENCHMARK = Benchmark(
    card=CARD,
    strata=strata,
    sample=sample,
    questions=questions,
    next_questions=next_questions,
    render=render,
    describe=describe,
    sources=tuple(sorted(Path(__file__).parent.rglob("*.py"))),
)
