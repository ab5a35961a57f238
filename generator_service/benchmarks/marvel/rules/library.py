"""The library's digest: uniqueness is proven against these laws, ways, families and readings, and against no others.

A form's module says what can be read off its panels: by their values, and by what their own chance decides.
"""

from pathlib import Path

from generator_service.benchmarks.marvel import forms
from generator_service.drawing.sources import source_digest

_RULES = ("laws.py", "fitting.py", "accepting.py", "families.py")
_FORMS = Path(forms.__file__).parent
# Of version 1. Another digest means another library, and that means another version of the benchmark.
DIGESTS = {1: "d5e822a7fc3bacec6e2d9c3c8be713cf7d3ad8816bd66c6162140ce67db79639"}


def library_sources() -> tuple[Path, ...]:
    return (*(Path(__file__).with_name(name) for name in _RULES), *sorted(_FORMS.glob("*.py")))


def library_digest() -> str:
    """Return SHA-256 over what the code of the rule library and of the forms does: 64 hex digits."""
    return source_digest(library_sources())
