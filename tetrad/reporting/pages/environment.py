"""Templates of pages, which the api and the command line share: names have to be defined, and texts are escaped."""

from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from tetrad.reporting.pages import HERE, words
from tetrad.reporting.pages.stacking import stack_tables


def page_environment(*folders: Path) -> Environment:
    """Return the environment of templates in these folders and in this package."""
    searched: Sequence[Path] = [*folders, HERE]
    environment = Environment(
        loader=FileSystemLoader(searched),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "in_percent": words.in_percent,
        "in_points": words.in_points,
        "grouped": words.group_digits,
        "counted": words.count_noun,
        "capitalised": words.capitalise,
        "with_code": words.with_code,
        "in_words": words.in_words,
        "interval_words": words.interval_words,
        "time_words": words.time_words,
        "p_words": words.p_words,
        "stacked": stack_tables,
    }
    return environment
