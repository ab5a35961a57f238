"""MARVEL: multidimensional abstract visual reasoning (Jiang et al., 2024)."""

from generator_service.benchmark import Benchmark
from generator_service.benchmarks.marvel.card import CARD
from generator_service.benchmarks.marvel.cells import cells
from generator_service.benchmarks.marvel.explanation import describe
from generator_service.benchmarks.marvel.question import opens, questions
from generator_service.benchmarks.marvel.renderer import render
from generator_service.benchmarks.marvel.sampler import sample
from generator_service.benchmarks.marvel.solver import solve
from generator_service.benchmarks.marvel.view import CHOICES, CONTEXT, holds

BENCHMARK = Benchmark(
    card=CARD,
    cells=cells,
    sample=sample,
    questions=questions,
    opens=opens,
    render=render,
    describe=describe,
    holds=holds,
    solve=solve,
    clues={
        "context-panels": (CONTEXT,),
        "choice-panels": (CHOICES,),
        "all-panels": (CONTEXT, CHOICES),
        "detail": (CHOICES,),
        "puzzle": (CONTEXT,),
    },
)
