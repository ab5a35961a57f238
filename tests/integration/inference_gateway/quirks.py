"""Quirks of model servers: what each answers, what a client of the gateway sees, and how many calls it takes.

One row a quirk. Each answer is what the named server's reference or code says that it writes; what they share is
written once.
"""

import json
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.integration.inference_gateway.upstream import Handler, chat, chunk, replying

ANSWER = "The answer is (B)."
ACCOUNT = "org-4fJ8s0xQ77aPpZ"
"""Of the operator at its provider: no caller may see it."""


@dataclass(frozen=True, kw_only=True)
class Seen:
    """A reply as a client sees it."""

    text: str = ANSWER
    finish: str = "stop"
    kind: str = "complete"
    refusal: str | None = None
    thought: str | None = None
    has_usage: bool = True


@dataclass(frozen=True, kw_only=True)
class Fault:
    """An error as a client sees it. `words`: a part of its message."""

    status: int
    code: str
    words: str = ""


@dataclass(frozen=True, kw_only=True)
class Quirk:
    """`answers` come one after another, and the last one again and again. `model` is an entry of the registry."""

    name: str
    answers: list[Handler]
    seen: Seen | Fault
    calls: int = 1
    model: str = "openai"
    is_stream: bool = False
    asked: dict[str, Any] = field(default_factory=dict)


def raw(body: bytes | str, status: int = 200, kind: str = "application/json", **headers: str) -> Handler:
    """Answer with these bytes."""
    content = body if isinstance(body, bytes) else body.encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    async def handle(_: web.Request) -> web.StreamResponse:
        return web.Response(body=content, status=status, headers={"Content-Type": kind, **named})

    return handle


def events(*parts: Any, before: str = "", end: str = "data: [DONE]\n\n") -> Handler:
    """Stream these: documents as events, texts as they are."""
    written = [part if isinstance(part, str) else f"data: {json.dumps(part)}\n\n" for part in parts]
    return raw(before + "".join(written) + end, kind="text/event-stream")


def message(**fields: Any) -> dict[str, Any]:
    """Return a completion whose message has these fields."""
    document = chat(None)
    document["choices"][0]["message"] = {"role": "assistant", **fields}
    return document


def delta(reason: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": reason}]}


def claude(*blocks: Any, reason: str | None = "end_turn", **more: Any) -> dict[str, Any]:
    usage = {"input_tokens": 3, "output_tokens": 6}
    head = {"id": "m", "type": "message", "role": "assistant", "model": "claude-x-1", "stop_sequence": None}
    return {**head, "content": list(blocks), "stop_reason": reason, "usage": usage, **more}


def gemini(*parts: Any, reason: str | None = "STOP", **more: Any) -> dict[str, Any]:
    candidate = {"content": {"role": "model", "parts": list(parts)}, "finishReason": reason, "index": 0}
    usage = {"promptTokenCount": 3, "candidatesTokenCount": 2}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-x-1", **more}


def blocks(*texts: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text} for text in texts]


CUT = Fault(status=200, code="upstream_cut", words="broke off")
"""The error event that ends a stream."""
CREDENTIALS = Fault(status=502, code="upstream_credentials", words="tell the operator")

REASONS = {
    "stop": ("stop", "complete"),
    "STOP": ("stop", "complete"),
    "eos_token": ("stop", "complete"),
    "length": ("length", "length"),
    "MAX_TOKENS": ("length", "length"),
    "model_length": ("length", "length"),
    "content_filter": ("content_filter", "blocked"),
    "content_filtered": ("content_filter", "blocked"),
    "sensitive": ("content_filter", "blocked"),
    "network_error": ("length", "cut"),
    "insufficient_system_resource": ("length", "cut"),
    "abort": ("length", "cut"),
    "error": ("length", "cut"),
    "repetition": ("length", "cut"),
    "load": ("length", "cut"),
    "tool_calls": ("length", "cut"),
    "null": ("length", "cut"),
    "tired": ("length", "unknown"),
}
"""Reasons of servers of OpenAI's family, and what a client sees of each."""


def ends() -> list[Quirk]:
    """Return each reason of an end, in one piece and as a stream."""
    found = []
    for reason, (finish, kind) in REASONS.items():
        seen = Seen(finish=finish, kind=kind)
        found.append(Quirk(name=f"reason {reason}", answers=[replying(chat(ANSWER, reason))], seen=seen))
        streamed = Fault(status=200, code="upstream_cut", words="broke off") if kind == "cut" else seen
        answer = events(chunk(ANSWER), chunk(None, reason), {"choices": [], "usage": chat("")["usage"]})
        found.append(Quirk(name=f"reason {reason}, streamed", answers=[answer], seen=streamed, is_stream=True))
    sglang = chat(ANSWER)
    sglang["choices"][0]["finish_reason"] = {"type": "length", "length": 7}
    return [
        *found,
        Quirk(name="SGLang's reason", answers=[replying(sglang)], seen=Seen(finish="length", kind="length")),
        Quirk(name="null at the end", answers=[replying(chat(ANSWER, None))], seen=Seen(finish="length", kind="cut")),
        Quirk(name="null at a stream's end", answers=[events(chunk(ANSWER))], seen=CUT, is_stream=True),
        Quirk(
            name="Anthropic's unknown reason",
            model="claude",
            answers=[replying(claude(*blocks(ANSWER), reason="tired"))],
            seen=Seen(finish="length", kind="unknown"),
        ),
        Quirk(
            name="Gemini's unknown reason",
            model="gemini",
            answers=[replying(gemini({"text": ANSWER}, reason="TIRED"))],
            seen=Seen(finish="length", kind="unknown"),
        ),
    ]


THINKING = {"type": "thinking", "thinking": [{"type": "text", "text": "Is it (A)?"}]}
THOUGHT = "Is it (A)?"


def contents() -> list[Quirk]:
    """Return replies whose words stand elsewhere than in a text."""
    refused = {"type": "refusal", "category": "bio", "explanation": "I can't help with that."}
    refusal = Seen(text="", kind="refused", refusal="I can't help with that.")
    mistral = [THINKING, {"type": "text", "text": "The answer "}, {"type": "text", "text": "is (B)."}]
    started = {"type": "message_start", "message": claude(reason=None)}
    refusing = {"type": "message_delta", "delta": {"stop_reason": "refusal", "stop_details": refused}}
    thinks = {"reasoning_content": THOUGHT, "content": None}
    told: list[tuple[str, Handler, Seen]] = [
        ("parts of a text", replying(message(content=blocks("The answer ", "is (B)."))), Seen()),
        ("Mistral's thinking", replying(message(content=mistral)), Seen(thought=THOUGHT)),
        ("DeepSeek's thinking", replying(message(content=ANSWER, reasoning_content=THOUGHT)), Seen(thought=THOUGHT)),
        ("OpenRouter's thinking", replying(message(content=ANSWER, reasoning=THOUGHT)), Seen(thought=THOUGHT)),
        ("a thought alone", replying(message(**thinks)), Seen(text="", kind="empty", thought=THOUGHT)),
        (
            "a thought up to the cap",
            replying(message(**thinks) | {"choices": [{"message": thinks, "finish_reason": "length"}]}),
            Seen(text="", finish="length", kind="length-before-text", thought=THOUGHT),
        ),
        ("a refusal", replying(message(content=None, refusal="I can't help with that.")), refusal),
        ("a refusal as a part", replying(message(content=[{"type": "refusal", "refusal": refusal.refusal}])), refusal),
        (
            "Azure's filter",
            replying({"choices": [{"message": {"role": "assistant"}, "finish_reason": "content_filter"}]}),
            Seen(text="", finish="content_filter", kind="blocked", has_usage=False),
        ),
        (
            "the older API's text",
            replying({"choices": [{"text": ANSWER, "finish_reason": "stop"}]}),
            Seen(has_usage=False),
        ),
    ]
    streamed: list[tuple[str, Handler, Seen]] = [
        (
            "Mistral's thinking, streamed",
            events(delta(content=[THINKING]), delta(content="The answer "), delta("stop", content=blocks("is (B)."))),
            Seen(thought=THOUGHT, has_usage=False),
        ),
        (
            "a thought alone, streamed",
            events(delta(reasoning_content=THOUGHT), delta("stop", content="")),
            Seen(text="", kind="empty", thought=THOUGHT, has_usage=False),
        ),
        (
            "a refusal, streamed",
            events(delta(refusal="I can't help "), delta("stop", refusal="with that.")),
            Seen(text="", kind="refused", refusal="I can't help with that.", has_usage=False),
        ),
    ]
    return [
        *(Quirk(name=name, answers=[answer], seen=seen) for name, answer, seen in told),
        *(Quirk(name=name, answers=[answer], seen=seen, is_stream=True) for name, answer, seen in streamed),
        Quirk(
            name="Anthropic's refusal",
            model="claude",
            answers=[replying(claude(reason="refusal", stop_details=refused))],
            seen=refusal,
        ),
        Quirk(
            name="Anthropic's refusal of a reply that had begun",
            model="claude",
            answers=[replying(claude(*blocks("(B)"), reason="refusal"))],
            seen=Seen(text="(B)", finish="content_filter", kind="refused"),
        ),
        Quirk(
            name="Anthropic's refusal, streamed",
            model="claude",
            answers=[events(started, refusing, {"type": "message_stop"}, end="")],
            seen=refusal,
            is_stream=True,
        ),
        Quirk(
            name="Anthropic's thinking",
            model="claude",
            answers=[replying(claude({"type": "thinking", "thinking": THOUGHT}, *blocks(ANSWER)))],
            seen=Seen(thought=THOUGHT),
        ),
        Quirk(
            name="Gemini's thinking",
            model="gemini",
            answers=[replying(gemini({"text": THOUGHT, "thought": True}, {"text": ANSWER}))],
            seen=Seen(thought=THOUGHT),
        ),
    ]


def with_usage(usage: str) -> str:
    return json.dumps(chat(ANSWER) | {"usage": None}).replace('"usage": null', f'"usage": {usage}')


def unreadable() -> list[Quirk]:
    """Return answers of 200 that are hardly or not to be read: no answer is asked for four times."""
    surrogate = json.dumps(chat(ANSWER)).replace('"fp_1"', r'"fp_\ud83d"').replace('"x"', "NaN")
    unread = Fault(status=502, code="upstream_garbled", words="can't be read")
    usages = {
        "text": '{"prompt_tokens": "5", "completion_tokens": "2"}',
        "a float": '{"prompt_tokens": 5.5, "completion_tokens": 2}',
        "NaN": '{"prompt_tokens": NaN, "completion_tokens": 2}',
        "below 0": '{"prompt_tokens": -5, "completion_tokens": 2}',
        "more cached than sent": (
            '{"prompt_tokens": 5, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 6}}'
        ),
        "a list": "[5, 2]",
    }
    counted = {"input_tokens": "3", "output_tokens": 6}
    whole = json.dumps(chat(ANSWER))
    return [
        *(
            Quirk(name=f"usage {name}", answers=[raw(with_usage(usage))], seen=Seen(has_usage=False))
            for name, usage in usages.items()
        ),
        Quirk(
            name="Anthropic's usage as text",
            model="claude",
            answers=[replying(claude(*blocks(ANSWER), usage=counted))],
            seen=Seen(has_usage=False),
        ),
        Quirk(
            name="Gemini's usage as text",
            model="gemini",
            answers=[replying(gemini({"text": ANSWER}, usageMetadata={"promptTokenCount": "3"}))],
            seen=Seen(has_usage=False),
        ),
        Quirk(name="half a surrogate pair, and NaN", answers=[raw(surrogate)], seen=Seen()),
        Quirk(name="a byte order mark", answers=[raw(b"\xef\xbb\xbf" + whole.encode())], seen=Seen()),
        Quirk(name="no text, then one", answers=[raw('{"choices": []}'), raw(whole)], seen=Seen(), calls=2),
        Quirk(name="no text field", answers=[replying(message())], seen=unread, calls=2),
        Quirk(name="a page of a proxy", answers=[raw("<html>busy</html>", kind="text/html")], seen=unread, calls=2),
        Quirk(name="Anthropic's without text", model="claude", answers=[raw("{}")], seen=unread, calls=2),
        Quirk(name="Gemini's without text", model="gemini", answers=[raw("{}")], seen=unread, calls=2),
        Quirk(
            name="a stream without an event",
            answers=[events(end="")],
            seen=Fault(status=502, code="upstream_cut"),
            calls=2,
            is_stream=True,
        ),
    ]


def error(code: str, words: str = f"You, {ACCOUNT}, exceeded your current quota", **more: Any) -> dict[str, Any]:
    return {"error": {"message": words, "type": code, "code": code, **more}}


def accounts() -> list[Quirk]:
    """Return faults of the operator's key or account: one call, whatever the status."""
    told: list[tuple[str, str, Handler]] = [
        ("OpenAI's empty quota", "openai", replying(error("insufficient_quota"), 429)),
        (
            "OpenAI's wrong key",
            "openai",
            replying(error("invalid_api_key", "Incorrect API key provided: sk-1***9"), 401),
        ),
        ("DeepSeek's empty balance", "openai", replying(error("unknown_error", "Insufficient Balance"), 402)),
        ("Zhipu's empty balance", "openai", replying(error("1113", "您的账户已欠费"), 429)),
        ("Qwen's unpaid account", "openai", replying(error("Arrearage", f"Access denied, {ACCOUNT}"), 400)),
        ("a key refused in a 200", "openai", replying(error("invalid_api_key"))),
        (
            "Anthropic's empty balance",
            "claude",
            replying(
                {
                    "type": "error",
                    "error": {
                        "type": "invalid_request_error",
                        "message": f"Your credit balance is too low ({ACCOUNT}). Go to Plans & Billing.",
                    },
                },
                400,
            ),
        ),
        (
            "Gemini's wrong key",
            "gemini",
            replying(error("INVALID_ARGUMENT", "API key not valid.", details=[{"reason": "API_KEY_INVALID"}]), 400),
        ),
    ]
    return [
        *(Quirk(name=name, model=model, answers=[answer], seen=CREDENTIALS) for name, model, answer in told),
        *(
            Quirk(name=f"{name}, streamed", model=model, answers=[answer], seen=CREDENTIALS, is_stream=True)
            for name, model, answer in told[:1]
        ),
    ]


LIMIT = "At most 1 image(s) may be provided in one prompt."


def refusals() -> list[Quirk]:
    """Return the shapes of a refused request: its reason reaches the caller."""
    shapes: dict[str, Any] = {
        "OpenAI's": {"error": {"message": LIMIT, "type": "BadRequestError", "param": None, "code": 400}},
        "a text": {"error": LIMIT},
        "vLLM's older": {"object": "error", "message": LIMIT, "type": "BadRequestError", "code": 400},
        "FastAPI's": {"detail": LIMIT},
        "FastAPI's list": {"detail": [{"loc": ["body", "messages"], "msg": LIMIT, "type": "value_error"}]},
        "Mistral's": {"object": "error", "message": {"detail": [{"loc": ["body"], "msg": LIMIT}]}, "code": None},
        "a message": {"message": LIMIT},
        "Ollama's": {"error": LIMIT},
        "TGI's": {"error": LIMIT, "error_type": "validation"},
        "OpenRouter's": {
            "error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": LIMIT}},
            "user_id": ACCOUNT,
        },
        "a list's": [{"error": {"message": LIMIT, "code": 400, "status": "INVALID_ARGUMENT"}}],
        "with the account": {"error": {"message": f"{LIMIT} Organization {ACCOUNT}, mail ops@example.org."}},
    }
    seen = Fault(status=400, code="upstream_request", words=LIMIT)
    return [
        *(
            Quirk(name=f"a refusal in the shape {name}", answers=[replying(shape, status)], seen=seen)
            for name, shape in shapes.items()
            for status in ((422,) if "detail" in shape else (400,))
        ),
        Quirk(name="a refusal as plain text", answers=[raw(LIMIT, 400, "text/plain")], seen=seen),
        Quirk(
            name="a refusal, streamed",
            answers=[replying(shapes["vLLM's older"], 400)],
            seen=seen,
            is_stream=True,
        ),
    ]


def streams() -> list[Quirk]:
    """Return quirks of streams that change nothing, and errors in answers of 200."""
    told, end = chunk(ANSWER), chunk(None, "stop")
    seen = Seen(has_usage=False)
    harmless = {
        "empty data lines": events("data:\n\n", told, "data: \n\n", end),
        "comments": events(": OPENROUTER PROCESSING\n\n", told, ":\n\n: ping\n\n", end),
        "heartbeats": events(
            "event: ping\ndata: {}\n\n", told, "event: heartbeat\ndata: x\n\n", "data: [PING]\n\n", end
        ),
        "a byte order mark": events(told, end, before="\ufeff"),
        "a byte order mark as content": events(chunk("\ufeff"), told, end),
        "lines that end as Windows's": events(f"data: {json.dumps(told)}\r\n\r\n", f"data: {json.dumps(end)}\r\n\r\n"),
        "chunks without choices": events({"choices": None}, {"id": "x"}, told, {"choices": []}, end),
        "no [DONE]": events(told, end, end=""),
        "words of Qwen": events(chunk(ANSWER, "null"), end),
        "a reply that is not streamed": replying(chat(ANSWER) | {"usage": None}),
    }
    overloaded = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    limited = error("rate_limit_exceeded", "slow down")
    slow = Fault(status=429, code="upstream_rate_limited")
    busy = Fault(status=503, code="upstream_overloaded", words="overloaded")
    faults: list[tuple[str, str, Handler, Fault, bool]] = [
        ("a limit in a 200", "openai", replying(limited), slow, False),
        ("a limit's number in a 200", "openai", replying({"error": {"message": "no", "code": 429}}), slow, False),
        ("vLLM's error in a 200", "openai", replying({"object": "error", "message": "no", "code": 429}), slow, False),
        ("a limit in a stream", "openai", events(limited), slow, True),
        ("Anthropic's error in a 200", "claude", replying(overloaded), busy, False),
        ("Anthropic's error, at an OpenAI server", "openai", replying(overloaded), busy, False),
        ("Anthropic's error in a stream", "claude", events(overloaded, end=""), busy, True),
        ("Gemini's error in a 200", "gemini", replying(error("x", "no", status="RESOURCE_EXHAUSTED")), slow, False),
        ("an error event", "openai", events('event: error\ndata: {"message": "no", "code": 503}\n\n'), busy, True),
    ]
    return [
        *(
            Quirk(name=f"a stream with {name}", answers=[answer], seen=seen, is_stream=True)
            for name, answer in harmless.items()
        ),
        *(
            Quirk(name=name, model=model, answers=[answer], seen=fault, calls=4, is_stream=is_stream)
            for name, model, answer, fault, is_stream in faults
        ),
        Quirk(
            name="an error after the first piece",
            answers=[events(told, limited)],
            seen=Fault(status=200, code="upstream_rate_limited"),
            is_stream=True,
        ),
        Quirk(
            name="a short wait in milliseconds",
            answers=[replying(limited, 429, retry_after_ms="20"), replying(chat(ANSWER))],
            seen=Seen(),
            calls=2,
        ),
        Quirk(
            name="a wait of a minute",
            answers=[replying(limited, 429, Retry_After="70 seconds")],
            seen=Fault(status=429, code="upstream_rate_limited"),
        ),
    ]


QUIRKS = [*ends(), *contents(), *unreadable(), *accounts(), *refusals(), *streams()]
