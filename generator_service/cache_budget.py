"""One bound, in bytes, on what the caches of a process keep.

`@cache_within_budget(entries)` is `functools.lru_cache` under this bound. Entries of such caches differ a thousandfold
in size, so a number of entries bounds nothing. What a call returns is measured when it is worked out. Once all caches
together hold more than the bound, some are emptied: the functions are pure, and are worked out again. Those that nobody
has asked since the last time go first, then the largest ones. A process that turns from one benchmark to another so
drops what the first one kept.
"""

import ctypes
import gc
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, update_wrapper
from threading import Lock
from types import FunctionType, ModuleType
from typing import Any, ParamSpec, Protocol, TypeVar, cast

import numpy as np

P = ParamSpec("P")
T = TypeVar("T")
MEBIBYTE = 2**20
DEFAULT_MEBIBYTES = 96
CHECKED_EVERY = 4 * MEBIBYTE  # bytes of new entries between two checks of all caches
LEFT_PERCENT = 75  # of the bound, left after caches are emptied: so the next emptying does not follow at once
SMALL_SHARE = 32  # a cache below this part of the bound is not emptied for being idle: that would gain little
LINK_BYTES = 160  # what an entry costs beside its key and value: lru_cache's link and its place in the dict
MOST_MEASURED = 20_000  # objects of one value
_NOT_OURS = (type, ModuleType, FunctionType)


class Cached(Protocol):
    """The interface of functions that `functools.lru_cache` wraps."""

    __qualname__: str
    __module__: str

    def cache_info(self) -> Any: ...
    def cache_clear(self) -> None: ...


@dataclass
class _Share:
    """One cache, with the number and the bytes of all entries measured so far. Their average estimates its size.

    calls: those of the cache when caches were last emptied.
    """

    cached: Cached
    measured: int = 0
    entries: int = 0
    calls: int = 0

    def bytes(self) -> int:
        """Return about how much the cache holds now."""
        if not self.entries:
            return 0
        return int(self.measured / self.entries * self.cached.cache_info().currsize)

    def is_idle(self) -> bool:
        """Tell whether nobody has asked this cache since caches were last emptied."""
        return self._calls() == self.calls

    def look(self) -> None:
        self.calls = self._calls()

    def _calls(self) -> int:
        info = self.cached.cache_info()
        return int(info.hits + info.misses)

    def clear(self) -> None:
        """Empty the cache. The measurements stay, because a value that is being computed now is still added."""
        self.cached.cache_clear()


class CacheBudget:
    """The budgeted caches of this process, and how many bytes they may hold together."""

    def __init__(self) -> None:
        self.limit = DEFAULT_MEBIBYTES * MEBIBYTE
        self._shares: list[_Share] = []
        self._unchecked = 0
        self._lock = Lock()

    def __iter__(self) -> Iterator[Cached]:
        return (share.cached for share in self._shares)

    def enter(self, cached: Cached) -> _Share:
        share = _Share(cached)
        self._shares.append(share)
        return share

    def set_limit(self, mebibytes: int) -> None:
        with self._lock:
            self.limit = mebibytes * MEBIBYTE
            self._make_room()

    def count(self, share: _Share, size: int) -> None:
        """Count a new entry, and make room where there is too little."""
        with self._lock:
            share.measured += size
            share.entries += 1
            self._unchecked += size
            if self._unchecked > min(CHECKED_EVERY, self.limit // 16):
                self._make_room()

    def bytes_by_cache(self) -> dict[str, int]:
        """Return about how much each cache holds now, by the function's name."""
        return {f"{share.cached.__module__}.{share.cached.__qualname__}": share.bytes() for share in self._shares}

    def _make_room(self) -> None:
        self._unchecked = 0
        held = [(share.bytes(), share) for share in self._shares]
        total = sum(size for size, _ in held)
        if total <= self.limit:
            return
        held.sort(
            key=lambda entry: (entry[0] * SMALL_SHARE > self.limit and entry[1].is_idle(), entry[0]), reverse=True
        )
        for size, share in held:
            share.clear()
            total -= size
            if total * 100 <= self.limit * LEFT_PERCENT:
                break
        for share in self._shares:
            share.look()
        return_free_memory()


def return_free_memory() -> None:
    """Return the allocator's unused pages to the system. It takes a few milliseconds.

    By itself, glibc returns only the free memory at the end of a heap. The memory of an emptied cache lies between
    memory in use, so a process would grow by some 30 MiB beyond its caches. Another C library may lack this function.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


BUDGET = CacheBudget()


def cache_within_budget(entries: int | None = None) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Cache what a pure function returns: the last `entries` values, as long as the process has room for them."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            value = function(*args, **kwargs)
            BUDGET.count(share, value_bytes(value) + LINK_BYTES + sum(map(sys.getsizeof, args)))
            return value

        update_wrapper(call, function)
        cached = lru_cache(entries)(call)
        share = BUDGET.enter(cast("Cached", cached))
        return cast("Callable[P, T]", cached)

    return decorate


def value_bytes(value: object) -> int:
    """Return the bytes of a value and of all that it holds. What several values share is counted for each of them."""
    seen: set[int] = set()
    left, total = [value], 0
    while left and len(seen) < MOST_MEASURED:
        held = left.pop()
        if id(held) in seen or isinstance(held, _NOT_OURS):
            continue
        seen.add(id(held))
        total += sys.getsizeof(held)
        if isinstance(held, np.ndarray):
            left += [] if held.base is None else [held.base]
        else:
            left += gc.get_referents(held)
    return total
