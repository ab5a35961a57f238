"""ONNX graphs that are made here: EfficientNet-Lite2 from its packaged weights, and two towers of random weights.

Every picture model takes UINT8 [n, height, width, 3], RGB: pictures travel as bytes, and what a model wants of them
(scale, mean, channels first) is part of its graph.

Sources: Tan and Le 2019 (EfficientNet, table 1), the "lite" variants of 2020 (no squeeze and excitation, ReLU6, stem
and head not widened), and Radford et al. 2021 (CLIP, section 2.3: two towers into one space).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import ModelProto, TensorProto, checker, helper, numpy_helper

from deploy.triton.models import LITE2_CLASSES, LITE2_EMBEDDING, LITE2_SIDE, TOWER_EMBEDDING, TOWER_SIDE

OPSET = 17
IR_VERSION = 8
HALVING_BLOCKS = frozenset({1, 4, 7, 15})  # blocks of lite2 that halve the picture: the first ones of four stages
BATCH_NORM_EPSILON = 1e-3
TOWER_PATCH = 32
TOWER_WIDTH = 64
CONTEXT = 77  # tokens of a text, as in CLIP
VOCABULARY = 49408
Weights = Mapping[str, npt.NDArray[Any]]


class Graph:
    """Nodes and initializers, in the order in which they are added."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, value: npt.NDArray[Any]) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def add(self, operator: str, inputs: Sequence[str], output: str, **attributes: Any) -> str:
        """Add a node and return the name of its output."""
        self.nodes.append(helper.make_node(operator, list(inputs), [output], name=output, **attributes))
        return output

    def model(self, name: str, inputs: Sequence[Any], outputs: Sequence[Any]) -> ModelProto:
        """Return the graph as a checked model."""
        graph = helper.make_graph(self.nodes, name, list(inputs), list(outputs), self.constants)
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="tetrad")
        made.ir_version = IR_VERSION  # older runtimes know no later one
        checker.check_model(made, full_check=True)
        return made


def efficientnet_lite2(weights: Weights) -> ModelProto:
    """Return the network with outputs `embedding` [n, 1280] and `probabilities` [n, 1000].

    Raises:
        KeyError: the weights are another network's.
    """
    graph = Graph()
    here = _scaled_picture(graph, mean=(127.5,) * 3, deviation=(127.5,) * 3)
    here = _convolution(graph, here, "stem", *_fold(weights, "_conv_stem", "_bn0"), stride=2)
    number = 0
    while f"_blocks.{number}._project_conv.weight" in weights:
        here = _block(graph, here, weights, number)
        number += 1
    here = _convolution(graph, here, "head", *_fold(weights, "_conv_head", "_bn1"))
    pooled = graph.add("GlobalAveragePool", [here], "pooled")
    graph.add("Flatten", [pooled], "embedding", axis=1)
    matrix = graph.constant("classifier.weight", weights["_fc.weight"].astype(np.float32))
    bias = graph.constant("classifier.bias", weights["_fc.bias"].astype(np.float32))
    logits = graph.add("Gemm", ["embedding", matrix, bias], "logits", transB=1)
    graph.add("Softmax", [logits], "probabilities", axis=1)
    outputs = [_floats("embedding", LITE2_EMBEDDING), _floats("probabilities", LITE2_CLASSES)]
    return graph.model("efficientnet_lite2", [_pixels(LITE2_SIDE)], outputs)


def picture_tower(seed: int) -> ModelProto:
    """Return a picture tower of random weights: patches, one hidden layer, and the shared space."""
    graph, rng = Graph(), np.random.default_rng(seed)
    here = _scaled_picture(graph, mean=(122.77, 116.75, 104.09), deviation=(68.5, 66.63, 70.32))
    patches = rng.normal(0, 0.02, (TOWER_WIDTH, 3, TOWER_PATCH, TOWER_PATCH)).astype(np.float32)
    kernel = graph.constant("patches", patches)
    here = graph.add("Conv", [here, kernel], "patched", strides=[TOWER_PATCH, TOWER_PATCH])
    here = graph.add("Relu", [here], "hidden")
    pooled = graph.add("Flatten", [graph.add("GlobalAveragePool", [here], "pooled")], "flat", axis=1)
    _project(graph, pooled, rng)
    return graph.model("picture_tower", [_pixels(TOWER_SIDE)], [_floats("embedding", TOWER_EMBEDDING)])


def text_tower(seed: int) -> ModelProto:
    """Return a text tower of random weights: `input_ids` INT64 [n, 77], 0 where a text has ended."""
    graph, rng = Graph(), np.random.default_rng(seed)
    table = graph.constant("words", rng.normal(0, 0.02, (VOCABULARY, TOWER_WIDTH)).astype(np.float32))
    words = graph.add("Gather", [table, "input_ids"], "vectors")
    used = graph.add("Cast", ["input_ids"], "numbers", to=TensorProto.FLOAT)
    used = graph.add("Sign", [used], "used")
    count = graph.add("ReduceSum", [used, graph.constant("axis", np.array([1]))], "count", keepdims=1)
    count = graph.add("Max", [count, graph.constant("one", np.array(1, np.float32))], "least_count")
    weight = graph.add("Unsqueeze", [used, graph.constant("last", np.array([2]))], "weight")
    summed = graph.add("ReduceSum", [graph.add("Mul", [words, weight], "counted"), "axis"], "summed", keepdims=0)
    _project(graph, graph.add("Div", [summed, count], "mean"), rng)
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["n", CONTEXT])
    return graph.model("text_tower", [ids], [_floats("embedding", TOWER_EMBEDDING)])


def _pixels(side: int) -> Any:
    return helper.make_tensor_value_info("pixels", TensorProto.UINT8, ["n", side, side, 3])


def _floats(name: str, size: int) -> Any:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", size])


def _scaled_picture(graph: Graph, *, mean: Sequence[float], deviation: Sequence[float]) -> str:
    """Add what makes floats [n, 3, height, width] of the pixels."""
    here = graph.add("Cast", ["pixels"], "floats", to=TensorProto.FLOAT)
    here = graph.add("Sub", [here, graph.constant("mean", np.array(mean, np.float32))], "centred")
    here = graph.add("Div", [here, graph.constant("deviation", np.array(deviation, np.float32))], "scaled")
    return graph.add("Transpose", [here], "channels_first", perm=[0, 3, 1, 2])


def _project(graph: Graph, here: str, rng: np.random.Generator) -> None:
    matrix = graph.constant("projection", rng.normal(0, 0.1, (TOWER_WIDTH, TOWER_EMBEDDING)).astype(np.float32))
    graph.add("MatMul", [here, matrix], "embedding")


def _block(graph: Graph, here: str, weights: Weights, number: int) -> str:
    """Add an inverted residual block; its input is added again where it changes neither size nor width."""
    name, begun = f"_blocks.{number}", here
    if f"{name}._expand_conv.weight" in weights:
        here = _convolution(graph, here, f"{name}.expand", *_fold(weights, f"{name}._expand_conv", f"{name}._bn0"))
    stride = 2 if number in HALVING_BLOCKS else 1
    depthwise = _fold(weights, f"{name}._depthwise_conv", f"{name}._bn1")
    here = _convolution(graph, here, f"{name}.depthwise", *depthwise, stride=stride, group=len(depthwise[0]))
    kernel, bias = _fold(weights, f"{name}._project_conv", f"{name}._bn2")
    here = _convolution(graph, here, f"{name}.project", kernel, bias, is_linear=True)
    first = weights.get(f"{name}._expand_conv.weight", weights[f"{name}._depthwise_conv.weight"])
    width = first.shape[1] if f"{name}._expand_conv.weight" in weights else first.shape[0]
    return graph.add("Add", [here, begun], f"{name}.sum") if stride == 1 and width == len(kernel) else here


def _fold(weights: Weights, convolution: str, norm: str) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the kernel and bias of a convolution with the batch normalization that follows it."""
    scale = weights[f"{norm}.weight"] / np.sqrt(weights[f"{norm}.running_var"] + BATCH_NORM_EPSILON)
    kernel = weights[f"{convolution}.weight"] * scale[:, None, None, None]
    return kernel.astype(np.float32), (weights[f"{norm}.bias"] - weights[f"{norm}.running_mean"] * scale).astype("f4")


def _convolution(
    graph: Graph,
    here: str,
    name: str,
    kernel: npt.NDArray[Any],
    bias: npt.NDArray[Any],
    *,
    stride: int = 1,
    group: int = 1,
    is_linear: bool = False,
) -> str:
    """Add a convolution, padded as TensorFlow does it (the odd pixel at the end), and ReLU6 unless it is linear."""
    inputs = [here, graph.constant(f"{name}.weight", kernel), graph.constant(f"{name}.bias", bias)]
    settings = {"auto_pad": "SAME_UPPER", "strides": [stride, stride], "group": group}
    here = graph.add("Conv", inputs, name, **settings)
    if is_linear:
        return here
    if not any(constant.name == "zero" for constant in graph.constants):
        graph.constant("zero", np.array(0, np.float32))
        graph.constant("six", np.array(6, np.float32))
    return graph.add("Clip", [here, "zero", "six"], f"{name}.relu6")
