"""KiVA version 2 as it was, so that draws sealed under it can be answered and verified. Nothing here changes any more.

Its items are pinned by golden.json. When no instance has draws or reports of version 2 any more, this folder can go.
"""

from generator_service.benchmark import Benchmark
from generator_service.benchmarks.kiva.version_2.card import CARD
from generator_service.benchmarks.kiva.version_2.eligible import prepare
from generator_service.benchmarks.kiva.version_2.explanation import describe
from generator_service.benchmarks.kiva.version_2.opening import next_questions
from generator_service.benchmarks.kiva.version_2.pictures import GIVEN, holds
from generator_service.benchmarks.kiva.version_2.question import MISTAKES, questions
from generator_service.benchmarks.kiva.version_2.renderer import render
from generator_service.benchmarks.kiva.version_2.sampler import sample
from generator_service.benchmarks.kiva.version_2.solver import solve
from generator_service.benchmarks.kiva.version_2.strata import strata

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
