"""Vision-language models on Triton, by the tensors that an entry of the registry declares.

A conversation becomes one prompt by the model's own template, with a mark where each picture stands. Presets know the
tensors of Triton's vLLM and TensorRT-LLM backends.

Sources: vllm_backend's src/model.py and docs/additional_outputs.md (24.12 and later), and the multimodal ensemble of
TensorRT-LLM's triton_backend.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
import numpy as np

from inference_gateway.providers import Completion, ModelHealth, Piece, ProviderError, UnsupportedError, stop_of
from inference_gateway.providers.triton.pixels import encoded_of, file_of, rgb, square, stack_pages
from inference_gateway.providers.triton.servers import Described, TritonModel, Wanted, array_of, find_input
from tetrad.contracts.inference import ChatRequest, ImagePart, Message, StopKind, TextPart

PARAMETERS = ("max_tokens", "temperature", "top_p", "seed", "stop")
INPUTS = frozenset({"text", "images", "image_sizes", "sampling", "stream", *PARAMETERS})
OUTPUTS = frozenset({"reply", "finish_reason", "prompt_tokens", "completion_tokens"})
STOPS: Mapping[str, StopKind] = {
    "stop": "complete",
    "length": "length",
    "content_filter": "blocked",
    "refusal": "refused",
    "abort": "cut",
    "error": "cut",
}
NOT_YET = frozenset({"", "None"})  # vLLM's reason for a reply that is not finished
Constant: TypeAlias = bool | int | float | str


@dataclass(frozen=True, kw_only=True)
class Preset:
    """The tensor of each role, how pictures are sent, and the tensors sent with every call if the model takes them."""

    tensors: Mapping[str, str]
    pictures: Literal["files", "base64", "pixels"]
    constants: Mapping[str, Constant] = field(default_factory=dict)


PRESETS: Mapping[str, Preset] = {
    "tetrad": Preset(
        tensors={
            "text": "text",
            "images": "images",
            "max_tokens": "max_tokens",
            "reply": "reply",
            "finish_reason": "finish_reason",
            "prompt_tokens": "prompt_tokens",
            "completion_tokens": "completion_tokens",
        },
        pictures="files",
    ),
    "vllm": Preset(
        tensors={
            "text": "text_input",
            "images": "image",
            "sampling": "sampling_parameters",
            "stream": "stream",
            "reply": "text_output",
            "finish_reason": "finish_reason",
            "prompt_tokens": "num_input_tokens",
            "completion_tokens": "num_output_tokens",
        },
        pictures="base64",
        constants={
            "exclude_input_in_output": True,
            "return_finish_reason": True,
            "return_num_input_tokens": True,
            "return_num_output_tokens": True,
        },
    ),
    "tensorrt-llm": Preset(
        tensors={
            "text": "text_input",
            "images": "image_bytes_input",
            "image_sizes": "image_sizes_input",
            "max_tokens": "max_tokens",
            "temperature": "temperature",
            "top_p": "top_p",
            "seed": "seed",
            "stop": "stop_words",
            "stream": "stream",
            "reply": "text_output",
        },
        pictures="pixels",
    ),
}


class Template(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The form of a conversation: each role's turn around `{text}`, the reply's beginning, the mark of a picture."""

    system: str = "{text}\n"
    user: str = "{text}\n"
    assistant: str = "{text}\n"
    reply: str = ""
    image: str = "<image>"

    def marks(self) -> set[str]:
        """Return the special words, which no text of a caller may hold."""
        whole = f"{self.system} {self.user} {self.assistant} {self.reply}"
        return {self.image, *re.findall(r"<[^<>\s]+>", whole)} - {""}


class TalkOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The tensors of a model, and the form of its conversations.

    `tensors`: the tensor of a role where it differs from the preset's, "" for none. `constants`: tensors that are sent
    with every call. `pictures`: as files, base64 or pixels. `side`: of pixels, where the model takes one size.
    `stops`: the kind of each reason that the model gives. `template`: the form of a conversation.
    """

    preset: Literal["tetrad", "vllm", "tensorrt-llm"] = "tetrad"
    tensors: dict[str, str] = {}
    constants: dict[str, Constant] = {}
    pictures: Literal["files", "base64", "pixels", ""] = ""
    side: Annotated[int, msgspec.Meta(ge=1, le=4096)] | None = None
    stops: dict[str, StopKind] = {}
    template: Template = Template()

    def faults(self) -> str:
        """Return the first fault, "" if there is none."""
        if unknown := set(self.tensors) - INPUTS - OUTPUTS:
            return (
                f"tensors: {', '.join(sorted(unknown))} is not a role; roles are {', '.join(sorted(INPUTS | OUTPUTS))}"
            )
        for name in ("system", "user", "assistant"):
            if getattr(self.template, name).count("{text}") != 1:
                return f"template.{name}: needs {{text}} once, in the place of a turn's text"
        return ""


class TritonTalk:
    """A chat model that takes text and pictures."""

    def __init__(self, model: TritonModel, options: TalkOptions, output_cap: int | None) -> None:
        self._model, self._options, self._cap = model, options, output_cap
        preset = PRESETS[options.preset]
        self._tensors = {role: name for role, name in {**preset.tensors, **options.tensors}.items() if name}
        self._preset = preset
        self._form = options.pictures or preset.pictures
        self._stops = {**STOPS, **options.stops}

    @property
    def modalities(self) -> frozenset[str]:
        return frozenset({"text", "image"} if "images" in self._tensors else {"text"})

    @property
    def parameters(self) -> frozenset[str]:
        """Return the parameters that have a tensor, or go into the one that holds all."""
        taken = set(PARAMETERS) if "sampling" in self._tensors else set(PARAMETERS) & set(self._tensors)
        return frozenset(taken | ({"max_completion_tokens"} if "max_tokens" in taken else set()))

    def check(self, request: ChatRequest) -> None:
        self._prompt(request)

    async def health(self) -> ModelHealth:
        return await self._model.health()

    async def chat(self, request: ChatRequest) -> Completion:
        described = await self._model.describe()
        if described.is_decoupled:
            async for piece in self.stream(request):
                if isinstance(piece, Completion):
                    return piece
            raise ProviderError("cut", code="no-end")
        tensors, sent = await self._make_tensors(request, described, is_streamed=False)
        found = await self._model.infer(tensors, self._wanted_outputs(described))
        return self._completion(_Reply(self._tensors, described).add(found), sent, described)

    async def stream(self, request: ChatRequest) -> AsyncIterator[Piece | Completion]:
        described = await self._model.describe()
        if not described.is_decoupled:
            whole = await self.chat(request)
            yield Piece(index=0, text=whole.text)
            yield whole
            return
        tensors, sent = await self._make_tensors(request, described, is_streamed=True)
        reply = _Reply(self._tensors, described)
        async for found in self._model.stream(tensors, self._wanted_outputs(described)):
            before = len(reply.text)
            reply.add(found)
            if len(reply.text) > before:
                yield Piece(index=0, text=reply.text[before:])
        yield self._completion(reply, sent, described)

    def _wanted_outputs(self, described: Described) -> list[Wanted]:
        names = [self._tensors[role] for role in sorted(OUTPUTS) if role in self._tensors]
        return [Wanted(name) for name in names if name in described.outputs or name == self._tensors["reply"]]

    def _completion(self, reply: "_Reply", sent: Mapping[str, object], described: Described) -> Completion:
        tells_reason = self._tensors.get("finish_reason", "") in described.outputs
        kind: StopKind = self._stops.get(reply.reason, "complete")
        if tells_reason and reply.reason in NOT_YET:
            kind = "cut"
        return Completion(
            text=reply.text,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            stop=stop_of(kind, reply.text, reply.reason),
            model=self._model.name,
            configuration=described.configuration,
            parameters=sent,
        )

    async def _make_tensors(
        self, request: ChatRequest, described: Described, *, is_streamed: bool
    ) -> tuple[dict[str, Any], dict[str, object]]:
        """Return the tensors of a request, and the parameters among them.

        Raises: UnsupportedError: the served model lacks the tensor of a field of the request.
            PictureError: a picture is damaged.
        """
        prompt, pictures = self._prompt(request)
        values = self._parameters(request)
        given: dict[str, Any] = {"text": [prompt.encode()], **values}
        if "sampling" in self._tensors:
            given = {"text": given["text"], "sampling": [msgspec.json.encode(values)]}
        if "stream" in self._tensors and self._tensors["stream"] in described.inputs:
            given["stream"] = [is_streamed]
        tensors = {
            self._tensors[role]: self._fit_value(role, value, described) for role, value in given.items() if value != []
        }
        if pictures:
            tensors |= await asyncio.to_thread(self._pictures, pictures, described)
        for name, value in self._preset.constants.items():
            if name in described.inputs:
                tensors[name] = _add_batch_axis(array_of([value], described.inputs[name][0]), described)
        for name, value in self._options.constants.items():
            datatype, _ = find_input(f"constants.{name}", described, name)
            known = [value.encode()] if isinstance(value, str) else [value]
            tensors[name] = _add_batch_axis(array_of(known, datatype), described)
        return tensors, values

    def _parameters(self, request: ChatRequest) -> dict[str, Any]:
        stop = [request.stop] if isinstance(request.stop, str) else request.stop
        given = {
            "max_tokens": request.output_cap() or self._cap,
            "temperature": request.temperature,
            "top_p": request.top_p,
            "seed": request.seed,
            "stop": stop,
        }
        taken = self.parameters
        return {name: value for name, value in given.items() if value is not None and name in taken}

    def _fit_value(self, role: str, value: Any, described: Described) -> Any:
        datatype, _ = find_input(role, described, self._tensors[role])
        values = value if isinstance(value, list) else [value]
        texts = [entry.encode() if isinstance(entry, str) else entry for entry in values]
        try:
            array = array_of(texts, datatype)
        except (OverflowError, TypeError, ValueError) as error:
            raise UnsupportedError(role, value, f"does not fit the model's {datatype}", "send another value") from error
        return _add_batch_axis(array, described)

    def _pictures(self, pictures: list[tuple[str, str]], described: Described) -> dict[str, Any]:
        name = self._tensors["images"]
        datatype, _ = find_input("messages", described, name)
        if self._form != "pixels":
            read = file_of if self._form == "files" else encoded_of
            return {name: _add_batch_axis(array_of([read(url) for url, _ in pictures], datatype), described)}
        side = self._options.side
        if side is not None:
            pages = np.stack([square(url, place, side, "pad") for url, place in pictures])
            sizes = [[side, side]] * len(pictures)
        else:
            images = [rgb(url, place) for url, place in pictures]
            pages, sizes = stack_pages(images), [[image.height, image.width] for image in images]
        found = {name: _add_batch_axis(array_of(pages, datatype), described)}
        sizes_input = self._tensors.get("image_sizes", "")
        if sizes_input in described.inputs:
            found[sizes_input] = _add_batch_axis(array_of(sizes, described.inputs[sizes_input][0]), described)
        return found

    def _prompt(self, request: ChatRequest) -> tuple[str, list[tuple[str, str]]]:
        """Return the prompt, and each picture's address with its place, in the order of their marks."""
        template, pictures = self._options.template, list[tuple[str, str]]()
        written = []
        for at, message in enumerate(request.messages):
            turn = {"user": template.user, "assistant": template.assistant}.get(message.role, template.system)
            written.append(turn.replace("{text}", self._turn(message, at, pictures)))
        return "".join(written) + template.reply, pictures

    def _turn(self, message: Message, at: int, pictures: list[tuple[str, str]]) -> str:
        parts = [TextPart(text=message.content)] if isinstance(message.content, str) else list(message.content)
        if message.refusal:
            parts.append(TextPart(text=message.refusal))
        words = []
        for place, part in enumerate(parts):
            if isinstance(part, ImagePart):
                words.append(self._options.template.image)
                pictures.append((part.image_url.url, f"messages[{at}].content[{place}].image_url.url"))
                continue
            for mark in self._options.template.marks():
                if mark in part.text:
                    problem, remedy = (
                        f"holds {mark}, which has a special meaning for this model",
                        "leave it out or write it differently",
                    )
                    raise UnsupportedError(f"messages[{at}].content[{place}]", part.text[:60], problem, remedy)
            words.append(part.text)
        return "\n".join(words)


class _Reply:
    """The reply so far: the text and counts from the responses of one call."""

    def __init__(self, tensors: Mapping[str, str], described: Described) -> None:
        self._tensors, self._described = tensors, described
        self._text = b""
        self.reason = ""
        self.prompt_tokens: int | None = None
        self.completion_tokens: int | None = None

    @property
    def text(self) -> str:
        """Return the text without a character whose bytes are still on their way."""
        return self._text.decode(errors="ignore")

    def add(self, found: Mapping[str, Any]) -> "_Reply":
        """Add a response, which brings only its new text and tokens."""
        self._text += b"".join(_entries(found, self._tensors["reply"]))
        reason = b"".join(_entries(found, self._tensors.get("finish_reason", ""))).decode(errors="replace")
        self.reason = reason if reason not in NOT_YET else self.reason
        prompt = _entries(found, self._tensors.get("prompt_tokens", ""))
        self.prompt_tokens = int(prompt[-1]) if prompt else self.prompt_tokens
        written = _entries(found, self._tensors.get("completion_tokens", ""))
        if written:
            self.completion_tokens = (self.completion_tokens or 0) + int(sum(written))
        return self


def _entries(found: Mapping[str, Any], name: str) -> list[Any]:
    return list(np.asarray(found[name]).ravel()) if name in found else []


def _add_batch_axis(array: Any, described: Described) -> Any:
    """Return the array with a batch axis of one, where the model has that axis."""
    return array[None] if described.most else array
