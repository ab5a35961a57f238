"""Write a report in the form of Every Eval Ever 0.3.0: one document of results, and one line for each question.

Source: the JSON Schemas of the Python package every-eval-ever 0.3.0 (MIT), which the tests check the documents against.
"""

import hashlib
import uuid
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

import msgspec

from tetrad.contracts.reports import SHARE, MetricValue, QuestionResult, Report
from tetrad.contracts.submissions import RevealedItem, RevealedQuestion

SCHEMA = "0.3.0"
KIND = "accuracy"


class Exported(msgspec.Struct, frozen=True, kw_only=True):
    """The files of an export by their paths, and their bytes."""

    results_path: str
    results: bytes
    samples_path: str
    samples: bytes


class ModelFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Facts about the model that a report does not hold.

    id: ORGANISATION/NAME as on Hugging Face. deployment: self_deployed, externally_managed or unknown. availability:
    open_weights, closed_weights or unknown. relationship: first_party, third_party, collaborative or other.
    """

    id: str
    deployment: str = "unknown"
    availability: str = "unknown"
    relationship: str = "other"

    @property
    def developer(self) -> str:
        return self.id.partition("/")[0]


def every_eval_ever(report: Report, model: ModelFacts, items: Iterable[RevealedItem], *, service: str) -> Exported:
    """Return the documents of a report.

    Args:
        report: of a scored submission.
        model: facts about the model.
        items: the revealed items, with questions and replies.
        service: address of the service, where the draw can be verified.
    """
    identity = report.identity
    scored = str(int(datetime.fromisoformat(report.scored_at).timestamp()))
    evaluation = f"{identity.benchmark}/{model.id.replace('/', '_')}/{scored}"
    name = uuid.UUID(bytes=hashlib.sha256(report.submission.encode()).digest()[:16], version=4)
    folder = f"data/{identity.benchmark}/{model.developer}/{model.id.partition('/')[2] or model.id}"
    lines = [msgspec.json.encode(row) for row in _rows(report, model, evaluation, items)]
    samples = b"".join(line + b"\n" for line in lines)
    results = _results(report, model, evaluation, service)
    if lines:
        results["detailed_evaluation_results"] = {
            "format": "jsonl",
            "file_path": f"{folder}/{name}_samples.jsonl",
            "hash_algorithm": "sha256",
            "checksum": hashlib.sha256(samples).hexdigest(),
            "total_rows": len(lines),
        }
    return Exported(
        results_path=f"{folder}/{name}.json",
        results=msgspec.json.format(msgspec.json.encode(results)) + b"\n",
        samples_path=f"{folder}/{name}_samples.jsonl",
        samples=samples,
    )


def _results(report: Report, model: ModelFacts, evaluation: str, service: str) -> dict[str, Any]:
    scored = str(int(datetime.fromisoformat(report.scored_at).timestamp()))
    shares = [value for value in (report.headline, *report.metrics) if value.unit == SHARE and value.value is not None]
    values = {_metric_id(report, value): value for value in reversed(shares)}  # the headline is among the metrics
    return {
        "schema_version": SCHEMA,
        "evaluation_id": evaluation,
        "evaluation_timestamp": scored,
        "retrieved_timestamp": scored,
        "source_metadata": {
            "source_name": "Tetrad",
            "source_type": "evaluation_run",
            "source_organization_name": "Tetrad",
            "evaluator_relationship": model.relationship,
            "additional_details": {"service": service, "submission": report.submission},
        },
        "eval_library": {"name": "tetrad", "version": report.versions.tetrad},
        "model_info": {
            "name": model.id.partition("/")[2] or model.id,
            "id": model.id,
            "developer": model.developer,
            "additional_details": {
                "deployment_type": model.deployment,
                "model_availability": model.availability,
            },
        },
        "evaluation_results": [_result(report, name, value) for name, value in reversed(values.items())],
    }


def _metric_id(report: Report, value: MetricValue) -> str:
    group = "".join(f".{name}-{facet}" for name, facet in sorted(value.facets.items()))
    return f"{report.identity.benchmark}.{report.identity.track}.{report.identity.setting}.{value.name}{group}"


def _result(report: Report, name: str, value: MetricValue) -> dict[str, Any]:
    details = {
        "commitment": report.commitment,
        "seed": report.seed,
        "bank": report.versions.bank,
        "benchmark_version": str(report.versions.benchmark),
        "scorer_version": str(report.versions.scorer),
        "questions_asked": str(report.questions_asked),
        "unread_share": f"{report.unread / report.questions_asked:.6f}" if report.questions_asked else "0",
        "conversation": report.conversation,
    }
    uncertainty: dict[str, Any] = {"num_samples": value.items}
    if value.interval is not None:
        uncertainty["confidence_interval"] = {
            "lower": value.interval.lower,
            "upper": value.interval.upper,
            "confidence_level": value.interval.level,
            "method": value.interval.method,
        }
    if value.standard_error is not None:
        uncertainty["standard_error"] = {"value": value.standard_error, "method": "analytic"}
    chance = {} if value.uniform_chance is None else {"uniform_chance": f"{value.uniform_chance:.6f}"}
    return {
        "evaluation_result_id": name,
        "evaluation_name": name,
        "source_data": {
            "dataset_name": f"Tetrad {report.identity.benchmark}",
            "source_type": "other",
            "additional_details": {key: str(value) for key, value in report.identity.parameters.items()},
        },
        "metric_config": {
            "metric_id": value.name,
            "metric_name": value.name,
            "metric_kind": KIND,
            "metric_unit": "proportion",
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": 0,
            "max_score": 1,
            "additional_details": chance,
        },
        "score_details": {"score": value.value, "details": details, "uncertainty": uncertainty},
    }


def _rows(
    report: Report, model: ModelFacts, evaluation: str, items: Iterable[RevealedItem]
) -> Iterator[dict[str, Any]]:
    results = {(result.item, result.question): result for result in report.questions}
    for item in items:
        for asked in item.questions:
            found = results.get((item.item, asked.question.id))
            if found is not None:
                yield _row(report, model, evaluation, item, asked, found)


def _row(  # noqa: PLR0917 -- what a row is made of
    report: Report,
    model: ModelFacts,
    evaluation: str,
    item: RevealedItem,
    asked: RevealedQuestion,
    found: QuestionResult,
) -> dict[str, Any]:
    question = asked.question
    raw = "\n".join(part for part in (question.text, question.instruction) if part)
    reply = asked.response if asked.response is not None else asked.answer or ""
    reference = [found.key]
    attribution = [] if found.answer is None else [_attribution(found.answer)]
    return {
        "schema_version": SCHEMA,
        "evaluation_id": evaluation,
        "model_id": model.id,
        "evaluation_name": f"{report.identity.benchmark}.{report.identity.track}.{report.identity.setting}",
        "evaluation_result_id": _metric_id(report, report.headline),
        "sample_id": f"{item.practice_id}/{question.id}",
        "sample_hash": hashlib.sha256((raw + "".join(reference)).encode()).hexdigest(),
        "interaction_type": "single_turn",
        "input": {
            "raw": raw,
            "reference": reference,
            "choices": [
                f"({option.label}) {option.text or option.picture or ''}".strip() for option in question.options
            ]
            or None,
        },
        "output": {"raw": [reply]},
        "messages": None,
        "answer_attribution": attribution,
        "evaluation": {"score": float(found.verdict == "correct"), "is_correct": found.verdict == "correct"},
        "error": None if found.stop in {None, "complete"} else found.stop,
        "metadata": {**found.facets, "verdict": found.verdict, "item": str(item.item)},
    }


def _attribution(answer: str) -> dict[str, Any]:
    return {
        "turn_idx": 0,
        "source": "output.raw",
        "extracted_value": answer,
        "extraction_method": "tetrad.extraction",
        "is_terminal": True,
    }
