r"""Export picture models for Triton.

    python -m deploy.triton.exporters FOLDER --weights PATH --name NAME [--host gpu]

PATH is a folder of Hugging Face's form (config.json, model.safetensors, preprocessor_config.json) of a ViT, DeiT, Swin,
ConvNeXt, CLIP or SigLIP; nothing is downloaded. It needs `torch`, `transformers` and `onnx`, on whichever machine has
them; the server needs none of them. Each graph takes UINT8 [n, side, side, 3] and gives `embedding`; one with a head
for classes gives `probabilities`, too. CLIP and SigLIP become two models, NAME_picture and NAME_text.

For `--host tensorrt`, make the plan on the very machine that serves it:
    trtexec --onnx=model.onnx --saveEngine=model.plan --fp16 \
        --minShapes=pixels:1x224x224x3 --optShapes=pixels:8x224x224x3 --maxShapes=pixels:16x224x224x3
"""

import argparse
import io
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, AutoImageProcessor, AutoModel, AutoModelForImageClassification, AutoTokenizer

from deploy.triton.configuration import HOSTS, Signature, Tensor
from deploy.triton.models import LABELS, pixels, write

TWO_TOWERS = frozenset({"clip", "siglip"})
ONE_TOWER = frozenset({"vit", "deit", "swin", "convnext"})
OPSET = 17


class Scaled(torch.nn.Module):
    """The preparation of pixels inside a picture model's graph: channels first, scale, mean and deviation."""

    def __init__(self, processor: Any) -> None:
        super().__init__()
        self.register_buffer("mean", torch.tensor(processor.image_mean).view(1, 3, 1, 1) * 255)
        self.register_buffer("deviation", torch.tensor(processor.image_std).view(1, 3, 1, 1) * 255)

    def forward(self, picture: torch.Tensor) -> torch.Tensor:
        return (picture.permute(0, 3, 1, 2).float() - self.mean) / self.deviation


class OneTower(torch.nn.Module):
    """An embedding, and probabilities of classes where the model has a head for them."""

    def __init__(self, model: Any, scaled: Scaled) -> None:
        super().__init__()
        self.model, self.scaled = model, scaled

    def forward(self, picture: torch.Tensor) -> tuple[torch.Tensor, ...]:
        found = self.model(pixel_values=self.scaled(picture), output_hidden_states=True)
        last = found.hidden_states[-1]
        # Transformers put tokens last but one; convolutions give maps. DeiT and ViT embed by their first token.
        if last.ndim == 4:  # noqa: PLR2004 - a map of channels
            embedding = last.mean(dim=(2, 3))
        elif self.model.config.model_type == "swin":
            embedding = last.mean(dim=1)
        else:
            embedding = last[:, 0]
        return (embedding, found.logits.softmax(dim=-1))


class PictureTower(torch.nn.Module):
    def __init__(self, model: Any, scaled: Scaled) -> None:
        super().__init__()
        self.model, self.scaled = model, scaled

    def forward(self, picture: torch.Tensor) -> torch.Tensor:
        return _features(self.model.get_image_features(pixel_values=self.scaled(picture)))


class TextTower(torch.nn.Module):
    def __init__(self, model: Any, padding: int, *, is_masked: bool) -> None:
        super().__init__()
        self.model, self.padding, self.is_masked = model, padding, is_masked

    def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
        mask = {"attention_mask": (input_ids != self.padding).long()} if self.is_masked else {}
        return _features(self.model.get_text_features(input_ids=input_ids, **mask))


def export(weights: Path, folder: Path, name: str, host: str) -> list[Path]:
    """Write the model or the two towers into a repository, and return their folders.

    Raises:
        ValueError: the weights are of a family that is not known here.
    """
    family = AutoConfig.from_pretrained(weights, local_files_only=True).model_type
    if family in TWO_TOWERS:
        return _two_towers(weights, folder, name, host)
    if family not in ONE_TOWER:
        known = ", ".join(sorted(ONE_TOWER | TWO_TOWERS))
        raise ValueError(f"{weights}: {family!r} is a family that is not known; known are {known}")
    model = AutoModelForImageClassification.from_pretrained(weights, local_files_only=True).eval()
    processor = AutoImageProcessor.from_pretrained(weights, local_files_only=True)
    side = _side(processor)
    tower = OneTower(model, Scaled(processor))
    graph, shapes = _graph(tower, _example(side), "pixels", ["embedding", "probabilities"])
    outputs = [
        Tensor(name="embedding", type="FP32", shape=shapes[0]),
        Tensor(name="probabilities", type="FP32", shape=shapes[1], labels=LABELS),
    ]
    target = write(folder, Signature(name=name, inputs=[pixels(side)], outputs=outputs), host, graph)
    labels = [model.config.id2label[at] for at in range(len(model.config.id2label))]
    (target / LABELS).write_text("\n".join(labels) + "\n", "utf-8")
    return [target]


def _two_towers(weights: Path, folder: Path, name: str, host: str) -> list[Path]:
    model = AutoModel.from_pretrained(weights, local_files_only=True).eval()
    processor = AutoImageProcessor.from_pretrained(weights, local_files_only=True)
    tokenizer = AutoTokenizer.from_pretrained(weights, local_files_only=True)
    side, length = _side(processor), model.config.text_config.max_position_embeddings
    graph, shapes = _graph(PictureTower(model, Scaled(processor)), _example(side), "pixels", ["embedding"])
    embedding = Tensor(name="embedding", type="FP32", shape=shapes[0])
    picture = Signature(name=f"{name}_picture", inputs=[pixels(side)], outputs=[embedding])
    made = [write(folder, picture, host, graph)]
    padding = tokenizer.pad_token_id
    told = tokenizer(["a", "b"], padding="max_length", max_length=length, truncation=True)
    ids = torch.tensor(told["input_ids"], dtype=torch.int64)
    # CLIP reads up to the end of the text; SigLIP was trained on the whole length, padding too.
    tower = TextTower(model, padding, is_masked=model.config.model_type == "clip")
    graph, shapes = _graph(tower, ids, "input_ids", ["embedding"])
    text = Signature(
        name=f"{name}_text",
        inputs=[Tensor(name="text", type="BYTES", shape=[1])],
        outputs=[Tensor(name="embedding", type="FP32", shape=shapes[0])],
        is_graph=False,
        parameters={"tokenizer": "tokenizer.json", "padding": str(padding)},
    )
    target = write(folder, text, host, graph)
    shutil.copyfile(weights / "tokenizer.json", target / "1" / "tokenizer.json")
    return [*made, target]


def _features(found: Any) -> torch.Tensor:
    """Return the features, which later versions of transformers wrap."""
    return found if isinstance(found, torch.Tensor) else found.pooler_output


def _side(processor: Any) -> int:
    size = getattr(processor, "crop_size", None) or processor.size
    return int(size.get("height") or size["shortest_edge"])


def _example(side: int) -> torch.Tensor:
    return torch.randint(0, 256, (2, side, side, 3), dtype=torch.uint8)


def _graph(tower: Any, example: torch.Tensor, taken: str, given: Sequence[str]) -> tuple[bytes, list[list[int]]]:
    """Return the tower as ONNX, and the shapes of its outputs without the batch axis."""
    with torch.no_grad():
        found = tower(example)
    found = found if isinstance(found, tuple) else (found,)
    buffer = io.BytesIO()
    axes = {name: {0: "n"} for name in (taken, *given)}
    torch.onnx.export(
        tower,
        (example,),
        buffer,
        input_names=[taken],
        output_names=list(given),
        dynamic_axes=axes,
        opset_version=OPSET,
        dynamo=False,
    )
    return buffer.getvalue(), [list(tensor.shape[1:]) for tensor in found]


def main() -> int:
    parser = argparse.ArgumentParser(description="Export a picture model into a repository for Triton.")
    parser.add_argument("folder", type=Path, help="the model repository")
    parser.add_argument("--weights", type=Path, required=True, help="a folder of Hugging Face's form")
    parser.add_argument("--name", required=True, help="the model's name on the server")
    parser.add_argument("--host", choices=HOSTS, default="gpu", help="what the server runs on")
    given = parser.parse_args()
    print(*export(given.weights, given.folder, given.name, given.host), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
