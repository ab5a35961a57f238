"""Reads the wait that a service or a model's server asks for: headers of all families, and Gemini's RetryInfo."""

import math
import re
import time
from collections.abc import Iterator, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

_UNITS: Mapping[str, float] = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PART = re.compile(
    r"(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|secs?|seconds?|m(?:in(?:ute)?s?)?|h(?:ours?)?|d(?:ays?)?)(?![a-z])\s*",
    re.IGNORECASE,
)
_MOMENT = 1e9  # seconds: a larger number is a moment, and one 1000 times as large has milliseconds
_RESETS = (
    ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
    ("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"),
    ("anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"),
    ("x-ratelimit-remaining", "x-ratelimit-reset"),
)
"""How much is left, and when it is whole again: OpenAI's, Azure's, Groq's and Mistral's; Anthropic's; OpenRouter's."""


def wait_of(headers: Mapping[str, str], error: object = None) -> float | None:
    """Return the seconds to wait before another attempt; None where the answer does not say. `error`: its object."""
    milliseconds = _seconds(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    for found in (_seconds(headers.get("Retry-After", "")), _retry_info(error), _reset(headers)):
        if found is not None:
            return found
    return None


def _reset(headers: Mapping[str, str]) -> float | None:
    """Return when what is used up is there again: the latest of these. If nothing says so, the earliest reset."""
    spent: list[float] = []
    others: list[float] = []
    for remaining, reset in _RESETS:
        seconds = _seconds(headers.get(reset, ""))
        if seconds is not None:
            (spent if headers.get(remaining, "").strip() == "0" else others).append(seconds)
    return max(spent) if spent else min(others, default=None)


def _retry_info(error: object) -> float | None:
    """Return the delay of google.rpc.RetryInfo in an error's details."""
    details: Any = error.get("details") if isinstance(error, Mapping) else None
    delays = (
        detail.get("retryDelay")
        for detail in (details if isinstance(details, list) else [])
        if isinstance(detail, Mapping) and str(detail.get("@type", "")).endswith("google.rpc.RetryInfo")
    )
    return next((found for delay in delays if (found := _seconds(str(delay))) is not None), None)


def _seconds(text: str) -> float | None:
    """Return the seconds of a number, of numbers with units (1m30.5s, 350ms), of a date or a moment; None if none."""
    text = text.strip()
    try:
        number = float(text)
    except ValueError:
        return next((found for read in (_with_units, _until) if (found := read(text)) is not None), None)
    if not math.isfinite(number):
        return None
    if number > _MOMENT:
        number = (number / 1000 if number > _MOMENT * 1000 else number) - time.time()
    return max(0.0, number)


def _with_units(text: str) -> float | None:
    if not text or _PART.sub("", text):
        return None
    return sum(float(number) * _UNITS[_unit(name.lower())] for number, name in _PART.findall(text))


def _unit(name: str) -> str:
    return "ms" if name in {"ms", "millisecond", "milliseconds"} else name[0]


def _until(text: str) -> float | None:
    """Return the seconds until a date of HTTP or of RFC 3339."""
    return next((max(0.0, moment.timestamp() - time.time()) for moment in _moments(text)), None)


def _moments(text: str) -> Iterator[datetime]:
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            yield read(text)
        except (ValueError, TypeError):
            continue
