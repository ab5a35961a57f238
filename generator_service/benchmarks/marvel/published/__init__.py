"""MARVEL's published puzzles as a corpus (Jiang et al., 2024)."""

from generator_service.benchmarks.marvel.published.card import card_of
from generator_service.benchmarks.marvel.published.importer import gather
from generator_service.benchmarks.marvel.published.question import describe, next_questions, questions, render, sample
from generator_service.benchmarks.marvel.published.spec import VERSION, Puzzle
from generator_service.sources.published import Layout

LAYOUT = Layout(
    name="marvel",
    help="MARVEL's JSON of puzzles with a picture <id>.png for each",
    version=VERSION,
    item=Puzzle,
    gather=gather,
    card=card_of,
    sample=sample,
    questions=questions,
    next_questions=next_questions,
    render=render,
    describe=describe,
)
LAYOUTS = (LAYOUT,)
