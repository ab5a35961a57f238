"""Photographs to draw items from, made in the test: four quarters of a rim and an inside, each of its own hue.

Things lie on some of them, named by an annotation file in COCO's form.
"""

import json
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from generator_service.benchmark import PictureArray

SIDE, RIM, THING = 256, 26, 22
COUNT = 7  # with the annotations no more than are read without processes of their own
NAMES = ("dog", "cup", "bicycle")
_HUES = (0, 32, 64, 96, 128, 160, 192, 224)


def painted(number: int) -> PictureArray:
    """Return a picture, (256, 256, 4): rims and insides of drawn hues, more or less light."""
    rng = np.random.default_rng(number)
    pixels = np.zeros((SIDE, SIDE, 3), np.uint8)
    half = SIDE // 2
    for tile in range(4):
        rows, columns = (
            slice(half * (tile // 2), half * (tile // 2 + 1)),
            slice(half * (tile % 2), half * (tile % 2 + 1)),
        )
        pixels[rows, columns] = (_HUES[int(rng.integers(8))], 200, rng.integers(110, 250))
    inside = pixels[RIM:-RIM, RIM:-RIM]
    for tile in range(4):
        middle = half - RIM
        rows, columns = (
            slice(middle * (tile // 2), middle * (tile // 2 + 1)),
            slice(middle * (tile % 2), middle * (tile % 2 + 1)),
        )
        inside[rows, columns] = (_HUES[int(rng.integers(8))], 150, rng.integers(110, 250))
    image = Image.fromarray(pixels, "HSV").convert("RGB")
    pen = ImageDraw.Draw(image)
    for tile in range(4):  # wedges, so that no two symmetries look alike
        left, top = 40 + 108 * (tile % 2), 40 + 108 * (tile // 2)
        pen.polygon([(left, top), (left + 40 + 8 * tile, top + 8), (left + 6, top + 24)], fill=(20, 20, 20))
    return np.asarray(image.convert("RGBA"))


def write_photographs(folder: Path, count: int = COUNT, *, annotated: bool = True) -> Path:
    """Write PNG files, and boxes of things on every second of them."""
    folder.mkdir(parents=True, exist_ok=True)
    images, annotations = [], []
    for number in range(count):
        Image.fromarray(painted(number)).save(folder / f"seen_{number}.png")
        images.append({"id": number, "file_name": f"seen_{number}.png", "width": SIDE, "height": SIDE})
        if number % 2:
            rng = np.random.default_rng(number)
            for category, corner in enumerate(rng.permutation(4)[:2].tolist()):
                left, top = 50 + 100 * (corner % 2), 50 + 100 * (corner // 2)
                box = [left, top, 2 * THING, 2 * THING]
                annotations.append({"image_id": number, "category_id": category, "bbox": box, "iscrowd": 0})
    if annotated:
        categories = [{"id": number, "name": name} for number, name in enumerate(NAMES)]
        body = {"images": images, "annotations": annotations, "categories": categories}
        (folder / "instances.json").write_text(json.dumps(body))
    return folder
