"""A small gateway that keeps the contract, for the api's tests. It runs as a process of its own.

Its model `letter` replies with the letter of an option, `shy` refuses the first call of each question for good, `busy`
is not ready the first time, `poor` has no budget then, and the provider of `broke` refuses the operator's key then.
Estimates fill the budget of `guessed` then, calls in flight that of `held` and the day's of `full`, and `late` may
spend no more that day. `pensive` thinks and writes nothing. Any signed token passes: the tests have no ledger.
"""

import hashlib
from typing import Any

from litestar import Litestar, Request, Response, get, post
from litestar.params import JSONBody

from inference_gateway.gates import Reason, Refused
from inference_gateway.problems import HANDLERS
from inference_gateway.providers import ProviderError
from tetrad.contracts.inference import (
    ChatChoice,
    ChatReply,
    ChatRequest,
    GatewayModel,
    GatewayModels,
    ModelPrice,
    ReplyMessage,
    ShortBudget,
    Stop,
    Usage,
)
from tetrad.server.problems import ProblemError

MODELS = ("letter", "shy", "busy", "poor", "broke", "guessed", "held", "late", "full", "pensive")
DIRECT = {"letter", "pensive"}
THOUGHT = 40_000 * "?" + " Is it (A)?"
SHORT = ShortBudget(name="team t", limit=100, spent=90, estimated=80, reserved=0, needed=20)
REFUSALS: dict[str, Exception] = {
    "shy": ProblemError(400, "shy is shy"),
    "busy": ProblemError(503, "busy is busy"),
    "poor": ProblemError(402, "poor is poor"),
    "broke": ProviderError("credentials"),
    "late": Refused(Reason.DAY_BUDGET, "budget", "of today", "is spent", "wait for the next day", 240.0),
    "full": Refused(Reason.DAY_BUDGET_HELD, "budget", "of today", "is held", "wait", 1.0),
    "guessed": Refused(Reason.BUDGET, "budget", "team t", "is short", "ask for more", short=SHORT),
    "held": Refused(Reason.BUDGET, "budget", "team t", "is short", "ask for more", 5.0),
}
PRICE = ModelPrice(input=1.0, output=10.0, source="a test", date="2026-11-01")


def create_app() -> Litestar:
    seen: set[str] = set()

    @get("/health/ready", sync_to_thread=False)
    def ready() -> dict[str, str]:
        return {"status": "ready"}

    @get("/v1/models", sync_to_thread=False)
    def models() -> GatewayModels:
        listed = [
            GatewayModel(
                id=name,
                provider="openai",
                kind="chat",
                title=name,
                price=PRICE if name == "letter" else None,
                purposes=["sealed"],
            )
            for name in MODELS
        ]
        return GatewayModels(data=listed)

    @post("/v1/chat/completions", status_code=200, sync_to_thread=False)
    def chat(request: Request[Any, Any, Any], data: JSONBody[ChatRequest]) -> Response[ChatReply]:
        name = request.headers["Idempotency-Key"]
        if data.model not in DIRECT and name not in seen:
            seen.add(name)
            raise REFUSALS[data.model]
        letter = "AB"[hashlib.sha256(name.encode()).digest()[0] % 2]
        message, stop = ReplyMessage(content=f"({letter})"), Stop(kind="complete")
        if data.model == "pensive":
            message, stop = ReplyMessage(content="", reasoning_content=THOUGHT), Stop(kind="empty")
        choice = ChatChoice(index=0, message=message, finish_reason="stop", stop=stop)
        usage = Usage(prompt_tokens=100, completion_tokens=2, total_tokens=102)
        reply = ChatReply(id="x", created=1, model=data.model, choices=[choice], usage=usage)
        return Response(reply, headers={"x-tetrad-waited-ms": "1.5"})

    return Litestar([ready, models, chat], exception_handlers=HANDLERS, openapi_config=None)
