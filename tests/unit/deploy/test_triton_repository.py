"""The pieces of deploy/triton that need no server: reading weights without running a pickle, and configurations."""

import collections
import io
import os
import pickle
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf import text_format  # type: ignore[import-untyped]
from tritonclient.grpc import model_config_pb2

from deploy.triton.configuration import HOSTS, Queue, Signature, Tensor, configuration
from deploy.triton.models import LITE2, PICTURES, TEXTS, analogist, write
from deploy.triton.pickled_weights import MAGIC, PROTOCOL, WeightsError, read_weights

NUMBERS = np.arange(6, dtype="<f4")
MODELS = [LITE2, PICTURES, TEXTS, analogist(), analogist("analogist_streaming", is_decoupled=True)]


class Storage:
    """Stands for a pickled reference to numbers that come later."""

    def __init__(self, kind: str = "FloatStorage", length: int = 6, view: Any = None) -> None:
        self.pid = ("storage", Named("torch", kind), "key-0", "cpu", length, view)


class Named:
    """Stands for the pickled name of a class or function, without being one."""

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name


class Called:
    """Stands for a pickled call."""

    def __init__(self, function: Named, *arguments: Any) -> None:
        self.function, self.arguments = function, arguments


OfPython: Any = pickle.__dict__["_Pickler"]  # the one in Python can be taught


class Pickler(OfPython):  # type: ignore[misc]
    """Writes as torch.save did, and whatever else a test wants."""

    def persistent_id(self, what: Any) -> Any:
        return what.pid if isinstance(what, Storage) else None

    def save(self, what: Any, save_persistent_id: bool = True) -> None:  # noqa: FBT001, FBT002 - pickle's signature
        if isinstance(what, Named):
            self.write(pickle.GLOBAL + f"{what.module}\n{what.name}\n".encode())
        elif isinstance(what, Called):
            self.save(what.function)
            self.save(what.arguments)
            self.write(pickle.REDUCE)
        else:
            super().save(what, save_persistent_id)


def rebuilt(storage: Storage, offset: int, size: tuple[int, ...], stride: tuple[int, ...]) -> Called:
    function = Named("torch._utils", "_rebuild_tensor_v2")
    return Called(function, storage, offset, size, stride, False, collections.OrderedDict())


def written(path: Path, tensors: Any, numbers: bytes = NUMBERS.tobytes(), length: int = 6) -> Path:
    """Write a legacy file of torch.save."""
    buffer = io.BytesIO()
    for head in (MAGIC, PROTOCOL, {"little_endian": True}):
        pickle.dump(head, buffer, protocol=2)
    Pickler(buffer, protocol=2).dump(tensors)
    pickle.dump(["key-0"], buffer, protocol=2)
    path.write_bytes(buffer.getvalue() + struct.pack("<q", length) + numbers)
    return path


def test_tensors_are_read_with_their_offsets_and_strides(tmp_path: Path) -> None:
    storage = Storage()
    tensors = {"whole": rebuilt(storage, 0, (2, 3), (3, 1)), "turned": rebuilt(storage, 0, (3, 2), (1, 3))}
    tensors |= {"part": rebuilt(storage, 4, (2,), (1,)), "number": rebuilt(storage, 5, (), ())}
    found = read_weights(written(tmp_path / "w.pth", tensors))
    assert found["whole"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert found["turned"].tolist() == [[0, 3], [1, 4], [2, 5]]
    assert (found["part"].tolist(), found["number"].item()) == ([4, 5], 5)


@pytest.mark.parametrize(
    ("module", "name"),
    [("os", "system"), ("builtins", "eval"), ("torch._utils", "_rebuild_parameter"), ("numpy", "load")],
)
def test_a_pickle_that_asks_for_anything_else_runs_nothing(tmp_path: Path, module: str, name: str) -> None:
    mark = tmp_path / "ran"
    with pytest.raises(WeightsError, match=f"{module}.{name}, which holds no weights"):
        read_weights(written(tmp_path / "w.pth", {"w": Called(Named(module, name), f"touch {mark}")}))
    assert not mark.exists()
    assert os.sep in str(mark)


@pytest.mark.parametrize(
    ("tensor", "says"),
    [
        (rebuilt(Storage(), 0, (3, 3), (3, 1)), "beyond its storage"),
        (rebuilt(Storage(), 4, (2,), (-1,)), "beyond its storage"),
        (rebuilt(Storage("HalfStorage"), 0, (6,), (1,)), "HalfStorage, which holds no weights"),
        (rebuilt(Storage(view=("a", 0, 3)), 0, (3,), (1,)), "no storage of its own"),
    ],
)
def test_tensors_that_reach_beyond_their_numbers_are_refused(tmp_path: Path, tensor: Any, says: str) -> None:
    with pytest.raises(WeightsError, match=says):
        read_weights(written(tmp_path / "w.pth", {"w": tensor}))


def test_a_file_that_is_cut_or_of_another_kind_is_refused(tmp_path: Path) -> None:
    whole = written(tmp_path / "w.pth", {"w": rebuilt(Storage(), 0, (6,), (1,))}).read_bytes()
    for at, content in enumerate((whole[:-3], whole[:40], b"", b"PK\x03\x04 a later format")):
        path = tmp_path / f"{at}.pth"
        path.write_bytes(content)
        with pytest.raises(WeightsError, match="get the package again"):
            read_weights(path)
    with pytest.raises(WeightsError, match="can't be read"):
        read_weights(written(tmp_path / "long.pth", {"w": rebuilt(Storage(), 0, (6,), (1,))}, length=7))


def parsed(model: Signature, host: str, **more: Any) -> Any:
    return text_format.Parse(configuration(model, host, digest="d" * 64, **more), model_config_pb2.ModelConfig())


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_every_configuration_is_one_that_triton_reads(model: Signature, host: str) -> None:
    config = parsed(model, host, instances=2)
    is_on_gpu = model.is_graph and host in {"gpu", "tensorrt"}
    kinds = model_config_pb2.ModelInstanceGroup
    assert config.name == model.name
    assert config.max_batch_size == model.most
    assert [one.name for one in config.input] == [one.name for one in model.inputs]
    assert config.instance_group[0].count == 2
    assert config.instance_group[0].kind == (kinds.KIND_GPU if is_on_gpu else kinds.KIND_CPU)
    assert config.parameters["weights"].string_value == "d" * 64, "the configuration's digest binds the weights"
    assert config.model_transaction_policy.decoupled is model.is_decoupled
    runs = {"cpu": "onnxruntime_onnx", "gpu": "onnxruntime_onnx", "tensorrt": "tensorrt_plan"}
    if model.is_graph and host != "wheel":
        assert (config.platform, config.backend) == (runs[host], "")
    else:
        assert (config.platform, config.backend) == ("", "python")
    assert [one.batch_size for one in config.model_warmup] == ([1, model.most] if is_on_gpu else [])
    accelerators = config.optimization.execution_accelerators.gpu_execution_accelerator
    assert [one.name for one in accelerators] == (["tensorrt"] if model.is_graph and host == "gpu" else [])


def test_a_queue_refuses_what_it_can_not_hold() -> None:
    config = parsed(LITE2, "gpu", queue=Queue(most=5, seconds=1.5, gather=700))
    policy = config.dynamic_batching.default_queue_policy
    assert (policy.max_queue_size, policy.default_timeout_microseconds) == (5, 1_500_000)
    assert policy.timeout_action == model_config_pb2.ModelQueuePolicy.REJECT
    assert config.dynamic_batching.max_queue_delay_microseconds == 700
    assert list(config.dynamic_batching.preferred_batch_size) == [4, 8, 16]
    assert not parsed(MODELS[-1], "cpu").HasField("dynamic_batching"), "a model without batches has no queue of its own"


def test_an_unknown_host_is_refused_with_the_hosts_there_are() -> None:
    with pytest.raises(ValueError, match="choose one of wheel, cpu, gpu, tensorrt"):
        configuration(LITE2, "tpu", digest="")


def test_a_model_is_written_in_place_of_the_one_before(tmp_path: Path) -> None:
    text = Signature(name="text", inputs=[Tensor(name="a", type="BYTES", shape=[1])], outputs=[], is_graph=False)
    target = write(tmp_path, text, "cpu")
    (target / "1" / "left.onnx").write_bytes(b"old")
    before = (target / "config.pbtxt").read_text()
    again = write(tmp_path, text, "cpu")
    assert sorted(one.name for one in (again / "1").iterdir()) == ["model.py"]
    assert (again / "config.pbtxt").read_text() == before, "the same weights have the same digest"
