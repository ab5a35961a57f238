"""What chat completions say, whichever server with OpenAI's API writes them: texts, thoughts, refusals, ends.

The gateway and the runner read replies with this module. In order: the reasons of an end, the words of a message, the
choices of a reply. Null counts as missing, and a field of another type than it should have counts as null.

Sources: the API references of OpenAI, Azure, Mistral, DeepSeek, Zhipu, Alibaba (Qwen) and OpenRouter, and the code of
vLLM (FinishReason), SGLang (BaseFinishReason), Ollama (DoneReason), llama.cpp and TGI.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from tetrad.contracts.inference import StopKind

ENDS: Mapping[str, StopKind] = {
    **dict.fromkeys(["stop", "end_turn", "stop_sequence", "eos", "eos_token"], "complete"),
    **dict.fromkeys(["length", "max_tokens", "model_length", "model_context_window_exceeded"], "length"),
    **dict.fromkeys(
        ["content_filter", "content_filtered", "sensitive", "safety", "recitation", "guardrail_intervened"], "blocked"
    ),
    "refusal": "refused",
    # vLLM stops a reply that repeats itself. Ollama says load and unload when it wrote nothing.
    **dict.fromkeys(
        ["", "null", "error", "network_error", "insufficient_system_resource", "abort", "repetition", "load", "unload"],
        "cut",
    ),
    # The model waits for a tool that nobody offered.
    **dict.fromkeys(["tool_calls", "function_call", "tool_use"], "cut"),
}
"""The kind of each finish reason, in lowercase: of Mistral (model_length), DeepSeek (insufficient_system_resource),
Zhipu (sensitive, network_error), Qwen ("null"), OpenRouter (error), Azure and proxies before Amazon's and Google's
models, vLLM (abort, repetition), SGLang (abort) and Ollama (load, unload). Any other one is unknown.
"""
WITHOUT_TEXT: Mapping[StopKind, StopKind] = {"length": "length-before-text", "complete": "empty"}
"""The kinds of replies without a visible word that have a name of their own."""
MARK = "\ufeff"  # a byte order mark is no content


class UnreadableReplyError(ValueError):
    """A document is no chat completion, or has no field with a text."""


@dataclass(frozen=True, kw_only=True)
class Words:
    """The words of a message or of a stream's delta. `thought` is what a reasoning model wrote before its reply.

    `is_told`: there was a field for them, even if it was null.
    """

    text: str = ""
    thought: str = ""
    refusal: str = ""
    is_told: bool = False


@dataclass(frozen=True, kw_only=True)
class ReadChoice:
    """A choice of a reply, or a part of it. `reason` is the server's own word for its end, "" for none.

    `named` is the kind that a gateway of ours names beside it. `has_reason`: there was a field for a reason, even if it
    was null.
    """

    index: int
    words: Words
    reason: str
    named: StopKind | None = None
    has_reason: bool = True

    def kind(self) -> StopKind:
        """Return the kind of the choice's end."""
        return kind_of_end(self.reason, self.words.text, self.words.refusal)


def kind_of_end(reason: str, text: str, refusal: str = "") -> StopKind:
    """Return the kind of an end by the server's reason; "" means that the reply ended without one."""
    kind = ENDS.get(reason.strip().lower(), "unknown")
    if refusal and kind == "complete":
        return "refused"
    return kind if text.strip() else WITHOUT_TEXT.get(kind, kind)


def words_of(message: object) -> Words:
    """Return the words of a message. Mistral's content is a list of parts, among them thoughts; so may be a delta's."""
    if not isinstance(message, Mapping):
        return Words()
    parts = list(_parts(message.get("content")))
    thought = next((found for name in _THOUGHTS if (found := _text(message.get(name)))), "")
    return Words(
        text="".join(text for kind, text in parts if kind == "text").replace(MARK, ""),
        thought=thought + "".join(text for kind, text in parts if kind == "thought"),
        refusal=_text(message.get("refusal")) + "".join(text for kind, text in parts if kind == "refusal"),
        is_told=any(name in message for name in ("content", "refusal", *_THOUGHTS)),
    )


_THOUGHTS = ("reasoning_content", "reasoning", "thinking")
"""Where thoughts stand: the name of DeepSeek, Qwen, Zhipu and SGLang; of OpenRouter, vLLM and Ollama; of others."""


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _parts(content: object) -> Iterator[tuple[str, str]]:
    """Yield the kind of each part of a content, and its text."""
    if isinstance(content, str):
        yield "text", content
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str) and isinstance(content, list):
            yield "text", part
        if not isinstance(part, Mapping):
            continue
        match part.get("type"):
            case "thinking" | "reasoning":
                inside = part.get("thinking", part.get("text"))
                yield "thought", "".join(text for _, text in _parts(inside))
            case "refusal":
                yield "refusal", _text(part.get("refusal"))
            case "text" | "output_text" | None:
                yield "text", _text(part.get("text"))


def choices_of(document: object) -> list[ReadChoice]:
    """Return the choices of a whole reply, in order.

    Raises:
        UnreadableReplyError: there are none, or one that claims to be whole has no field for a text.
    """
    found = [_choice(choice, ("message", "delta")) for choice in _choice_objects(document)]
    if not found:
        raise UnreadableReplyError("it has no choices")
    for choice in found:
        if not choice.words.is_told and choice.kind() not in {"length-before-text", "blocked", "refused"}:
            raise UnreadableReplyError("a choice has no text")
    return sorted(found, key=lambda choice: choice.index)


def deltas_of(document: object) -> list[ReadChoice]:
    """Return the parts of choices that a chunk of a stream brings: none for a chunk without choices."""
    return [_choice(choice, ("delta", "message")) for choice in _choice_objects(document)]


def _choice_objects(document: object) -> list[Mapping[str, Any]]:
    choices = document.get("choices") if isinstance(document, Mapping) else None
    return [choice for choice in choices if isinstance(choice, Mapping)] if isinstance(choices, list) else []


def _choice(choice: Mapping[str, Any], places: tuple[str, str]) -> ReadChoice:
    message = next((found for place in places if isinstance(found := choice.get(place), Mapping)), None)
    if message is None and isinstance(choice.get("text"), str):  # of a server that answers as the older API did
        message = {"content": choice["text"]}
    index = choice.get("index")
    is_number = isinstance(index, int) and index >= 0
    return ReadChoice(
        index=int(index or 0) if is_number else 0,
        words=words_of(message),
        reason=_reason(choice),
        named=_gateway_kind(choice),
        has_reason="finish_reason" in choice,
    )


def _gateway_kind(choice: Mapping[str, Any]) -> StopKind | None:
    stop = choice.get("stop")
    kind = stop.get("kind") if isinstance(stop, Mapping) else None
    return next((known for known in get_args(StopKind) if known == kind), None)


def _reason(choice: Mapping[str, Any]) -> str:
    reason = choice.get("finish_reason")
    if isinstance(reason, Mapping):  # SGLang's own form
        reason = reason.get("type")
    if reason is None or isinstance(reason, str):
        return reason or ""
    return str(reason)
