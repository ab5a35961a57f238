"""The alerts and dashboards of deploy/observability, as data."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parents[1] / "deploy" / "observability"
DASHBOARDS: dict[str, Any] = {
    path.stem: json.loads(path.read_text()) for path in (FOLDER / "dashboards").glob("*.json")
}
METRIC = re.compile(r"\b(?:tetrad|gen_ai)_[a-z0-9_]+")
LABELS = re.compile(r"\bby \([^)]*\)")


def rules() -> list[Any]:
    found: list[Any] = yaml.safe_load((FOLDER / "rules.yml").read_text())["groups"][0]["rules"]
    return found


def expressions_of(document: Any) -> Iterator[str]:
    """Yield every PromQL expression of rules or of a dashboard."""
    if isinstance(document, dict):
        if isinstance(document.get("expr"), str):
            yield document["expr"]
        document = list(document.values())
    if isinstance(document, list):
        for part in document:
            yield from expressions_of(part)


def metrics_of(expression: str) -> set[str]:
    """Return the names of the metrics that an expression reads."""
    without_labels = re.sub(r"\{[^}]*\}", "", LABELS.sub("", expression))
    return set(METRIC.findall(without_labels))
