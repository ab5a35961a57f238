"""Priced calls through the whole gateway: signed tokens with budgets, a real Redis, the api that keeps the sums."""

import asyncio
import random
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from aiohttp import web
from msgspec.structs import replace
from redis import Redis

from api.database.schema import teams
from api.spending import read_spent
from tests.analogies import analogy
from tests.integration.gateway.conftest import LEDGER_TOKEN, served_api
from tests.integration.inference_gateway.conftest import Gateway, gateway_with, registry
from tests.integration.inference_gateway.upstream import Upstream, chat, chunk, failing, running, streaming
from tests.waiting import REPLY_SECONDS, wait_until
from tetrad.contracts.inference import Purpose
from tetrad.server.clock import now_ms
from tetrad.server.database import make_engine
from tetrad.server.gateway_tokens import GatewayClaims, sign

SIGNING = "signing-secret-of-tests-0123456789-0123456789"
FREE = """
[free]
provider = "openai"
kind = "chat"
title = "Free, and for money where that fails"
address = "{url}/v1"
upstream = "free-there"
training = "never"
fallback = ["dear"]
"""
CALLERS = 50
CAP, IN, OUT = 64, 1_500, 6_000  # the model's output cap, and nanodollars a token
COST = 19_500  # nanodollars: 5 tokens in at $1.5 a million, 2 out at $6
MICRODOLLARS = 1_000
PATIENCE = 30.0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("api")


@pytest.fixture(scope="module")
def engine(folder: Path) -> Iterator[sa.Engine]:
    engine = make_engine(f"sqlite:///{folder / 'api.db'}")
    yield engine
    engine.dispose()


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    with running() as upstream:
        yield upstream


@pytest.fixture(scope="module")
def environment(folder: Path, valkey: str) -> Iterator[Mapping[str, str]]:
    """Serve the api, and give what a gateway beside it is told."""
    with served_api(folder) as url:
        yield {
            "TETRAD_GATEWAY_REDIS_URL": valkey,
            "TETRAD_GATEWAY_API_URL": url,
            "TETRAD_GATEWAY_LEDGER_TOKEN": LEDGER_TOKEN,
            "TETRAD_GATEWAY_TOKEN_SECRETS": SIGNING,
            "TETRAD_GATEWAY_REVOCATION_SECONDS": "0.2",
            "TETRAD_GATEWAY_PURPOSE_BUDGETS": "judge:0.001",
        }


@pytest.fixture(scope="module")
def priced(
    environment: Mapping[str, str], upstream: Upstream, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Gateway]:
    models = registry(upstream.url) + FREE.format(url=upstream.url)
    with gateway_with(tmp_path_factory.mktemp("priced"), models, **environment) as gateway:
        yield gateway


@pytest.fixture
def twin(environment: Mapping[str, str], upstream: Upstream, tmp_path: Path) -> Iterator[Gateway]:
    """Another process of the gateway, over the same Redis and beside the same api."""
    with gateway_with(tmp_path, registry(upstream.url), **environment) as gateway:
        yield gateway


def client_with(gateway: Gateway, budget: int | None, name: str, purpose: Purpose = "sealed") -> httpx.Client:
    """Return a client whose token may spend so many microdollars; None: it names no budget."""
    claims = GatewayClaims(
        id=name, team="lynx", team_id="team_lynx", expires_at=now_ms() + 600_000, budget=budget, purpose=purpose
    )
    return gateway.http(sign(claims, SIGNING))


def ask(client: httpx.Client, **changed: Any) -> httpx.Response:
    messages = [{"role": "user", "content": "Which?"}]
    return client.post("/v1/chat/completions", json={"model": "dear", "messages": messages, **changed})


def ask_when_open(client: httpx.Client) -> httpx.Response:
    """Ask until the ledger is open."""
    end = time.monotonic() + PATIENCE
    while (reply := ask(client)).status_code == 503:
        assert time.monotonic() < end
        assert reply.headers["Retry-After"]
        time.sleep(0.3)
    return reply


def test_a_token_spends_its_budget_and_no_more_also_after_redis_lost_everything(
    priced: Gateway, upstream: Upstream, engine: sa.Engine, valkey: str
) -> None:
    with client_with(priced, 1_000, "spender") as client:
        replies = [ask_when_open(client)]
        while replies[-1].status_code == 200:
            replies.append(ask(client))
        made = len(replies) - 1
        assert len(upstream.asked) == made > 5
        assert replies[-1].status_code == 402
        assert "is spent" in replies[-1].json()["error"]["message"]
        short = replies[-1].json()["budget"]
        assert (short["name"], short["spent"], short["estimated"]) == ("token spender", made * COST, 0)
        # What is left is less than a call may cost, and was not spent.
        assert made * COST <= 1_000 * MICRODOLLARS < (made + 30) * COST
        wait_for_sum(engine, "token|spender", made * COST)

        with Redis.from_url(valkey) as redis:
            redis.flushall()
        refused = ask(client)
        assert (refused.status_code, "can't be booked now" in refused.text) == (503, True)
        assert ask_when_open(client).status_code == 402
        assert len(upstream.asked) == made
    with priced.http() as services:
        assert ask(services, model="constant").status_code == 200


def test_what_a_purpose_spends_a_day_is_bounded_also_after_redis_lost_everything(
    priced: Gateway, upstream: Upstream, engine: sa.Engine, valkey: str
) -> None:
    upstream.reset()
    with client_with(priced, 1_000_000, "judge", purpose="judge") as client:
        ask_when_open(client)
        while (refused := ask(client)).status_code == 200:
            assert len(upstream.asked) * COST <= 1_000 * MICRODOLLARS
        assert (refused.status_code, refused.json()["error"]["code"]) == (429, "day_budget")
        assert 0 < int(refused.headers["Retry-After"]) <= 86_400
        wait_for_sum(engine, "token|judge", len(upstream.asked) * COST)
        with Redis.from_url(valkey) as redis:
            redis.flushall()
        assert ask_when_open(client).status_code == 429


def test_a_token_without_a_budget_opens_no_model_that_costs_money(priced: Gateway, upstream: Upstream) -> None:
    upstream.reset()
    with client_with(priced, None, "unbound") as client:
        refused = ask(client)
        assert (refused.status_code, refused.json()["error"]["code"]) == (402, "budget")
        assert "gateway-token make --budget" in refused.json()["detail"]
        assert upstream.asked == []
        assert ask(client, model="constant").status_code == 200, "a free model needs none"


@pytest.mark.parametrize(
    ("budget", "asked"), [(None, ["free-there", "free-there"]), (1_000, ["free-there", "upstream-model"])]
)
def test_a_fallback_that_costs_money_answers_no_token_without_a_budget(
    priced: Gateway, upstream: Upstream, budget: int | None, asked: list[str]
) -> None:
    upstream.reset()
    with client_with(priced, budget, f"falling-{budget}", purpose="practice") as client:
        if budget:
            ask_when_open(client)
        upstream.reset()
        upstream.answers = [failing(500)]
        assert ask(client, model="free").status_code == 200
    assert [one.body["model"] for one in upstream.asked] == asked


def test_a_gateway_is_ready_once_calls_with_a_price_can_be_booked(
    environment: Mapping[str, str], upstream: Upstream, valkey: str, tmp_path: Path
) -> None:
    with Redis.from_url(valkey) as redis:
        redis.flushall()
    with gateway_with(tmp_path, registry(upstream.url), **environment) as gateway:
        ready = httpx.get(f"{gateway.url}/health/ready", timeout=REPLY_SECONDS)
        assert (ready.status_code, ready.json()["status"], ready.json()["ledger"]) == (200, "ready", "open")
        with client_with(gateway, 1_000, "early") as client:
            assert ask(client).status_code == 200
        with Redis.from_url(valkey) as redis:
            redis.flushall()
        with client_with(gateway, 1_000, "later") as client:
            assert ask(client).status_code == 503

        def is_told() -> bool:
            ready = httpx.get(f"{gateway.url}/health/ready", timeout=REPLY_SECONDS)
            assert ready.status_code == 200, "other models still answer"
            return bool(ready.json()["ledger"] == "closed")

        wait_until(is_told)


ASKING = """
[dear-eye]
provider = "openai"
kind = "embedding"
title = "An embedder of pictures, for money"
address = "{url}/v1"
training = "never"
pictures = {{ tokens = 1000 }}
price = {{ input = 1.5, source = "a test", date = "2026-11-01" }}

[asking]
provider = "embeddings"
kind = "chat"
title = "Asks the model above"
options = {{ model = "dear-eye", way = "arithmetic" }}
"""
EMBEDDED = 7 * 100 * 1_500  # nanodollars: a hundred tokens for each of an analogy's seven pictures


def test_what_a_chat_model_asks_is_booked_once_for_its_caller_and_stops_with_the_budget(
    environment: Mapping[str, str], upstream: Upstream, engine: sa.Engine, tmp_path: Path
) -> None:
    async def embedded(request: web.Request) -> web.StreamResponse:
        inputs = (await request.json())["input"]
        found = [{"index": at, "embedding": [float(at), 1.0]} for at in range(len(inputs))]
        return web.json_response({"data": found, "model": "m", "usage": {"prompt_tokens": 100 * len(inputs)}})

    models = registry(upstream.url) + ASKING.format(url=upstream.url)
    with gateway_with(tmp_path, models, **environment) as gateway, client_with(gateway, 11_000, "asker") as client:
        assert ask_when_open(client).status_code == 200
        wait_for_sum(engine, "token|asker", COST)
        upstream.otherwise = embedded
        upstream.asked.clear()
        asked = {"model": "asking", "messages": analogy(1).messages()}
        first = client.post("/v1/chat/completions", json=asked)
        assert first.status_code == 200, first.text
        assert first.json()["usage"]["prompt_tokens"] == 700
        wait_for_sum(engine, "token|asker", COST + EMBEDDED)
        refused = [reply for _ in range(9) if (reply := client.post("/v1/chat/completions", json=asked)).is_error]
        assert {reply.status_code for reply in refused} == {402}, "a call reserves 7,000 tokens: 10,500 of 11,000"
        made = len(upstream.asked)
        wait_for_sum(engine, "token|asker", COST + made * EMBEDDED)
        upstream.otherwise = None


def test_a_stream_is_booked_from_its_usage(priced: Gateway, upstream: Upstream, engine: sa.Engine) -> None:
    with client_with(priced, 1_000_000, "streamer") as client:
        assert ask_when_open(client).status_code == 200
        wait_for_sum(engine, "token|streamer", COST)
        usage = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
        last = {"id": "x", "model": "m", "choices": [], "usage": usage}
        upstream.otherwise = streaming(chunk("ok"), chunk(None, "stop"), last)
        assert ask(client, stream=True).text.endswith("data: [DONE]\n\n")
        wait_for_sum(engine, "token|streamer", 2 * COST)


def spend_all(client: httpx.Client) -> int:
    """Ask until the budget is spent; return the number of answers."""
    ask_when_open(client)
    answers = 1
    while (reply := ask(client)).status_code == 200:
        answers += 1
    assert reply.status_code == 402, reply.text
    return answers


def test_all_tokens_of_a_team_share_what_it_may_spend(priced: Gateway, upstream: Upstream, engine: sa.Engine) -> None:
    upstream.reset()
    team = {"id": "team_shared", "name": "shared", "title": "", "created_at": 1, "model_budget": 1_000}
    with engine.begin() as connection:
        connection.execute(sa.insert(teams).values(team))

    def of_team(name: str) -> httpx.Client:
        claims = GatewayClaims(
            id=name, team="shared", team_id="team_shared", expires_at=now_ms() + 600_000, budget=1_000_000
        )
        return priced.http(sign(claims, SIGNING))

    def bound(microdollars: int | None) -> None:
        with engine.begin() as connection:
            connection.execute(sa.update(teams).where(teams.c.name == "shared").values(model_budget=microdollars))

    with of_team("first") as first, of_team("second") as second:
        end = time.monotonic() + PATIENCE
        made = spend_all(first)
        assert ask(second).status_code == 402
        assert "team team_shared" in ask(second).json()["error"]["message"]
        wait_for_sum(engine, "team|team_shared", made * COST)
        bound(None)
        while ask(second).status_code != 200:
            assert time.monotonic() < end
        bound(1_000)
        while (reply := ask(first)).status_code != 402:
            assert time.monotonic() < end
        assert "is spent" in reply.text, "what was spent without a bound counts, too"


def test_all_tokens_of_an_evaluation_share_its_budget(priced: Gateway, upstream: Upstream, engine: sa.Engine) -> None:
    upstream.reset()

    def judge(name: str, evaluation: str) -> httpx.Client:
        claims = GatewayClaims(
            id=name,
            team=name,
            team_id=name,
            expires_at=now_ms() + 600_000,
            evaluation=evaluation,
            evaluation_budget=1_000,
        )
        return priced.http(sign(claims, SIGNING))

    with judge("one", "eval_a") as one, judge("two", "eval_a") as two, judge("three", "eval_b") as three:
        made = spend_all(one)
        refused = ask(two)
        assert (refused.status_code, "evaluation eval_a" in refused.text) == (402, True)
        assert ask(three).status_code == 200
        wait_for_sum(engine, "evaluation|eval_a", made * COST)


def test_an_evaluation_with_a_budget_of_what_its_calls_cost_makes_all_of_them(
    priced: Gateway, upstream: Upstream
) -> None:
    """Each call costs what it reserves. Those without room wait until the ones before them are settled, and go on."""
    upstream.reset()
    claims = GatewayClaims(id="exact", team="exact", team_id="exact", expires_at=now_ms() + 600_000, evaluation="exact")
    with priced.http(sign(replace(claims, evaluation_budget=1), SIGNING)) as client:
        needed = ask_when_open(client).json()["budget"]["needed"]
    usage = {"prompt_tokens": (needed - CAP * OUT) // IN, "completion_tokens": CAP, "total_tokens": 1}

    async def answer(_: web.Request) -> web.StreamResponse:
        await asyncio.sleep(0.1)
        return web.json_response(chat("ok", usage=usage))

    upstream.otherwise = answer
    budget = 8 * needed // MICRODOLLARS
    with (
        priced.http(sign(replace(claims, evaluation_budget=budget), SIGNING)) as client,
        ThreadPoolExecutor(12) as pool,
    ):
        replies = list(pool.map(lambda _: ask(client), range(12)))
    upstream.otherwise = None
    assert sorted(reply.status_code for reply in replies) == [200] * 8 + [402] * 4
    assert len(upstream.asked) == 8
    assert {reply.json()["budget"]["spent"] for reply in replies if reply.is_error} == {8 * needed}


class Bill:
    """An upstream's bill: what its answers cost, and what of that was above the caps of their calls, in nanodollars."""

    def __init__(self) -> None:
        self.amounts: list[int] = []
        self.above = 0
        self._rng = random.Random(5)

    async def answer(self, _: web.Request) -> web.StreamResponse:
        """Answer a little later, and take more tokens than the cap in one call of 25."""
        above = 300 if self._rng.random() < 1 / 25 else 0
        out = CAP + above if above else self._rng.randint(1, CAP)
        self.amounts.append(5 * IN + out * OUT)
        self.above += above * OUT
        await asyncio.sleep(self._rng.uniform(0.01, 0.05))
        usage = {"prompt_tokens": 5, "completion_tokens": out, "total_tokens": 5 + out}
        return web.json_response(chat("ok", usage=usage))


def test_fifty_callers_of_two_gateways_pass_a_budget_by_no_more_than_was_billed_above_the_caps(
    priced: Gateway, twin: Gateway, upstream: Upstream, engine: sa.Engine
) -> None:
    upstream.reset()
    bill, limit = Bill(), 50_000 * MICRODOLLARS
    with ExitStack() as stack:
        clients = [stack.enter_context(client_with(one, 50_000, "crowd")) for one in (priced, twin)]
        first = [ask_when_open(client).status_code for client in clients]
        assert first == [200, 200]
        upstream.otherwise = bill.answer

        def spend(number: int) -> int:
            """Ask one of the gateways until the budget is spent; return the number of answers."""
            answers = 0
            while (reply := ask(clients[number % 2])).status_code != 402:
                assert reply.status_code in {200, 429, 503}, reply.text
                answers += reply.status_code == 200
                assert sum(bill.amounts) < 2 * limit, "no call is refused although the budget is spent twice"
            return answers

        with ThreadPoolExecutor(CALLERS) as pool:
            answers = list(pool.map(spend, range(CALLERS)))
    billed = sum(bill.amounts) + len(first) * COST
    assert sum(answers) == len(bill.amounts)
    assert min(sum(answers[::2]), sum(answers[1::2])) > 0, "both gateways spent"
    assert bill.above > 0
    assert billed <= limit + bill.above
    assert billed > limit - 2 * CAP * OUT, "nothing was refused that fitted"
    wait_for_sum(engine, "token|crowd", billed)
    upstream.otherwise = None


def wait_for_sum(engine: sa.Engine, budget: str, amount: int) -> None:
    end = time.monotonic() + PATIENCE
    while (found := read_spent(engine, budget)) != amount:
        assert time.monotonic() < end, found
        time.sleep(0.1)
