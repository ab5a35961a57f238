"""VISANALOG's published questions as a corpus (Li et al., 2026)."""

from generator_service.benchmarks.visanalog.published.card import card_of
from generator_service.benchmarks.visanalog.published.importer import gather
from generator_service.benchmarks.visanalog.published.question import (
    describe,
    next_questions,
    questions,
    render,
    sample,
)
from generator_service.benchmarks.visanalog.published.spec import VERSION, Asked
from generator_service.sources.published import Layout

LAYOUT = Layout(
    name="visanalog",
    help="VISANALOG's questions (image_A, image_B, image_C, question, choices, answer, program) as Parquet with the "
    "pictures inside, or as JSON or JSON lines with the pictures that they name",
    version=VERSION,
    item=Asked,
    gather=gather,
    card=card_of,
    sample=sample,
    questions=questions,
    next_questions=next_questions,
    render=render,
    describe=describe,
)
LAYOUTS = (LAYOUT,)
