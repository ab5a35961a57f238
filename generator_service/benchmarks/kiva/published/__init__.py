"""KiVA's published trials as a corpus (Yiu et al., 2025)."""

from generator_service.benchmarks.kiva.published.card import card_of
from generator_service.benchmarks.kiva.published.importer import gather
from generator_service.benchmarks.kiva.published.question import next_questions, questions
from generator_service.benchmarks.kiva.published.scenes import describe, render, sample
from generator_service.benchmarks.kiva.published.spec import VERSION, Trial
from generator_service.sources.published import Layout

LAYOUT = Layout(
    name="kiva",
    help="KiVA's released pictures <prefix>_<trial>_<part>.png with their trackers output_<prefix>.txt",
    version=VERSION,
    item=Trial,
    gather=gather,
    card=card_of,
    sample=sample,
    questions=questions,
    next_questions=next_questions,
    render=render,
    describe=describe,
)
