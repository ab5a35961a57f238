import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from api.errors import DomainError, GeneratorAwayError
from api.http.pictures import OVERHEAD, PictureCache, is_known_to, picture_etag
from api.http.problems import status_of
from api.upstream.cards import AGAIN_SECONDS, FRESH_SECONDS, STAYS_SECONDS, Cards
from tests.integration.api.trio import BANK, card
from tetrad.contracts.benchmarks import BenchmarkInfo, BenchmarkList

LISTED = BenchmarkList(benchmarks=[BenchmarkInfo(card=card(version), bank=BANK) for version in (1, 2)])


class Source:
    """A generator that is asked, and may be away."""

    def __init__(self, *, away: bool = False) -> None:
        self.asked = 0
        self.away = away
        self.now = 0.0

    def fetch(self) -> BenchmarkList:
        self.asked += 1
        if self.away:
            raise GeneratorAwayError("away")
        return LISTED


def test_cards_are_asked_for_again_when_they_are_old() -> None:
    source = Source()
    cards = Cards(source.fetch, lambda: source.now)
    assert not cards.are_fresh
    assert cards.all() == cards.all() == LISTED.benchmarks
    assert source.asked == 1
    assert cards.are_fresh
    source.now = FRESH_SECONDS - STAYS_SECONDS
    assert not cards.are_fresh, "they may be old when they are looked at"
    source.now = FRESH_SECONDS
    cards.all()
    assert source.asked == 2


def test_known_cards_outlive_an_outage_and_unknown_ones_do_not() -> None:
    source = Source()
    cards = Cards(source.fetch, lambda: source.now)
    cards.all()
    source.away, source.now = True, FRESH_SECONDS
    assert cards.all() == LISTED.benchmarks
    with pytest.raises(DomainError):
        Cards(source.fetch).all()


def test_a_failure_is_remembered_for_a_moment_so_that_those_who_wait_do_not_each_wait_again() -> None:
    source = Source(away=True)
    cards = Cards(source.fetch, lambda: source.now)
    for _ in range(3):
        with pytest.raises(DomainError, match="away"):
            cards.all()
    assert source.asked == 1
    source.away, source.now = False, AGAIN_SECONDS
    assert cards.all() == LISTED.benchmarks


def test_nobody_waits_for_a_slow_generator_whose_cards_are_known() -> None:
    source, answer = Source(), threading.Event()
    cards = Cards(source.fetch, lambda: source.now)
    cards.all()

    def slow() -> BenchmarkList:
        assert answer.wait(10)
        return LISTED

    cards._fetch = slow
    source.now = FRESH_SECONDS
    with ThreadPoolExecutor(2) as pool:
        asking = pool.submit(cards.all)
        while not cards._lock.locked():
            time.sleep(0.001)
        assert pool.submit(cards.all).result(5) == LISTED.benchmarks
        answer.set()
        assert asking.result(5) == LISTED.benchmarks


def test_the_newest_version_is_the_one_without_a_name() -> None:
    cards = Cards(Source().fetch)
    assert cards.get("trio").card.version == 2
    assert cards.get("trio", 1).card.version == 1
    for benchmark, version, field in (("none", None, "benchmark"), ("trio", 3, "version")):
        with pytest.raises(DomainError) as caught:
            cards.get(benchmark, version)
        assert (status_of(caught.value), caught.value.faults[0].field) == (404, field)


def test_the_least_recently_used_pictures_are_forgotten_first() -> None:
    cache = PictureCache(3 * (OVERHEAD + 10))
    for name in "abc":
        cache.keep("item", name, bytes(10))
    assert cache.get("item", "a") is not None
    cache.keep("item", "d", bytes(10))
    assert cache.get("item", "b") is None
    assert all(cache.get("item", name) is not None for name in "acd")


def test_keeping_a_picture_twice_counts_once_and_one_too_large_is_not_kept() -> None:
    cache = PictureCache(OVERHEAD + 10)
    for _ in range(3):
        assert cache.keep("item", "a", bytes(10)).body == bytes(10)
    assert cache.get("item", "a") is not None
    assert cache.keep("item", "b", bytes(11)).body == bytes(11)
    assert cache.get("item", "b") is None


@pytest.mark.parametrize(
    ("header", "known"),
    [(None, False), ("", False), ("W/TAG", True), ('"x", W/TAG', True), ("TAG", True), ('"x"', False)],
)
def test_if_none_match_is_a_list_of_tags(header: str | None, known: bool) -> None:  # noqa: FBT001
    etag = picture_etag("item", "a")
    strong = etag.removeprefix("W/")
    assert is_known_to(header and header.replace("TAG", strong), etag) is known
