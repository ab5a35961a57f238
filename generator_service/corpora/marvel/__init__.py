"""MARVEL's published puzzles as a corpus (Jiang et al., 2024)."""

from generator_service.corpora.corpus import Layout
from generator_service.corpora.marvel.card import card_of
from generator_service.corpora.marvel.importer import gather
from generator_service.corpora.marvel.question import opens, questions
from generator_service.corpora.marvel.scenes import describe, render, sample
from generator_service.corpora.marvel.spec import VERSION, Puzzle

LAYOUT = Layout(
    name="marvel",
    help="MARVEL's JSON of puzzles with a picture <id>.png for each",
    version=VERSION,
    item=Puzzle,
    gather=gather,
    card=card_of,
    sample=sample,
    questions=questions,
    opens=opens,
    render=render,
    describe=describe,
)
