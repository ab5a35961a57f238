"""Try a pattern only in a text that holds one of the words without which it cannot match.

Finding a word in a text takes a hundredth of the time of a pattern. It stands alone because most steps of extraction
search with such patterns.
"""

import re
from collections.abc import Callable, Iterator
from sys import maxsize

from tetrad.late_regex import late_regex

__all__ = ["Anchored"]


class Anchored:
    """A compiled pattern, and texts of which each of its matches holds at least one.

    anchors: in lower case if the pattern ignores case. The last text is kept with what was found, because a text is
    searched at many places.
    """

    __slots__ = ("_anchors", "_compiled", "_ignores_case", "_last")

    def __init__(self, pattern: str, *anchors: str, ignores_case: bool = False) -> None:
        self._compiled = late_regex(pattern, re.IGNORECASE if ignores_case else re.NOFLAG)
        self._anchors = anchors
        self._ignores_case = ignores_case
        self._last = ("", False)  # one tuple: threads share the pattern

    @property
    def anchors(self) -> tuple[str, ...]:
        """The texts of which each match holds one."""
        return self._anchors

    @property
    def pattern(self) -> str:
        """The pattern's text."""
        return self._compiled.pattern

    def may_match(self, text: str) -> bool:
        """Return whether a text holds an anchor."""
        last, holds = self._last
        if last is not text:
            holds = self._holds_anchor(_fold(text) if self._ignores_case else text)
            self._last = (text, holds)
        return holds

    def _holds_anchor(self, searched: str) -> bool:
        for anchor in self._anchors:  # noqa: SIM110 - `any` takes twice the time
            if anchor in searched:
                return True
        return False

    def search(self, text: str, begin: int = 0, end: int = maxsize) -> re.Match[str] | None:
        """Return the first match in a part of a text."""
        return self._compiled.search(text, begin, end) if self.may_match(text) else None

    def match(self, text: str, begin: int = 0, end: int = maxsize) -> re.Match[str] | None:
        """Return the match at a place."""
        return self._compiled.match(text, begin, end) if self.may_match(text) else None

    def finditer(self, text: str, begin: int = 0, end: int = maxsize) -> Iterator[re.Match[str]]:
        """Yield the matches in a part of a text."""
        return self._compiled.finditer(text, begin, end) if self.may_match(text) else iter(())

    def sub(self, write: Callable[[re.Match[str]], str], text: str) -> str:
        """Return the text with each match written anew."""
        return self._compiled.sub(write, text) if self.may_match(text) else text


def _fold(text: str) -> str:
    """Return a text with one form for all letters that a pattern takes for the same."""
    if text.isascii():
        return text.lower()
    return text.replace("\u0130", "i").replace("\u0131", "i").replace("\u017f", "s").lower()
