"""Embeddings and classes by Triton: models that make one vector of one picture, or of one text."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from inference_gateway.providers import Completion, ModelHealth, ProviderError, UnsupportedError, Vectors, stop_of
from inference_gateway.providers.triton.pixels import Fit, file_of, square
from inference_gateway.providers.triton.servers import Described, TritonModel, Wanted, array_of, find_input
from tetrad.contracts.inference import ChatRequest, ImagePart

PICTURE = "data:"
PIXEL_DIMENSIONS = 3


class TowerOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An input tensor and an output tensor. `model`: another one of the same server; by default `upstream`.

    A picture is sent as a file if the input is of BYTES, otherwise as pixels: UINT8 [side, side, 3]. `side` is needed
    if the model leaves it open. A text is sent as BYTES.
    """

    model: str = ""
    input: str = ""
    output: str = "embedding"
    side: Annotated[int, msgspec.Meta(ge=1, le=4096)] | None = None
    fit: Fit = "stretch"


class Tower:
    """One model that makes a vector of each input."""

    def __init__(self, model: TritonModel, options: TowerOptions, kind: Literal["image", "text"]) -> None:
        self.model, self.options, self.kind = model, options, kind
        self._input = options.input or ("pixels" if kind == "image" else "text")

    async def run(self, inputs: Sequence[tuple[str, str]], wanted: Wanted) -> list[Any]:
        """Return the wanted output of each (input, its place in the request), in batches that the model takes."""
        described = await self.model.describe()
        size = max(1, described.most)
        batches = [inputs[at : at + size] for at in range(0, len(inputs), size)]
        rows = await asyncio.gather(*(self._batch(batch, described, wanted) for batch in batches))
        return [row for batch in rows for row in batch]

    async def _batch(self, inputs: Sequence[tuple[str, str]], described: Described, wanted: Wanted) -> list[Any]:
        datatype, shape = find_input("input", described, self._input)
        rows = await asyncio.gather(*(self._row(content, place, datatype, shape) for content, place in inputs))
        array = np.stack(rows) if described.most else rows[0]
        found = (await self.model.infer({self._input: array}, [wanted]))[wanted.name]
        answers = list(found) if described.most else [found]
        if len(answers) != len(inputs):
            raise ProviderError("garbled", code="rows-differ")
        return answers

    async def _row(self, content: str, place: str, datatype: str, shape: tuple[int, ...]) -> npt.NDArray[Any]:
        if self.kind == "text":
            return array_of([content.encode()], datatype)
        if datatype == "BYTES":
            return array_of([file_of(content)], datatype)
        side = self.options.side or (shape[0] if len(shape) == PIXEL_DIMENSIONS else -1)
        if datatype != "UINT8" or len(shape) != PIXEL_DIMENSIONS or side < 1 or shape[0] not in {side, -1}:
            raise ProviderError("unknown-model", code="no-pixels-uint8")
        return await asyncio.to_thread(square, content, place, side, self.options.fit)


class TritonEmbedder:
    """An embedding model: a tower of pictures, a tower of texts, or both into one space."""

    def __init__(self, picture: Tower | None, text: Tower | None, *, is_normalised: bool) -> None:
        self._picture, self._text, self._is_normalised = picture, text, is_normalised

    @property
    def modalities(self) -> frozenset[str]:
        return frozenset(tower.kind for tower in (self._picture, self._text) if tower is not None)

    @property
    def parameters(self) -> frozenset[str]:
        return frozenset()

    async def embed(self, inputs: Sequence[str]) -> Vectors:
        """Embed pictures and texts, each by its tower."""
        vectors: list[list[float]] = [[] for _ in inputs]
        configurations: list[str] = []
        for tower in (self._picture, self._text):
            mine = [at for at, content in enumerate(inputs) if (tower is self._picture) == content.startswith(PICTURE)]
            if not mine:
                continue
            if tower is None:
                raise UnsupportedError(
                    f"input[{mine[0]}]",
                    inputs[mine[0]][:60],
                    "is neither a text nor a picture that this model embeds",
                    "leave it",
                )
            wanted = Wanted(tower.options.output)
            rows = await tower.run([(inputs[at], f"input[{at}]") for at in mine], wanted)
            configurations.append((await tower.model.describe()).configuration)
            for at, row in zip(mine, rows, strict=True):
                vectors[at] = self._vector(row)
        if len({len(vector) for vector in vectors}) != 1:
            raise ProviderError("garbled", code="lengths-differ")
        names = [tower.model.name for tower in (self._picture, self._text) if tower is not None]
        return Vectors(
            vectors=vectors,
            prompt_tokens=None,
            model=", ".join(dict.fromkeys(names)),
            configuration="; ".join(dict.fromkeys(configurations)),
            parameters={"normalise": self._is_normalised},
        )

    async def health(self) -> ModelHealth:
        found = [await tower.model.health() for tower in (self._picture, self._text) if tower is not None]
        return next((health for health in found if not health.ready), found[0])

    def _vector(self, row: Any) -> list[float]:
        vector = np.asarray(row, np.float64).ravel()
        if not np.isfinite(vector).all():
            raise ProviderError("garbled", code="not-finite")
        length = float(np.linalg.norm(vector)) if self._is_normalised else 1.0
        found: list[float] = (vector / (length or 1.0)).tolist()
        return found


class TritonClassifier:
    """A chat model that names what the pictures of the last turn show, a line for each label: `label score`."""

    def __init__(self, tower: Tower, classes: int) -> None:
        self._tower, self._classes = tower, classes

    @property
    def modalities(self) -> frozenset[str]:
        return frozenset({"image", "text"})

    @property
    def parameters(self) -> frozenset[str]:
        return frozenset()

    def check(self, request: ChatRequest) -> None:
        self._pictures(request)

    async def chat(self, request: ChatRequest) -> Completion:
        pictures = self._pictures(request)
        rows = await self._tower.run(pictures, Wanted(self._tower.options.output, self._classes))
        text = "\n".join(_line(entry) for row in rows for entry in np.asarray(row).ravel())
        return Completion(
            text=text,
            prompt_tokens=None,
            completion_tokens=None,
            stop=stop_of("complete", text),
            model=self._tower.model.name,
            configuration=(await self._tower.model.describe()).configuration,
            parameters={"classes": self._classes},
        )

    async def health(self) -> ModelHealth:
        return await self._tower.model.health()

    @staticmethod
    def _pictures(request: ChatRequest) -> list[tuple[str, str]]:
        at, last = len(request.messages) - 1, request.messages[-1]
        parts = [] if isinstance(last.content, str) else last.content
        found = [
            (part.image_url.url, f"messages[{at}].content[{place}].image_url.url")
            for place, part in enumerate(parts)
            if isinstance(part, ImagePart)
        ]
        if not found:
            problem, remedy = "shows no picture, and this model names what pictures show", "show one in the last turn"
            raise UnsupportedError(f"messages[{at}].content", None, problem, remedy)
        return found


def _line(entry: bytes) -> str:
    """Return an entry of Triton's classification, `score:index:label`, as a line; without a label its index."""
    score, _, rest = entry.decode(errors="replace").partition(":")
    index, _, label = rest.partition(":")
    return f"{label or index} {float(score):.3f}"
