"""Splits long lists of ids into parts that fit one query."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")
AT_ONCE = 500


def parts(ids: Sequence[T]) -> Iterator[Sequence[T]]:
    return (ids[start : start + AT_ONCE] for start in range(0, len(ids), AT_ONCE))
