"""The forms in which answers may be sent and reports asked for, with their media types."""

from typing import Literal, TypeAlias

JSON = "application/json"
GZIP = b"\x1f\x8b"  # how a gzip file begins

AnswerForm: TypeAlias = Literal["json", "ndjson", "csv"]
ANSWER_FORMS: dict[AnswerForm, str] = {"json": JSON, "ndjson": "application/x-ndjson", "csv": "text/csv"}

ReportForm: TypeAlias = Literal["json", "markdown", "csv", "junit"]
REPORT_FORMS: dict[ReportForm, str] = {
    "json": JSON,
    "markdown": "text/markdown",
    "csv": "text/csv",
    "junit": "application/xml",
}
