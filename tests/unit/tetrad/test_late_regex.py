"""A pattern that is compiled late does what a compiled one does, and every such pattern of ours compiles."""

import importlib
import pkgutil
import re

import pytest

from tetrad import extraction, solvers
from tetrad.late_regex import late_regex


def test_a_late_pattern_does_what_a_compiled_one_does() -> None:
    late, compiled = late_regex(r"(?P<word>b+)", re.IGNORECASE), re.compile(r"(?P<word>b+)", re.IGNORECASE)
    text = "abBca"
    assert [late.search(text, 1), late.match(text)] != [None, None]
    assert [found.span() for found in late.finditer(text)] == [found.span() for found in compiled.finditer(text)]
    assert (late.match(text), late.fullmatch("bb") is None) == (None, False)
    assert (late.sub("-", text), late.subn("-", text)) == (compiled.sub("-", text), compiled.subn("-", text))
    assert (late.split(text), late.findall(text)) == (compiled.split(text), compiled.findall(text))
    assert (late.pattern, late.flags, late.groups) == (compiled.pattern, compiled.flags, compiled.groups)
    assert late.groupindex == compiled.groupindex


def test_a_late_pattern_that_is_wrong_fails_when_it_is_used() -> None:
    late = late_regex("(")
    with pytest.raises(re.error):
        late.search("")
    with pytest.raises(AttributeError, match="scan"):
        late.scan  # type: ignore[attr-defined]  # noqa: B018 - an attribute is asked for


def test_all_late_patterns_compile() -> None:
    """An import no longer finds one that is wrong, and some are for rare replies."""
    names = [
        found.name
        for package in (extraction, solvers)
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]
    found = [value for name in names for value in vars(importlib.import_module(name)).values()]
    patterns = [value for value in found if type(value) is type(late_regex(""))]
    assert len(patterns) > 100
    assert all(pattern.groups >= 0 for pattern in patterns)
