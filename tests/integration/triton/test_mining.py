"""Step 3 of mining against the gateway, with the two towers of a real Triton: random weights, of CLIP's signature."""

from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from generator_service.mining.catalogue import jobs
from generator_service.mining.image_text import ImageText
from generator_service.mining.jobs import StageReport, mine
from generator_service.sources.store import Head, SourceError, SourceStore, of_folder
from tests.benchmarks.vasr.annotated import lexicon, write_annotated
from tests.integration.inference_gateway.conftest import Gateway
from tests.unit.generator_service.sources.pictures import add
from tetrad.solvers.embedded.asking import Embedder

Asking = Callable[[str], ImageText]


@pytest.fixture
def asking(gateway: Gateway) -> Iterator[Asking]:
    """Return image-text models of the gateway by their names."""
    client = gateway.client()
    with httpx.Client(timeout=60) as http:
        yield lambda model: ImageText(Embedder(str(client.base_url), model, key=client.api_key, http=http))


def mined(store: SourceStore, head: Head, model: ImageText | None) -> dict[str, StageReport]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("generator_service.mining.jobs.open_wordnet", lambda _store: lexicon())
        reports = mine(store, head, jobs()["situations"], lambda *_counts: None, model)
    return {one.stage: one for one in reports}


def test_pairs_are_scored_by_the_model_and_only_by_it(asking: Asking, tmp_path: Path) -> None:
    store = of_folder(tmp_path / "sources")
    head = add(store, "situations", write_annotated(tmp_path / "given"), "seen").head
    reports = mined(store, head, asking("towers"))
    before, counts = reports["salient"].counts, reports["described"].counts
    assert before is not None
    assert counts is not None
    assert counts.notes == ["scored by the image-text model towers"]
    assert {"agent", "item"} <= counts.dropped["the other object describes an image better"].keys()
    assert counts.total + sum(sum(by_role.values()) for by_role in counts.dropped.values()) == before.total
    assert not list(store.objects.names("mining")), "vectors are kept only while a stage is not done"
    again = mined(store, head, asking("towers"))["described"]
    assert again.done_before
    with pytest.raises(SourceError, match=r"was mined without other, .* add the source under another name"):
        mined(store, head, asking("other"))


def test_a_model_of_pictures_alone_is_refused_and_what_was_embedded_is_kept(asking: Asking, tmp_path: Path) -> None:
    store = of_folder(tmp_path / "sources")
    head = add(store, "situations", write_annotated(tmp_path / "given"), "seen").head
    with pytest.raises(SourceError, match="the image-text model gives no vectors of texts"):
        mined(store, head, asking("lite2"))
    assert [name for name in store.objects.names("mining") if "/pictures-" in name]
