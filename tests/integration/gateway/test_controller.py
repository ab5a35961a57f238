"""The controller of permits under random histories, in the script that runs it."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis import Redis

from inference_gateway.gates import LONGEST_PAUSE
from inference_gateway.gates.scripts import source

PREFIX = "tetrad:{controller}"
STATE = f"{PREFIX}|upstream|a"
outcomes = st.sampled_from(["success", "success", "success", "success", "retried", "rate-limited", "server", "episode"])


class Controller:
    """One upstream whose calls come in rounds: `full` of its permits are taken, then each call ends somehow."""

    def __init__(self, redis: "Redis[Any]", *, least: int = 1, start: int = 10, most: int = 100) -> None:
        redis.flushall()
        self._redis = redis
        self._bounds = {"least": least, "start": start, "most": most}
        self._admit = redis.register_script(source("admit"))
        self._settle = redis.register_script(source("settle"))
        self._number = 0

    @property
    def limit(self) -> int:
        return int(self._redis.hget(STATE, "limit") or self._bounds["start"])

    def admit(self, model: str = "m") -> str | None:
        """Admit a call and return its id, or None where it would have to wait."""
        self._number += 1
        call = {
            "id": f"p.{self._number}", "account": "a", "team": "t", "model": model, "priced": False, "amount": 0,
            "budgets": [], "tokens": 1, "limits": {"requests": False, "tokens": False}, "permits": self._bounds,
            "sent": True, "lease": 60_000,
        }  # fmt: skip
        reply = msgspec.msgpack.decode(self._admit(keys=[PREFIX], args=[msgspec.msgpack.encode(call)]))
        if reply["state"] == "admitted":
            return str(call["id"])
        waiting = (*self._redis.keys(f"{PREFIX}|*ticket*"), *self._redis.keys(f"{PREFIX}|*queue*"))
        self._redis.delete(f"{PREFIX}|waiting-teams|a", *waiting)
        return None

    def settle(self, call_id: str, outcome: str, *, attempt: int = 1, retry_after: int = 0) -> None:
        done = {
            "id": call_id, "outcome": outcome, "cost": 0, "tokens": 1, "estimated": False, "attempt": attempt,
            "permits": self._bounds, "detail": "", "retry_after": retry_after, "breaker_failures": 10**6,
            "breaker_pause": 1, "identical_errors": 10**6, "identical_pause": 1,
            "longest_pause": round(1000 * LONGEST_PAUSE),
        }  # fmt: skip
        self._settle(keys=[PREFIX], args=[msgspec.msgpack.encode(done)])

    def round(self, outcome: str = "success", **said: int) -> None:
        """Take every permit, then end every call alike."""
        taken: list[str] = []
        while len(taken) < 200 and (call := self.admit()):
            taken.append(call)
        for call in taken:
            self.settle(call, outcome, **said)

    def end_episode(self) -> None:
        self._redis.hset(STATE, "episode_until", 0)


@pytest.fixture(scope="module")
def server(valkey: str) -> Iterator["Redis[Any]"]:
    with Redis.from_url(valkey) as redis:
        yield redis


def test_it_doubles_for_each_clean_round_until_the_first_429_and_then_grows_by_a_twentieth(
    server: "Redis[Any]",
) -> None:
    controller = Controller(server)
    limits = []
    for _ in range(5):
        controller.round()
        limits.append(controller.limit)
    assert limits == [20, 40, 80, 100, 100]
    controller.settle(controller.admit() or "", "rate-limited")
    assert controller.limit == 80
    controller.end_episode()
    limits = []
    for _ in range(4):
        controller.round()
        limits.append(controller.limit)
    assert limits == [84, 88, 92, 96]


def test_a_small_limit_grows_by_one_and_needs_four_successes(server: "Redis[Any]") -> None:
    controller = Controller(server, start=2)
    controller.settle(controller.admit() or "", "rate-limited")
    assert controller.limit == 1
    controller.end_episode()
    for successes in range(1, 5):
        assert controller.limit == 1, successes
        controller.round()
    assert controller.limit == 2


def test_many_429_of_one_episode_cut_once(server: "Redis[Any]") -> None:
    controller = Controller(server)
    calls = [controller.admit() or "" for _ in range(10)]
    for call in calls:
        controller.settle(call, "rate-limited")
    assert controller.limit == 8
    controller.end_episode()
    controller.settle(controller.admit() or "", "rate-limited")
    assert controller.limit == 6


@pytest.mark.parametrize(("asked", "seconds"), [(40_000, 40), (86_400_000, 60)])
def test_a_429_holds_its_model_back_for_as_long_as_it_asks_up_to_a_minute_and_no_other_model(
    server: "Redis[Any]", asked: int, seconds: int
) -> None:
    controller = Controller(server)
    controller.settle(controller.admit() or "", "rate-limited", retry_after=asked)
    now, _ = server.time()
    paused_until = float(server.hget(f"{PREFIX}|breaker|a|m", "paused_until") or 0) / 1000
    assert seconds - 2 < paused_until - now <= seconds + 1
    assert float(server.hget(STATE, "episode_until") or 0) / 1000 - now <= 16  # others grow again before the pause ends
    assert controller.admit() is None  # and nothing is sent meanwhile
    assert controller.admit("other") is not None


def test_a_round_that_used_little_of_the_limit_does_not_count(server: "Redis[Any]") -> None:
    controller = Controller(server)
    for _ in range(40):
        controller.settle(controller.admit() or "", "success")
    assert controller.limit == 10


@pytest.mark.parametrize("outcome", ["server", "timeout", "connection"])
def test_faults_stop_growth_and_cut_nothing(server: "Redis[Any]", outcome: str) -> None:
    controller = Controller(server)
    taken = [controller.admit() or "" for _ in range(10)]
    for call in taken[:9]:
        controller.settle(call, "success")
    controller.settle(taken[9], outcome)
    assert controller.limit == 10
    controller.round()
    assert controller.limit == 20


def test_successes_after_a_retry_and_during_an_episode_count_for_nothing(server: "Redis[Any]") -> None:
    controller = Controller(server)
    for _ in range(3):
        controller.round(attempt=2)
    assert controller.limit == 10
    controller.settle(controller.admit() or "", "rate-limited")
    for _ in range(5):
        controller.round()
    assert controller.limit == 8


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    bounds=st.tuples(st.integers(1, 5), st.integers(1, 30), st.integers(1, 60)).map(sorted),
    history=st.lists(st.tuples(st.floats(0, 1), outcomes), max_size=25),
)
def test_whatever_happens_the_limit_stays_within_bounds_and_moves_only_as_the_rules_say(
    server: "Redis[Any]", bounds: list[int], history: list[tuple[float, str]]
) -> None:
    least, start, most = bounds
    controller = Controller(server, least=least, start=start, most=most)
    was_cut = False
    for share, outcome in history:
        before = controller.limit
        if outcome == "episode":
            controller.end_episode()
            continue
        wanted = max(1, round(share * before))
        taken = [call for _ in range(wanted) if (call := controller.admit())]
        assert len(taken) == wanted  # up to its limit every call gets in
        assert wanted < before or controller.admit() is None  # and beyond it none
        for call in taken:
            told = "success" if outcome == "retried" else outcome
            controller.settle(call, told, attempt=2 if outcome == "retried" else 1)
        after = controller.limit
        assert least <= after <= most
        if outcome == "rate-limited":
            assert after in {before, max(least, int(before * 0.8))}
            was_cut = True
        elif outcome == "success":
            grown = before + max(1, int(before * 0.05)) if was_cut else 2 * before
            assert after in {before, min(most, grown)}
        else:
            assert after == before
        assert server.scard(f"{PREFIX}|in-flight|a") == 0
