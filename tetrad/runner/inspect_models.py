"""Answer with a model of Inspect, whose providers reach nearly every API: `tetrad eval --inspect openai/gpt-x`.

Needs the extra `inspect`. Inspect's models are asynchronous and belong to one event loop, which runs here in a thread
of its own.
"""

import asyncio
from collections.abc import Callable, Sequence
from threading import Thread
from typing import Any

from tetrad.chat_replies import kind_of_end
from tetrad.contracts.inference import ImagePart, Message, TextPart
from tetrad.extras import how_to_install
from tetrad.runner.ports import ModelReply, Prompt, RefusedError, ReplyError, TokenUsage


def inspect_responder(
    name: str,
    *,
    timeout_seconds: float,
    temperature: float | None,
    max_tokens: int | None,
) -> Callable[[Prompt], ModelReply]:
    """Ask a model by its name in Inspect, such as openai/gpt-x or mockllm/model.

    Raises:
        RefusedError: the extra is not installed, or Inspect knows no such model.
    """
    try:
        from inspect_ai.model import GenerateConfig, get_model  # noqa: PLC0415 -- an extra
    except ImportError as error:
        raise RefusedError(f"--inspect needs an extra: {how_to_install('inspect')}") from error
    config = GenerateConfig(temperature=temperature, max_tokens=max_tokens, timeout=round(timeout_seconds))
    try:
        model = get_model(name, config=config)
    except Exception as error:
        raise RefusedError(f"--inspect {name}: {error}") from error
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, name="inspect", daemon=True).start()

    def respond(prompt: Prompt) -> ModelReply:
        asked = asyncio.run_coroutine_threadsafe(model.generate(chat_of(prompt.messages)), loop)
        try:
            output = asked.result(timeout_seconds * 2)
        except TimeoutError as error:
            asked.cancel()
            raise ReplyError(f"{name}: no reply within {timeout_seconds * 2:g} s", may_cost=True) from error
        except Exception as error:
            raise ReplyError(f"{name}: no reply ({type(error).__name__}: {error})", may_cost=True) from error
        return reply_of(output)

    return respond


def chat_of(messages: Sequence[Message]) -> list[Any]:
    """Return the messages as Inspect has them."""
    from inspect_ai.model import (  # noqa: PLC0415 -- an extra
        ChatMessageAssistant,
        ChatMessageSystem,
        ChatMessageUser,
        ContentImage,
        ContentText,
    )

    kinds: dict[str, Any] = {
        "system": ChatMessageSystem,
        "developer": ChatMessageSystem,
        "user": ChatMessageUser,
        "assistant": ChatMessageAssistant,
    }

    def part(one: TextPart | ImagePart) -> Any:
        if isinstance(one, TextPart):
            return ContentText(text=one.text)
        return ContentImage(image=one.image_url.url, detail=one.image_url.detail)

    return [
        kinds[message.role](
            content=message.content if isinstance(message.content, str) else [part(each) for each in message.content]
        )
        for message in messages
    ]


def reply_of(output: Any) -> ModelReply:
    """Return the reply of an Inspect model, with why it ended and what it took."""
    usage = output.usage
    stop = kind_of_end(output.stop_reason, output.completion)
    if usage is None:
        return ModelReply(text=output.completion, stop=stop)
    cached = usage.input_tokens_cache_read or 0
    # Inspect counts cached tokens apart from the others.
    told = TokenUsage(input=usage.input_tokens + cached, output=usage.output_tokens, cached_input=cached)
    return ModelReply(text=output.completion, stop=stop, usage=told)
