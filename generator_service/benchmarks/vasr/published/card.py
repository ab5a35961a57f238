"""The card of VASR's published set."""

from generator_service.benchmarks.vasr.published.question import KIND
from generator_service.benchmarks.vasr.published.spec import NAME, SETTING, VERSION, Analogy
from generator_service.sources.published import Corpus
from generator_service.sources.published_cards import notice_of
from tetrad.contracts.benchmarks import Card, ChanceLevel, Credit, Headline, ReferenceRow, Setting, Track
from tetrad.contracts.metrics import Accuracy

_ANNOTATORS, _NO_PROMPT = "the paper's form for annotators", "none: models compare pictures, or are trained"
_PICTURES = "the paper's test set, of which some is mounted here"
_PAPER = "Bitton et al. 2023 (VASR)"
_WHERE: dict[str, tuple[str, ...]] = {"stage": (KIND,)}
_TABLE_3 = (
    ("zero-shot arithmetic, ViT", "zero-shot", 0.503),
    ("zero-shot arithmetic, Swin", "zero-shot", 0.529),
    ("supervised concat", "trained", 0.549),
    ("humans", "human", 0.9),
)
"""Of the test set with difficult distractors."""


def card_of(corpus: Corpus) -> Card:
    """Return the card of a mounted set, whole or in part."""
    analogies: tuple[Analogy, ...] = corpus.items
    counts = sorted({len(analogy.candidates) for analogy in analogies})
    return Card(
        name=NAME,
        version=VERSION,
        title="VASR as published",
        summary="The paper's own gold items: which photograph is to B what A' is to A, as most people see it?",
        tracks=(Track(name=NAME, help="The mounted items.", settings=(SETTING,)),),
        settings=(Setting(name=SETTING, help="A, A', B and the candidates.", questions=(KIND,)),),
        parameters=(),
        metrics=(
            Accuracy(
                name="accuracy",
                help="The candidate that most people chose; by whether the mined label is the same.",
                where=_WHERE,
                by=("people",),
            ),
        ),
        headline=Headline(metric="accuracy", least_items=200),
        chance=tuple(
            ChanceLevel(
                where={**_WHERE, "candidates": (str(count),)},
                uniform=1 / count,
                stated=1 / count,
                source=f"{_PAPER}: one of the candidates",
            )
            for count in counts
        ),
        reference=tuple(
            ReferenceRow(name=name, kind=kind, metric="accuracy", value=value, items=None, source=f"{_PAPER}, table 3",
                         pictures=_PICTURES, prompt=_ANNOTATORS if kind == "human" else _NO_PROMPT, where=_WHERE)
            for name, kind, value in _TABLE_3
        ),
        credit=Credit(
            title="VASR: Visual Analogies of Situation Recognition",
            authors="Yonatan Bitton, Ron Yosef, Eliyahu Strugo, Dafna Shahaf, Roy Schwartz, Gabriel Stanovsky",
            venue="AAAI 2023",
            url="https://arxiv.org/abs/2212.04542",
            licence="MIT by the paper's appendix (SWiG's photographs); mounted by the operator",
        ),
        largest_draw=len(analogies),
        corpus=notice_of(corpus, labels_public=True),
    )  # fmt: skip
