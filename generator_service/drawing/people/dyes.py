"""Give things other colours, and a picture another light: in whole numbers, the same on every machine.

A thing whose colour says nothing of what it is comes in six colours, a sixth of a circle apart: its hues are turned,
and how light and how saturated each pixel is stays. An animal that has several coats comes in six of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from generator_service.drawing.canvas import Picture

Gains = tuple[int, int, int]
COLOURS = 6
"""Red, yellow, green, cyan, blue, magenta: numbers of colours, and of coats."""
LIGHTS: tuple[Gains, ...] = (
    (256, 256, 256),
    (256, 224, 172),
    (186, 212, 256),
    (196, 188, 182),
    (216, 256, 204),
    (256, 206, 232),
)
"""What is left of red, green and blue, of 256: by day, in the evening, at dusk, dim, under trees, at sunrise."""
_ROWS = 32
"""Rows of a picture that are lit at a time: what they need in between stays in the processor's cache."""


@dataclass(frozen=True)
class Coat:
    """The colour of an animal's coat. own: what is left of the animal's own colours; pale: how white it is, of 256."""

    own: int
    colour: Gains
    pale: int = 0


COATS: tuple[Coat, ...] = (
    Coat(256, (256, 256, 256)),
    Coat(24, (222, 226, 236)),
    Coat(96, (128, 116, 112)),
    Coat(48, (256, 250, 240), 110),
    Coat(40, (236, 150, 84)),
    Coat(32, (244, 212, 150), 40),
)
"""As its picture is, grey, dark, white, russet, cream."""

_NAMES_BY_COLOUR = (
    (
        "cake, doughnut, teapot, book, briefcase, backpack, top hat, guitar, drum, accordion, telephone, alarm clock, "
        "box, chair, vase, lantern, wheel, teddy bear, hammer, ax, saw, screwdriver, pick, paintbrush, pencil, broom, "
        "plunger, toothbrush, scissors, balloon, cricket bat, tennis racket, boomerang, thermometer, feather, flag, "
        "candle, magnet, car, racing car, motorcycle, motor scooter, bicycle, roller skate, sled, propeller plane, "
        "helicopter, rocket, steam locomotive, streetcar, wheelchair, pickup, ship, parrot, snail, crab"
    ),
    (
        "ice cream, present, bouquet, mirror, dagger, crayon, flashlight, wand, trident, hook, megaphone, truck, "
        "rickshaw, flying saucer, passenger car"
    ),
    "test tube, tractor",
    (
        "television, radio, laptop, magnifying glass, bucket, anchor, bus, trolleybus, minibus, trailer truck, "
        "scooter, aerial tramway, cable car, train, dinosaur"
    ),
    (
        "umbrella, shoe, soccer ball, barrel, suitcase, camera, die, wrench, knife, spoon, razor, badminton racket, "
        "crutch, syringe, ruler, jeep, skateboard, canoe, sailboat, speedboat, motorboat, jet, shopping cart"
    ),
    "table tennis paddle, microphone, comb",
)
HUED: Mapping[str, int] = {name: colour for colour, names in enumerate(_NAMES_BY_COLOUR) for name in names.split(", ")}
"""The colour of the picture of each thing whose colour says nothing of what it is: the hue that most of it has."""
COATED = frozenset(
    {
        "dog", "cat", "horse", "cow", "goat", "pig", "sheep", "rabbit", "monkey", "kangaroo", "deer", "rooster",
        "llama", "mouse", "duck", "turkey", "owl", "otter", "beaver", "camel", "bison",
    }
)  # fmt: skip
"""Animals that are known whatever their coat."""


def dye(picture: Picture, name: str, colour: int) -> Picture:
    """Return the picture of a thing in one of `COLOURS`, or of an animal in one of `COATS`; others stay as they are."""
    if name in HUED:
        return turn_hues(picture, colour - HUED[name])
    return put_on_coat(picture, COATS[colour]) if name in COATED else picture


def turn_hues(picture: Picture, sixths: int) -> Picture:
    """Turn every hue by sixths of a circle: red, yellow, green and so on."""
    turned, rest = picture[..., :3], sixths % COLOURS
    if not rest:
        return picture
    if rest % 2:  # the opposite hue, and as many thirds as are left
        red, green, blue = (turned[..., channel].astype(np.uint16) for channel in range(3))
        ends = np.maximum(np.maximum(red, green), blue) + np.minimum(np.minimum(red, green), blue)
        turned = (ends[..., None] - turned).astype(np.uint8)
        rest += 3
    return np.concatenate([np.roll(turned, rest // 2 % 3, axis=-1), picture[..., 3:]], axis=-1)


def put_on_coat(picture: Picture, coat: Coat) -> Picture:
    """Give a picture the coat's colour, as light and dark as it is."""
    if coat == COATS[0]:
        return picture
    rgb = picture[..., :3].astype(np.int32)
    luma = (299 * rgb[..., 0] + 587 * rgb[..., 1] + 114 * rgb[..., 2]) // 1000
    found = picture.copy()
    for channel, gain in enumerate(coat.colour):
        mixed = (rgb[..., channel] * coat.own + luma * (256 - coat.own)) * gain >> 16
        found[..., channel] = mixed + ((255 - mixed) * coat.pale >> 8)
    return found


def light_picture(picture: Picture, light: int) -> Picture:
    """Return the picture in one of `LIGHTS`; alpha stays."""
    if not light:
        return picture
    height, width, _ = picture.shape
    gains = np.tile(np.array([*LIGHTS[light], 256], np.uint16), width)
    rows, lit = picture.reshape(height, -1), np.empty((height, 4 * width), np.uint8)
    for top in range(0, height, _ROWS):
        lit[top : top + _ROWS] = rows[top : top + _ROWS] * gains >> 8  # 255 * 256 fits in 16 bits
    return lit.reshape(picture.shape)
