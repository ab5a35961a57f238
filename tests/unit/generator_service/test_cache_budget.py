"""The generator's caches are bounded in bytes: all budgeted caches together, each other cache alone."""

import functools
import gc
import sys
from collections.abc import Iterator, KeysView
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest

from generator_service.cache_budget import BUDGET, LINK_BYTES, MEBIBYTE, CacheBudget, cache_within_budget, value_bytes
from generator_service.draws import Draw
from generator_service.finding import find_benchmarks
from generator_service.items import make_item, picture_names
from generator_service.registry import Registry
from tests.people import mounted_for_tests

MOST_OUTSIDE = 3 * MEBIBYTE
SLACK = 1.5  # of the limit: a cache's size is its entries times their average so far, and 0.25 MiB is not looked at
ITEMS = 12
OFFLINE = ("generator_service.proving", "generator_service.mining")  # no process that serves imports them
Wrapper = functools._lru_cache_wrapper


@pytest.fixture
def budget() -> Iterator[CacheBudget]:
    """The process's own budget, its caches empty. Afterwards its limit is what it was."""
    limit = BUDGET.limit
    for cache in BUDGET:
        cache.cache_clear()
    yield BUDGET
    BUDGET.limit = limit


@pytest.fixture(scope="module")
def registry(bank_folder: Path) -> Registry:
    return mounted_for_tests(find_benchmarks(), bank_folder)


def sizes(objects: list[object]) -> dict[int, int]:
    """Return the bytes of these objects and of all that they hold, by id."""
    found: dict[int, int] = {}
    left = list(objects)
    while left:
        one = left.pop()
        if id(one) in found or isinstance(one, type | ModuleType | FunctionType | Wrapper):
            continue
        found[id(one)] = sys.getsizeof(one)
        left += gc.get_referents(one)
        if isinstance(one, np.ndarray) and one.base is not None:
            left.append(one.base)
    return found


def held_by(cache: object, sources: KeysView[int]) -> int:
    """Return what a cache of functools really holds: keys and values, and what those hold but for the sources."""
    held = sizes([referent for referent in gc.get_referents(cache) if not isinstance(referent, dict | type)])
    return sum(size for name, size in held.items() if name not in sources)


def sources_of(registry: Registry) -> KeysView[int]:
    """Return the ids of all objects that the banks hold: to walk through them takes half a second."""
    return sizes([mounted.bank for mounted in registry.all()]).keys()


def practise(registry: Registry, items: int) -> None:
    for mounted in registry.all():
        card = mounted.benchmark.card
        for track in card.tracks:
            # One of its settings: they ask other questions about the same scenes.
            for setting in (track.settings or [setting.name for setting in card.settings])[:1]:
                draw = Draw(mounted.benchmark, mounted.identity(track.name, setting, {}), "11")
                for index in range(items):
                    item = make_item(mounted, draw, index)
                    if index % 10 == 0:
                        for name in picture_names(item):
                            mounted.benchmark.render(mounted.bank, item.scene, name)


def test_caches_are_small_the_budgeted_together_and_each_other_alone(budget: CacheBudget, registry: Registry) -> None:
    """One practice for both."""
    for cache in outside_the_budget().values():
        cache.cache_clear()  # an earlier test of this process may have left the sources of another registry in it
    budget.set_limit(4)
    most = 0
    for _ in range(3):
        practise(registry, ITEMS // 3)
        most = max(most, sum(budget.bytes_by_cache().values()))
    sources = sources_of(registry)
    really = sum(held_by(cache, sources) for cache in budget)
    assert 0 < most <= 4 * SLACK * MEBIBYTE, {
        name: size for name, size in budget.bytes_by_cache().items() if size > MEBIBYTE
    }
    assert 0 < really <= 4 * SLACK * MEBIBYTE
    assert outside_the_budget()
    assert too_large_outside(sources) == {}


def test_what_is_worked_out_again_is_the_same(budget: CacheBudget, registry: Registry) -> None:
    def pixels() -> list[bytes]:
        made = []
        for name in ("marvel", "carv"):
            mounted = registry.newest(name)
            assert mounted is not None
            track = mounted.benchmark.card.tracks[0].name
            draw = Draw(mounted.benchmark, mounted.identity(track, mounted.benchmark.card.settings[0].name, {}), "12")
            for index in range(3):
                item = make_item(mounted, draw, index)
                made += [
                    mounted.benchmark.render(mounted.bank, item.scene, name).tobytes()
                    for name in sorted(picture_names(item))
                ]
        return made

    budget.set_limit(64)
    before = pixels()
    budget.set_limit(1)
    assert pixels() == before


def outside_the_budget() -> "dict[str, functools._lru_cache_wrapper[Any]]":
    """Return the caches of what serves, by name, but for the budgeted ones."""
    budgeted_ones = {id(cache) for cache in BUDGET}
    found = {
        id(value): (f"{name}.{key}", value)
        for name, module in list(sys.modules.items())
        if name.startswith(("generator_service.", "tetrad.")) and not name.startswith(OFFLINE)
        for key, value in vars(module).items()
        if isinstance(value, Wrapper) and id(value) not in budgeted_ones
    }
    return dict(found.values())


def too_large_outside(sources: KeysView[int]) -> dict[str, str]:
    """Return the caches outside the budget that are too large, or will be when they are full."""
    too_large: dict[str, str] = {}
    for name, cache in outside_the_budget().items():
        info = cache.cache_info()
        held = held_by(cache, sources) + LINK_BYTES * info.currsize
        when_full = held if info.maxsize is None or not info.currsize else held / info.currsize * info.maxsize
        if when_full > MOST_OUTSIDE:
            too_large[name] = f"{when_full / MEBIBYTE:.1f} MiB of {info.maxsize} entries"
    return too_large


def test_the_largest_cache_is_emptied_and_small_ones_stay() -> None:
    limit = BUDGET.limit
    try:

        @cache_within_budget()
        def large(number: int) -> bytes:
            return bytes([number % 256]) * 200_000

        @cache_within_budget()
        def small(number: int) -> int:
            calls.append(number)
            return number

        calls: list[int] = []
        small(1)
        BUDGET.set_limit(2)
        for number in range(40):
            large(number)
            assert sum(BUDGET.bytes_by_cache().values()) <= 2.5 * MEBIBYTE
        small(1)
        assert calls == [1]
    finally:
        BUDGET.limit = limit


def test_a_cache_that_nobody_asks_any_more_is_emptied_before_a_larger_one(budget: CacheBudget) -> None:
    @cache_within_budget()
    def former(number: int) -> bytes:
        return bytes([number]) * 300_000

    @cache_within_budget()
    def present(number: int) -> bytes:
        worked_out.append(number)
        return bytes([number]) * 200_000

    @cache_within_budget()
    def growing(number: int) -> bytes:
        return bytes([number]) * 100_000

    worked_out: list[int] = []
    budget.set_limit(2)
    numbers = range(20)
    for number in numbers:  # too much: caches are emptied, and those that are filled next are asked after that
        growing(number + 100)
    for number in range(2):
        former(number)
    for number in range(20):
        growing(number)
        present(number % 4)
    assert sorted(worked_out) == [0, 1, 2, 3]
    assert [size for name, size in budget.bytes_by_cache().items() if name.endswith(".former")] == [0]


def test_a_value_is_measured_with_all_that_it_holds() -> None:
    assert value_bytes((np.zeros(1000, np.uint8),)) > 1000
    assert value_bytes(np.zeros((100, 100), np.uint8)[:2]) > 10_000
    assert value_bytes({"a": ["b" * 5000]}) > 5000
    shared = "c" * 5000
    assert value_bytes([shared, shared]) < 6000
