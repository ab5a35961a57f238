"""The card of MARVEL's published set."""

from collections.abc import Sequence

from msgspec.structs import replace

from generator_service.benchmarks.marvel.published.spec import AVR_ONLY, FULL, NAME, OWN_WORDS, VERSION
from generator_service.benchmarks.marvel.reference import REFERENCE
from generator_service.sources.published import Corpus
from generator_service.sources.published_cards import notice_of
from tetrad.contracts.benchmarks import Card, ChanceLevel, Credit, Headline, ReferenceRow, Setting, Track
from tetrad.contracts.metrics import Accuracy, AnswerDistribution, GroupAccuracy, Metric

_PAPER = "Jiang et al. 2024 (MARVEL)"
Where = dict[str, tuple[str, ...]]
_AVR: Where = {"stage": ("avr",)}
_COARSE: Where = {"stage": ("coarse",)}
_FINE: Where = {"stage": ("fine",)}

_METRICS: tuple[Metric, ...] = (
    Accuracy(name="avr", help="Is the missing panel found?", where=_AVR, by=("pattern",)),
    Accuracy(name="avr-by-configuration", help="The same by configuration.", where=_AVR, by=("configuration",)),
    Accuracy(
        name="avr-by-cell", help="The same by pattern and configuration.", where=_AVR, by=("pattern", "configuration")
    ),
    Accuracy(name="fine-perception", help="Is a detail of one choice seen?", where=_FINE, by=("pattern",)),
    Accuracy(
        name="coarse-perception",
        help="Are the panels counted? By what is counted.",
        where=_COARSE,
        by=("kind",),
    ),
    GroupAccuracy(name="perc-c", help="All three counts of a puzzle are right.", where=_COARSE, by=("configuration",)),
    GroupAccuracy(
        name="perc-c-f",
        help="All counts and the detail are right.",
        where={"stage": ("coarse", "fine")},
        by=("configuration",),
    ),
    GroupAccuracy(
        name="perc-c-f-avr",
        help="All counts, the detail and the puzzle are right.",
        where={"stage": ("coarse", "fine", "avr")},
        by=("pattern",),
    ),
    AnswerDistribution(
        name="answer-distribution",
        help="Share of the choice taken most often; right ones stand at each place in 24.0 to 25.7% of the 770, "
        "in 21 to 29% of the 257 public ones.",
        where=_AVR,
    ),
)


_ALL = ("context-panels", "choice-panels", "all-panels", "detail", "puzzle")
_SETTINGS = (
    Setting(name=FULL, help="Three counts, one detail and the puzzle, all at once.", questions=_ALL),
    Setting(name=AVR_ONLY, help="The puzzle alone.", questions=("puzzle",)),
)
_OWN_WORDS = Setting(name=OWN_WORDS, help="As full, and every question as the data set words it.", questions=_ALL)
_NAMES = frozenset(metric.name for metric in _METRICS)
_REFERENCE = tuple(
    replace(row, pictures="the paper's 770 puzzles, of which some are mounted here")
    for row in REFERENCE
    if row.metric in _NAMES and not row.parameters and {*row.where["setting"]} <= {FULL, AVR_ONLY}
)
"""The paper's figures of its own puzzles, in the settings that its data allows."""


def _as_asked(row: ReferenceRow, settings: Sequence[Setting]) -> ReferenceRow:
    """Show a figure of the full setting under the data set's own words, too, where they can be asked."""
    named = row.where["setting"]
    if _OWN_WORDS not in settings or FULL not in named:
        return row
    return replace(row, where={**row.where, "setting": (*named, OWN_WORDS)})


def card_of(corpus: Corpus) -> Card:
    """Return the card of a mounted set, whole or in part."""
    settings = (*_SETTINGS, _OWN_WORDS) if all(puzzle.own_words for puzzle in corpus.items) else _SETTINGS
    return Card(
        name=NAME,
        version=VERSION,
        title="MARVEL as published",
        summary="The paper's own puzzles: which panel is missing, how many are there, and what is in one of them?",
        tracks=(Track(name=NAME, help="The mounted puzzles.", settings=tuple(setting.name for setting in settings)),),
        settings=settings,
        parameters=(),
        metrics=_METRICS,
        headline=Headline(metric="avr", least_items=200),
        chance=(
            ChanceLevel(where=_AVR, uniform=1 / 4, stated=1 / 4, source=f"{_PAPER}: four choices"),
            ChanceLevel(where=_FINE, uniform=1 / 2, stated=1 / 2, source=f"{_PAPER}: two answers"),
        ),
        credit=Credit(
            title="MARVEL: Multidimensional Abstraction and Reasoning through Visual Evaluation and Learning",
            authors="Yifan Jiang et al.",
            venue="NeurIPS 2024 Datasets and Benchmarks",
            url="https://arxiv.org/abs/2404.13591",
            licence="Apache-2.0 by the data set's metadata; mounted by the operator",
        ),
        reference=tuple(_as_asked(row, settings) for row in _REFERENCE),
        largest_draw=len(corpus.items),
        corpus=notice_of(corpus, labels_public=True),
    )
