"""Entries of the registry that ask an embedding model of it: what does not fit is named with a remedy."""

import json
import re
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

from inference_gateway.app import offers
from inference_gateway.providers.triton import TritonServers
from inference_gateway.registry import LiveRegistry, Registry, RegistryError, load_registry
from inference_gateway.upstream_http import UpstreamHttp
from tetrad.solvers.embedded.puzzles import WAYS
from tetrad.solvers.embedded.told import WORD_WAYS
from tetrad.solvers.embedded.trained import Trained, load_trained

OTHERS = """
[chatty]
provider = "in-process"
kind = "chat"
title = "Chatty"
options = { solver = "constant" }

[pictures]
provider = "in-process"
kind = "embedding"
title = "Pictures alone"
modalities = ["image"]
options = { embedder = "pixel-statistics" }

[words]
provider = "openai"
kind = "embedding"
title = "Words alone"
address = "http://127.0.0.1:9/v1"
modalities = ["text"]

[clip]
provider = "openai"
kind = "embedding"
title = "Pictures and words, for money, by who knows whom"
address = "https://example.org/v1"
teams = ["lynx", "puma"]
price = { input = 2.0, source = "a page", date = "2026-11-01" }
"""


def entry(options: str, **fields: str) -> str:
    """Return the entry, which stands before those that it may ask. The options are on line 5."""
    given = {"provider": '"embeddings"', "kind": '"chat"', "title": '"T"', "options": options, **fields}
    return "[asking]\n" + "".join(f"{name} = {value}\n" for name, value in given.items()) + OTHERS


def loaded(folder: Path, text: str) -> Registry:
    path = folder / "models.toml"
    path.write_text(text)
    return load_registry(path, offers(TritonServers()))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shapes = {"mean": (8,), "scale": (8,), "first": (8, 2), "bias": (2,), "second": (2,)}
    trained = Trained("concat", "pictures", {name: np.zeros(shape, np.float32) for name, shape in shapes.items()})
    trained.save(tmp_path / "concat.npz")
    Trained("concat", "elsewhere", trained.weights).save(tmp_path / "other.npz")
    (tmp_path / "words.json").write_text(json.dumps({"verb": ["hitting"], "agent": ["cat", "dog"]}))
    (tmp_path / "wordless.json").write_text('{"verb": []}')
    return tmp_path


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (entry("{ way = 'arithmetic' }"), r"line 5: \[asking\] options: .*required field `model`.* are model, way"),
        (
            entry("{ model = 'clap', way = 'arithmetic' }"),
            r"line 5: \[asking\] options.model: 'clap' is not an embedding .* choose one of pictures, words, clip",
        ),
        (entry("{ model = 'chatty', way = 'arithmetic' }"), "options.model: 'chatty' is not an embedding model"),
        (entry("{ model = 'asking', way = 'arithmetic' }"), "options.model: 'asking' is not an embedding model"),
        (entry("{ model = 'words', way = 'arithmetic' }"), "options.model: words embeds no pictures; choose"),
        (
            entry("{ model = 'pictures', way = 'image-to-text', words = 'words.json' }"),
            "options.model: pictures embeds no texts, and image-to-text needs them",
        ),
        (
            entry("{ model = 'pictures', way = 'magic' }"),
            "options.way: 'magic' is unknown; choose one of arithmetic, .*predicted-situations",
        ),
        (entry("{ model = 'pictures' }"), "options.way: give a way or a trained file, one of the two"),
        (
            entry("{ model = 'pictures', way = 'arithmetic', trained = 'concat.npz' }"),
            "options.trained: give a way or a trained file, one of the two",
        ),
        (
            entry("{ model = 'pictures', trained = 'absent.npz' }"),
            "options.trained: .*absent.npz holds no trained baseline .*write one with tetrad baseline train",
        ),
        (entry("{ model = 'pictures', trained = 'words.json' }"), "options.trained: .*holds no trained baseline"),
        (
            entry("{ model = 'pictures', trained = 'other.npz' }"),
            "options.trained: .* trained on embeddings of elsewhere, not of pictures; train one .* --model pictures",
        ),
        (
            entry("{ model = 'clip', way = 'image-to-text' }", teams='["lynx"]'),
            "options.words: is missing, and image-to-text needs it; tetrad baseline words writes one",
        ),
        (
            entry("{ model = 'clip', way = 'image-to-text', words = 'absent.json' }", teams='["lynx"]'),
            "options.words: .*absent.json holds no words by role .*write them with tetrad baseline words",
        ),
        (
            entry("{ model = 'clip', way = 'image-to-text', words = 'wordless.json' }", teams='["lynx"]'),
            "options.words: .*wordless.json holds no words by role",
        ),
        (
            entry("{ model = 'pictures', way = 'arithmetic', words = 'words.json' }"),
            "options.words: has no effect but with image-to-text or predicted-situations; leave it out",
        ),
        (
            entry("{ model = 'clip', way = 'arithmetic' }"),
            r"line 1: \[asking\] teams: clip, which is asked, is for lynx, puma alone; give these teams or some of",
        ),
        (
            entry("{ model = 'clip', way = 'arithmetic' }", teams='["lynx", "vole"]'),
            r"line 6: \[asking\] teams: clip, which is asked",
        ),
        (
            entry("{ model = 'pictures', way = 'arithmetic' }", kind='"embedding"'),
            'line 3: .* kind: "embedding" is not what embeddings offers',
        ),
        (
            entry(
                "{ model = 'pictures', way = 'arithmetic' }",
                price='{ input = 1.0, source = "s", date = "2026-11-01" }',
            ),
            "price: has no effect with embeddings; give it to the entry of the model that is asked",
        ),
        (entry("{ model = 'pictures', way = 'arithmetic' }", training='"never"'), "training: has no effect"),
        (entry("{ model = 'pictures', way = 'arithmetic' }", allow_sealed="true"), "allow_sealed: has no effect"),
        (entry("{ model = 'pictures', way = 'arithmetic' }", fallback='["chatty"]'), "fallback: has no effect"),
        (entry("{ model = 'pictures', way = 'arithmetic' }", secret="{ file = '/k' }"), "secret: has no effect"),
        (entry("{ model = 'pictures', way = 'arithmetic' }", address="'http://127.0.0.1'"), "address: has no effect"),
    ],
)
def test_what_does_not_fit_is_named_with_a_remedy(folder: Path, text: str, problem: str) -> None:
    with pytest.raises(RegistryError, match=problem):
        loaded(folder, text)


def test_an_option_in_a_table_of_its_own_is_told_by_its_line(folder: Path) -> None:
    table = "[asking]\nprovider = 'embeddings'\nkind = 'chat'\ntitle = 'T'\n[asking.options]\nmodel = 'pictures'\n"
    with pytest.raises(RegistryError, match=r"line 7: \[asking\] options.way: 'magic' is unknown"):
        loaded(folder, f"{table}way = 'magic'\n{OTHERS}")


@pytest.mark.parametrize("way", WAYS)
def test_every_way_is_opened_wherever_the_asked_model_stands_in_the_file(folder: Path, way: str) -> None:
    registry = loaded(folder, entry(f"{{ model = 'pictures', way = '{way}' }}"))
    assert [one.id for one in registry.all()] == ["asking", "chatty", "pictures", "words", "clip"]
    asking = registry.opened["asking"]
    assert asking.asked is registry.opened["pictures"]
    assert asking.purposes == ("practice", "sealed", "judge")
    assert (asking.listing().training, asking.listing().price) == ("never", None)


@pytest.mark.parametrize("way", WORD_WAYS)
def test_what_a_call_costs_and_who_may_train_on_it_is_said_of_the_model_that_is_asked(folder: Path, way: str) -> None:
    text = entry(f"{{ model = 'clip', way = '{way}', words = 'words.json' }}", teams='["puma"]')
    asking = loaded(folder, text).opened["asking"]
    assert asking.purposes == ("practice",), "sealed pictures would go to a provider that may train on them"
    listed = asking.listing()
    assert listed.training == "unknown"
    assert listed.price is not None
    assert (listed.price.input, listed.price.source) == (2.0, "a page")
    assert asking.price is None, "it is booked once, by the call of the model that is asked"


def test_a_classifier_that_is_trained_again_is_read_again_and_is_another_registry(folder: Path) -> None:
    path = folder / "models.toml"
    path.write_text(entry("{ model = 'pictures', trained = 'concat.npz' }"))
    live = LiveRegistry(path, offers(TritonServers()), UpstreamHttp(), MappingProxyType({}))
    first = live.now
    assert not live.reload()
    body = (folder / "concat.npz").read_bytes()
    (folder / "concat.npz").write_bytes(b"half a file")
    assert not live.reload()
    assert "concat.npz holds no trained baseline" in live.fault
    assert live.now is first, "the last valid one stays"
    (folder / "concat.npz").write_bytes(body)
    assert live.reload()
    assert live.now.digest == first.digest, "it holds the same again"
    shapes = {"mean": (4,), "scale": (4,), "first": (4, 2), "bias": (2,), "second": (2,)}
    again = Trained("arithmetic", "pictures", {name: np.zeros(shape, np.float32) for name, shape in shapes.items()})
    again.save(folder / "concat.npz")
    assert live.reload()
    assert live.now.digest != first.digest, "kept replies of the old one must not be given"


def test_a_registry_that_names_other_files_is_read_once(folder: Path) -> None:
    path = folder / "models.toml"
    path.write_text(OTHERS)
    live = LiveRegistry(path, offers(TritonServers()), UpstreamHttp(), MappingProxyType({}))
    path.write_text(entry("{ model = 'pictures', trained = 'concat.npz' }"))
    assert live.reload()
    assert not live.reload()
    path.write_text(OTHERS)
    assert live.reload()
    assert not live.reload()


def test_the_entries_of_the_documentation_can_be_opened_beside_those_that_they_ask(folder: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "models.md").read_text()
    sections = [
        page.partition(f"## {title}\n")[2].partition("\n## ")[0] for title in ("Triton", "Baselines on embeddings")
    ]
    trained = load_trained(folder / "concat.npz")
    Trained("concat", "lite2", trained.weights).save(folder / "concat.npz")
    registry = loaded(folder, "\n".join(re.findall(r"```toml\n(.*?)```", "\n".join(sections), re.DOTALL)))
    asking = {one.id: one.asked.id for one in registry.all() if one.asked is not None}
    assert asking == {"lite2-arithmetic": "lite2", "lite2-concat": "lite2", "clip-predicted-situations": "clip"}
    ways = re.findall(r"`([a-z-]+)`(?=[^|\n]*\|)", sections[1])
    assert set(ways) - {"way"} == {*WAYS, *WORD_WAYS}
