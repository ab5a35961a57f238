"""config.pbtxt of a model, for the host that it runs on.

Hosts: `wheel` (Triton out of a Python wheel, which has the Python backend alone), `cpu` and `gpu` (Triton's own images:
ONNX Runtime; on a GPU with TensorRT inside it), `tensorrt` (a plan that trtexec made on that very host).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

HOSTS = ("wheel", "cpu", "gpu", "tensorrt")
TYPES: Mapping[str, str] = {
    **{name: f"TYPE_{name}" for name in ("BOOL", "UINT8", "UINT32", "UINT64", "INT32", "INT64", "FP32")},
    "BYTES": "TYPE_STRING",
}


@dataclass(frozen=True, kw_only=True)
class Tensor:
    """A tensor without its batch axis; `labels`: the file that names its entries."""

    name: str
    type: str
    shape: Sequence[int]
    optional: bool = False
    labels: str = ""


@dataclass(frozen=True, kw_only=True)
class Signature:
    """The inputs and outputs of a model. `most`: the largest batch, 0 for a model that takes no batches.

    `is_graph`: it is an ONNX graph. `parameters`: for a model of the Python backend.
    """

    name: str
    inputs: Sequence[Tensor]
    outputs: Sequence[Tensor]
    most: int = 16
    is_graph: bool = True
    is_decoupled: bool = False
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Queue:
    """The queue of requests. `gather`: microseconds to wait for a fuller batch.

    What finds `most` in the queue, or waits for longer than `seconds`, is refused with UNAVAILABLE, and the gateway
    slows down.
    """

    most: int = 256
    seconds: float = 20.0
    gather: int = 2000


def configuration(model: Signature, host: str, *, digest: str, instances: int = 1, queue: Queue | None = None) -> str:
    """Return config.pbtxt. `digest`: of the weights; it makes the digest of the configuration theirs, too.

    Raises:
        ValueError: the host is unknown.
    """
    if host not in HOSTS:
        raise ValueError(f"host {host!r} is unknown; choose one of {', '.join(HOSTS)}")
    lines = [f'name: "{model.name}"', _runs_by(model, host), f"max_batch_size: {model.most}"]
    lines += [_tensor("input", tensor) for tensor in model.inputs]
    lines += [_tensor("output", tensor) for tensor in model.outputs]
    lines += [_instances(model, host, instances)]
    lines += list(_batching(model, queue or Queue()))
    lines += list(_parameters(model, host, digest))
    if model.is_decoupled:
        lines.append("model_transaction_policy { decoupled: true }")
    if model.is_graph and host == "gpu":
        lines.append(_tensorrt_inside())
    if model.is_graph and host in {"gpu", "tensorrt"}:  # the first calls would compile kernels otherwise
        lines += [_warm_up(model, batch) for batch in (1, model.most)]
    return "\n".join(lines) + "\n"


def _runs_by(model: Signature, host: str) -> str:
    if not model.is_graph or host == "wheel":
        return 'backend: "python"'
    return 'platform: "tensorrt_plan"' if host == "tensorrt" else 'platform: "onnxruntime_onnx"'


def _tensor(kind: str, tensor: Tensor) -> str:
    more = " optional: true" if tensor.optional else ""
    more += f' label_filename: "{tensor.labels}"' if tensor.labels else ""
    shape = ", ".join(map(str, tensor.shape))
    return f'{kind} [ {{ name: "{tensor.name}" data_type: {TYPES[tensor.type]} dims: [ {shape} ]{more} }} ]'


def _instances(model: Signature, host: str, instances: int) -> str:
    kind = "KIND_GPU" if model.is_graph and host in {"gpu", "tensorrt"} else "KIND_CPU"
    return f"instance_group [ {{ count: {instances} kind: {kind} }} ]"


def _batching(model: Signature, queue: Queue) -> Iterator[str]:
    if not model.most:
        return  # a queue policy is a part of batching
    sizes = sorted({size for size in (4, 8, 16, 32) if size < model.most} | {model.most})
    yield f"""dynamic_batching {{
  preferred_batch_size: [ {", ".join(map(str, sizes))} ]
  max_queue_delay_microseconds: {queue.gather}
  default_queue_policy {{
    timeout_action: REJECT
    default_timeout_microseconds: {int(queue.seconds * 1_000_000)}
    max_queue_size: {queue.most}
  }}
}}"""


def _parameters(model: Signature, host: str, digest: str) -> Iterator[str]:
    told = {"weights": digest, **({} if model.is_graph and host != "wheel" else model.parameters)}
    for name, value in told.items():
        yield f'parameters {{ key: "{name}" value {{ string_value: "{value}" }} }}'


def _tensorrt_inside() -> str:
    return """optimization { execution_accelerators { gpu_execution_accelerator [ {
  name: "tensorrt"
  parameters { key: "precision_mode" value: "FP16" }
  parameters { key: "max_workspace_size_bytes" value: "2147483648" }
  parameters { key: "trt_engine_cache_enable" value: "1" }
  parameters { key: "trt_engine_cache_path" value: "/var/cache/tensorrt" }
} ] } }"""


def _warm_up(model: Signature, batch: int) -> str:
    tensors = "".join(
        f' inputs {{ key: "{tensor.name}" value {{ data_type: {TYPES[tensor.type]}'
        f" dims: [ {', '.join(map(str, tensor.shape))} ] zero_data: true }} }}"
        for tensor in model.inputs
    )
    return f'model_warmup [ {{ name: "batch-{batch}" batch_size: {batch}{tensors} }} ]'
