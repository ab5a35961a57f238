"""MARVEL: multidimensional abstract visual reasoning (Jiang et al., 2024)."""

from generator_service.benchmark import Benchmark
from generator_service.benchmarks.marvel.card import CARD
from generator_service.benchmarks.marvel.explanation import describe
from generator_service.benchmarks.marvel.question import MISTAKES, next_questions, questions
from generator_service.benchmarks.marvel.renderer import render
from generator_service.benchmarks.marvel.sampler import sample, strata
from generator_service.benchmarks.marvel.solver import solve
from generator_service.benchmarks.marvel.view import CHOICES, CONTEXT, holds

BENCHMARK = Benchmark(
    card=CARD,
    strata=strata,
    sample=sample,
    questions=questions,
    next_questions=next_questions,
    render=render,
    describe=describe,
    holds=holds,
    solve=solve,
    outcomes={"puzzle": MISTAKES},
    clues={
        "context-panels": (CONTEXT,),
        "choice-panels": (CHOICES,),
        "all-panels": (CONTEXT, CHOICES),
        "detail": (CHOICES,),
        "puzzle": (CONTEXT,),
    },
)
