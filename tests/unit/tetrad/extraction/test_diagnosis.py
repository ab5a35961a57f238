"""Diagnoses: lines of a decomposition, the four stages, and which of them fails first."""

import json

import msgspec
import pytest

from tetrad.contracts.items import Diagnosis, DiagnosisAnswer, DiagnosisKey, StateCaptionKey
from tetrad.extraction.answers import extract_answer, is_legal, legal_answers
from tetrad.extraction.captions.change_lines import BUNDLED, MOST_LINES, OVER_SPECIFIC, UNCLEAR, extract_changes
from tetrad.extraction.captions.diagnosis import extract_diagnosis
from tetrad.extraction.choice import ExtractedAnswer
from tetrad.extraction.judging import judge_answer
from tetrad.solvers.carv import VALUES

SHAPE = Diagnosis(properties=dict(VALUES), pairs=2)
NUMBER, COLOR = "subject_number: one > two", "object_color: red > blue"

LINES = [
    ("[number] changes from one to two", [NUMBER]),
    ("[number] changes from [one] to [two]", [NUMBER]),
    ("Number changes from 1 to 2.", [NUMBER]),
    ("- **quantity** changed from one to two", [NUMBER]),
    ("[subject number] changes from one mug to two mugs", [NUMBER]),
    ("The number of objects changes from one to two", [NUMBER]),
    ("[subject_number] changes from one to two", [NUMBER]),
    ("[color] changes from red to blue", [COLOR]),
    ("[object color] changes from red to blue", [COLOR]),
    ("[material] changes from wooden to blue", ["object_color: wood > blue"]),
    ("[furniture color] changes from a red table to a blue table", [COLOR]),
    ("[furniture] changes from table to chair", ["object: table > chair"]),
    ("[object] changes from table to chair", ["object: table > chair"]),
    ("[object] changes from mug to bowl", ["subject: mug > bowl"]),
    ("[subject] changes from a mug to a bowl", ["subject: mug > bowl"]),
    ("[subject] changes from scissors to toilet paper", ["subject: scissors > toilet paper"]),
    ("[position] changes from on to under", ["spatial_relation: on > under"]),
    ("[object position] changes from on to to the left", ["spatial_relation: on > left"]),
    ("[position] changes from left to right", ["spatial_relation: left > right"]),
    ("[spatial relation] changes from under to on top", ["spatial_relation: under > on"]),
    ("[position] changes from on the table to under the table", ["spatial_relation: on > under"]),
    ("[number] changes from one to two; [color] changes from red to blue", [NUMBER, COLOR]),
    ("[number] changes from one to two\n[color] changes from red to blue", [NUMBER, COLOR]),
    ("[color] remains the same", []),
    ("[number] does not change", []),
    ("No changes", []),
    ("", []),
    ("[position of the cup] changes from on to under", [OVER_SPECIFIC]),
    ("[object on table] changes from mug to bowl", [OVER_SPECIFIC]),
    ("[mug] changes from one to two", [OVER_SPECIFIC]),
    ("[position] changes from on chair to under table", [BUNDLED]),
    ("[object] changes from blue chair to red table", [BUNDLED]),
    ("[subject] changes from one mug to two bowls", [BUNDLED]),
    ("[color] changes from one to two", [UNCLEAR]),
    ("[number] changes from red to blue", [UNCLEAR]),
    ("[color] changes from red to green", [UNCLEAR]),
    ("[number] changes from two to two", [UNCLEAR]),
    ("[position color] changes from red to blue", [UNCLEAR]),
    ("the mug moved", [UNCLEAR]),
    ("[subject] changes from scissors to a bottle", ["subject: scissors > bottle"]),
    ("[subject] changes from toilet paper to a mug", ["subject: toilet paper > mug"]),
    ("[the position] changes from the left to the right", ["spatial_relation: left > right"]),
    ("[position] changes from to the left to to the right", ["spatial_relation: left > right"]),
    ("[position] changes from on the floor to the left of the table to on the table", ["spatial_relation: left > on"]),
    ("[position] changes from on the floor to the right to on top", ["spatial_relation: right > on"]),
    ("[position relative to furniture] changes from on to under", ["spatial_relation: on > under"]),
    ("[relative position] changes from under to right", ["spatial_relation: under > right"]),
    ("[relation to the furniture] changes from on to under", ["spatial_relation: on > under"]),
    ("[number] changes from single to double", [NUMBER]),
    ("[number] changes from one pair to two pairs", [NUMBER]),
    ("[number] changes from one roll to two rolls", [NUMBER]),
    ("[number] changes from one to two (mugs)", [NUMBER]),
    ("[number] increases from one to two", [NUMBER]),
    ("[number]: one -> two", [NUMBER]),
    ("[number] one → two and [color] red → blue", [NUMBER, COLOR]),
    ("number changes from one to two, color changes from red to blue", [NUMBER, COLOR]),
    ("[shade] changes from red to blue", [COLOR]),
    ("[chair] changes from red to blue", [OVER_SPECIFIC]),
]

RIGHT = DiagnosisAnswer(
    captions=[
        ["mug, one, table, red, on", "mug, two, table, blue, on"],
        ["bowl, one, chair, wood, left", "bowl, two, table, wood, left"],
    ],
    changes=[[NUMBER, COLOR], [NUMBER, "object: chair > table"]],
    target=[NUMBER],
    caption="mug, two, chair, red, under",
)
FINAL = StateCaptionKey(
    values=dict(zip(VALUES, RIGHT.caption.split(", "), strict=True)), needed=("subject_number", "object_color")
)
KEY = DiagnosisKey(right=RIGHT, final=FINAL)
GOOD: dict[str, object] = {
    "captions": [
        ["A mug on a red table", "Two mugs on a blue table"],
        ["A bowl to the left of a wooden chair", "Two bowls to the left of a wooden table"],
    ],
    "T1": ["[number] changes from one to two", "[color] changes from red to blue"],
    "T2": "[furniture] changes from chair to table; [number] changes from one to two",
    "target": ["[number] changes from one to two"],
    "caption": "Two mugs under a red chair.",
}


def stage(**change: object) -> tuple[str, str]:
    """Return verdict and stage of the good reply with this change."""
    read = extract_diagnosis(f"Here it is:\n```json\n{json.dumps(GOOD | change)}\n```", SHAPE)
    judged = judge_answer(KEY, read.answer)
    return judged.verdict, judged.outcome["stage"]


def test_a_line_names_one_change_or_what_is_wrong_with_it() -> None:
    assert [(line, extract_changes(line, VALUES)) for line, _ in LINES] == LINES


def test_a_diagnosis_without_a_fault_fails_at_no_stage() -> None:
    assert stage() == ("correct", "none")


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"captions": [["A mug on a red table", "Two mugs on a red table"], GOOD["captions"][1]]}, "perception"),  # type: ignore[index]
        ({"captions": []}, "perception"),
        ({"captions": [["mug", "mugs"]]}, "perception"),
        ({"T1": ["[number] changes from one to two"]}, "decomposition"),
        ({"T1": ["[number and color] changes from one red to two blue"]}, "decomposition"),
        ({"T1": [*GOOD["T1"], "[position] changes from on to under"]}, "decomposition"),  # type: ignore[misc]
        ({"T2": []}, "decomposition"),
        ({"target": GOOD["T1"]}, "composition"),
        ({"target": []}, "composition"),
    ],
)
def test_the_first_stage_that_fails_is_named_whatever_the_caption(change: dict[str, object], found: str) -> None:
    assert stage(**change) == ("correct", found)
    assert stage(**change, caption="One bowl.") == ("incorrect", found)


def test_a_wrong_caption_after_a_right_target_fails_in_application() -> None:
    assert stage(caption="Two mugs on a red chair.") == ("incorrect", "application")


def test_an_unchanged_property_counts_as_absent() -> None:
    assert stage(target=["[number] changes from one to two", "[color] remains red"]) == ("correct", "none")


def test_a_caption_without_the_object_fails_in_perception() -> None:
    read = extract_diagnosis("Two mugs under a red chair.", SHAPE)
    assert read.reason == "caption-only"
    judged = judge_answer(KEY, read.answer)
    assert (judged.verdict, judged.outcome["stage"]) == ("correct", "perception")


TEXT = json.dumps(GOOD)
PAIRS: list[list[str]] = GOOD["captions"]  # type: ignore[assignment]


@pytest.mark.parametrize(
    "reply",
    [
        json.dumps(GOOD | {"captions": [*PAIRS[0], *PAIRS[1]]}),
        json.dumps(GOOD | {"captions": {"pair 1": PAIRS[0], "pair 2": PAIRS[1]}}),
        json.dumps(GOOD | {"captions": {str(at): text for at, text in enumerate([*PAIRS[0], *PAIRS[1]], 1)}}),
        json.dumps(GOOD | {"captions": [{"1": pair[0], "2": pair[1]} for pair in PAIRS]}),
        json.dumps(GOOD | {"target": [{"property": "number", "from": "one", "to": "two"}]}),
        json.dumps({name.lower(): part for name, part in GOOD.items()}),
        TEXT[:-1] + ",\n}",
        TEXT.replace("]]", "],\n ]"),
        f"```json\n{TEXT}\n```",
        f"```\n{TEXT}\n```\nDone.",
        f"{TEXT}\n\nSo the target is {{number}}.",
        f"T1 = {{number, color}}, T2 = {{number}}.\n{TEXT}",
    ],
    ids=range(12),
)
def test_the_same_diagnosis_is_read_however_its_json_is_laid_out(reply: str) -> None:
    read = extract_diagnosis(reply, SHAPE)
    assert read.reason == "json"
    assert judge_answer(KEY, read.answer).outcome["stage"] == "none"


def test_of_two_diagnoses_the_last_counts() -> None:
    draft = json.dumps(GOOD | {"caption": "One mug under a red chair."})
    assert judge_answer(KEY, extract_diagnosis(f"{draft}\nCorrection:\n{TEXT}", SHAPE).answer).verdict == "correct"


@pytest.mark.parametrize(
    ("reply", "reason", "span"),
    [
        (json.dumps({"caption": "Two mugs", "target": []}), "json-incomplete", "lacks captions, T1, T2: Two mugs"),
        (json.dumps(GOOD | {"caption": ["x"]}), "json-broken", ""),
        (TEXT.replace('"T2":', '"T2"'), "json-broken", "Two mugs under a red chair."),
    ],
)
def test_what_is_wrong_with_the_object_is_named(reply: str, reason: str, span: str) -> None:
    read = extract_diagnosis(reply, SHAPE)
    assert read.reason == reason
    assert span in read.span


@pytest.mark.parametrize("piece", ['{"a":', "[", '{"captions":[', '{"caption":"a","target":' + "["])
def test_no_nesting_is_too_deep_and_no_reply_too_long(piece: str) -> None:
    assert extract_diagnosis(piece * (32 * 1024 // len(piece)), SHAPE).answer is None or piece.endswith("[")
    deep = f'{{"caption": "two mugs", "target": {"[" * 900}"x"{"]" * 900}}}'
    assert extract_diagnosis(deep, SHAPE).reason in {"json-incomplete", "json-broken"}


@pytest.mark.parametrize(
    ("reply", "reason"), [("", "empty"), ("I can't help with that.", "refusal"), ("{}", "no-caption")]
)
def test_what_says_nothing_is_unread(reply: str, reason: str) -> None:
    read = extract_diagnosis(reply, SHAPE)
    assert (read.answer, read.reason) == (None, reason)


def test_half_a_surrogate_pair_in_a_caption_can_be_sent_on() -> None:
    read = extract_diagnosis(json.dumps(GOOD | {"caption": "\ud800 Two mugs under a red chair."}), SHAPE)
    assert msgspec.json.decode(msgspec.json.encode(read), type=ExtractedAnswer) == read
    assert judge_answer(KEY, read.answer).verdict == "correct"


def test_of_very_many_lines_the_last_are_read() -> None:
    many = ["[object] changes from mug to bowl"] * 40 + ["[number] changes from one to two"] * MOST_LINES
    assert extract_changes("\n".join(many), VALUES) == [NUMBER] * MOST_LINES
    assert stage(T1=[*many, "[color] changes from red to blue"])[1] == "none"


def test_a_pair_with_a_third_caption_fails_in_perception() -> None:
    assert stage(captions=[[*PAIRS[0], "A mug"], PAIRS[1]])[1] == "perception"


def test_a_diagnosis_as_written_down_is_an_answer_by_itself() -> None:
    assert is_legal(SHAPE, KEY.label)
    assert judge_answer(KEY, KEY.label).outcome["stage"] == "none"
    for given in ((KEY.label, None), (None, KEY.label)):
        assert extract_answer(SHAPE, *given).answer == KEY.label


@pytest.mark.parametrize(
    "change",
    [{"captions": []}, {"target": ["number up"]}, {"caption": "two mugs"}, {"changes": [["subject: one > two"], []]}],
)
def test_what_is_no_diagnosis_in_short_is_refused(change: dict[str, object]) -> None:
    other = msgspec.json.encode(msgspec.to_builtins(RIGHT) | change).decode()
    assert not is_legal(SHAPE, other)
    assert not is_legal(SHAPE, "two mugs")
    assert '"T1"' in legal_answers(SHAPE)
