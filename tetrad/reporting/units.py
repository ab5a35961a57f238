"""Write numbers of a report in their unit for people: 68.3%, +4.2 pp, 0.41, 1."""

from tetrad.contracts.reports import COUNT, DIFFERENCE, SHARE, MetricValue

NO_NUMBER = "-"


def percent(share: float | None) -> str:
    return NO_NUMBER if share is None else f"{100 * share:.1f}%"


def in_unit(number: float | None, unit: str) -> str:
    """Write a share as a percentage, a difference as signed percentage points, a count whole, others with 2 digits."""
    if number is None:
        return NO_NUMBER
    if unit == SHARE:
        return percent(number)
    if unit == DIFFERENCE:
        return f"{100 * number:+.1f} pp"
    if unit == COUNT:
        return f"{number:.0f}"
    return f"{number:.2f}"


def value_in_unit(value: MetricValue) -> str:
    return in_unit(value.value, value.unit)


def interval_in_unit(value: MetricValue) -> str:
    """Write the interval's bounds, or "-" if there is none."""
    if value.interval is None:
        return NO_NUMBER
    return f"{in_unit(value.interval.lower, value.unit)} to {in_unit(value.interval.upper, value.unit)}"
