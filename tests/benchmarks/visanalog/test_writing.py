"""Questions that models write and check, through a real gateway with stand-ins, and what is refused of them."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import msgspec
import pytest
from litestar.testing import TestClient

from generator_service.benchmarks.visanalog.photographs.bank import PhotographBank
from generator_service.benchmarks.visanalog.writing.drafts import Draft, faults, read_draft, right_label
from generator_service.benchmarks.visanalog.writing.job import (
    DRAFTED,
    DRAFTS,
    KEPT,
    PICTURES,
    REFUSED,
    UNSOLVED,
    WRITTEN,
    Gateway,
    ModelUnavailableError,
    Written,
    draft_questions,
    read_verdicts,
    write_questions,
)
from generator_service.mounting import Mounted
from inference_gateway.app import create_app
from inference_gateway.settings import GatewaySettings
from tetrad.contracts.inference import Message

TOKEN = "gateway-token-of-tests"
MODELS = "".join(
    f'[{name}]\nprovider = "in-process"\nkind = "chat"\ntitle = "{name}"\noptions = {{ solver = "{name}" }}\n'
    for name in ("question-writer", "constant", "constant-2")
)
DRAFT = Draft(question="What lies on the left?", options=["a dog", "a cat", "a cup", "a car"], answer="(b)")


@pytest.fixture
def gateway(tmp_path: Path) -> Iterator[Gateway]:
    (tmp_path / "models.toml").write_text(MODELS)
    settings = GatewaySettings(tokens=TOKEN, models_file=str(tmp_path / "models.toml"))
    with TestClient(create_app(settings)) as http:
        yield Gateway("", TOKEN, http)


@pytest.fixture
def bank(of_photographs: Mounted) -> PhotographBank:
    found: PhotographBank = of_photographs.bank.photographs
    return found


def outcomes(folder: Path) -> list[Written]:
    return [msgspec.json.decode(line, type=Written) for line in (folder / WRITTEN).read_bytes().splitlines()]


def test_a_question_is_kept_if_a_checking_model_is_right_and_the_job_goes_on_where_it_was_cut_off(
    gateway: Gateway, bank: PhotographBank, tmp_path: Path
) -> None:
    """The checking models take the first and the second option that they are asked, whatever these say."""
    folder = tmp_path / "out"
    checkers = ["constant", "constant-2"]
    report = write_questions(bank, gateway, "question-writer", checkers, 12, "7", folder)
    found = outcomes(folder)
    assert len({tuple(one.order) for one in found}) > 6
    for one in found:
        assert one.draft is not None
        assert sorted(one.order) == [0, 1, 2, 3]
        assert one.answers == ["ABCD"[place] for place in one.order[:2]]
        assert one.outcome == (KEPT if right_label(one.draft) in one.answers else UNSOLVED)
    assert (report.items, report.kept, report.resumed) == (12, sum(one.outcome == KEPT for one in found), 0)
    assert 0 < report.kept < 12
    assert [len(one.program) for one in found] == [1, 2, 3, 4] * 3

    whole = (folder / WRITTEN).read_bytes()
    (folder / WRITTEN).write_bytes(b"".join(whole.splitlines(keepends=True)[:5]) + b'{"number": 5, "pho')
    again = write_questions(bank, gateway, "question-writer", checkers, 12, "7", folder)
    assert again.resumed == 5
    assert (folder / WRITTEN).read_bytes() == whole


def test_a_writer_that_writes_no_question_is_counted(gateway: Gateway, bank: PhotographBank, tmp_path: Path) -> None:
    report = write_questions(bank, gateway, "constant", ["constant", "constant-2"], 2, "7", tmp_path / "out")
    assert (report.kept, report.outcomes) == (0, {"no draft in the reply": 2})


def test_an_unknown_model_and_a_gateway_that_is_not_there_are_named(gateway: Gateway) -> None:
    with pytest.raises(ModelUnavailableError, match="404 for model 'nobody'"):
        gateway("nobody", [Message(role="user", content="?")])
    with pytest.raises(ModelUnavailableError, match="can't be reached"):
        Gateway("http://127.0.0.1:9", TOKEN, httpx.Client())("constant", [Message(role="user", content="?")])


def test_a_draft_is_found_among_other_words() -> None:
    reply = f"Here it is:\n```json\n{msgspec.json.encode(DRAFT).decode()}\n```"
    assert read_draft(reply) == DRAFT
    assert right_label(DRAFT) == "B"
    assert not list(faults(DRAFT))
    assert read_draft("I can't.") is None
    assert read_draft('{"question": "What?"}') is None


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"options": ["a dog", "a cat", "a cup"]}, "not four different options"),
        ({"options": ["a dog", "a cat", "a cup", "A dog "]}, "not four different options"),
        ({"answer": "E"}, "no letter as answer"),
        ({"options": ["A", "B.", "(c)", "D"]}, "repeats the request"),
        ({"options": ["a dog", "a cat", "a cup", "..."]}, "repeats the request"),
        ({"question": "Why one is right, and which mistake leads to each other one"}, "repeats the request"),
        ({"question": " "}, "too long, or empty"),
        ({"question": "What lies on the left after the flip?"}, "tells of the edit"),
        ({"question": "What lies on the left in image D?"}, "names a picture"),
        ({"options": ["a dog", "a cat", "a cup", "it became red"]}, "tells of the edit"),
        ({"options": ["a dog", "a cat", "a cup", "a rotated car"]}, "tells of the edit"),
        (
            {"options": ["a dog", "a cat", "a cup", "a car with four doors, red"]},
            "options of different lengths",
        ),
    ],
    ids=str,
)
def test_what_the_paper_s_rules_forbid_is_refused(changed: dict[str, object], fault: str) -> None:
    assert fault in list(faults(msgspec.structs.replace(DRAFT, **changed)))


@pytest.mark.parametrize(
    "words",
    [
        "a shifted car",
        "a car that is turned around",
        "a car turned on its side",
        "a car, moved left",
        "a relocated car",
        "an inverted car",
        "a reversed car",
        "an enlarged car",
        "a magnified car",
        "a zoomed-in car",
        "a cropped car",
        "a car swapped with a cup",
        "a car exchanged for a cup",
        "interchanged cars",
        "an unchanged car",
        "a recoloured car",
        "a re-colored car",
        "a hue-shifted car",
        "a mirrored copy of a car",
        "a mirror image of a car",
        "a flipped car",
        "a car no longer red",
        "a car, once painted red",
        "a modified car",
        "a car that ended up left",
    ],
)
def test_words_that_tell_of_a_change_are_refused(words: str) -> None:
    changed = msgspec.structs.replace(DRAFT, options=["a dog", "a cat", "a cup", words])
    assert "tells of the edit" in list(faults(changed))
    assert "tells of the edit" in list(faults(msgspec.structs.replace(DRAFT, question=f"Where is {words}?")))


@pytest.mark.parametrize(
    "question",
    [
        "What lies on the left of D?",
        "What is on D's left?",
        "What does picture B show?",
        "What do photograph c and the wall show?",
        "What lies to the left in C?",
        "What is larger than in A?",
        "What does the second image show?",
        "What does the hidden picture show?",
    ],
)
def test_mentions_of_the_pictures_are_refused(question: str) -> None:
    assert list(faults(msgspec.structs.replace(DRAFT, question=question))) == ["names a picture"]


@pytest.mark.parametrize(
    "words",
    [
        "a lamp that is turned on",
        "a switched-off lamp, turned off",
        "a flip-flop",
        "a flip chart",
        "an analog clock",
        "a bathroom mirror",
        "letters upside down and horizontally mirrored",  # as in the paper's figure 1
        "a field of crops",
        "a moving car",
        "a currency exchange",
        "an electric transformer",
        "a magazine's edition",
        "a gear shift",
        "vitamin C",
        "the letter D",
        "a picture a child holds",
        "an A-frame house of wood",
        "a sign in B&W",
        "the second picture on the wall",
        "what is in the image",
    ],
)
def test_plain_words_are_not_refused(words: str) -> None:
    options = [f"{words} {colour}" for colour in ("red", "blue", "lime", "grey")]
    changed = msgspec.structs.replace(DRAFT, question=f"Where is {words}?", options=options)
    assert not list(faults(changed))


@pytest.mark.parametrize("checkers", [[], ["constant"], ["constant", "constant"], ["a", "b", "c"]], ids=str)
def test_two_different_models_have_to_check(
    gateway: Gateway, bank: PhotographBank, tmp_path: Path, checkers: list[str]
) -> None:
    with pytest.raises(ValueError, match=r"two different models check.*--checker"):
        write_questions(bank, gateway, "question-writer", checkers, 2, "7", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def write_verdicts(path: Path, *verdicts: tuple[int, str, bool, bool]) -> Path:
    fields = ("draft", "person", "relation", "answer")
    path.write_bytes(b"".join(msgspec.json.encode(dict(zip(fields, one, strict=True))) + b"\n" for one in verdicts))
    return path


def test_models_check_only_the_drafts_that_two_people_accept(
    gateway: Gateway, bank: PhotographBank, tmp_path: Path
) -> None:
    folder, checkers = tmp_path / "out", ["constant", "constant-2"]
    report = draft_questions(bank, gateway, "question-writer", 4, "7", folder)
    assert report.stages == {"asked for": 4, "drafts": 4, "break no rule": 4}
    drafts = [msgspec.json.decode(line, type=Written) for line in (folder / DRAFTS).read_bytes().splitlines()]
    assert [one.outcome for one in drafts] == [DRAFTED] * 4
    names = {path.name for path in (folder / PICTURES).iterdir()}
    assert names == {f"{number}-{letter}.png" for number in range(4) for letter in "ABCD"}
    assert all(len({(folder / PICTURES / f"{n}-{one}.png").read_bytes() for one in "ABCD"}) == 4 for n in range(4))

    accepting = [(number, person, True, True) for number in (0, 3) for person in ("anna", "ben")]
    verdicts = write_verdicts(
        tmp_path / "people.jsonl",
        *accepting,
        *((1, "anna", True, True), (1, "ben", False, True)),
        *((2, "anna", True, False), (2, "ben", True, True)),
    )
    report = write_questions(
        bank, gateway, "nobody", checkers, 4, "7", folder, verdicts
    )  # the writer isn't asked again
    found = outcomes(folder)
    assert [one.draft for one in found] == [one.draft for one in drafts]
    assert [one.outcome == REFUSED for one in found] == [False, True, True, False]
    assert [bool(one.answers) for one in found] == [True, False, False, True]
    assert list(report.stages.items()) == [
        ("asked for", 4),
        ("drafts", 4),
        ("break no rule", 4),
        ("accepted by two people", 2),
        ("answered rightly by a checking model", report.kept),
    ]
    at_once = write_questions(bank, gateway, "question-writer", checkers, 4, "7", tmp_path / "at once")
    assert [one.answers for one in outcomes(tmp_path / "at once")][::3] == [one.answers for one in found][::3]
    assert "accepted by two people" not in at_once.stages


def test_verdicts_without_drafts_are_refused(gateway: Gateway, bank: PhotographBank, tmp_path: Path) -> None:
    verdicts = write_verdicts(tmp_path / "people.jsonl")
    with pytest.raises(ValueError, match="0 of 2 drafts; write them first, with --for-people"):
        write_questions(bank, gateway, "w", ["constant", "constant-2"], 2, "7", tmp_path / "out", verdicts)


def test_a_third_person_may_be_asked(tmp_path: Path) -> None:
    said = [(0, "anna", True, True), (0, "ben", True, False), (0, "carl", True, True), (1, "anna", True, True)]
    path = write_verdicts(tmp_path / "people.jsonl", *said, (1, "ben", False, False))
    assert read_verdicts(path, [0, 1]) == {0: True, 1: False}


def test_incomplete_and_doubled_verdicts_are_named(tmp_path: Path) -> None:
    path = write_verdicts(tmp_path / "people.jsonl", (0, "anna", True, True))
    with pytest.raises(ValueError, match="fewer than 2 people speak of the drafts 0, 1; add"):
        read_verdicts(path, [0, 1])
    write_verdicts(path, (0, "anna", True, True), (0, "anna ", True, True))
    with pytest.raises(ValueError, match="line 2: anna  speaks twice of draft 0"):
        read_verdicts(path, [0])
    path.write_text('{"draft": 0, "person": "anna", "relation": "yes", "answer": true}')
    with pytest.raises(ValueError, match="line 1: Expected `bool`"):
        read_verdicts(path, [0])
    with pytest.raises(ValueError, match="can't be read"):
        read_verdicts(tmp_path / "nowhere", [0])
