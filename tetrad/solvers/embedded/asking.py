"""Asks a server with OpenAI's /embeddings for vectors of pictures and texts; those of files of pictures are kept."""

import base64
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

import httpx
import msgspec
import numpy as np

from tetrad.connections import LIMITS
from tetrad.contracts.inference import EmbeddingRequest
from tetrad.errors import TetradError
from tetrad.solvers.embedded.puzzles import Vector
from tetrad.tls import load_trusted

AT_ONCE = 16  # pictures a request
KEY_VARIABLE = "OPENAI_API_KEY"
_SHOWN = 300


class EmbeddingError(TetradError):
    """No embeddings came; the message says from where, why, and what to do."""


class _One(msgspec.Struct):
    index: int
    embedding: str | list[float]


class _Reply(msgspec.Struct):
    data: list[_One]


class Embedder:
    """A model of pictures, or of pictures and texts, behind an address that ends in /v1.

    The key is $OPENAI_API_KEY unless one is given.
    """

    def __init__(self, url: str, model: str, *, key: str | None = None, http: httpx.Client | None = None) -> None:
        self.model = model
        self._address = url.rstrip("/") + "/embeddings"
        found = os.environ.get(KEY_VARIABLE) if key is None else key
        self._headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {found}"} if found else {})
        self._http = http or httpx.Client(timeout=120, limits=LIMITS, verify=load_trusted())

    def embed(self, pictures: Sequence[bytes]) -> list[Vector]:
        """Return the vector of each picture, PNG bytes, in order.

        Raises:
            EmbeddingError: the server can't be reached, refuses, or answers with something else.
        """
        return self._request_vectors(
            [f"data:image/png;base64,{base64.b64encode(picture).decode()}" for picture in pictures]
        )

    def embed_texts(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vector of each text, in order, by a model that puts pictures and texts into one space.

        Raises:
            EmbeddingError: as `embed`. A model of pictures alone refuses texts.
        """
        return [vector for batch in split_into_batches(texts, AT_ONCE) for vector in self._request_vectors(batch)]

    def _request_vectors(self, inputs: list[str]) -> list[Vector]:
        request = EmbeddingRequest(model=self.model, input=inputs, encoding_format="base64")
        try:
            reply = self._http.post(self._address, content=msgspec.json.encode(request), headers=self._headers)
        except httpx.HTTPError as error:
            raise EmbeddingError(f"{self._address}: no reply ({type(error).__name__}: {error})") from error
        if reply.is_error:
            raise EmbeddingError(f"{self._address}: {reply.status_code}: {reply.text[:_SHOWN]}")
        try:
            found = {row.index: _vector(row.embedding) for row in msgspec.json.decode(reply.content, type=_Reply).data}
            return [found[at] for at in range(len(inputs))]
        except (msgspec.DecodeError, ValueError, KeyError) as error:
            raise EmbeddingError(f"{self._address}: the reply is no list of {len(inputs)} embeddings") from error


def split_into_batches(texts: Sequence[str], size: int) -> Iterator[list[str]]:
    """Yield texts in lists of at most so many."""
    for start in range(0, len(texts), size):
        yield list(texts[start : start + size])


class _Line(msgspec.Struct, frozen=True):
    """A line of the file: a picture's file, and its vector as base64 of little-endian 32-bit floats."""

    file: str
    vector: str


def embedded_files(
    embedder: Embedder, folder: Path, files: Iterable[str], kept: Path
) -> Iterator[Mapping[str, Vector]]:
    """Yield, batch by batch, the vectors of picture files in a folder; what the file `kept` holds comes first.

    Raises:
        EmbeddingError: as `Embedder.embed`. What came before is kept.
    """
    known = _read(kept)
    wanted = dict.fromkeys(files)
    yield {file: known[file] for file in wanted if file in known}
    waiting = (file for file in wanted if file not in known)
    with kept.open("ab") as lines:
        while batch := list(islice(waiting, AT_ONCE)):
            vectors = embedder.embed([(folder / file).read_bytes() for file in batch])
            for file, vector in zip(batch, vectors, strict=True):
                line = _Line(file, base64.b64encode(vector.astype("<f4").tobytes()).decode())
                lines.write(msgspec.json.encode(line) + b"\n")
            lines.flush()
            yield dict(zip(batch, vectors, strict=True))


def _read(kept: Path) -> dict[str, Vector]:
    """Read the vectors that an earlier run kept. A line that it could not finish is left out, and cut off."""
    if not kept.exists():
        return {}
    body = kept.read_bytes()
    whole = body[: body.rfind(b"\n") + 1]
    if len(whole) < len(body):
        kept.write_bytes(whole)
    lines = (msgspec.json.decode(line, type=_Line) for line in whole.splitlines())
    return {line.file: _vector(line.vector) for line in lines}


def _vector(given: str | list[float]) -> Vector:
    if isinstance(given, str):
        return np.frombuffer(base64.b64decode(given, validate=True), "<f4").astype(np.float32)
    return np.array(given, np.float32)
