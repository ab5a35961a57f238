"""Mounted corpora as benchmarks of their own, beside the generated ones."""

from collections.abc import Iterator
from pathlib import Path

from generator_service.corpora.layouts import LAYOUTS
from generator_service.corpora.store import CorpusStore
from generator_service.registry import Mounted


def mount_corpora(folder: Path) -> Iterator[Mounted]:
    """Yield every corpus of the folder with what serves it; its digest takes the object bank's place.

    Raises:
        CorpusDamagedError: one is not what it was when it was mounted.
    """
    store = CorpusStore(folder, LAYOUTS)
    for corpus in store.load_all():
        yield Mounted(store.layout_of(corpus).benchmark(corpus), corpus, corpus.digest)
