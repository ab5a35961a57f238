"""A mounted corpus is held to what holds of every benchmark, but for what it exempts by name."""

from pathlib import Path

import pytest

from generator_service.corpora.corpus import EXEMPT
from generator_service.corpora.layouts import LAYOUTS
from generator_service.corpora.mounting import mount_corpora
from generator_service.corpora.store import CorpusStore
from generator_service.proving.conformance import OF_BENCHMARKS, OF_SAMPLES, faults


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_property_that_a_corpus_is_not_exempt_from_holds(
    name: str, tmp_path: Path, kiva_folder: Path, marvel_folder: Path
) -> None:
    CorpusStore(tmp_path, LAYOUTS).add(LAYOUTS[name], {"kiva": kiva_folder, "marvel": marvel_folder}[name])
    [mounted] = mount_corpora(tmp_path)
    assert mounted.benchmark.exempt == EXEMPT
    assert {*OF_BENCHMARKS, *OF_SAMPLES} - set(EXEMPT) >= {"labels", "judging", "options", "opening", "reproducible"}
    assert not [str(fault) for fault in faults(mounted)]
