"""Read PyTorch's legacy pickles of tensors without PyTorch, and without running what a pickle asks for.

The format, as torch.save wrote it before version 1.6: three pickles (a magic number, a protocol version, facts of the
machine), the pickle of the tensors with their storages as persistent ids, the pickle of the storages' keys, and for
each key its length and its raw numbers.
"""

import collections
import pickle
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

MAGIC = 0x1950A86A20F9469CFC6C
PROTOCOL = 1001
STORAGES: Mapping[str, npt.DTypeLike] = {"FloatStorage": "<f4", "LongStorage": "<i8"}


class WeightsError(Exception):
    """A file holds no tensors that can be read here."""


class _Storage:
    """Numbers that tensors are views of; they come after the pickle that names them."""

    def __init__(self, kind: str, length: int) -> None:
        self.numbers = np.empty(length, STORAGES[kind])


class _Tensor:
    """A view of a storage, in elements."""

    def __init__(self, storage: _Storage, offset: int, size: tuple[int, ...], stride: tuple[int, ...]) -> None:
        self.storage, self.offset, self.size, self.stride = storage, offset, size, stride

    def array(self) -> npt.NDArray[Any]:
        numbers = self.storage.numbers
        last = self.offset + sum((n - 1) * step for n, step in zip(self.size, self.stride, strict=True))
        if self.offset < 0 or min((*self.stride, 0)) < 0 or (self.size and last >= numbers.size):
            raise WeightsError("a tensor reaches beyond its storage; get the package again")
        steps = [step * numbers.itemsize for step in self.stride]
        view = np.lib.stride_tricks.as_strided(numbers[self.offset :], self.size, steps)
        return np.ascontiguousarray(view)


class _Unpickler(pickle.Unpickler):
    """Makes ordered dictionaries and tensors, and refuses anything else."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file)
        self.storages: dict[str, _Storage] = {}

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("collections", "OrderedDict"):
            return collections.OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return lambda storage, offset, size, stride, *_: _Tensor(storage, offset, size, stride)
        if module == "torch" and name in STORAGES:
            return name
        raise WeightsError(f"the pickle asks for {module}.{name}, which holds no weights; it is not read")

    def persistent_load(self, pid: Any) -> _Storage:
        what, kind, key, _, length, view = pid
        if what != "storage" or view is not None:
            raise WeightsError(f"the pickle holds a {what!r}, which is no storage of its own; it is not read")
        return self.storages.setdefault(key, _Storage(kind, length))


def read_weights(path: Path) -> dict[str, npt.NDArray[Any]]:
    """Return the tensors of a state dictionary by name.

    Raises:
        WeightsError: the file is no legacy pickle of tensors, or it is cut.
    """
    with path.open("rb") as file:
        try:
            head = [_Unpickler(file).load() for _ in range(3)]
            if head[:2] != [MAGIC, PROTOCOL]:
                raise WeightsError(f"{path.name} is no legacy file of torch.save")
            reader = _Unpickler(file)
            tensors = reader.load()
            for key in _Unpickler(file).load():
                _fill(file, reader.storages[key])
        except (pickle.UnpicklingError, EOFError, struct.error, KeyError, TypeError, ValueError) as error:
            raise WeightsError(f"{path.name} can't be read ({error}); get the package again") from error
    return {name: tensor.array() for name, tensor in tensors.items()}


def _fill(file: BinaryIO, storage: _Storage) -> None:
    (length,) = struct.unpack("<q", file.read(8))
    content = file.read(storage.numbers.nbytes)
    if length != storage.numbers.size or len(content) != storage.numbers.nbytes:
        raise EOFError(f"{length} numbers where {storage.numbers.size} were told")
    storage.numbers[:] = np.frombuffer(content, storage.numbers.dtype)
