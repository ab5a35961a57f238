"""The provider `triton`: models of NVIDIA's Triton Inference Server, over gRPC.

Embedders and classifiers are towers (one vector for one input); a vision-language model talks. The options of an entry
are `EmbedderOptions`, `ClassifierOptions` or `talk.TalkOptions`.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Literal

import msgspec

from inference_gateway.providers import ChatModel, EmbeddingModel, OptionsError, Provider
from inference_gateway.providers.options import options_as
from inference_gateway.providers.triton.pixels import Fit
from inference_gateway.providers.triton.servers import (
    ENCRYPTED,
    PLAIN,
    Keepalive,
    TritonModel,
    TritonServers,
    check_library,
)
from inference_gateway.providers.triton.talk import TalkOptions, TritonTalk
from inference_gateway.providers.triton.towers import Tower, TowerOptions, TritonClassifier, TritonEmbedder
from inference_gateway.upstream_http import Endpoint

__all__ = ["ENCRYPTED", "PARAMETERS", "PLAIN", "TritonServers", "make_opener"]

PARAMETERS = frozenset({"temperature", "top_p", "max_tokens", "max_completion_tokens", "stop", "seed"})
"""All parameters that Triton's models may take; each model declares its own."""
Seconds = Annotated[float, msgspec.Meta(ge=0.1, le=7200)]


class KeepaliveOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    every: Seconds = Keepalive.every
    patience: Seconds = Keepalive.patience


class EmbedderOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`picture` and `text`: the towers that there are. `normalise`: make vectors of length 1."""

    picture: TowerOptions | None = None
    text: TowerOptions | None = None
    normalise: bool = True
    keepalive: KeepaliveOptions = KeepaliveOptions()


class ClassifierOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`classes`: how many labels are named. Labels come from the model's own `label_filename`."""

    task: Literal["classify"]
    model: str = ""
    input: str = "pixels"
    output: str = "probabilities"
    side: Annotated[int, msgspec.Meta(ge=1, le=4096)] | None = None
    fit: Fit = "crop"
    classes: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 1
    keepalive: KeepaliveOptions = KeepaliveOptions()


class _Talk(TalkOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    task: Literal["talk"] = "talk"
    keepalive: KeepaliveOptions = KeepaliveOptions()


class Triton:
    """The models of one server."""

    def __init__(self, servers: TritonServers, endpoint: Endpoint) -> None:
        self._servers, self._endpoint = servers, endpoint

    def open_chat(self, options: Mapping[str, object]) -> ChatModel:
        if options.get("task") == "classify":
            classify = options_as(options, ClassifierOptions)
            tower = TowerOptions(input=classify.input, output=classify.output, side=classify.side, fit=classify.fit)
            model = self._model(classify.model, classify.keepalive)
            return TritonClassifier(Tower(model, tower, "image"), classify.classes)
        talk = options_as(options, _Talk)
        if fault := talk.faults():
            raise OptionsError(fault)
        if talk.preset == "tensorrt-llm" and self._endpoint.output_cap is None:
            raise OptionsError(
                "output_cap: is missing, and this backend requires one; give the model's largest output in tokens"
            )
        return TritonTalk(self._model("", talk.keepalive), talk, self._endpoint.output_cap)

    def open_embedding(self, options: Mapping[str, object]) -> EmbeddingModel:
        embed = options_as(options, EmbedderOptions)
        if embed.picture is None and embed.text is None:
            raise OptionsError(
                'picture, text: both are missing; give for example options = { picture = { input = "pixels" } }'
            )
        picture = self._tower(embed.picture, "image", embed.keepalive)
        text = self._tower(embed.text, "text", embed.keepalive)
        return TritonEmbedder(picture, text, is_normalised=embed.normalise)

    def _tower(
        self, options: TowerOptions | None, kind: Literal["image", "text"], keepalive: KeepaliveOptions
    ) -> Tower | None:
        return None if options is None else Tower(self._model(options.model, keepalive), options, kind)

    def _model(self, name: str, keepalive: KeepaliveOptions) -> TritonModel:
        times = Keepalive(every=keepalive.every, patience=keepalive.patience)
        return TritonModel(self._servers, self._endpoint, name or self._endpoint.name, times)


def make_opener(servers: TritonServers) -> Callable[[Endpoint], Provider]:
    """Return a function that opens the provider at an address, with the servers that this gateway knows."""

    def open_triton(endpoint: Endpoint) -> Provider:
        check_library()
        return Triton(servers, endpoint)

    return open_triton
