"""Parts that the cards of all corpora share."""

from generator_service.sources.published import Corpus
from tetrad.contracts.benchmarks import CorpusNotice, Parameter
from tetrad.extraction import EXTRACTORS

_NOTICE = (
    "The original items of the paper, mounted by this instance's operator. They can't be redrawn, so a model may have "
    "seen them: unranked, for approved teams, a capped number of submissions each, aggregates only."
)
_PUBLIC = " Their answers are published with them: a score here shows nothing that could not have been looked up."

READER = Parameter(
    name="reader",
    help="statement: the reader of all other benchmarks; first-mention: the published scorer's rule, to compare with "
    "published numbers",
    default="statement",
    values=tuple(EXTRACTORS),
)


LEAST_DRAW = 50
"""Aggregates of fewer items would reveal single items."""


def notice_of(corpus: Corpus, *, labels_public: bool) -> CorpusNotice:
    items = len(corpus.items)
    return CorpusNotice(
        notice=_NOTICE + _PUBLIC * labels_public,
        items=items,
        least_draw=min(items, LEAST_DRAW),
        labels_public=labels_public,
    )
