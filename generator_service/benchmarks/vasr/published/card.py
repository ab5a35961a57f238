"""The card of VASR's published set."""

from collections.abc import Iterator

from msgspec.structs import replace

from generator_service.benchmarks.vasr.published.spec import NAME, PARTS, SETTING, SHOWN, VERSION, Analogy
from generator_service.benchmarks.vasr.reference import REFERENCE
from generator_service.benchmarks.vasr.spec import DIFFICULT, FULL, GUESSED, WHICH
from generator_service.sources.published import Corpus
from generator_service.sources.published_cards import notice_of
from tetrad.contracts.benchmarks import Card, ChanceLevel, Credit, Headline, ReferenceRow, Setting, Track
from tetrad.contracts.metrics import Accuracy

_PICTURES = "the paper's test set, of which some is mounted here"
_PAPER = "Bitton et al. 2023 (VASR)"
_WHERE: dict[str, tuple[str, ...]] = {"stage": (WHICH, GUESSED)}
_SETTINGS = (
    Setting(name=SETTING, help="A, A', B and the candidates.", questions=(WHICH,)),
    *(Setting(name=name, help=f"Only {' and '.join(SHOWN[name])} and the candidates.", questions=(GUESSED,))
      for name in PARTS),
)  # fmt: skip


def _reference() -> Iterator[ReferenceRow]:
    """Yield the paper's figures of difficult distractors: of the whole, by role, of partial inputs, of eight."""
    for row in REFERENCE:
        if row.parameters["distractors"] == DIFFICULT:
            (setting,) = row.where["setting"]
            where = {**row.where, "setting": (SETTING if setting == FULL else setting,)}
            if row.parameters["candidates"] != "4":
                where["candidates"] = (str(row.parameters["candidates"]),)
            yield replace(row, pictures=_PICTURES, where=where, parameters={})


def card_of(corpus: Corpus) -> Card:
    """Return the card of a mounted set, whole or in part."""
    analogies: tuple[Analogy, ...] = corpus.items
    counts = sorted({len(analogy.candidates) for analogy in analogies})
    return Card(
        name=NAME,
        version=VERSION,
        title="VASR as published",
        summary="The paper's own gold items: which photograph is to B what A' is to A, as most people see it?",
        tracks=(Track(name=NAME, help="The mounted items.", settings=tuple(setting.name for setting in _SETTINGS)),),
        settings=_SETTINGS,
        parameters=(),
        metrics=(
            Accuracy(
                name="accuracy",
                help="The candidate that most people chose; by whether the mined label is the same, and by the role "
                "that changes, where the CSV names it.",
                where=_WHERE,
                by=("people", "role") if all(analogy.role for analogy in analogies) else ("people",),
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
        reference=tuple(_reference()),
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
