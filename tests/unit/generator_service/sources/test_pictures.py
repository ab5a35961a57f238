"""Pictures of a corpus: what is shown of them, and which can't be."""

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from generator_service.benchmark import Streams
from generator_service.benchmarks.kiva.published import LAYOUT as KIVA
from generator_service.drawing.canvas import GAP, INK, side_by_side
from generator_service.sources.decoding import UnreadablePictureError, decode_picture
from generator_service.sources.published import Corpus, layouts
from generator_service.sources.store import SourceStore
from tests.published import thing
from tests.unit.generator_service.sources.pictures import add_corpus
from tetrad.streams import StreamFamily


def encoded(mode: str, size: tuple[int, int], *more: Image.Image, kind: str = "PNG") -> bytes:
    buffer = BytesIO()
    frames = {"save_all": True, "append_images": list(more)} if more else {}
    Image.new(mode, size, 1).save(buffer, kind, **frames)
    return buffer.getvalue()


@pytest.mark.parametrize("mode", ["RGBA", "RGB", "L", "1", "P", "I;16"])
def test_every_kind_of_png_is_shown_as_rgba(mode: str) -> None:
    assert decode_picture(encoded(mode, (20, 30))).shape == (30, 20, 4)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (encoded("L", (7, 20)), "is 7 x 20 pixels"),
        (encoded("1", (4097, 20)), "is 4097 x 20 pixels"),
        (encoded("L", (20, 20), Image.new("L", (20, 20), 9)), "is a moving picture"),
        (encoded("L", (20, 20), kind="GIF"), "is not a readable PNG"),
        (encoded("RGBA", (64, 64))[:100], "is not a readable PNG"),
        (b"", "is not a readable PNG"),
    ],
    ids=["small", "large", "moving", "gif", "cut-off", "empty"],
)
def test_what_can_t_be_shown_is_refused(body: bytes, problem: str) -> None:
    with pytest.raises(UnreadablePictureError, match=problem):
        decode_picture(body)


def test_a_picture_of_bytes_that_lie_about_their_size_is_no_readable_one() -> None:
    body = bytearray(encoded("L", (20, 20)))
    body[16:20] = (4000).to_bytes(4, "big")
    with pytest.raises(UnreadablePictureError, match="is not a readable PNG"):
        decode_picture(bytes(body))


def test_a_pair_shows_both_pictures_and_a_line_between() -> None:
    before, after = thing(1), thing(2)
    pair = side_by_side(before, after)
    assert pair.shape == (64, 2 * 64 + GAP, 4)
    assert np.array_equal(pair[:, :64], before)
    assert np.array_equal(pair[:, 64 + GAP :], after)
    assert (pair[:, 67:69] == INK).all()
    assert not pair[:, 64:67].any()
    with pytest.raises(ValueError, match="must be of one size"):
        side_by_side(before, after[:32])


@pytest.fixture(params=list(layouts()))
def corpus(request: pytest.FixtureRequest, store: SourceStore, released: dict[str, Path]) -> Corpus:
    return add_corpus(store, layouts()[request.param], released[request.param])


def test_a_scene_is_described_and_has_no_other_picture_than_its_questions_show(corpus: Corpus) -> None:
    benchmark = layouts()[corpus.layout].benchmark(corpus)
    streams = Streams(StreamFamily("tests").narrow(0))
    parameters = {parameter.name: parameter.default for parameter in benchmark.card.parameters}
    setting = benchmark.card.tracks[0].settings[0]
    scene = benchmark.sample(corpus, corpus.name, setting, parameters, {"place": "3"}, streams)
    sentence, plain = benchmark.describe(scene)
    assert sentence.startswith("Published")
    assert len(plain) == 1
    with pytest.raises(KeyError):
        benchmark.render(corpus, scene, "9")
    names = {picture.name for keyed in benchmark.questions(scene) for picture in keyed.question.pictures}
    assert all(benchmark.render(corpus, scene, name).shape[2] == 4 for name in names)


def test_extrapolation_alone_asks_one_question(store: SourceStore, kiva_folder: Path) -> None:
    corpus = add_corpus(store, KIVA, kiva_folder)
    benchmark = KIVA.benchmark(corpus)
    streams = Streams(StreamFamily("tests").narrow(0))
    parameters = {parameter.name: parameter.default for parameter in benchmark.card.parameters}
    scene = benchmark.sample(corpus, corpus.name, "extrapolation-only", parameters, {"place": "0"}, streams)
    assert [keyed.question.id for keyed in benchmark.questions(scene)] == ["which"]
    assert benchmark.next_questions(scene, {}) == ("which",)
