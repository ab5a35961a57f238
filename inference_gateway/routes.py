"""The HTTP surface, in OpenAI's shape. Routes only translate."""

import asyncio

from litestar import Router, get, post
from litestar.params import JSONBody
from litestar.types import Guard

from inference_gateway.messages import check_pictures
from inference_gateway.providers import Completion, Vectors
from inference_gateway.registry import Registry
from tetrad.contracts.inference import (
    ChatChoice,
    ChatReply,
    ChatRequest,
    Embedding,
    EmbeddingReply,
    EmbeddingRequest,
    EmbeddingUsage,
    GatewayModels,
    ReplyMessage,
    Usage,
)
from tetrad.server.clock import now_ms
from tetrad.server.ids import new_id
from tetrad.server.problems import refuse

MOST_INPUTS = 256  # of one embedding request


def model_routes(registry: Registry, guard: Guard, *, picture_pixels: int) -> Router:
    """Return everything under /v1, behind the guard."""

    @get("/models", sync_to_thread=False)
    def models() -> GatewayModels:
        """List the models, chat and embedding."""
        return GatewayModels(data=registry.models())

    @post("/chat/completions", status_code=200)
    async def chat(data: JSONBody[ChatRequest]) -> ChatReply:
        """Answer a conversation; pictures come as data: addresses, nothing is fetched."""
        model = registry.chat(data.model)
        await asyncio.to_thread(check_pictures, data.messages, largest_pixels=picture_pixels)
        return _reply(data.model, await model.chat(data))

    @post("/embeddings", status_code=200)
    async def embeddings(data: JSONBody[EmbeddingRequest]) -> EmbeddingReply:
        """Embed one input or several."""
        model = registry.embedding(data.model)
        inputs = [data.input] if isinstance(data.input, str) else data.input
        if not 1 <= len(inputs) <= MOST_INPUTS:
            raise refuse(422, "input", len(inputs), "is no fitting number of inputs", f"send 1 to {MOST_INPUTS}")
        return _embedded(data.model, await model.embed(inputs))

    return Router("/v1", route_handlers=[models, chat, embeddings], guards=[guard], security=[{"token": []}])


def _reply(model: str, completion: Completion) -> ChatReply:
    message = ReplyMessage(content=completion.text)
    return ChatReply(
        id=new_id("chatcmpl"),
        created=now_ms() // 1000,
        model=model,
        choices=[ChatChoice(index=0, message=message, finish_reason=completion.finish_reason)],
        usage=Usage(
            prompt_tokens=completion.prompt_tokens,
            completion_tokens=completion.completion_tokens,
            total_tokens=completion.prompt_tokens + completion.completion_tokens,
        ),
    )


def _embedded(model: str, found: Vectors) -> EmbeddingReply:
    return EmbeddingReply(
        data=[Embedding(index=index, embedding=vector) for index, vector in enumerate(found.vectors)],
        model=model,
        usage=EmbeddingUsage(prompt_tokens=found.prompt_tokens, total_tokens=found.prompt_tokens),
    )
