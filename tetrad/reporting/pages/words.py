"""Figures and times as people read them. A share is written in percent without its sign, which stands in the head."""

import re
from datetime import UTC, datetime

from markupsafe import Markup

from tetrad.contracts.reports import IntervalValue
from tetrad.statistics.interval import Interval

UNKNOWN = "–"  # never 0 or "free" in the place of what is not known
MINUS = "−"
CODE = re.compile(r"`([^`]+)`")
SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def in_percent(share: float | None, digits: int = 1) -> str:
    """Write a share: 0.658 is 65.8."""
    if share is None:
        return UNKNOWN
    text = f"{100 * share:.{digits}f}"
    return text if share >= 0 else _with_signs(text)


def in_points(difference: float, digits: int = 1) -> str:
    """Write a difference of two shares in points, with its sign."""
    return _with_signs(f"{100 * difference:+.{digits}f}")


def interval_words(interval: IntervalValue | Interval | None, digits: int = 1) -> str:
    """Write the bounds of an interval: 55.8 – 75.0."""
    if interval is None:
        return UNKNOWN
    return f"{in_percent(interval.lower, digits)} – {in_percent(interval.upper, digits)}"


def in_words(count: int) -> str:
    """Write a small count as a word, and a large one in digits."""
    return SMALL[count] if 0 <= count < len(SMALL) else group_digits(count)


def group_digits(count: float) -> str:
    return _with_signs(f"{count:,.0f}")


def count_noun(count: int, noun: str, plural: str = "") -> str:
    """Write a count with its noun: 1 item, 2 items."""
    return f"{group_digits(count)} {noun if count == 1 else plural or noun + 's'}"


def p_words(value: float | None) -> str:
    """Write a p value."""
    if value is None:
        return UNKNOWN
    return "under 0.0001" if value < 1e-4 else f"{value:.4f}" if value < 0.01 else f"{value:.3f}"  # noqa: PLR2004


def capitalise(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def with_code(text: str) -> Markup:
    """Write a text with what stands between backquotes as code, and its paragraphs apart."""
    paragraphs = (" ".join(part.split()) for part in text.strip().split("\n\n"))
    marked = [CODE.sub(r"<code>\1</code>", str(Markup.escape(part))) for part in paragraphs if part]
    return Markup("<br>").join(Markup(part) for part in marked)  # noqa: S704 - it is escaped before


def time_words(timestamp: str | datetime, *, clock: bool = True) -> Markup:
    """Write a time of RFC 3339 as people read it; the exact one is its title."""
    moment = timestamp if isinstance(timestamp, datetime) else datetime.fromisoformat(timestamp)
    moment = moment.astimezone(UTC)
    shown = f"{moment.day} {moment:%B %Y, %H:%M} UTC" if clock else f"{moment.day} {moment:%B %Y}"
    exact = moment.isoformat().replace("+00:00", "Z")
    return Markup('<time datetime="{exact}" title="{exact}">{shown}</time>').format(exact=exact, shown=shown)


def _with_signs(text: str) -> str:
    return text.replace("-", MINUS)
