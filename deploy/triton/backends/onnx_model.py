"""An ONNX model inside Triton's Python backend, for servers without the ONNX Runtime backend.

Requests that Triton has gathered are run as one batch. Parameters of config.pbtxt: `threads` of one inference, and
`tokenizer` where the input `text` (BYTES) becomes the graph's `input_ids`: `bytes` (each UTF-8 byte is a token, plus
one), or the name of a tokenizer.json beside the model, which needs the package `tokenizers`. `padding`: the id after
the end of a text.
"""

import json
from pathlib import Path

import numpy as np
import onnxruntime
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        config = json.loads(args["model_config"])
        parameters = {name: parameter["string_value"] for name, parameter in config["parameters"].items()}
        folder = Path(args["model_repository"]) / args["model_version"]
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = int(parameters.get("threads", "1"))
        # Threads that wait by spinning take the processor from the other instances.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self.session = onnxruntime.InferenceSession(
            str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self.graph_input = self.session.get_inputs()[0]
        self.input = config["input"][0]["name"]
        self.outputs = [output["name"] for output in config["output"]]
        self.padding = int(parameters.get("padding", "0"))
        self.tokenize = tokenizer(parameters.get("tokenizer", ""), folder)

    def execute(self, requests):
        arrays = [pb_utils.get_input_tensor_by_name(request, self.input).as_numpy() for request in requests]
        wanted = [set(request.requested_output_names()) for request in requests]
        names = [name for name in self.outputs if any(name in request for request in wanted)]
        batch = np.concatenate(arrays)
        if self.tokenize is not None:
            batch = np.stack([self.fit(self.tokenize(text.decode())) for text in batch.reshape(-1)])
        found = dict(zip(names, self.session.run(names, {self.graph_input.name: batch}), strict=True))
        ends = np.cumsum([len(array) for array in arrays])
        return [
            pb_utils.InferenceResponse(
                [pb_utils.Tensor(name, found[name][end - len(array) : end]) for name in self.outputs if name in asked]
            )
            for array, end, asked in zip(arrays, ends, wanted, strict=True)
        ]

    def fit(self, ids):
        """Return the ids cut or filled up to the length that the graph takes."""
        length = self.graph_input.shape[1]
        row = np.full(length, self.padding, np.int64)
        row[: len(ids)] = ids[:length]
        return row


def tokenizer(name, folder):
    """Return the function from a text to its ids, None where the model takes no text."""
    if not name:
        return None
    if name == "bytes":
        return lambda text: [byte + 1 for byte in text.encode()]
    from tokenizers import Tokenizer  # noqa: PLC0415 - only where a model brings its own

    found = Tokenizer.from_file(str(folder / name))
    return lambda text: found.encode(text).ids
