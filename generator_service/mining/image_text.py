"""An image-text model for mining: vectors of pictures and texts, kept batch by batch so that a second run goes on.

A model behind the gateway gives them (`tetrad source mine ... --embeddings URL --model NAME`). Its name and version
stand in the report.
"""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from generator_service.sources.store import SourceError
from tetrad.canonical import hexdigest
from tetrad.solvers.embedded.asking import Embedder, EmbeddingError

Vectors = npt.NDArray[np.float32]
T = TypeVar("T")
BATCH = 64
Progress = Callable[[str, int, int], None]


class Kept(Protocol):
    """Bytes by name, kept until the stage is done."""

    def get(self, name: str) -> bytes | None: ...
    def put(self, name: str, body: bytes) -> None: ...


class ImageText:
    """A model that puts pictures and texts into one space. `name` is what the report calls it."""

    def __init__(self, embedder: Embedder) -> None:
        self.name = embedder.model
        self._embedder = embedder

    def pictures(
        self, bodies: Sequence[Callable[[], bytes]], kept: Kept, progress: Progress, what: str = "pictures"
    ) -> Vectors:
        """Return a unit vector a picture, (n, width); PNG bytes are made when they are needed.

        what: the name of these pictures where they are kept, and in what is said of them.

        Raises:
            SourceError: the model gives none.
        """

        def embed(batch: Sequence[Callable[[], bytes]]) -> list[npt.NDArray[np.float32]]:
            found = []
            for start in range(0, len(batch), BATCH // 4):  # a request holds no more than 16 pictures
                found += self._embedder.embed([make() for make in batch[start : start + BATCH // 4]])
            return found

        return self._all(what, bodies, embed, kept, progress)

    def texts(self, texts: Sequence[str], kept: Kept, progress: Progress) -> Vectors:
        """Return a unit vector a text, (n, width).

        Raises:
            SourceError: the model gives none, or does not read texts.
        """
        return self._all("texts", texts, self._embedder.embed_texts, kept, progress)

    def _all(
        self,
        what: str,
        inputs: Sequence[T],
        ask: Callable[[Sequence[T]], list[npt.NDArray[np.float32]]],
        kept: Kept,
        progress: Progress,
    ) -> Vectors:
        rows: list[npt.NDArray[np.float32]] = []
        for start in range(0, len(inputs), BATCH):
            batch = inputs[start : start + BATCH]
            name = f"{what}-{hexdigest(self.name)[:12]}-{start:08d}"
            body = kept.get(name)
            if body is None:
                try:
                    found = np.stack(ask(batch))
                except EmbeddingError as error:
                    raise SourceError(f"the image-text model gives no vectors of {what}: {error}") from error
                kept.put(name, np.ascontiguousarray(found, "<f4").tobytes())
            else:
                found = np.frombuffer(body, "<f4").reshape(len(batch), -1)
            rows.append(np.asarray(found, np.float32))
            progress(f"embedding {what}", start + len(batch), len(inputs))
        together = np.concatenate(rows) if rows else np.zeros((0, 1), np.float32)
        lengths = np.linalg.norm(together, axis=1, keepdims=True)
        return np.asarray(together / np.where(lengths == 0, 1, lengths), np.float32)
