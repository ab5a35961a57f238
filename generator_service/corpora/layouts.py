"""The layouts that corpora come in: one folder each."""

from collections.abc import Mapping

from generator_service.corpora.corpus import Layout
from generator_service.corpora.kiva import LAYOUT as KIVA
from generator_service.corpora.marvel import LAYOUT as MARVEL

LAYOUTS: Mapping[str, Layout] = {layout.name: layout for layout in (KIVA, MARVEL)}
