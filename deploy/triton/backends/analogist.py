"""A small text and picture model with the tensors of a vision-language model, on the CPU.

It writes one word at a time, and answers with the option that lies nearest to B + A' - A in plain pixels. It sees no
meaning: what it is for is to go the whole way that a large model goes, with pictures, caps, stops and usage.

Inputs: `text` with <image> where a picture stands, `images` (PNG or JPEG files), `max_tokens`. Outputs: `reply`,
`finish_reason` (stop or length), `prompt_tokens`, `completion_tokens`: words, and one for each picture. Decoupled
models send a response for each word. Parameter `delay`: seconds before each word.
"""

import io
import json
import re
import time

import numpy as np
import triton_python_backend_utils as pb_utils
from PIL import Image

MARK = "<image>"
SIDE = 16
LAST = pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL
OPTION = re.compile(r"\(?([A-Z])\)?[).:]?\s*$")


class TritonPythonModel:
    def initialize(self, args):
        config = json.loads(args["model_config"])
        self.is_decoupled = pb_utils.using_decoupled_model_transaction_policy(config)
        self.delay = float(config["parameters"].get("delay", {"string_value": "0"})["string_value"])

    def execute(self, requests):
        if not self.is_decoupled:
            return [self.answer(request) for request in requests]
        for request in requests:
            sender = request.get_response_sender()
            try:
                for response in self.write_words(request):
                    sender.send(response)
            except ValueError as error:
                sender.send(pb_utils.InferenceResponse(error=refusal(error)), flags=LAST)
            else:
                sender.send(flags=LAST)
        return None

    def answer(self, request):
        try:
            text, cap, taken = self.read_request(request)
        except ValueError as error:
            return pb_utils.InferenceResponse(error=refusal(error))
        words = text.split(" ")
        time.sleep(self.delay * len(words[:cap]))
        return response(" ".join(words[:cap]), "length" if len(words) > cap else "stop", taken, len(words[:cap]))

    def write_words(self, request):
        text, cap, taken = self.read_request(request)
        words = re.findall(r"\S+\s*", text)
        for at, word in enumerate(words[:cap]):
            time.sleep(self.delay)
            is_last = at + 1 == min(cap, len(words))
            yield response(word, ("length" if len(words) > cap else "stop") if is_last else "", taken, 1)

    def read_request(self, request):
        """Return the whole reply, the most words of it, and what the prompt took."""
        prompt = text_of(request, "text")[0].decode()
        files = text_of(request, "images")
        cap = pb_utils.get_input_tensor_by_name(request, "max_tokens")
        pictures = [features(content) for content in files]
        taken = len(prompt.replace(MARK, " ").split()) + len(files)
        most = 10_000 if cap is None else int(cap.as_numpy().reshape(-1)[0])
        return reply(prompt, pictures), most, taken


def refusal(error):
    return pb_utils.TritonError(str(error), pb_utils.TritonError.INVALID_ARG)


def response(text, reason, taken, written):
    """Return a response with all four outputs."""
    outputs = [
        pb_utils.Tensor("reply", np.array([text.encode()], object)),
        pb_utils.Tensor("finish_reason", np.array([reason.encode()], object)),
        pb_utils.Tensor("prompt_tokens", np.array([taken], np.int32)),
        pb_utils.Tensor("completion_tokens", np.array([written], np.int32)),
    ]
    return pb_utils.InferenceResponse(outputs)


def text_of(request, name):
    tensor = pb_utils.get_input_tensor_by_name(request, name)
    return [] if tensor is None else list(tensor.as_numpy().reshape(-1))


def features(content):
    """Return a picture as 16 x 16 cells of colour: ValueError where it can't be read."""
    try:
        picture = Image.open(io.BytesIO(content)).convert("RGBA")
    except OSError as error:
        raise ValueError(f"images: {error}") from None
    page = Image.new("RGBA", picture.size, "white")
    page.alpha_composite(picture)
    return np.asarray(page.convert("RGB").resize((SIDE, SIDE), Image.Resampling.BOX), np.float64).ravel()


def reply(prompt, pictures):
    """Return the answer in words."""
    before = prompt.split(MARK)[: len(pictures)]
    if len(before) != len(pictures) or prompt.count(MARK) != len(pictures):
        raise ValueError(f"text: has {prompt.count(MARK)} places for {len(pictures)} pictures")
    context, options = [], {}
    for words, picture in zip(before, pictures, strict=True):
        letter = OPTION.search(words)
        if letter and (options or letter[1] == "A") and letter[1] not in options:
            options[letter[1]] = picture
        else:
            context.append(picture)
    letters = options or dict.fromkeys(re.findall(r"\(([A-Z])\)", prompt))
    if not letters:
        return "There is nothing to choose from."
    if not options or len(context) < 3:  # noqa: PLR2004 - A, A' and B
        return f"The answer is ({min(letters)})."
    wanted = context[-1] + context[-2] - context[-3]
    nearest = min(options, key=lambda letter: (float(np.abs(options[letter] - wanted).sum()), letter))
    return f"The answer is ({nearest})."
