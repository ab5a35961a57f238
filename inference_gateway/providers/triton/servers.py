"""Triton servers: one long-lived gRPC client each, descriptions of their models, and the meaning of their errors.

The library is imported when a registry names the first model of a Triton server. A server that refuses work with
UNAVAILABLE (its queue is full, or a request waited too long there) limits our rate. gRPC gives the same status if the
server is away or the model is not loaded, so the server is then asked for the reason.
"""

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from inference_gateway.providers import ErrorKind, ModelHealth, OptionsError, ProviderError, UnsupportedError
from inference_gateway.upstream_errors import LONGEST_WORDS
from inference_gateway.upstream_http import Endpoint

DESCRIBED_SECONDS = 10.0  # a model's description is kept for so long
HEALTH_SECONDS = 3.0
LARGEST_MESSAGE = 2**31 - 1
PLAIN, ENCRYPTED = "grpc", "grpcs"
_STATUS = "StatusCode."
_KINDS: Mapping[str, ErrorKind] = {
    "DEADLINE_EXCEEDED": "timeout",
    "INVALID_ARGUMENT": "request",
    "OUT_OF_RANGE": "request",
    "NOT_FOUND": "unknown-model",
    "RESOURCE_EXHAUSTED": "overloaded",
    "UNAUTHENTICATED": "credentials",
    "PERMISSION_DENIED": "credentials",
    "CANCELLED": "cut",
}
_QUEUE_WORDS = (
    "Exceeds maximum queue size",
    "Request timeout expired",
)  # messages of Triton's core for work that its queue refuses
_NEVER_SENT = ("failed to connect", "dns resolution failed")
_DATATYPES: Mapping[str, npt.DTypeLike] = {
    "BOOL": np.bool_,
    "INT8": np.int8,
    "INT16": np.int16,
    "INT32": np.int32,
    "INT64": np.int64,
    "UINT8": np.uint8,
    "UINT16": np.uint16,
    "UINT32": np.uint32,
    "UINT64": np.uint64,
    "FP16": np.float16,
    "FP32": np.float32,
    "FP64": np.float64,
    "BYTES": np.object_,
}


@dataclass(frozen=True, kw_only=True)
class Keepalive:
    """Seconds between keepalive pings while calls are in flight, and for their answer.

    Triton treats pings more often than every five minutes as an attack, unless it is configured otherwise
    (--grpc-http2-min-recv-ping-interval-without-data, --grpc-http2-max-ping-strikes).
    """

    every: float = 300.0
    patience: float = 20.0


@dataclass(frozen=True, kw_only=True)
class Described:
    """A model as its server describes it: datatypes and shapes (without the batch axis) by tensor.

    `most`: the largest batch, 0 where the model has no batch axis. `configuration`: the server's version, and the
    digest of the model's configuration.
    """

    inputs: Mapping[str, tuple[str, tuple[int, ...]]]
    outputs: Mapping[str, tuple[str, tuple[int, ...]]]
    most: int
    is_decoupled: bool
    configuration: str


@dataclass(frozen=True)
class Wanted:
    """An output. With `classes`, only that many of its largest entries, as `score:index:label`."""

    name: str
    classes: int = 0


@dataclass
class TritonServers:
    """The servers of a gateway, by address; their clients stay open while it runs."""

    _clients: dict[tuple[str, Keepalive], Any] = field(default_factory=dict)

    async def close(self) -> None:
        """Close every connection."""
        clients, self._clients = list(self._clients.values()), {}
        for client in clients:
            await client.close()

    def client(self, address: str, keepalive: Keepalive) -> Any:
        """Return the server's client; it is made inside the event loop that uses it."""
        if (address, keepalive) not in self._clients:
            self._clients[address, keepalive] = _connect(address, keepalive)
        return self._clients[address, keepalive]


def check_library() -> None:
    """Import tritonclient. Raises: OptionsError: it is not installed."""
    try:
        _library()
    except ImportError as error:
        raise OptionsError(f"provider: triton needs the package tritonclient[grpc] ({error}); install it") from error


def _library() -> Any:
    """Return tritonclient.grpc, an optional library."""
    import tritonclient.grpc.aio  # noqa: PLC0415 - imported only where a registry names a model of Triton

    return tritonclient.grpc


def library_errors() -> tuple[type[Exception], ...]:
    """Return the errors of a call: the library's, gRPC's own, and a time-out. Any other is a defect of ours."""
    client = _library().aio
    return client.InferenceServerException, client.grpc.RpcError, client.grpc.aio.BaseError, TimeoutError


def _connect(address: str, keepalive: Keepalive) -> Any:
    parts = urlsplit(address)
    options = [
        ("grpc.max_send_message_length", LARGEST_MESSAGE),
        ("grpc.max_receive_message_length", LARGEST_MESSAGE),
        ("grpc.keepalive_time_ms", int(keepalive.every * 1000)),
        ("grpc.keepalive_timeout_ms", int(keepalive.patience * 1000)),
        ("grpc.http2.ping_timeout_ms", int(keepalive.patience * 1000)),  # without it gRPC 1.85 waits a minute
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.initial_reconnect_backoff_ms", 200),
        ("grpc.max_reconnect_backoff_ms", 3000),  # two minutes by default: too long after a restart
        ("grpc.enable_http_proxy", 0),  # a proxy is explicit, and there is none for gRPC
    ]
    return _library().aio.InferenceServerClient(parts.netloc, ssl=parts.scheme == ENCRYPTED, channel_args=options)


class TritonModel:
    """One model of one server."""

    def __init__(self, servers: TritonServers, endpoint: Endpoint, name: str, keepalive: Keepalive) -> None:
        self.name = name
        self._servers, self._endpoint, self._keepalive = servers, endpoint, keepalive
        self._described: Described | None = None
        self._until = 0.0

    async def describe(self) -> Described:
        """Return the server's description of the model, asked for again every few seconds.

        Raises:
            ProviderError: it is away, or has no such model.
        """
        if self._described is None or time.monotonic() > self._until:
            self._described = await self._ask_server()
            self._until = time.monotonic() + DESCRIBED_SECONDS
        return self._described

    async def health(self) -> ModelHealth:
        """Return whether the model is ready."""
        limits = {"headers": self._headers, "client_timeout": HEALTH_SECONDS}
        try:
            if not await self._client.is_model_ready(self.name, **limits):
                return ModelHealth(ready=False, detail=f"the server has not loaded {self.name}")
            return ModelHealth(ready=True, configuration=(await self._ask_server()).configuration)
        except ProviderError as error:
            return ModelHealth(ready=False, detail=error.detail)
        except library_errors() as error:
            return ModelHealth(ready=False, detail=(await self._error(error, is_asked=True)).detail)

    async def infer(self, tensors: Mapping[str, npt.NDArray[Any]], wanted: Sequence[Wanted]) -> dict[str, Any]:
        """Return the wanted outputs of one inference as arrays.

        Raises:
            ProviderError: the server refuses, is away, or leaves out an output.
        """
        try:
            result = await self._client.infer(
                self.name,
                await self._inputs(tensors),
                outputs=_output_requests(wanted),
                headers=self._headers,
                client_timeout=min(self._endpoint.timeouts.read, self._endpoint.timeouts.total),
            )
        except asyncio.CancelledError:
            raise _error_of_cancelling() from None
        except library_errors() as error:
            raise await self._error(error) from None
        return _outputs(result, wanted)

    async def stream(
        self, tensors: Mapping[str, npt.NDArray[Any]], wanted: Sequence[Wanted]
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield the outputs of each response of a decoupled model.

        Raises:
            ProviderError: as `infer`.
        """
        request = {"model_name": self.name, "inputs": await self._inputs(tensors), "outputs": _output_requests(wanted)}
        times = self._endpoint.timeouts
        # Errors within a stream are texts without a status. The header `triton_grpc_error` would give them one, but
        # Triton 2.51 crashes by it when a model's last response comes after its error.
        responses = self._client.stream_infer(_once(request), stream_timeout=times.total, headers=self._headers)
        try:
            while True:
                async with asyncio.timeout(times.read):
                    result, error = await anext(responses)
                if error is not None:
                    raise error  # mapped below, as an error of the call
                if result.get_response().outputs:
                    yield _outputs(result, wanted)
        except StopAsyncIteration:  # the server ends a stream in order when its only request is answered
            return
        except asyncio.CancelledError:
            raise _error_of_cancelling() from None
        except library_errors() as error:
            raise await self._error(error) from None
        finally:
            responses.cancel()

    @property
    def _client(self) -> Any:
        return self._servers.client(self._endpoint.address, self._keepalive)

    @property
    def _headers(self) -> dict[str, str] | None:
        key = self._endpoint.secret.reveal()
        return {"authorization": f"Bearer {key}"} if key else None

    async def _inputs(self, tensors: Mapping[str, npt.NDArray[Any]]) -> list[Any]:
        known = (await self.describe()).inputs
        made = []
        for name, array in tensors.items():
            if name not in known:
                raise ProviderError("unknown-model", code=f"no-input-{name}"[:64])
            made.append(_library().InferInput(name, list(array.shape), known[name][0]))
            made[-1].set_data_from_numpy(array)
        return made

    async def _ask_server(self) -> Described:
        limits = {"headers": self._headers, "client_timeout": self._endpoint.timeouts.connect}
        try:
            server = await self._client.get_server_metadata(**limits)
            found = await self._client.get_model_config(self.name, **limits)
            metadata = await self._client.get_model_metadata(self.name, **limits)
        except library_errors() as error:
            raise await self._error(error, is_asked=True) from None
        config = found.config
        digest = hashlib.sha256(config.SerializeToString(deterministic=True)).hexdigest()[:16]
        versions = ", ".join(metadata.versions)
        return Described(
            inputs=_shapes(metadata.inputs, config.max_batch_size),
            outputs=_shapes(metadata.outputs, config.max_batch_size),
            most=config.max_batch_size,
            is_decoupled=config.model_transaction_policy.decoupled,
            configuration=f"triton {server.version}; {self.name} {versions}; configuration sha256:{digest}",
        )

    async def _error(self, error: Exception, *, is_asked: bool = False) -> ProviderError:
        """Return the error for one of `library_errors`.

        `is_asked`: a question about the server raised it, not an inference.
        """
        self._described = None
        if isinstance(error, TimeoutError):
            return ProviderError("timeout", code="reply-too-slow")
        code, words = _status_and_words(error)
        if not code and words.startswith(_QUEUE_WORDS):
            code = "UNAVAILABLE"
        if code == "UNAVAILABLE":
            return await self._unavailable(words, is_asked=is_asked)
        kind = _KINDS.get(code, "unavailable")
        status = 500 if kind == "unavailable" else None  # the server answered: it is not away
        excerpt = words[:LONGEST_WORDS] if kind == "request" and not self._endpoint.secret.is_in(words) else ""
        return ProviderError(kind, status=status, code=code.lower().replace("_", "-"), words=excerpt)

    async def _unavailable(self, words: str, *, is_asked: bool) -> ProviderError:
        limits = {"headers": self._headers, "client_timeout": HEALTH_SECONDS}
        try:
            is_ready = await self._client.is_model_ready(self.name, **limits)
            is_serving = is_ready and await self._client.is_server_ready(**limits)
        except library_errors():  # whichever it is, the server is away
            if is_asked or words.lower().startswith(_NEVER_SENT):
                return ProviderError("unavailable", code="no-connection")
            return ProviderError("cut", code="connection-broken")
        if not is_serving:
            return ProviderError("unavailable", status=503, code="model-not-ready")
        return ProviderError("rate-limited", code="unavailable")


def array_of(values: Any, datatype: str) -> npt.NDArray[Any]:
    """Return values as an array of a Triton datatype; texts are UTF-8 bytes.

    Raises:
        ProviderError: the datatype can't be sent.
    """
    if datatype not in _DATATYPES:
        raise ProviderError("unknown-model", code=f"datatype-{datatype}"[:64])
    return np.asarray(values, dtype=_DATATYPES[datatype])


def find_input(role: str, described: Described, name: str) -> tuple[str, tuple[int, ...]]:
    """Return datatype and shape of the input that plays a role.

    Raises:
        UnsupportedError: the model has no such input.
    """
    if name not in described.inputs:
        raise UnsupportedError(role, None, "is not a parameter that the served model takes", "leave it out")
    return described.inputs[name]


def _error_of_cancelling() -> BaseException:
    """Return the error for a CancelledError: gRPC raises it, too, if the server cancelled the call."""
    task = asyncio.current_task()
    is_ours = task is not None and task.cancelling()
    return asyncio.CancelledError() if is_ours else ProviderError("cut", code="cancelled")


def _status_and_words(error: Exception) -> tuple[str, str]:
    """Return the gRPC status and the words of the library's exception, or of gRPC's own."""
    status, words = getattr(error, "status", None), getattr(error, "message", None)
    if callable(status) and callable(words):
        return str(status() or "").removeprefix(_STATUS), str(words() or "")
    code, details = getattr(error, "code", None), getattr(error, "details", None)
    if callable(code) and callable(details):
        return str(code()).removeprefix(_STATUS), str(details() or "")
    return "UNKNOWN", ""


def _output_requests(wanted: Sequence[Wanted]) -> list[Any]:
    return [_library().InferRequestedOutput(output.name, class_count=output.classes) for output in wanted]


def _outputs(result: Any, wanted: Sequence[Wanted]) -> dict[str, Any]:
    found = {output.name: result.as_numpy(output.name) for output in wanted}
    for name, array in found.items():
        if array is None:
            raise ProviderError("garbled", code=f"no-output-{name}"[:64])
    return found


def _shapes(tensors: Any, most: int) -> dict[str, tuple[str, tuple[int, ...]]]:
    return {tensor.name: (tensor.datatype, tuple(tensor.shape)[1 if most else 0 :]) for tensor in tensors}


async def _once(request: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
    yield request
