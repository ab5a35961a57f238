"""Exports for other platforms, checked against the schemas that they publish."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator, ValidationError
from msgspec.structs import replace

from tests.unit.tetrad.client.test_verbs import REPORT
from tetrad.contracts.items import Choice, ChoiceKey, Option, Question
from tetrad.contracts.reports import IntervalValue, MetricValue, QuestionResult, Report
from tetrad.contracts.submissions import RevealedItem, RevealedQuestion
from tetrad.reporting.every_eval_ever import ModelFacts, every_eval_ever
from tetrad.reporting.hub_results import hub_results

SCHEMAS = Path(__file__).parent / "every_eval_ever_0_3_0"
FACTS = ModelFacts(id="Qwen/Qwen2.5-VL", deployment="self_deployed", availability="open_weights")
HEADLINE = MetricValue(
    name="accuracy",
    facets={},
    value=0.5,
    interval=IntervalValue(lower=0.1, upper=0.9, level=0.95, method="wilson"),
    standard_error=0.35,
    items=2,
    questions=2,
    total=1.0,
    uniform_chance=0.25,
)
QUESTION = Question(
    id="which",
    kind="which",
    text="Which?",
    instruction="One letter.",
    shape=Choice(labels=("A", "B")),
    options=(Option(label="A", text="this"), Option(label="B", text="that")),
)


def report() -> Report:
    rows = [
        QuestionResult(
            item=item, question="which", verdict=verdict, answer=answer, key="A", reason="", facets={"shade": "dark"}
        )
        for item, (verdict, answer) in enumerate((("correct", "A"), ("unread", None)))
    ]
    gap = replace(HEADLINE, name="gap", unit="difference")
    told = {"scored_at": "2026-11-23T08:00:00.000Z", "questions_asked": 2, "unread": 1}
    return replace(REPORT, headline=HEADLINE, metrics=[HEADLINE, gap], questions=rows, **told)


def items() -> list[RevealedItem]:
    return [
        RevealedItem(
            item=item,
            practice_id=f"itm_{item}",
            questions=[
                RevealedQuestion(
                    question=QUESTION,
                    key=ChoiceKey(label="A"),
                    facets={},
                    verdict="correct",
                    answer=None,
                    response="I say (A).",
                )
            ],
        )
        for item in range(2)
    ]


def schema(name: str) -> Draft7Validator:
    return Draft7Validator(json.loads((SCHEMAS / f"{name}.schema.json").read_text()))


def test_the_results_and_their_rows_are_valid_by_the_published_schemas() -> None:
    found = every_eval_ever(report(), FACTS, items(), service="http://127.0.0.1:8000/v1/submissions/sub_1/report")
    results: dict[str, Any] = json.loads(found.results)
    schema("eval").validate(results)
    rows = [json.loads(line) for line in found.samples.splitlines()]
    for row in rows:
        schema("instance_level_eval").validate(row)
        assert row["evaluation_id"] == results["evaluation_id"]
    assert [row["evaluation"]["is_correct"] for row in rows] == [True, False]
    (result,) = results["evaluation_results"]
    assert result["score_details"]["score"] == 0.5, "a difference is no share, and is left out"
    assert result["score_details"]["uncertainty"]["confidence_interval"]["method"] == "wilson"
    assert result["score_details"]["details"]["unread_share"] == "0.500000"
    detailed = results["detailed_evaluation_results"]
    assert detailed["checksum"] == hashlib.sha256(found.samples).hexdigest()
    assert detailed["file_path"] == found.samples_path
    assert rows[0]["evaluation_result_id"] == result["evaluation_result_id"]


def test_the_schemas_refuse_what_is_wrong() -> None:
    found = json.loads(every_eval_ever(report(), FACTS, items(), service="x").results)
    found["model_info"]["additional_details"]["deployment_type"] = "somewhere"
    with pytest.raises(ValidationError):
        schema("eval").validate(found)


def test_without_revealed_items_no_rows_are_promised() -> None:
    found = every_eval_ever(report(), FACTS, [], service="x")
    assert found.samples == b""
    assert "detailed_evaluation_results" not in json.loads(found.results)


def test_the_hub_s_file_is_yaml_with_one_entry() -> None:
    text = hub_results(report(), dataset="our/kiva", task='kiva "full"', url="http://127.0.0.1:8000/x")
    (entry,) = yaml.safe_load(text)
    assert entry["dataset"] == {"id": "our/kiva", "task_id": 'kiva "full"'}
    assert entry["value"] == 50.0
    assert entry["source"] == {"url": "http://127.0.0.1:8000/x", "name": "Tetrad"}
    assert "95% interval 10.0% to 90.0%" in entry["notes"]
