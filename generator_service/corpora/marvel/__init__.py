"""MARVEL's published puzzles as a corpus (Jiang et al., 2024)."""

from generator_service.benchmark import Benchmark
from generator_service.corpora.cards import cells_of
from generator_service.corpora.corpus import Corpus, Layout
from generator_service.corpora.marvel.card import card_of
from generator_service.corpora.marvel.importer import gather
from generator_service.corpora.marvel.question import opens, questions
from generator_service.corpora.marvel.scenes import describe, render, sample
from generator_service.corpora.marvel.spec import VERSION, Puzzle


def _benchmark(corpus: Corpus) -> Benchmark:
    return Benchmark(
        card=card_of(corpus),
        cells=cells_of(corpus),
        sample=sample,
        questions=questions,
        opens=opens,
        render=render,
        describe=describe,
        once=True,
    )


LAYOUT = Layout(
    name="marvel",
    help="MARVEL's JSON of puzzles with a picture <id>.png for each",
    version=VERSION,
    item=Puzzle,
    gather=gather,
    benchmark=_benchmark,
)
