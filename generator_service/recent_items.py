"""A small cache of items. A client fetches each picture by a request of its own; the item is made once for all."""

from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

from cachetools import TTLCache

T = TypeVar("T")
SECONDS = 10.0
MOST = 32  # a client fetches the pictures of a few items at the same time


class RecentItems(Generic[T]):
    """The last few items of a process, for some seconds; used from several threads."""

    def __init__(self) -> None:
        self._kept: TTLCache[Hashable, T] = TTLCache(MOST, SECONDS)
        self._lock = Lock()

    def get(self, key: Hashable) -> T | None:
        with self._lock:
            return self._kept.get(key)

    def keep(self, key: Hashable, made: T) -> T:
        with self._lock:
            self._kept[key] = made
        return made
