"""KiVA's published trials as a corpus (Yiu et al., 2025)."""

from generator_service.corpora.corpus import Layout
from generator_service.corpora.kiva.card import card_of
from generator_service.corpora.kiva.importer import gather
from generator_service.corpora.kiva.question import opens, questions
from generator_service.corpora.kiva.scenes import describe, render, sample
from generator_service.corpora.kiva.spec import VERSION, Trial

LAYOUT = Layout(
    name="kiva",
    help="KiVA's released pictures <prefix>_<trial>_<part>.png with their trackers output_<prefix>.txt",
    version=VERSION,
    item=Trial,
    gather=gather,
    card=card_of,
    sample=sample,
    questions=questions,
    opens=opens,
    render=render,
    describe=describe,
)
