"""Whoever has taken the api tells the gateway what they like. The gateway's own bounds of a day hold nevertheless.

They hold also when Redis loses all that it holds, and when the gateway dies with it.
"""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from aiohttp import web

from tests.integration.gateway.conftest import Valkey
from tests.integration.inference_gateway.conftest import Gateway, gateway_with, registry, signed_token, signing
from tests.integration.inference_gateway.upstream import Upstream, chat, running

CALLERS = 4
PATIENCE = 60.0
DAY, JUDGE = 2_000_000, 800_000  # nanodollars
COST, MOST = 19_500, 450_000  # of a call, and what it may cost at most
REOPENED = 10  # settlements, after which the taken api begins the ledger anew
UNBOUND = 2**53 - 1
LIE = {"grown": -UNBOUND, "estimates_grown": 0, "estimated": False, "is_late": True}


class TakenApi:
    """Tells that nobody has spent anything, that no team has a bound, and that no token is revoked.

    It is also the upstream, whose bill it adds up.
    """

    def __init__(self) -> None:
        self.epoch = self.settlements = self.billed = 0

    async def answer(self, request: web.Request) -> web.StreamResponse:
        if request.path.endswith("revoked-tokens"):
            return web.json_response({"revoked": [], "budgets": {}})
        if request.path.endswith("/internal/v1/ledger"):
            self.epoch += 1
            return web.json_response({"epoch": self.epoch, "spent": []})
        if request.path.endswith("/internal/v1/settlements"):
            return web.json_response(self.record((await request.json())["settlements"]))
        self.billed += COST
        return web.json_response(chat("ok"))

    def record(self, settlements: list[dict[str, object]]) -> dict[str, object]:
        """Tell that the sums have shrunk by each settlement, and now and then that another ledger was begun."""
        before = self.settlements // REOPENED
        self.settlements += len(settlements)
        self.epoch += self.settlements // REOPENED - before
        kept = [{**LIE, "id": each["id"], "budgets": each["budgets"]} for each in settlements]
        return {"epoch": self.epoch, "kept": kept}


@pytest.fixture
def taken() -> TakenApi:
    return TakenApi()


@pytest.fixture
def upstream(taken: TakenApi) -> Iterator[Upstream]:
    with running() as upstream:
        upstream.otherwise = taken.answer
        yield upstream


@contextmanager
def started(upstream: Upstream, valkey: Valkey, folder: Path) -> Iterator[Gateway]:
    bounds = {"DAY_BUDGET": str(DAY / 1e9), "PURPOSE_BUDGETS": f"judge:{JUDGE / 1e9}", "ALONE": "true"}
    bounds["DAYS_FOLDER"] = str(folder / "days")
    settings = signing(upstream.url, REDIS_URL=valkey.url, REVOCATION_SECONDS="0.2", **bounds)
    with gateway_with(folder, registry(upstream.url), **settings) as gateway:
        yield gateway


def forge(number: int, purpose: str) -> str:
    """Return a token such as the evaluations worker signs from forged rows: each of another team, without bounds."""
    claims = {"team": f"team-{number}", "team_id": f"team_{number}", "evaluation": f"evl_{number}"}
    return signed_token(f"gwt_{number}", purpose=purpose, budget=UNBOUND, evaluation_budget=UNBOUND, **claims)


def spend(gateway: Gateway, number: int, purpose: str) -> httpx.Response:
    """Ask a model that costs money until the gateway's own bound refuses it, and return the refusal."""
    asked = {"model": "dear", "messages": [{"role": "user", "content": "Which?"}]}
    end = time.monotonic() + PATIENCE
    with gateway.http(forge(number, purpose)) as client:
        while time.monotonic() < end:
            reply = client.post("/v1/chat/completions", json=asked)
            if reply.status_code == 429 and reply.json()["error"]["code"] == "day_budget":
                return reply
            if reply.status_code != 200:
                time.sleep(0.05)  # the ledger opens again, or calls in flight hold what is left
    raise AssertionError(f"nothing refuses {purpose} calls, which have cost {reply.text}")


def test_forged_tokens_and_sums_spend_at_most_what_the_gateway_s_settings_say(
    upstream: Upstream, taken: TakenApi, own_valkey: Valkey, tmp_path: Path
) -> None:
    time.sleep(PATIENCE if 86_400 - time.time() % 86_400 < PATIENCE else 0)  # not over midnight
    with started(upstream, own_valkey, tmp_path) as gateway:
        refused = spend(gateway, 0, "judge")
        assert "judge" in refused.json()["detail"]
        assert JUDGE - MOST < (billed := taken.billed) <= JUDGE
        own_valkey.kill()
        own_valkey.start()  # it kept nothing
        spend(gateway, 0, "judge")
        assert taken.billed == billed, "Redis lost what was counted"
        own_valkey.kill()
    own_valkey.start()
    with started(upstream, own_valkey, tmp_path) as gateway:
        spend(gateway, 0, "judge")
        assert taken.billed == billed, "the memory of the gateway went, too"
        with ThreadPoolExecutor(CALLERS) as pool:
            refusals = list(pool.map(lambda number: spend(gateway, number, "sealed"), range(1, CALLERS + 1)))
        assert {"instance" in reply.json()["detail"] for reply in refusals} == {True}
        assert taken.epoch > 2, "its ledgers began anew"
        assert DAY - MOST < taken.billed <= DAY
        spend(gateway, 0, "judge")
        assert taken.billed <= DAY
