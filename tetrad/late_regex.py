"""Regular expressions that are compiled when they are first used.

The patterns of extraction take a third of a core second to compile. Every process of an instance imports them, and
most never use most of them. It stands alone because extraction and the solvers share it.
"""

import re
from typing import Any, cast

__all__ = ["late_regex"]

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn")
_FACTS = ("flags", "groups", "groupindex")


def late_regex(pattern: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """Return what serves as `re.compile(pattern, flags)` does. Its first use compiles, and raises re.error if wrong.

    Functions of `re` take the compiled one alone: call its methods.
    """
    return cast("re.Pattern[str]", _LatePattern(pattern, flags))


class _LatePattern:
    """With its first use, the methods of the compiled pattern become attributes of this object."""

    def __init__(self, pattern: str, flags: re.RegexFlag) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name not in _METHODS and name not in _FACTS:
            raise AttributeError(f"a pattern has no {name!r}")
        compiled = re.compile(self.pattern, self._flags)
        self.__dict__.update((known, getattr(compiled, known)) for known in (*_METHODS, *_FACTS))
        return self.__dict__[name]
