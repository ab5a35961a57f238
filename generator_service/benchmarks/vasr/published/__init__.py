"""VASR's published gold items as a corpus (Bitton et al., 2023)."""

from generator_service.benchmarks.vasr.published.card import card_of
from generator_service.benchmarks.vasr.published.importer import gather
from generator_service.benchmarks.vasr.published.question import describe, next_questions, questions, render, sample
from generator_service.benchmarks.vasr.published.spec import VERSION, Analogy
from generator_service.sources.published import Layout

LAYOUT = Layout(
    name="vasr",
    help="VASR's CSV of gold items (A_img, B_img, C_img, D_img, distractors, workers_most_common_answer) with the "
    "photographs that it names, in any folders",
    version=VERSION,
    item=Analogy,
    gather=gather,
    card=card_of,
    sample=sample,
    questions=questions,
    next_questions=next_questions,
    render=render,
    describe=describe,
)
LAYOUTS = (LAYOUT,)
