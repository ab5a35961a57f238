"""The layouts that corpora come in: one folder each."""

from collections.abc import Mapping

from generator_service.benchmarks.kiva.published import LAYOUT as KIVA
from generator_service.benchmarks.marvel.published import LAYOUT as MARVEL
from generator_service.corpora.corpus import Layout

LAYOUTS: Mapping[str, Layout] = {layout.name: layout for layout in (KIVA, MARVEL)}
