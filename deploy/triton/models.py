"""The models of our repository: what each takes and gives, and how its folder is written.

It needs neither onnx nor weights: the graphs are made by graphs.py, in an environment of their own.
"""

import hashlib
import shutil
from pathlib import Path
from typing import Any

from deploy.triton.configuration import Queue, Signature, Tensor, configuration

BACKENDS = Path(__file__).with_name("backends")
LABELS = "labels.txt"
LITE2_SIDE = 260
LITE2_EMBEDDING = 1280
LITE2_CLASSES = 1000
TOWER_SIDE = 224
TOWER_EMBEDDING = 512


def pixels(side: int) -> Tensor:
    return Tensor(name="pixels", type="UINT8", shape=[side, side, 3])


def embedding(size: int) -> Tensor:
    return Tensor(name="embedding", type="FP32", shape=[size])


LITE2 = Signature(
    name="efficientnet_lite2",
    inputs=[pixels(LITE2_SIDE)],
    outputs=[
        embedding(LITE2_EMBEDDING),
        Tensor(name="probabilities", type="FP32", shape=[LITE2_CLASSES], labels=LABELS),
    ],
)
PICTURES = Signature(name="picture_tower", inputs=[pixels(TOWER_SIDE)], outputs=[embedding(TOWER_EMBEDDING)])
TEXTS = Signature(
    name="text_tower",
    inputs=[Tensor(name="text", type="BYTES", shape=[1])],
    outputs=[embedding(TOWER_EMBEDDING)],
    is_graph=False,
    parameters={"tokenizer": "bytes"},
)
_TALK: dict[str, Any] = {
    "inputs": [
        Tensor(name="text", type="BYTES", shape=[1]),
        Tensor(name="images", type="BYTES", shape=[-1], optional=True),
        Tensor(name="max_tokens", type="INT32", shape=[1], optional=True),
    ],
    "outputs": [
        Tensor(name="reply", type="BYTES", shape=[1]),
        Tensor(name="finish_reason", type="BYTES", shape=[1]),
        Tensor(name="prompt_tokens", type="INT32", shape=[1]),
        Tensor(name="completion_tokens", type="INT32", shape=[1]),
    ],
    "is_graph": False,
}


def analogist(name: str = "analogist", *, delay: float = 0.0, is_decoupled: bool = False, most: int = 1) -> Signature:
    """Return the model of text and pictures; `delay`: seconds before each word.

    Numbers of pictures differ, so requests are not gathered: a batch of one is there for the policy of its queue.
    """
    return Signature(
        name=name,
        most=0 if is_decoupled else most,
        is_decoupled=is_decoupled,
        parameters={"delay": str(delay)},
        **_TALK,
    )


def write(
    folder: Path,
    model: Signature,
    host: str,
    graph: bytes | None = None,
    *,
    backend: Path | None = None,
    instances: int = 1,
    queue: Queue | None = None,
) -> Path:
    """Write one model, in place of what has its name, and return its folder.

    `graph`: of a model that is one, or that the Python backend runs. `backend`: the code of a model of that backend.
    """
    target = folder / model.name
    shutil.rmtree(target, ignore_errors=True)
    version = target / "1"
    version.mkdir(parents=True)
    if graph is not None:
        (version / "model.onnx").write_bytes(graph)
    if host == "wheel" or not model.is_graph:
        code = BACKENDS / ("analogist.py" if graph is None else "onnx_model.py")
        shutil.copyfile(backend or code, version / "model.py")
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in sorted(version.iterdir()))).hexdigest()
    text = configuration(model, host, digest=digest, instances=instances, queue=queue)
    (target / "config.pbtxt").write_text(text, "utf-8")
    return target
