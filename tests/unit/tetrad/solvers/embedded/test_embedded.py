"""Baselines on embeddings: arithmetic, elimination, and classifiers that learn what arithmetic can't see."""

import dataclasses
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import httpx
import numpy as np
import pytest

from generator_service.benchmarks.vasr.spec import PARTIAL
from tests.serving import answered_by
from tetrad.solvers.embedded.asking import Embedder, EmbeddingError, embedded_files
from tetrad.solvers.embedded.puzzles import (
    PARTS,
    WAYS,
    Puzzle,
    PuzzleError,
    Vector,
    arithmetic_of,
    choose_by_arithmetic,
    choose_by_elimination,
    find_puzzle,
    part_of,
)
from tetrad.solvers.embedded.told import Told, WordsError, load_words, told_by, values_of
from tetrad.solvers.embedded.trained import ARITHMETIC, CONCAT, FORMS, TrainingError, load_trained, train

WIDE = 24


def vectors(rng: np.random.Generator, *shape: int) -> Vector:
    return rng.standard_normal(shape).astype(np.float32)


def puzzle_of(rng: np.random.Generator, noise: float = 0.3) -> tuple[Puzzle, str]:
    """Return a puzzle of which B + A' - A is the answer: a situation and a value, added."""
    a, b, other = vectors(rng, 3, WIDE)
    old, new, third = vectors(rng, 3, WIDE)
    rows = np.stack([b + new, b + third, other + new, other + third]) + noise * vectors(rng, 4, WIDE)
    order = rng.permutation(4)
    labels = ("1", "2", "3", "4")
    given = {"A": a + old, "A'": a + new, "B": b + old}
    return Puzzle(given=given, labels=labels, options=rows[order]), labels[int(np.flatnonzero(order == 0)[0])]


def test_arithmetic_solves_what_is_additive_and_parts_solve_less() -> None:
    rng = np.random.default_rng(1)
    puzzles = [puzzle_of(rng) for _ in range(300)]

    def share(*names: str) -> float:
        chosen = [choose_by_arithmetic(part_of(one, *names)) == key for one, key in puzzles]
        return sum(chosen) / len(chosen)

    assert share("A", "A'", "B") > 0.9
    assert 0.3 < share("B") < 0.75
    assert 0.3 < share("A'") < 0.75
    assert share("A", "A'", "B") > share("A'", "B")


def test_arithmetic_leaves_out_what_is_not_given() -> None:
    rng = np.random.default_rng(2)
    puzzle, _ = puzzle_of(rng)
    unit = {name: one / np.linalg.norm(one) for name, one in puzzle.given.items()}
    assert np.allclose(arithmetic_of(puzzle), unit["B"] + unit["A'"] - unit["A"], atol=1e-5)
    assert np.allclose(arithmetic_of(part_of(puzzle, "B")), unit["B"], atol=1e-5)
    assert np.allclose(arithmetic_of(part_of(puzzle, "A")), unit["A"], atol=1e-5)


def test_partial_ways_are_named_as_vasr_s_settings_and_look_at_no_more_than_these_show() -> None:
    assert PARTS == PARTIAL
    rng = np.random.default_rng(11)
    puzzle, _ = puzzle_of(rng)
    for name, shown in PARTS.items():
        other = {which: vectors(rng, WIDE) for which in puzzle.given}
        changed = Puzzle(
            given=other | {which: puzzle.given[which] for which in shown}, labels=puzzle.labels, options=puzzle.options
        )
        assert WAYS[name].choose(changed) == WAYS[name].choose(puzzle) == choose_by_arithmetic(part_of(puzzle, *shown))
        lacking = Puzzle(given={}, labels=puzzle.labels, options=puzzle.options)
        with pytest.raises(PuzzleError, match=f"picture {shown[0]}.* is needed and not shown"):
            WAYS[name].choose(lacking)


def test_a_puzzle_is_found_by_captions_wherever_they_stand() -> None:
    captions = {"x": "Picture A'.", "y": "picture B", "z": "picture Bear", "w": "a picture of A"}
    found = find_puzzle(captions, {"1": "p", "2": "q"})
    assert (found.given, found.options) == ({"A'": "x", "B": "y"}, {"1": "p", "2": "q"})
    for given, options in (({}, {"1": "p"}), (captions, {"1": "p", "2": None}), (captions, {})):
        with pytest.raises(PuzzleError, match="options are pictures, beside at least one of A, A', B"):
            find_puzzle(given, options)


def test_elimination_keeps_what_resembles_nothing_that_is_shown() -> None:
    given = {
        "A": np.eye(4, dtype=np.float32)[0],
        "A'": np.eye(4, dtype=np.float32)[1],
        "B": np.eye(4, dtype=np.float32)[2],
    }
    puzzle = Puzzle(given=given, labels=("1", "2", "3", "4"), options=np.eye(4, dtype=np.float32))
    assert choose_by_elimination(puzzle) == "4"


def marked(rng: np.random.Generator) -> tuple[Puzzle, str]:
    """Return a puzzle whose right option has a mark that no cosine with the given pictures shows."""
    rows = vectors(rng, 4, WIDE)
    right = int(rng.integers(4))
    rows[:, 0] = -1.5
    rows[right, 0] = 1.5
    given = dict(zip(("A", "A'", "B"), vectors(rng, 3, WIDE), strict=True))
    return Puzzle(given=given, labels=("1", "2", "3", "4"), options=rows), "1234"[right]


@pytest.mark.parametrize("form", [CONCAT, ARITHMETIC])
def test_a_classifier_learns_is_the_same_for_a_seed_and_is_read_again(form: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    learned, held, fresh = ([marked(rng) for _ in range(count)] for count in (2000, 200, 300))
    told: list[float] = []
    trained = train(learned, held, form, "m", told=lambda _epoch, _loss, share: told.append(share))
    assert len(told) == 5
    right = sum(trained.choose(one) == key for one, key in fresh) / len(fresh)
    assert right > 0.9
    zero_shot = sum(choose_by_arithmetic(one) == key for one, key in fresh) / len(fresh)
    assert zero_shot < 0.4
    again = train(learned, held, form, "m")
    assert all(np.array_equal(again.weights[name], value) for name, value in trained.weights.items())
    trained.save(tmp_path / "kept.npz")
    kept = load_trained(tmp_path / "kept.npz")
    assert (kept.form, kept.model) == (form, "m")
    assert [kept.choose(one) for one, _ in fresh] == [trained.choose(one) for one, _ in fresh]


def test_a_classifier_learns_nothing_where_there_is_nothing_to_learn() -> None:
    rng = np.random.default_rng(4)

    def lucky() -> tuple[Puzzle, str]:
        puzzle, _ = marked(rng)
        return puzzle, "1234"[int(rng.integers(4))]

    trained = train([lucky() for _ in range(1000)], [lucky() for _ in range(200)], CONCAT, "m")
    fresh = [lucky() for _ in range(600)]
    assert abs(sum(trained.choose(one) == key for one, key in fresh) / 600 - 0.25) < 0.08


def test_items_that_can_t_be_learned_on_are_refused_with_the_remedy(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    puzzle, key = puzzle_of(rng)
    with pytest.raises(TrainingError, match="give more items"):
        train([(puzzle, key)], [], CONCAT, "m")
    with pytest.raises(TrainingError, match="the setting that shows all three"):
        train([(part_of(puzzle, "B"), key)], [(puzzle, key)], CONCAT, "m")
    with pytest.raises(PuzzleError, match="picture A and A' is needed"):
        train([marked(rng)] * 9, [marked(rng)], CONCAT, "m").choose(part_of(puzzle, "B"))


def test_a_file_that_holds_no_classifier_is_named_with_the_remedy(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    trained = train([marked(rng) for _ in range(9)], [marked(rng)], CONCAT, "m")
    trained.save(tmp_path / "whole")
    whole = (tmp_path / "whole").read_bytes()
    assert [one.name for one in tmp_path.iterdir()] == ["whole"], "the name as it was given"
    bodies = [b"", b"no archive", b"PK", whole[: len(whole) // 2], whole.replace(b"second.npy", b"unknown.np")]
    for body in bodies:
        (tmp_path / "odd.npz").write_bytes(body)
        with pytest.raises(TrainingError, match=r"odd\.npz holds no trained baseline .*tetrad baseline train"):
            load_trained(tmp_path / "odd.npz")
    dataclasses.replace(trained, form="cubist").save(tmp_path / "odd.npz")
    with pytest.raises(TrainingError, match="holds no trained baseline"):
        load_trained(tmp_path / "odd.npz")


@pytest.mark.parametrize("form", FORMS)
def test_a_classifier_knows_the_length_of_the_vectors_that_it_reads(form: str) -> None:
    rng = np.random.default_rng(7)
    assert train([marked(rng) for _ in range(9)], [marked(rng)], form, "m").dimension == WIDE


def test_words_are_read_as_they_were_written_and_a_file_without_is_named(tmp_path: Path) -> None:
    path = tmp_path / "words.json"
    path.write_text(json.dumps(values_of(STATES)))
    assert load_words(path) == values_of(STATES)
    for text in ("", "{}", '{"verb": []}', '{"verb": [""]}', '["hitting"]'):
        path.write_text(text)
        with pytest.raises(WordsError, match=r"words\.json holds no words by role .*tetrad baseline words"):
            load_words(path)


SPACE = ("man", "dog", "cat", "hitting", "riding", "street", "beach")
STATES = ("hitting, agent man, place street", "riding, agent dog, place beach", "hitting, agent cat, place beach")


def meant(*words: str) -> Vector:
    """Return the vector of what is shown or said: an axis for each word."""
    return np.array([float(word in words) for word in SPACE], np.float32)


def in_words() -> Told:
    return told_by(values_of(STATES), lambda texts: [meant(*text.split()) for text in texts])


def shown(rng: np.random.Generator) -> tuple[Puzzle, str]:
    """Return a puzzle about agents: in A a dog becomes a man, B is another situation with a dog."""
    given = {
        "A": meant("dog", "riding", "beach"),
        "A'": meant("man", "riding", "beach"),
        "B": meant("dog", "hitting", "street"),
    }
    options = [("man", "hitting"), ("cat", "hitting"), ("man", "riding"), ("cat", "riding")]
    rows = np.stack([meant(*one, "street") for one in options]) + 0.1 * vectors(rng, 4, len(SPACE))
    order = rng.permutation(4)
    return Puzzle(given=given, labels=("1", "2", "3", "4"), options=rows[order]), "1234"[int(np.argmin(order))]


def test_values_of_roles_are_read_from_states_in_words() -> None:
    assert values_of(STATES) == {
        "verb": ["hitting", "riding"],
        "agent": ["cat", "dog", "man"],
        "place": ["beach", "street"],
    }


def test_predicted_situations_find_the_change_and_captions_find_a_part_of_it() -> None:
    rng = np.random.default_rng(8)
    told, puzzles = in_words(), [shown(rng) for _ in range(200)]
    assert all(told.choose_by_situation(one) == key for one, key in puzzles)
    by_caption = sum(told.choose_by_caption(one) == key for one, key in puzzles) / len(puzzles)
    assert 0.3 < by_caption < 0.8, "one caption names one value"


def test_predicted_situations_of_a_model_that_sees_nothing_are_right_by_chance() -> None:
    rng = np.random.default_rng(9)
    blind = told_by(values_of(STATES), lambda texts: list(vectors(rng, len(texts), len(SPACE))))
    right = 0
    for _ in range(400):
        puzzle, key = shown(rng)
        noise = Puzzle(given=puzzle.given, labels=puzzle.labels, options=vectors(rng, 4, len(SPACE)))
        right += blind.choose_by_situation(noise) == key
    assert abs(right / 400 - 0.25) < 0.1


class _Server(BaseHTTPRequestHandler):
    asked: list[int]
    failing = False

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        type(self).asked.append(len(body["input"]))
        if type(self).failing:
            self.send_error(503, "no model")
            return
        data = [{"index": at, "embedding": [float(len(one)), 1.0]} for at, one in enumerate(body["input"])]
        sent = json.dumps({"data": data[::-1]}).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[type[_Server]]:
    class Own(_Server):
        asked: list[int] = []
        url = ""

    with answered_by(Own) as url:
        Own.url = f"{url}/v1"
        yield Own


def test_vectors_are_kept_and_an_interrupted_run_goes_on(server: type[_Server], tmp_path: Path) -> None:
    files = [f"{number}.png" for number in range(40)]
    for number, file in enumerate(files):
        (tmp_path / file).write_bytes(b"x" * (number + 1))
    embedder = Embedder(server.url, "m", key="")  # type: ignore[attr-defined]
    kept = tmp_path / "kept.jsonl"
    batches = embedded_files(embedder, tmp_path, files, kept)
    next(batches)
    next(batches)
    batches.close()  # type: ignore[attr-defined]
    with kept.open("ab") as lines:
        lines.write(b'{"file": "16.png", "vec')  # it was killed while it wrote
    found = {
        file: vector for batch in embedded_files(embedder, tmp_path, files, kept) for file, vector in batch.items()
    }
    assert list(found) == files
    assert server.asked == [16, 16, 8]
    assert [float(found[file][0]) for file in files] == sorted(float(found[file][0]) for file in files)
    again = {
        file: vector for batch in embedded_files(embedder, tmp_path, files, kept) for file, vector in batch.items()
    }
    assert server.asked == [16, 16, 8]
    assert all(np.array_equal(again[file], found[file]) for file in files)


def test_a_server_that_fails_is_named(server: type[_Server]) -> None:
    server.failing = True
    with pytest.raises(EmbeddingError, match=r"/v1/embeddings: 503"):
        Embedder(server.url, "m", key="").embed([b"x"])  # type: ignore[attr-defined]
    with pytest.raises(EmbeddingError, match="no reply"):
        Embedder("http://127.0.0.1:9/v1", "m", key="", http=httpx.Client(timeout=2)).embed([b"x"])
