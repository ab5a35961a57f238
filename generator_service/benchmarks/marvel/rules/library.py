"""The library's digest: uniqueness is proven against these laws, ways, families and readings, and against no others.

A form's module says what can be read off its panels: by their values, and by what their own chance decides.
"""

from pathlib import Path

from generator_service.benchmarks.marvel import forms
from generator_service.drawing.sources import source_digest

_RULES = ("laws.py", "fitting.py", "accepting.py", "families.py")
_FORMS = Path(forms.__file__).parent
# Of version 1. Another digest means another library, and that means another version of the benchmark.
DIGESTS = {1: "e834e72c0b717d84515e719a245b4e0459eb95f40cfa6b8b01b666d352d6911f"}


def library_sources() -> tuple[Path, ...]:
    return (*(Path(__file__).with_name(name) for name in _RULES), *sorted(_FORMS.glob("*.py")))


def library_digest() -> str:
    """Return SHA-256 over what the code of the rule library and of the forms does: 64 hex digits."""
    return source_digest(library_sources())
