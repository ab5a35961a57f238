"""A model behind an OpenAI-compatible server that knows the answers of rows, and counts the pictures that reach it."""

import base64
import hashlib
import io
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from PIL import Image

from tests.integration.inference_gateway.upstream import Upstream, chat
from tetrad.contracts.rows import Row
from tetrad.rows.forms import chat as chat_of


def answer_rightly(row: Row) -> str:
    return f"The answer is ({row.answer})."


@dataclass
class Model:
    """The model. It knows a row by its words and pictures.

    `pictures`: how many came with each. `unknown`: conversations of no row.
    """

    upstream: Upstream
    asked: Iterable[Row]
    reply: Callable[[Row], str] = answer_rightly
    pictures: dict[str, int] = field(default_factory=dict)
    unknown: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._rows = {digest_of(chat_of(row)["messages"]): row for row in self.asked}
        self.upstream.otherwise = self.handle

    async def handle(self, request: web.Request) -> web.StreamResponse:
        messages = json.loads(await request.read())["messages"]
        row = self._rows.get(digest_of(messages))
        if row is None:
            self.unknown.append(messages)
            return web.json_response({"error": {"message": "no such question"}}, status=400)
        self.pictures[row.id] = sum(part["type"] == "image_url" for part in parts_of(messages))
        return web.json_response(chat(self.reply(row)))


def count_pictures(rows: Iterable[Row]) -> dict[str, int]:
    """Return how many pictures the prompt of each row shows."""
    return {row.id: sum(part.type == "image" for turn in row.prompt for part in turn.content) for row in rows}


def parts_of(messages: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for message in messages:
        content = message["content"]
        yield from [{"type": "text", "text": content}] if isinstance(content, str) else content


def digest_of(messages: list[dict[str, Any]]) -> str:
    """Return a digest of the words and pixels of a conversation, in order: a harness may encode a picture again."""
    digest = hashlib.sha256()
    for part in parts_of(messages):
        if part["type"] == "text":
            digest.update(part["text"].encode())
        else:
            body = base64.b64decode(part["image_url"]["url"].partition(",")[2])
            picture = Image.open(io.BytesIO(body)).convert("RGBA")
            digest.update(Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture).tobytes())
    return digest.hexdigest()
