"""Places as backgrounds: ground and what belongs there, painted in whole numbers, in several colours each.

A place has its horizon at 0.62 of the height, so that who stands in front has the ground under the feet.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from generator_service.cache_budget import cache_within_budget
from generator_service.drawing.canvas import Picture, resize
from generator_service.drawing.people.things import SCENERY

SIDE = 512
SCALE = 2
VARIANTS = 6
"""Colours and arrangements of every place."""
_SIDE = SIDE * SCALE
_HORIZON = 0.62
_FAINT = 150  # of 255: how much of a thing in the background is painted over what lies behind it
Colour = tuple[int, int, int]
Things = Callable[[str], Picture]


@dataclass
class _Canvas:
    """A canvas of 2 x 2 samples a pixel; places and lengths are shares of its side."""

    image: Image.Image
    draw: ImageDraw.ImageDraw
    thing: Things
    variant: int

    def box(self, left: float, top: float, right: float, bottom: float, colour: Colour) -> None:
        self.draw.rectangle((_at(left), _at(top), _at(right) - 1, _at(bottom) - 1), fill=colour)

    def oval(self, left: float, top: float, right: float, bottom: float, colour: Colour) -> None:
        self.draw.ellipse((_at(left), _at(top), _at(right), _at(bottom)), fill=colour)

    def shape(self, *points: tuple[float, float], colour: Colour) -> None:
        self.draw.polygon([(_at(x), _at(y)) for x, y in points], fill=colour)

    def line(self, x: float, y: float, x2: float, y2: float, colour: Colour, width: int = 4) -> None:
        self.draw.line((_at(x), _at(y), _at(x2), _at(y2)), fill=colour, width=width)

    def put(self, name: str, x: float, foot: float, high: float) -> None:
        """Stand a thing faintly on the ground, `high` of the side tall."""
        stamp = Image.fromarray(_faint(self.thing, SCENERY[name], max(1, _at(high))))
        self.image.paste(stamp, (_at(x) - stamp.width // 2, _at(foot) - stamp.height), stamp)

    def pick(self, *colours: Colour) -> Colour:
        return colours[self.variant % len(colours)]

    def shift(self, reach: float) -> float:
        """Return a shift to the side that differs by variant."""
        return reach * ((self.variant * 5) % VARIANTS - VARIANTS // 2) / VARIANTS


@cache_within_budget(96)
def _faint(thing: Things, code: str, height: int) -> Picture:
    """Return a thing at this height, fainter than what a scene is about. Each is put in many places."""
    picture = thing(code)
    scaled = resize(picture, max(1, picture.shape[1] * height // picture.shape[0]), height).copy()
    scaled[..., 3] = (np.arange(256) * _FAINT // 255).astype(np.uint8)[scaled[..., 3]]
    return scaled


def place_picture(name: str, variant: int, thing: Things) -> npt.NDArray[np.uint8]:
    """Paint a place, (512, 512, 3). `thing` gives a picture by its code point."""
    image = Image.new("RGB", (_SIDE, _SIDE))
    canvas = _Canvas(image, ImageDraw.Draw(image), thing, variant)
    _PLACES[name](canvas)
    return np.asarray(image.reduce(SCALE))


def _at(share: float) -> int:
    return round(share * _SIDE)


def _indoors(c: _Canvas, wall: Colour, floor: Colour, skirting: Colour) -> None:
    c.box(0, 0, 1, _HORIZON, wall)
    c.box(0, _HORIZON, 1, 1, floor)
    c.box(0, _HORIZON - 0.018, 1, _HORIZON, skirting)


def _outdoors(c: _Canvas, sky: Colour, ground: Colour) -> None:
    for band in range(8):
        share = band / 8
        red, green, blue = (round(part + (250 - part) * share * 0.7) for part in sky)
        c.box(0, _HORIZON * share, 1, _HORIZON * (share + 0.126), (red, green, blue))
    c.box(0, _HORIZON, 1, 1, ground)


def _kitchen(c: _Canvas) -> None:
    _indoors(c, (236, 232, 220), c.pick((206, 190, 168), (188, 180, 176), (200, 170, 140)), (214, 208, 196))
    for row in range(4):
        for column in range(17):
            left = column * 0.0625 - (0.03 if row % 2 else 0)
            tone = c.pick((214, 228, 232), (232, 222, 204), (216, 232, 214))
            c.box(left, 0.22 + row * 0.055, left + 0.058, 0.27 + row * 0.055, tone)
    front = c.pick((150, 178, 170), (190, 152, 112), (176, 182, 196))
    c.box(0, 0.47, 1, 0.495, (120, 116, 112))
    c.box(0, 0.495, 1, 0.64, front)
    for door in range(7):
        c.line(door * 0.15, 0.5, door * 0.15, 0.64, (110, 120, 116))
        c.box(door * 0.15 + 0.12, 0.53, door * 0.15 + 0.13, 0.57, (96, 96, 96))
    for left in (0.04, 0.62):
        c.box(left, 0.02, left + 0.3, 0.17, front)
        c.line(left + 0.15, 0.02, left + 0.15, 0.17, (110, 120, 116))
    c.put("pot", 0.2 + c.shift(0.2), 0.475, 0.11)
    c.put("pot", 0.86, 0.475, 0.08)


def _street(c: _Canvas) -> None:
    _outdoors(c, (150, 196, 236), (150, 152, 158))
    tones = ((206, 150, 120), (226, 206, 170), (170, 186, 200), (196, 170, 190), (210, 190, 140))
    for number in range(6):
        left = number * 0.18 - 0.04 + c.shift(0.05)
        top = 0.16 + 0.05 * ((number * 7 + c.variant) % 4)
        c.box(left, top, left + 0.17, _HORIZON, tones[(number + c.variant) % len(tones)])
        for row in range(5):
            for column in range(3):
                x, y = left + 0.022 + column * 0.05, top + 0.03 + row * 0.075
                if y < _HORIZON - 0.08:
                    c.box(x, y, x + 0.03, y + 0.045, (112, 140, 170))
    c.box(0, _HORIZON, 1, 0.7, (204, 200, 194))
    c.box(0, 0.7, 1, 0.712, (236, 236, 230))
    c.box(0, 0.712, 1, 1, (112, 114, 122))
    for dash in range(5):
        c.shape(
            (dash * 0.24, 0.94), (dash * 0.24 + 0.12, 0.94), (dash * 0.24 + 0.11, 0.955), (dash * 0.24 - 0.01, 0.955),
            colour=(236, 236, 226),
        )  # fmt: skip


def _field(c: _Canvas) -> None:
    _outdoors(c, c.pick((134, 196, 240), (170, 206, 236), (240, 206, 160)), (132, 186, 84))
    for number in range(9):
        tone = (146, 200, 92) if number % 2 else (124, 178, 80)
        low = _HORIZON + number * 0.045
        c.box(0, low, 1, low + 0.045, tone)
    for post in range(9):
        x = post * 0.125 + 0.03
        c.box(x, 0.54, x + 0.014, 0.65, (170, 130, 90))
    for rail in (0.565, 0.605):
        c.box(0, rail, 1, rail + 0.013, (186, 146, 102))
    c.put("house", 0.14 + c.shift(0.1), 0.63, 0.13)
    c.put("sheaf", 0.84, 0.66, 0.11)
    c.put("sheaf", 0.7, 0.655, 0.09)


def _beach(c: _Canvas) -> None:
    _outdoors(c, (120, 196, 246), (240, 216, 160))
    c.box(0, 0.5, 1, _HORIZON + 0.02, c.pick((40, 140, 206), (52, 168, 196), (60, 120, 190)))
    for wave in range(12):
        x = wave * 0.09 - 0.02
        c.oval(x, 0.615, x + 0.11, 0.66, (250, 250, 250))
        c.oval(x, 0.635, x + 0.11, 0.68, (240, 216, 160))
    for number in range(40):
        x, y = (number * 37 % 100) / 100, 0.68 + (number * 53 % 32) / 100
        c.oval(x, y, x + 0.012, y + 0.006, (222, 196, 140))
    c.put("palm", 0.1, 0.72, 0.42)
    c.put("parasol", 0.88 + c.shift(0.04), 0.7, 0.2)


def _snow(c: _Canvas) -> None:
    _outdoors(c, c.pick((186, 206, 226), (170, 190, 226), (206, 206, 220)), (244, 248, 252))
    c.oval(-0.2, 0.5, 0.6, 0.8, (236, 242, 250))
    c.oval(0.4, 0.54, 1.3, 0.85, (228, 236, 246))
    c.box(0, 0.7, 1, 1, (246, 249, 252))
    for x, foot, high in ((0.08, 0.66, 0.3), (0.24, 0.62, 0.2), (0.78, 0.64, 0.26), (0.93, 0.67, 0.32)):
        c.put("pine", x + c.shift(0.06), foot, high)
    for number in range(46):
        x, y = (number * 61 % 101) / 100, (number * 37 % 97) / 100
        c.oval(x, y, x + 0.011, y + 0.011, (255, 255, 255))


def _gym(c: _Canvas) -> None:
    wall = c.pick((206, 214, 224), (222, 212, 196), (196, 216, 206))
    _indoors(c, wall, (214, 160, 100), (150, 110, 70))
    for board in range(12):
        c.line(board / 11 * 1.6 - 0.3, 1.0, 0.2 + board / 11 * 0.6, _HORIZON, (196, 140, 84), 3)
    c.line(0, 0.86, 1, 0.8, (250, 250, 250), 9)
    c.line(0.1, 1.0, 0.3, _HORIZON, (60, 90, 190), 9)
    for column in range(3):
        left = 0.04 + column * 0.12 + c.shift(0.04)
        for bar in range(9):
            c.box(left, 0.12 + bar * 0.052, left + 0.1, 0.136 + bar * 0.052, (180, 130, 80))
        for side in (left, left + 0.092):
            c.box(side, 0.1, side + 0.01, 0.6, (150, 104, 62))
    c.box(0.66, 0.12, 0.9, 0.3, (250, 250, 250))
    c.box(0.74, 0.2, 0.82, 0.27, (220, 80, 60))
    c.box(0.752, 0.212, 0.808, 0.258, (250, 250, 250))
    c.box(0.73, 0.29, 0.83, 0.302, (240, 110, 40))


def _stage(c: _Canvas) -> None:
    back = c.pick((44, 34, 60), (34, 44, 70), (56, 32, 44))
    c.box(0, 0, 1, _HORIZON, back)
    c.box(0, _HORIZON, 1, 1, (150, 98, 60))
    for board in range(9):
        c.line(0, _HORIZON + 0.045 * board, 1, _HORIZON + 0.045 * board, (126, 80, 48), 4)
    for middle in (0.26, 0.5, 0.74):
        x = middle + c.shift(0.12)
        light = tuple(min(255, part + 26) for part in back)
        c.shape(
            (x - 0.02, 0.05),
            (x + 0.02, 0.05),
            (x + 0.16, _HORIZON),
            (x - 0.16, _HORIZON),
            colour=(light[0], light[1], light[2]),
        )
    curtain = c.pick((190, 30, 44), (170, 34, 70), (150, 24, 30))
    for fold in range(4):
        tone = curtain if fold % 2 else (max(0, curtain[0] - 34), curtain[1], curtain[2])
        c.box(fold * 0.042, 0, (fold + 1) * 0.042, 0.66, tone)
        c.box(1 - (fold + 1) * 0.042, 0, 1 - fold * 0.042, 0.66, tone)
    for swag in range(6):
        c.oval(swag * 0.17 - 0.01, -0.08, swag * 0.17 + 0.17, 0.08, curtain)
        c.oval(swag * 0.17 + 0.068, -0.02, swag * 0.17 + 0.092, 0.09, (240, 200, 90))


def _office(c: _Canvas) -> None:
    _indoors(c, c.pick((226, 228, 232), (232, 226, 214), (216, 226, 226)), (138, 146, 160), (196, 198, 204))
    c.box(0.08 + c.shift(0.05), 0.08, 0.42 + c.shift(0.05), 0.36, (250, 250, 250))
    c.box(0.095 + c.shift(0.05), 0.095, 0.405 + c.shift(0.05), 0.345, (166, 206, 236))
    c.box(0.245 + c.shift(0.05), 0.095, 0.255 + c.shift(0.05), 0.345, (250, 250, 250))
    for slat in range(5):
        c.box(0.095 + c.shift(0.05), 0.095 + slat * 0.022, 0.405 + c.shift(0.05), 0.104 + slat * 0.022, (232, 234, 236))
    for left in (0.52, 0.78):
        c.box(left, 0.49, left + 0.22, 0.505, (170, 130, 92))
        c.box(left + 0.01, 0.505, left + 0.07, 0.64, (150, 112, 78))
        c.box(left + 0.2, 0.505, left + 0.212, 0.64, (120, 120, 126))
        c.put("screen", left + 0.12, 0.494, 0.13)
    for shelf in range(3):
        c.box(0.56, 0.1 + shelf * 0.09, 0.96, 0.112 + shelf * 0.09, (160, 124, 90))
        for book in range(11):
            tone = ((176, 70, 70), (70, 110, 170), (96, 150, 100), (210, 180, 90))[(book * 3 + shelf + c.variant) % 4]
            c.box(0.575 + book * 0.034, 0.04 + shelf * 0.09, 0.6 + book * 0.034, 0.1 + shelf * 0.09, tone)


def _forest(c: _Canvas) -> None:
    _outdoors(c, c.pick((170, 206, 186), (190, 214, 170), (160, 190, 190)), (104, 142, 74))
    for trunk in range(9):
        x = trunk * 0.125 + c.shift(0.05)
        c.box(x, 0.0, x + 0.022 + 0.012 * (trunk % 3), 0.63, ((104, 82, 62), (120, 96, 72), (92, 74, 58))[trunk % 3])
    for blob in range(14):
        x = blob * 0.085 - 0.06
        c.oval(
            x, -0.12 + 0.04 * (blob % 3), x + 0.17, 0.12 + 0.05 * (blob % 2), ((70, 120, 70), (86, 138, 78))[blob % 2]
        )
    for blob in range(12):
        c.oval(blob * 0.09 - 0.04, 0.57, blob * 0.09 + 0.08, 0.68, ((84, 128, 66), (96, 144, 76))[blob % 2])
    c.put("tree", 0.08 + c.shift(0.06), 0.7, 0.42)
    c.put("tree", 0.93, 0.69, 0.38)
    c.put("pine", 0.72, 0.66, 0.3)


def _lake(c: _Canvas) -> None:
    _outdoors(c, c.pick((150, 200, 240), (236, 190, 170), (176, 206, 226)), (120, 176, 96))
    for middle, high in ((0.12, 0.2), (0.34, 0.3), (0.62, 0.24), (0.88, 0.34)):
        x = middle + c.shift(0.14)
        peak = 0.52 - high
        c.shape((x - 0.26, 0.52), (x, peak), (x + 0.26, 0.52), colour=(136, 150, 176))
        c.shape(
            (x - 0.26 * 0.24, peak + high * 0.24),
            (x, peak),
            (x + 0.26 * 0.24, peak + high * 0.24),
            colour=(244, 246, 250),
        )
    c.box(0, 0.51, 1, 0.72, c.pick((70, 150, 206), (90, 140, 190), (64, 160, 186)))
    for ripple in range(14):
        x, y = (ripple * 41 % 100) / 100, 0.53 + (ripple * 29 % 17) / 100
        c.box(x, y, x + 0.09, y + 0.006, (166, 206, 232))
    for tuft in range(13):
        c.oval(tuft * 0.085 - 0.03, 0.69, tuft * 0.085 + 0.08, 0.76, (120, 176, 96))


def _desert(c: _Canvas) -> None:
    _outdoors(c, c.pick((246, 196, 130), (150, 200, 236), (240, 170, 140)), (232, 184, 118))
    c.oval(0.72 + c.shift(0.2), 0.08, 0.86 + c.shift(0.2), 0.22, (255, 240, 180))
    c.oval(-0.3, 0.5, 0.55, 0.9, (222, 168, 104))
    c.oval(0.35, 0.54, 1.3, 0.95, (238, 192, 128))
    c.box(0, 0.74, 1, 1, (230, 182, 116))
    for wave in range(8):
        c.line(
            0.05 + wave * 0.12,
            0.78 + 0.02 * (wave % 4),
            0.13 + wave * 0.12,
            0.775 + 0.02 * (wave % 4),
            (210, 158, 96),
            5,
        )
    c.put("cactus", 0.1, 0.7, 0.24)
    c.put("cactus", 0.9, 0.66, 0.17)


def _bedroom(c: _Canvas) -> None:
    wall = c.pick((206, 214, 236), (236, 214, 214), (216, 232, 214))
    _indoors(c, wall, (178, 136, 100), (250, 250, 250))
    for stripe in range(14):
        c.box(stripe * 0.075, 0, stripe * 0.075 + 0.024, _HORIZON - 0.018, tuple(max(0, p - 12) for p in wall))  # type: ignore[arg-type]
    c.box(0.06, 0.1, 0.3, 0.36, (250, 250, 250))
    c.box(0.075, 0.115, 0.285, 0.345, (150, 196, 236))
    c.shape((0.03, 0.07), (0.12, 0.07), (0.06, 0.42), (0.03, 0.42), colour=(226, 150, 150))
    c.shape((0.33, 0.07), (0.24, 0.07), (0.3, 0.42), (0.33, 0.42), colour=(226, 150, 150))
    c.put("bed", 0.72 + c.shift(0.1), 0.68, 0.36)
    c.oval(0.1, 0.8, 0.9, 0.98, c.pick((200, 110, 110), (110, 130, 180), (130, 160, 120)))


_PLACES: dict[str, Callable[[_Canvas], None]] = {
    "kitchen": _kitchen,
    "street": _street,
    "field": _field,
    "beach": _beach,
    "snow": _snow,
    "gym": _gym,
    "stage": _stage,
    "office": _office,
    "forest": _forest,
    "lake": _lake,
    "desert": _desert,
    "bedroom": _bedroom,
}
