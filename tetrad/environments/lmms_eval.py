"""What a task of lmms-eval is made of: prompts and verdicts of rows that `tetrad export-task` wrote.

The task's `utils.py` imports these functions. A document is a row as `datasets` reads it from Parquet, with answers.
Prompts are those of `tetrad submit`; a verdict is that of a submission. Nothing is asked of the service.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from tetrad.contracts.rows import RowTurn
from tetrad.environments import judge_record
from tetrad.extraction.judging import CORRECT, UNREAD
from tetrad.rows.forms import mark_pictures

__all__ = ["doc_to_messages", "doc_to_target", "doc_to_text", "doc_to_visual", "mean_score", "process_results"]
Document = Mapping[str, Any]


def doc_to_messages(doc: Document) -> list[dict[str, Any]]:
    """Return the prompt for a model that takes conversations: pictures stand where they belong between the words."""
    return [
        {"role": turn["role"], "content": [_content(doc, part) for part in turn["content"]]} for turn in doc["prompt"]
    ]


def doc_to_visual(doc: Document) -> list[Any]:
    """Return the pictures in the order in which the prompt shows them, for a model that takes one text."""
    parts = (part for turn in doc["prompt"] for part in turn["content"])
    return [_image(doc, part) for part in parts if part["index"] is not None]


def doc_to_text(doc: Document) -> str:
    """Return the prompt as one text for such a model, with `<image>` for each picture."""
    return "\n".join(mark_pictures(msgspec.convert(turn, RowTurn)) for turn in doc["prompt"])


def doc_to_target(doc: Document) -> str:
    """Return the right answer: a label, a number or a text."""
    return str(doc["answer"])


def process_results(doc: Document, results: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return each metric's value for a reply, with the row's cluster, by which lmms-eval finds standard errors."""
    verdict = judge_record(doc, results[0]).verdict
    values = {"tetrad_accuracy": verdict == CORRECT, "tetrad_unread": verdict == UNREAD}
    return {name: {"score": float(value), "cluster": doc["cluster"]} for name, value in values.items()}


def mean_score(results: Sequence[Mapping[str, Any]]) -> float:
    """Return the mean over all replies."""
    return float(sum(result["score"] for result in results) / len(results))


def _content(doc: Document, part: Mapping[str, Any]) -> dict[str, Any]:
    if part["index"] is None:
        return {"type": "text", "text": part["text"]}
    return {"type": "image", "url": _image(doc, part)}


def _image(doc: Document, part: Mapping[str, Any]) -> Any:
    """Return the picture of a part, without transparency, on white: some models take RGB alone."""
    picture = doc["pictures"][part["index"]]["image"].convert("RGBA")
    flat = picture.copy()
    flat.paste("white", (0, 0, *picture.size))
    flat.alpha_composite(picture)
    return flat.convert("RGB")
