"""Finds the error in what a model's server answers, whatever its shape. The gateway and the runner read with it."""

from collections.abc import Mapping
from typing import Any


def holds_error(document: object) -> bool:
    """Return whether an answer that claims success holds an error in place of a reply."""
    if not isinstance(document, Mapping):
        return False
    return bool(document.get("error")) or "error" in {str(document.get("type")), str(document.get("object"))}


def fields_of_error(document: object) -> Mapping[str, Any] | None:
    """Return the fields of the error that a document is or holds; None where it is of no known shape."""
    if isinstance(document, list):  # Gemini's, of a stream
        return next((found for entry in document if (found := fields_of_error(entry)) is not None), None)
    if isinstance(document, str):
        return {"message": document}
    if not isinstance(document, Mapping):
        return None
    error = document.get("error")
    if isinstance(error, Mapping):
        return error
    return {**document, "message": error} if isinstance(error, str) else document
