"""A mounted corpus over HTTP: asked whole, in an order of the seed's, keyed for scoring and for nobody else."""

import shutil
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from litestar import Litestar
from litestar.testing import TestClient
from msgspec.structs import replace
from PIL import Image

from generator_service.app import create_app
from generator_service.benchmarks.kiva.published import LAYOUT as KIVA
from generator_service.benchmarks.marvel.published import LAYOUT as MARVEL
from generator_service.sealing.sealed_draws import UnloadableVersionError
from generator_service.settings import GeneratorSettings
from generator_service.sources.store import SourceDamagedError, of_folder
from tests.unit.generator_service.sources.pictures import add_corpus
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.benchmarks import BenchmarkInfo, BenchmarkList
from tetrad.contracts.items import KeyedQuestion, Question
from tetrad.internal.draws import AskedItems, DrawKeys, SealedDraw

Client = TestClient[Litestar]
ITEMS = {"kiva-published": 14, "marvel-published": 12}


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory, kiva_folder: Path, marvel_folder: Path) -> Path:
    """The folder of a store with both corpora, to be copied."""
    folder = tmp_path_factory.mktemp("both")
    store = of_folder(folder)
    add_corpus(store, KIVA, kiva_folder)
    add_corpus(store, MARVEL, marvel_folder)
    return folder


@pytest.fixture
def corpora(settings: GeneratorSettings, tmp_path: Path, both: Path) -> GeneratorSettings:
    """The settings of a generator with both corpora mounted."""
    store = shutil.copytree(both, tmp_path / "sources")
    return replace(settings, sources_url=f"file://{store},{settings.sources_url}")


@pytest.fixture
def served(corpora: GeneratorSettings) -> Iterator[Client]:
    with TestClient(create_app(corpora)) as client:
        yield client


@pytest.fixture
def doors(corpora: GeneratorSettings) -> dict[str, dict[str, str]]:
    tokens = {"practice": corpora.practice_token, "sealed": corpora.sealed_token, "keys": corpora.keys_token}
    return {name: {"Authorization": f"Bearer {token}"} for name, token in tokens.items()}


@pytest.fixture(params=ITEMS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


class Asker:
    """One submission on a corpus."""

    def __init__(self, client: Client, doors: dict[str, dict[str, str]], name: str, **change: Any) -> None:
        self.client, self.doors, self.id = client, doors, f"sub_{name}_{len(change)}"
        body = {
            "submission": self.id,
            "nonce": "n",
            "benchmark": name,
            "track": name,
            "setting": "full",
            "parameters": {},
            "size": ITEMS[name],
            **change,
        }
        reply = client.post("/internal/sealed/draws", json=body, headers=doors["sealed"])
        assert reply.status_code == 201, reply.text
        self.sealed = msgspec.json.decode(reply.content, type=SealedDraw)

    def open(self, given: list[SealedAnswer]) -> dict[int, list[Question]]:
        items = [
            {"item": item, "answers": [msgspec.to_builtins(answer) for answer in given if answer.item == item]}
            for item in range(self.sealed.size)
        ]
        path = f"/internal/sealed/draws/{self.id}/questions"
        reply = self.client.post(path, json={"items": items}, headers=self.doors["sealed"])
        assert reply.status_code == 200, reply.text
        return {item.item: item.questions for item in msgspec.json.decode(reply.content, type=AskedItems).items}

    def answer_all(self, label: str) -> list[SealedAnswer]:
        """Answer the same to everything until nothing new opens."""
        given: list[SealedAnswer] = []
        while True:
            opened = [(item, question) for item, asked in self.open(given).items() for question in asked]
            if len(opened) == len(given):
                return given
            given = [SealedAnswer(item=item, question=question.id, response=label) for item, question in opened]

    def picture(self, item: int, picture: str) -> np.ndarray[Any, Any]:
        path = f"/internal/sealed/draws/{self.id}/items/{item}/pictures/{picture}"
        reply = self.client.get(path, headers=self.doors["sealed"])
        assert reply.status_code == 200, reply.text
        return np.asarray(Image.open(BytesIO(reply.content)).convert("RGBA"))

    def reveal(self, answers: list[SealedAnswer]) -> DrawKeys:
        body = {"answers": msgspec.to_builtins(answers)}
        reply = self.client.post(f"/internal/keys/draws/{self.id}", json=body, headers=self.doors["keys"])
        assert reply.status_code == 200, reply.text
        return msgspec.json.decode(reply.content, type=DrawKeys)


def cards(client: Client, doors: dict[str, dict[str, str]]) -> dict[str, BenchmarkInfo]:
    reply = client.get("/internal/benchmarks", headers=doors["practice"])
    return {
        benchmark.card.name: benchmark
        for benchmark in msgspec.json.decode(reply.content, type=BenchmarkList).benchmarks
    }


def keyed(keys: DrawKeys) -> list[tuple[int, KeyedQuestion]]:
    return [(item.item, question) for item in keys.items for question in item.questions]


def test_each_corpus_has_a_card_that_says_what_it_is(
    served: Client, doors: dict[str, dict[str, str]], name: str
) -> None:
    info = cards(served, doors)[name]
    notice = info.card.corpus
    assert notice is not None
    assert (notice.items, notice.least_draw, notice.labels_public) == (ITEMS[name], ITEMS[name], True)
    assert "unranked" in notice.notice
    assert info.card.largest_draw == ITEMS[name]
    assert len(info.bank) == 64
    assert cards(served, doors)["toy"].card.corpus is None


def test_a_draw_asks_every_item_once_in_an_order_of_its_own(
    served: Client, doors: dict[str, dict[str, str]], name: str
) -> None:
    orders = []
    for nonce in "ab":
        asker = Asker(served, doors, name, nonce=nonce, submission=f"sub_{name}{nonce}")
        asker.id = f"sub_{name}{nonce}"
        clusters = [item.questions[0].cluster for item in asker.reveal([]).items]
        assert len(set(clusters)) == ITEMS[name]
        orders.append(clusters)
    assert sorted(orders[0]) == sorted(orders[1])
    assert orders[0] != orders[1]


def test_more_items_than_there_are_can_t_be_drawn(served: Client, doors: dict[str, dict[str, str]]) -> None:
    body = {
        "submission": "sub_1",
        "nonce": "n",
        "benchmark": "kiva-published",
        "track": "kiva-published",
        "setting": "full",
        "parameters": {},
        "size": 15,
    }
    reply = served.post("/internal/sealed/draws", json=body, headers=doors["sealed"])
    assert (reply.status_code, reply.json()["faults"][0]["remedy"]) == (422, "use 1 to 14")


def test_every_stage_is_asked_whatever_was_right(served: Client, doors: dict[str, dict[str, str]], name: str) -> None:
    asker = Asker(served, doors, name)
    card = cards(served, doors)[name].card
    given = asker.answer_all("(1)")
    assert len(given) == ITEMS[name] * len(card.settings[0].questions)
    keys = keyed(asker.reveal(given))
    assert {keyed.question.kind for _, keyed in keys} == set(card.settings[0].questions)
    assert len(keys) == len(given)


def test_kiva_s_stages_open_one_after_the_other(served: Client, doors: dict[str, dict[str, str]]) -> None:
    asker = Asker(served, doors, "kiva-published", parameters={"repeats": 2})
    first = asker.open([])[0]
    assert [question.id for question in first] == ["what", "what-2"]
    what = [SealedAnswer(item=0, question=question.id, answer="5") for question in first]
    assert [question.id for question in asker.open(what)[0]] == ["what", "what-2", "how", "how-2"]
    how = [SealedAnswer(item=0, question=name, answer="1") for name in ("how", "how-2")]
    assert [question.id for question in asker.open([*what, *how])[0]][4:] == ["which", "which-2"]


def test_kiva_s_options_follow_the_published_rule(served: Client, doors: dict[str, dict[str, str]]) -> None:
    asker = Asker(served, doors, "kiva-published", parameters={"repeats": 3})
    orders = set()
    for _, question in keyed(asker.reveal(asker.answer_all("(2)"))):
        option_values, right = question.option_values, question.option_values[question.key.label]
        facets = question.facets
        if facets["stage"] == "classification":
            assert right == {"rotation": "orientation", "reflection": "orientation"}.get(
                facets["domain"], facets["domain"]
            )
            assert list(option_values)[-2:] == ["4", "5"]
            assert (option_values["4"], option_values["5"]) == ("no change", "doesn't apply")
        elif facets["stage"] == "specification":
            assert right == facets["value"]
            assert len(set(option_values.values())) == 4
        else:
            assert (right, option_values["D"]) == ("right", "none of them")
            assert {option_values[label] for label in "ABC"} == {"right", "wrong", "same"}
            orders.add(tuple(option_values[label] for label in "ABC"))
    assert len(orders) == 6, "42 shuffles show every order"


def test_kiva_s_option_pictures_are_the_published_ones_in_their_places(
    served: Client, doors: dict[str, dict[str, str]], kiva_folder: Path
) -> None:
    asker = Asker(served, doors, "kiva-published")
    given = asker.answer_all("(1)")
    shown = {item: asker.picture(item, "2")[:, :64] for item in range(3)}
    pictures = {(item, place): asker.picture(item, place) for item in range(3) for place in "1234"}
    for item, question in keyed(asker.reveal(given)):
        if item in shown and question.facets["stage"] == "extrapolation":
            stem = next(kiva_folder.rglob(f"{question.cluster}_train_0_input.png")).parent / question.cluster
            parts = {"right": "test_mc_0_input", "wrong": "test_mc_1_input", "same": "test_0_input"}
            for place, label in zip("234", "ABC", strict=True):
                published = np.asarray(Image.open(f"{stem}_{parts[question.option_values[label]]}.png"))
                assert np.array_equal(pictures[item, place][:, 72:], published)
            given_pair = np.asarray(Image.open(f"{stem}_train_0_output.png"))
            assert np.array_equal(pictures[item, "1"][:, 72:], given_pair)


def test_marvel_asks_counts_a_detail_and_the_puzzle_at_once(
    served: Client, doors: dict[str, dict[str, str]], marvel_folder: Path
) -> None:
    asker = Asker(served, doors, "marvel-published")
    questions = asker.open([])[0]
    assert [question.id for question in questions] == [
        "context-panels",
        "choice-panels",
        "all-panels",
        "detail",
        "puzzle",
    ]
    assert all(question.final for question in questions)
    picture = asker.picture(0, "1")
    labels = {question.question.id: question for item, question in keyed(asker.reveal([])) if item == 0}
    published = np.asarray(Image.open(marvel_folder / "Marvel" / f"{labels['puzzle'].cluster}.png").convert("RGBA"))
    assert np.array_equal(picture, published)
    counts = [int(labels[name].key.label) for name in ("context-panels", "choice-panels", "all-panels")]
    assert counts[0] + counts[1] == counts[2]
    detail = labels["detail"]
    texts = {
        option.label: option.text
        for option in next(question for question in questions if question.id == "detail").options
    }
    assert texts[detail.key.label] == "two"
    alone = Asker(served, doors, "marvel-published", setting="avr-only", nonce="x")
    assert [question.id for question in alone.open([])[0]] == ["puzzle"]


def test_no_question_tells_more_than_its_words(served: Client, doors: dict[str, dict[str, str]], name: str) -> None:
    """Neither ids nor names of published files, nor digests of pictures, nor facets go out with a question."""
    asker = Asker(served, doors, name)
    path = f"/internal/sealed/draws/{asker.id}/questions"
    reply = served.post(path, json={"items": [{"item": 0, "answers": []}]}, headers=doors["sealed"])
    cluster = asker.reveal([]).items[0].questions[0].cluster
    named = cluster if name == "kiva-published" else f"{cluster}.png"
    for hidden in (named, '"facets"', '"key"', '"meanings"', '"cluster"', "mc_", "train_"):
        assert hidden not in reply.text
    assert {picture["name"] for asked in reply.json()["items"][0]["questions"] for picture in asked["pictures"]} == {
        "1"
    }


def test_outside_of_a_submission_nothing_of_a_corpus_is_given_out(
    served: Client, doors: dict[str, dict[str, str]], name: str
) -> None:
    identity = msgspec.to_builtins(Asker(served, doors, name).sealed.identity)
    item = {"identity": identity, "seed": "1", "index": 0}
    for door, path, body in (
        ("practice", "practice/items", {"benchmark": name, "track": name, "setting": "full", "seed": "1"}),
        *(("practice", f"practice/{part}", item) for part in ("solution", "feedback", "pictures/1")),
        ("keys", "keys/regenerate", {"identity": identity, "seed": "0" * 64, "size": 1, "answers": []}),
    ):
        reply = served.post(f"/internal/{path}", json=body, headers=doors[door])
        assert reply.status_code == 422, path
        assert f"{name} is a fixed corpus" in reply.json()["detail"], path
        assert not reply.json().get("faults"), path


def test_the_generator_does_not_start_while_a_removed_corpus_has_open_draws(
    served: Client, doors: dict[str, dict[str, str]], corpora: GeneratorSettings, tmp_path: Path
) -> None:
    Asker(served, doors, "kiva-published")
    store = of_folder(tmp_path / "sources")
    store.remove([store.head("published", "kiva-published")])
    with pytest.raises(UnloadableVersionError, match=r"1 open of kiva-published version 1 .* that source in the store"):
        create_app(corpora)


def test_the_generator_does_not_start_with_changed_labels(corpora: GeneratorSettings, tmp_path: Path) -> None:
    for pack in (tmp_path / "sources" / "packs").rglob("*"):
        if pack.is_file():
            pack.write_bytes(pack.read_bytes().replace(b'"answer":1', b'"answer":2', 1))
    with pytest.raises(SourceDamagedError, match=r"corpus\.json"):
        create_app(corpora)


def test_a_changed_picture_is_503_by_name_and_others_are_shown(
    corpora: GeneratorSettings,
    doors: dict[str, dict[str, str]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    store = of_folder(tmp_path / "sources")
    head = store.head("published", "marvel-published")
    source = store.open(head)
    spoilt = [file for file in source.by_name.values() if file.name != "corpus.json"][3]
    pack = next((tmp_path / "sources" / "packs").rglob(source.packs[spoilt.pack].sha256))
    body = bytearray(pack.read_bytes())
    body[spoilt.offset + 40] ^= 1
    pack.write_bytes(body)
    with TestClient(create_app(corpora)) as client:
        asker = Asker(client, doors, "marvel-published")
        address = f"/internal/sealed/draws/{asker.id}/items"
        names = [f"{address}/{item}/pictures/1" for item in range(12)]
        replies = [client.get(name, headers=doors["sealed"]) for name in names]
    assert sorted(reply.status_code for reply in replies) == [200] * 11 + [503]
    (refused,) = (reply for reply in replies if reply.status_code == 503)
    assert spoilt.name in refused.json()["detail"]
    assert "is not what it was when it was added" in refused.json()["detail"]
    assert "source damaged" in "".join(capsys.readouterr()) + caplog.text
