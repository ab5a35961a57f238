"""A model of Triton's Python backend that says what it was sent, as JSON, in the tensors of another backend.

Parameters: `reply` names the output that the JSON goes to, in two responses where the model is decoupled; `reason` and
`tokens` name further outputs. `fault`: nan (every number of the first output is none), error, crash, or pause (a
second of sleep, and a file `began` beside the model).
"""

import json
import os
import time
from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        self.config = json.loads(args["model_config"])
        self.settings = {name: one["string_value"] for name, one in self.config["parameters"].items()}
        self.is_decoupled = pb_utils.using_decoupled_model_transaction_policy(self.config)
        self.began = Path(args["model_repository"]) / "began"

    def execute(self, requests):
        fault = self.settings.get("fault", "")
        if fault == "crash":
            os._exit(1)
        if fault == "pause":
            self.began.touch()
            time.sleep(float(self.settings["seconds"]))
        if self.is_decoupled:
            for request in requests:
                self.stream(request, fault)
            return None
        return [self.answer(request, fault) for request in requests]

    def stream(self, request, fault):
        sender = request.get_response_sender()
        text = self.told(request)
        parts = [text[: len(text) // 2], text[len(text) // 2 :]]
        for at, part in enumerate(parts):
            sender.send(self.response(part, "None" if at == 0 or fault == "no-end" else "stop"))
            if fault == "error":
                error = pb_utils.TritonError("the second half is missing", pb_utils.TritonError.INTERNAL)
                sender.send(pb_utils.InferenceResponse(error=error))
                break
        sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)

    def answer(self, request, fault):
        if fault == "error":
            return pb_utils.InferenceResponse(error=pb_utils.TritonError("it never works"))
        if not self.settings.get("reply"):
            first = self.config["output"][0]
            batch = len(pb_utils.get_input_tensor_by_name(request, self.config["input"][0]["name"]).as_numpy())
            value = np.nan if fault == "nan" else 1.0
            shape = [batch, *map(int, first["dims"])]
            return pb_utils.InferenceResponse([pb_utils.Tensor(first["name"], np.full(shape, value, np.float32))])
        return self.response(self.told(request), "stop")

    def told(self, request):
        """Return the inputs that were sent, with their shapes and values."""
        found = {}
        for one in self.config["input"]:
            tensor = pb_utils.get_input_tensor_by_name(request, one["name"])
            if tensor is None:
                continue
            array = tensor.as_numpy()
            values = [value.decode() if isinstance(value, bytes) else value.item() for value in array.ravel()[:8]]
            found[one["name"]] = {"shape": list(array.shape), "values": values}
        return json.dumps(found, ensure_ascii=False)

    def response(self, text, reason):
        lead = [1] if int(self.config.get("max_batch_size", 0)) else []
        outputs = [pb_utils.Tensor(self.settings["reply"], np.array([text.encode()], object).reshape([*lead, 1]))]
        if self.settings.get("reason"):
            outputs.append(pb_utils.Tensor(self.settings["reason"], np.array([reason.encode()], object)))
        names = filter(None, self.settings.get("tokens", "").split(","))
        outputs += [pb_utils.Tensor(name, np.array([3], np.uint32)) for name in names]
        return pb_utils.InferenceResponse(outputs)
