"""Compose a picture of a situation: place, shadows, things, the agent in fresh colours; and the box of every value.

Every step is in whole numbers, or in Pillow's fixed-point resampling, so that every machine finds the same pixels.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from generator_service.cache_budget import cache_within_budget
from generator_service.drawing.canvas import Picture
from generator_service.drawing.exact import cosine, sine
from generator_service.drawing.mesh import Colour
from generator_service.drawing.people.arranging import (
    ANIMAL,
    Actor,
    Mark,
    Scene,
    Size,
    Sprite,
    fit_box,
)
from generator_service.drawing.people.dyes import COLOURS, LIGHTS, dye, light_picture
from generator_service.drawing.people.figure import NUMBER, WORN
from generator_service.drawing.people.layers import SHADE, Anchor, PersonLayer
from generator_service.drawing.people.people_maker import EVERYBODY, who_of
from generator_service.drawing.people.places import SIDE, VARIANTS, place_picture
from generator_service.drawing.people.situations import arrange
from generator_service.drawing.people.things import SCENERY, THINGS
from generator_service.drawing.people.turning import Turned, premultiply, turn_picture
from generator_service.drawing.people.vocabulary import BY_NAME
from generator_service.drawing.people.wearing import OUTFITS

_SAMPLES = 2  # of a layer, a pixel before framing
_WIDE, _HIGH = 484, 424  # the most that a scene takes of the picture
_GROUND = 452  # the row on which feet stand
_TOP = 14
_LARGEST = 1.45  # scale of framing
_FARTHER, _HIGHER = 0.08, 12  # a step of closeness: how much smaller a scene is, and how many rows higher it stands
_FAR_OFF = 96  # pixels, the height of a passer-by
_FAR_GROUND = 338  # the row on which one stands
_FREE = 70  # columns beside the scene that one needs
_LEAST_AREA = 0.043 * SIDE * SIDE  # of the box of whatever a frame names
_MOST_BOOST = 4.0
_FINE = 2  # samples a pixel of marks
_NEARER = 3  # depth steps by which a part must be nearer than what is held to be drawn over it
_SHADES = np.arange(256, dtype=np.uint16)
_SHADOW = 78  # of 255, the darkest of a contact shadow
Covering = Literal["top", "legs", "skin", "hair", "brow", "shoes"]
"""What of a person has a colour that is chosen when a picture is composed."""
Box = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels; right and bottom are the first ones outside."""

COMPLEXIONS: tuple[Colour, ...] = ((238, 196, 164), (198, 144, 104), (120, 78, 54))
HAIR: tuple[Colour, ...] = ((40, 32, 30), (92, 58, 34), (150, 84, 40), (226, 186, 104))
CLOTHES: tuple[Colour, ...] = (
    (206, 52, 52), (44, 108, 196), (52, 150, 84), (236, 190, 60), (140, 80, 170), (240, 130, 50), (70, 176, 184),
    (236, 236, 232), (222, 110, 150),
)  # fmt: skip
LEGS: tuple[Colour, ...] = ((52, 62, 92), (78, 78, 84), (120, 88, 60), (40, 44, 48), (86, 104, 70))
SHOES: tuple[Colour, ...] = ((40, 38, 40), (110, 66, 40), (230, 230, 228), (170, 40, 44))


@dataclass(frozen=True, kw_only=True)
class Look:
    """The differences between two pictures of one situation; each a whole number below its entry in `CHOICES`."""

    who: int = 0
    complexion: int = 0
    hair: int = 0
    top: int = 0
    legs: int = 0
    shoes: int = 0
    ground: int = 0
    mirrored: int = 0
    shift: int = 0
    closeness: int = 0
    light: int = 0
    animal: int = 0
    item: int = 0
    tool: int = 0
    vehicle: int = 0
    victim: int = 0
    passer_by: int = 0

    @classmethod
    def draw(cls, below: Callable[[int], int]) -> "Look":
        """Draw a look; `below` gives a random whole number below its argument."""
        return cls(**{name: below(number) for name, number in CHOICES.items()})


PASSERS_BY = ("man", "woman", "grandfather", "woman stout")
_STANDING = "stand"
_NARROW = frozenset({"kitchen", "bedroom", "office", "stage"})
CHOICES: Mapping[str, int] = {
    "who": 4,
    "complexion": len(COMPLEXIONS),
    "hair": len(HAIR),
    "top": len(CLOTHES),
    "legs": len(LEGS),
    "shoes": len(SHOES),
    "ground": VARIANTS,
    "mirrored": 2,
    "shift": 9,
    "closeness": 6,
    "light": len(LIGHTS),
    **dict.fromkeys(("animal", "item", "tool", "vehicle", "victim"), COLOURS),
    "passer_by": 8,
}


@dataclass(frozen=True)
class Situation:
    """A verb and the value of each of its roles, the place among them."""

    verb: str
    values: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Composed:
    """A picture (512, 512, 4), opaque, and the box that each role's value fills."""

    picture: Picture
    boxes: Mapping[str, Box]


class People(Protocol):
    """The layers that scenes are composed of. `thing` gives a picture by its code point, cut to what is drawn.

    `thing_size` gives its height and width.
    """

    def person(self, who: str, pose: str) -> PersonLayer: ...
    def size(self, who: str, pose: str) -> "PersonSize": ...
    def thing(self, code: str) -> Picture: ...
    def thing_size(self, code: str) -> tuple[int, int]: ...


@dataclass(frozen=True)
class PersonSize:
    """A layer's window and anchor points, known without its pixels; in samples from its origin."""

    left: int
    top: int
    width: int
    height: int
    anchors: Mapping[str, Anchor]


@dataclass(frozen=True)
class _Frame:
    """Places in a scene to places in the picture: times `scale`, moved. It fills the columns from `left` to `right`."""

    scale: float
    x: float
    y: float
    left: float = 0.0
    right: float = float(SIDE)

    def at(self, point: tuple[float, float]) -> tuple[float, float]:
        return self.x + point[0] * self.scale, self.y + point[1] * self.scale


@dataclass(frozen=True)
class _Window:
    """A rectangle of pixels that may stick out of the picture."""

    left: int
    top: int
    width: int
    height: int

    @property
    def inside(self) -> Box:
        """Return what of it lies in the picture; nothing is (0, 0, 0, 0)."""
        x0, y0 = max(self.left, 0), max(self.top, 0)
        x1, y1 = min(self.left + self.width, SIDE), min(self.top + self.height, SIDE)
        return (x0, y0, x1, y1) if x0 < x1 and y0 < y1 else (0, 0, 0, 0)


@dataclass(frozen=True)
class _Laid:
    """A sprite with the box that it fills in the scene."""

    sprite: Sprite
    left: float
    top: float
    width: float
    height: float


def who_is(situation: Situation, look: Look) -> str:
    """Return the name of the person who is the agent, "" for an animal."""
    return who_of(situation.values["agent"], look.who)


def compose_situation(people: People, situation: Situation, look: Look) -> Composed:
    """Compose the picture of a situation.

    Raises:
        KeyError: the vocabulary has no such verb, or a role has no value.
    """
    who = who_is(situation, look)
    scene, laid, frame = _set_up(people, situation, who, look)
    ground = place_picture_of(people, situation.values["place"], look.ground)
    canvas = Image.frombuffer("RGBA", (SIDE, SIDE), ground, "raw", "RGBA", 0, 1)
    _pass_by(canvas, people, situation.values["place"], look, frame)
    _shadows(canvas, people, scene, laid, who, frame)
    boxes: dict[str, Box] = {}
    pieces: list[tuple[float, int, _Laid | Mark | Actor]] = []
    pieces += [(placed.sprite.layer, 1, placed) for placed in laid]
    pieces += [(mark.layer, 0, mark) for mark in scene.marks]
    if scene.actor is not None:
        pieces.append((0.0, 1, scene.actor))
    person = None if scene.actor is None else _draw_actor(people, who, scene.actor, look, frame)
    waiting: list[Mark] = []
    for _, _, piece in sorted(pieces, key=lambda one: one[:2]):
        if isinstance(piece, Mark):
            waiting.append(piece)
            continue
        _marks(canvas, waiting, frame)
        waiting = []
        if isinstance(piece, Actor):
            if person is not None:
                boxes["agent"] = person.lay(canvas)
            continue
        box = _draw_sprite(canvas, people, piece, frame, _colour_of(piece.sprite, look))
        if piece.sprite.role:
            boxes[piece.sprite.role] = _join_boxes(boxes.get(piece.sprite.role), box)
        if piece.sprite.depth and person is not None:
            person.lay_nearer(canvas, piece.sprite.depth + _NEARER)
    _marks(canvas, waiting, frame)
    finished = light_picture(_finish_picture(canvas, mirrored=bool(look.mirrored)), look.light)
    return Composed(finished, {role: _mirror_box(box, mirrored=bool(look.mirrored)) for role, box in boxes.items()})


def _colour_of(sprite: Sprite, look: Look) -> int | None:
    """Return the number of the colour or coat that a look gives to what fills a role; None for scenery."""
    if not sprite.role:
        return None
    colour: int = getattr(look, "animal" if sprite.role == "agent" else sprite.role)
    return colour


def _pass_by(canvas: Image.Image, people: People, place: str, look: Look, frame: _Frame) -> None:
    """Let somebody stand far off, beside the scene, where there is room and the place is wide."""
    number = look.passer_by - CHOICES["passer_by"] // 2
    if number < 0 or place in _NARROW:
        return
    left_side = frame.left >= SIDE - frame.right
    begins, ends = (0.0, frame.left) if left_side else (frame.right, float(SIDE))
    if ends - begins < _FREE:
        return
    who = PASSERS_BY[number % len(PASSERS_BY)]
    size = people.size(who, _STANDING)
    scale = _FAR_OFF * _SAMPLES / size.height
    far = _Frame(scale, (begins + ends) / 2, float(_FAR_GROUND))
    clothes = Look(
        complexion=(look.complexion + number) % len(COMPLEXIONS),
        hair=(look.hair + 1) % len(HAIR),
        top=(look.top + 2 + number) % len(CLOTHES),
        legs=(look.legs + 1) % len(LEGS),
    )
    _draw_actor(people, who, Actor(pose=_STANDING, at=(0.0, 0.0)), clothes, far).lay(canvas)


def _finish_picture(canvas: Image.Image, *, mirrored: bool) -> Picture:
    """Return the pixels of a canvas, opaque. Whatever was laid over it blended its alpha, too: that means nothing."""
    pixels = np.frombuffer(canvas.tobytes(), "<u4").reshape(SIDE, SIDE)
    return (pixels[:, :: -1 if mirrored else 1] | np.uint32(0xFF000000)).view(np.uint8).reshape(SIDE, SIDE, 4)


def boxes_of(people: People, situation: Situation, look: Look) -> Mapping[str, Box]:
    """Return the box of every value of a situation as `composed` does, without drawing anything.

    Raises:
        KeyError: the vocabulary has no such verb, or a role has no value.
    """
    who = who_is(situation, look)
    scene, laid, frame = _set_up(people, situation, who, look)
    boxes: dict[str, Box] = {}
    for placed in sorted((placed for placed in laid if placed.sprite.role), key=lambda placed: placed.sprite.layer):
        box = _window_of(
            frame.at((placed.left, placed.top)), (placed.width * frame.scale, placed.height * frame.scale)
        ).inside
        boxes[placed.sprite.role] = _join_boxes(boxes.get(placed.sprite.role), box)
    if scene.actor is not None:
        boxes["agent"] = _window_of(*_actor_window(people.size(who, scene.actor.pose), scene.actor, frame)).inside
    return {role: _mirror_box(box, mirrored=bool(look.mirrored)) for role, box in boxes.items()}


def place_picture_of(people: People, name: str, variant: int) -> Picture:
    """Return the background of a place, (512, 512, 4), opaque."""
    runs = _place_runs(people, name, variant)
    return np.repeat(runs.colours, runs.lengths).view(np.uint8).reshape(SIDE, SIDE, 4)


class _Runs(NamedTuple):
    """A picture as runs of pixels of one colour: their colours, a number a pixel, and how many pixels each has."""

    colours: npt.NDArray[np.uint32]
    lengths: npt.NDArray[np.int32]


# All 72 fill 10 MiB: laying runs out takes a twentieth of a millisecond, painting two hundred times that.
@cache_within_budget(96)
def _place_runs(people: People, name: str, variant: int) -> _Runs:
    picture = np.full((SIDE, SIDE, 4), 255, np.uint8)
    picture[..., :3] = place_picture(name, variant, people.thing)
    pixels = picture.reshape(-1, 4).view(np.uint32).ravel()
    starts = np.flatnonzero(np.concatenate(([True], pixels[1:] != pixels[:-1])))
    return _Runs(pixels[starts], np.diff(starts, append=pixels.size).astype(np.int32))


def _set_up(people: People, situation: Situation, who: str, look: Look) -> tuple[Scene, list[_Laid], _Frame]:
    """Arrange and frame a scene; what would be too small to be asked about is made larger than life."""
    boosts: dict[str, float] = {}
    while True:
        scene = _arrange_scene(people, situation, who, boosts)
        laid = [_lay(people, sprite) for sprite in scene.sprites]
        frame = _frame_scene(people, scene, laid, who, look)
        sides = [(placed.sprite.role, placed.width, placed.height) for placed in laid if placed.sprite.role]
        if scene.actor is not None:
            left, top, right, bottom = _extent(people.size(who, scene.actor.pose), scene.actor)
            sides.append(("agent", right - left, bottom - top))
        areas = {role: width * height * frame.scale * frame.scale for role, width, height in sides}
        small = {role: _LEAST_AREA / area for role, area in areas.items() if area < _LEAST_AREA}
        if not small or max(boosts.values(), default=1.0) > _MOST_BOOST:
            return scene, laid, frame
        for role, factor in small.items():
            boosts[role] = boosts.get(role, 1.0) * max(1.08, factor)


def _arrange_scene(people: People, situation: Situation, who: str, boosts: Mapping[str, float]) -> Scene:
    larger = boosts.get("agent", 1.0) ** 0.5

    def measure(pose: str) -> Size:
        if not who:
            return _animal_size(people, situation.values["agent"])
        size, share = people.size(who, pose), larger / _SAMPLES
        anchors = {name: (each.x * share, each.y * share, each.depth) for name, each in size.anchors.items()}
        right, bottom = size.left + size.width, size.top + size.height
        return Size(anchors, size.left * share, size.top * share, right * share, bottom * share)

    def shape(name: str) -> float:
        height, width = people.thing_size(_code(name))
        return height / width

    scene = Scene(values=situation.values, measure=measure, is_animal=not who, shape=shape, boosts=boosts)
    return arrange(BY_NAME[situation.verb].name, scene)


def _animal_size(people: People, name: str) -> Size:
    """Return the anchor points of an animal that stands at the origin: its mouth serves for hands."""
    height, width = people.thing_size(_code(name))
    thing = THINGS[name]
    wide, high = fit_box(height / width, ANIMAL * thing.size, 900.0)

    def on(x: float, y: float) -> tuple[float, float, int]:
        return (x - 0.5) * wide, (y - 1.0) * high, 0

    mouth, seat = on(*thing.mouth), on(*thing.seat)
    places = {
        "mouth": mouth,
        "hand": mouth,
        "other hand": mouth,
        "hands": mouth,
        "eyes": on(0.16, 0.22),
        "crown": on(0.3, 0.02),
        "chest": on(0.4, 0.5),
        "hips": on(0.7, 0.4),
        "seat": seat,
        "foot": on(0.3, 0.98),
        "other foot": on(0.7, 0.98),
        "knee": on(0.3, 0.8),
    }
    return Size(places, -wide / 2, -high, wide / 2, 0.0)


def _code(name: str) -> str:
    return SCENERY[name] if name in SCENERY else THINGS[name].code


@cache_within_budget(256)  # all of them: about 40 MiB
def _upright(people: People, code: str) -> Picture:
    return premultiply(people.thing(code))


@cache_within_budget(128)  # about 150 KiB each
def _turn_thing(people: People, code: str, turn: int, *, flipped: bool) -> Turned:
    picture = _upright(people, code)
    return turn_picture(picture[:, ::-1] if flipped else picture, turn)


def _lay(people: People, sprite: Sprite) -> _Laid:
    code = _code(sprite.name)
    high, wide = upright = people.thing_size(code)
    by = sprite.by
    if sprite.turn:
        picture, (left, top) = _turn_thing(people, code, sprite.turn, flipped=sprite.flipped)
        high, wide = picture.shape[:2]
        if sprite.pinned:
            x, y = (by[0] - 0.5) * upright[1], (by[1] - 0.5) * upright[0]
            c, s = cosine(sprite.turn), sine(sprite.turn)
            by = ((x * c - y * s - left) / wide, (x * s + y * c - top) / high)
    width, height = fit_box(high / wide, sprite.area, sprite.longest)
    return _Laid(sprite, sprite.at[0] - by[0] * width, sprite.at[1] - by[1] * height, width, height)


def _frame_scene(people: People, scene: Scene, laid: list[_Laid], who: str, look: Look) -> _Frame:
    """Scale and move the scene so that all of it is in the picture, as near as the look has it."""
    lows = [(placed.left, placed.top) for placed in laid]
    highs = [(placed.left + placed.width, placed.top + placed.height) for placed in laid]
    if scene.actor is not None:
        left, top, right, bottom = _extent(people.size(who, scene.actor.pose), scene.actor)
        lows.append((left, top))
        highs.append((right, bottom))
    for mark in scene.marks:
        lows.append((min(x for x, _ in mark.points), min(y for _, y in mark.points)))
        highs.append((max(x for x, _ in mark.points), max(y for _, y in mark.points)))
    left, top = min(x for x, _ in lows), min(y for _, y in lows)
    right, bottom = max(x for x, _ in highs), max(0.0, *(y for _, y in highs))
    most = min(_WIDE / (right - left), _HIGH / (bottom - top), _LARGEST)
    scale = most * (1.0 - _FARTHER * look.closeness)
    spare = (SIDE - (right - left) * scale) / 2
    x = spare - left * scale + (look.shift - 4) / 4 * max(0.0, spare - 10) * 0.8
    # What is farther off stands higher up on the ground.
    y = min(float(_GROUND - _HIGHER * look.closeness), SIDE - 10 - bottom * scale)
    y = max(y, _TOP - top * scale)
    return _Frame(scale, x, y, x + left * scale, x + right * scale)


def coverings(who: str) -> dict[str, Covering | Colour]:
    """Return, by part of a person, what it shows: a covering whose colour is chosen, or a colour of its own."""
    found: dict[str, Covering | Colour] = dict.fromkeys(
        ("chest", "front", "band", "collar", "upper arm", "forearm", "cuff"), "top"
    )
    found |= dict.fromkeys(("hips", "lap", "thigh", "shin", "hem", "belt"), "legs")
    found |= {"skin": "skin", "hand": "skin", "hair": "hair", "brow": "brow", "lips": (178, 84, 80)}
    found |= {"eye": (248, 248, 248), "iris": (44, 36, 34), "shoe": "shoes", "skirt": "top"}
    person = EVERYBODY[who]
    if person.skirt:
        found |= dict.fromkeys(("lap", "thigh", "hips", "belt"), "top")
    if person.skirt == "knee":
        found |= {"shin": "skin", "hem": "skin"}
    if person.age == "child":
        found |= {"forearm": "skin", "cuff": "skin"}
    outfit = OUTFITS.get(person.value)
    return found if outfit is None else {**found, **outfit.colours}


def brow_of(skin: Colour) -> Colour:
    """Return the colour of brows beside this skin."""
    red, green, blue = skin
    return max(0, red - 60), max(0, green - 60), max(0, blue - 50)


def _palette(layer: PersonLayer, who: str, look: Look) -> npt.NDArray[np.uint16]:
    """Return the colour of each part's number, (256, 3)."""
    skin = COMPLEXIONS[look.complexion]
    chosen: Mapping[Covering, Colour] = {
        "top": CLOTHES[look.top],
        "legs": LEGS[look.legs],
        "skin": skin,
        "hair": HAIR[look.hair],
        "brow": brow_of(skin),
        "shoes": SHOES[look.shoes],
    }
    palette = np.zeros((256, 3), np.uint16)
    for name, shown in coverings(who).items():
        palette[NUMBER[name]] = chosen[shown] if isinstance(shown, str) else shown
    for number, colour in enumerate(layer.worn):
        palette[WORN + number] = colour
    return palette


def _paint_layer(layer: PersonLayer, palette: npt.NDArray[np.uint16]) -> Picture:
    """Return a layer's samples in colour, opaque where somebody is, and nothing elsewhere.

    A table of every part under every shade is small beside the layer: each sample is one look-up in it.
    """
    colours = np.full((256, 1, 4), 255, np.uint16)
    colours[..., :3] = palette[:, None]
    lit = colours[: int(layer.part.max()) + 1] * _SHADES[:, None]
    lit //= SHADE
    np.minimum(lit, 255, out=lit)
    lit[..., 3] = 255
    lit[0] = 0
    number = layer.part.astype(np.uint16) << 8
    number |= layer.shade
    pixels = lit.astype(np.uint8).view(np.uint32).ravel().take(number)
    return pixels.view(np.uint8).reshape(*layer.part.shape, 4)


@dataclass(frozen=True, eq=False)
class _Drawn:
    """A person in colour, scaled to a window of the picture, and the layer, which tells how near each part is."""

    layer: PersonLayer
    image: Image.Image
    window: _Window

    def lay(self, canvas: Image.Image) -> Box:
        """Lay the person over what is there; return the box."""
        canvas.paste(self.image, self._corner, self.image)
        return self.window.inside

    def lay_nearer(self, canvas: Image.Image, depth: int) -> None:
        """Lay what of the person is nearer than a depth step over what was drawn since."""
        near = (self.layer.depth >= min(depth, 255)).view(np.uint8)
        mask = _scale_image(Image.fromarray(near * np.uint8(255)), self.window)
        canvas.paste(self.image, self._corner, mask)

    @property
    def _corner(self) -> tuple[int, int]:
        return self.window.left, self.window.top


def _draw_actor(people: People, who: str, actor: Actor, look: Look, frame: _Frame) -> _Drawn:
    layer = people.person(who, actor.pose)
    window = _window_of(*_actor_window(people.size(who, actor.pose), actor, frame))
    pixels = _paint_layer(layer, _palette(layer, who, look))
    return _Drawn(layer, _scale_image(_scalable(pixels), window).convert("RGBA"), window)


def _extent(size: PersonSize, actor: Actor) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of a person's layer in the scene."""
    share, (x, y) = actor.scale / _SAMPLES, actor.at
    left, top = x + size.left * share, y + size.top * share
    return left, top, left + size.width * share, top + size.height * share


def _actor_window(size: PersonSize, actor: Actor, frame: _Frame) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the corner and the size of a person's layer in the picture."""
    left, top, right, bottom = _extent(size, actor)
    return frame.at((left, top)), ((right - left) * frame.scale, (bottom - top) * frame.scale)


def _draw_sprite(canvas: Image.Image, people: People, laid: _Laid, frame: _Frame, colour: int | None = None) -> Box:
    """Lay a thing, in a colour if one is given; return its box."""
    sprite = laid.sprite
    corner, size = frame.at((laid.left, laid.top)), (laid.width * frame.scale, laid.height * frame.scale)
    if sprite.turn:
        pixels = _turn_thing(people, _code(sprite.name), sprite.turn, flipped=sprite.flipped).pixels
    else:
        pixels = _upright(people, _code(sprite.name))[:, :: -1 if sprite.flipped else 1]
    return _lay_over(canvas, pixels, _window_of(corner, size), sprite.name, colour)


def _scalable(premultiplied: Picture) -> Image.Image:
    height, width = premultiplied.shape[:2]
    return Image.frombuffer("RGBa", (width, height), np.ascontiguousarray(premultiplied), "raw", "RGBa", 0, 1)


def _window_of(corner: tuple[float, float], size: tuple[float, float]) -> _Window:
    return _Window(round(corner[0]), round(corner[1]), max(1, round(size[0])), max(1, round(size[1])))


def _scale_image(image: Image.Image, window: _Window) -> Image.Image:
    """Scale an image to the size of a window. What shrinks to a half or less is halved first, which is much faster."""
    less = max(1, min(image.width // window.width, image.height // window.height))
    kernel = Image.Resampling.BOX if window.width < image.width else Image.Resampling.BICUBIC
    ends = (0.0, 0.0, image.width / less, image.height / less)
    return (image.reduce(less) if less > 1 else image).resize((window.width, window.height), kernel, ends)


def _lay_over(canvas: Image.Image, pixels: Picture, window: _Window, name: str, colour: int | None) -> Box:
    """Lay a premultiplied picture over what is there; what sticks out is cut off. Return its box in the picture."""
    if any(window.inside):
        scaled = _scale_image(_scalable(pixels), window).convert("RGBA")
        if colour is not None:
            scaled = Image.fromarray(dye(np.asarray(scaled), name, colour))
        canvas.paste(scaled, (window.left, window.top), scaled)
    return window.inside


def _marks(canvas: Image.Image, marks: list[Mark], frame: _Frame) -> None:
    """Draw marks in their order, two samples a pixel a side."""
    if not marks:
        return
    left, top, width, height = _window(marks, frame)
    drawn = Image.new("RGBA", (width * _FINE, height * _FINE))
    draw = ImageDraw.Draw(drawn)
    for mark in sorted(marks, key=lambda one: one.layer):
        points = [(round((x - left) * _FINE), round((y - top) * _FINE)) for x, y in map(frame.at, mark.points)]
        stroke = max(2, round(mark.width * frame.scale * _FINE)) if mark.width else 0
        colour = (*mark.colour, 255)
        if mark.round:
            (a, b), (c, d) = points
            box = (min(a, c), min(b, d), max(a, c), max(b, d))
            draw.ellipse(box, outline=colour if stroke else None, fill=None if stroke else colour, width=stroke)
        elif stroke:
            draw.line(points, fill=colour, width=stroke, joint="curve")
            for x, y in (points[0], points[-1]):
                draw.ellipse((x - stroke // 2, y - stroke // 2, x + stroke // 2, y + stroke // 2), fill=colour)
        else:
            draw.polygon(points, fill=colour)
    smooth = drawn.convert("RGBa").reduce(_FINE).convert("RGBA")
    canvas.paste(smooth, (left, top), smooth)


def _window(marks: list[Mark], frame: _Frame) -> Box:
    """Return left, top, width and height of the part of the picture that marks are drawn on."""
    places = [frame.at(point) for mark in marks for point in mark.points]
    wide = 3 + round(max(mark.width for mark in marks) * frame.scale)
    left, top = (max(0, int(min(place[axis] for place in places)) - wide) for axis in (0, 1))
    right, bottom = (min(SIDE, int(max(place[axis] for place in places)) + wide) for axis in (0, 1))
    return left, top, max(1, right - left), max(1, bottom - top)


def _shadows(canvas: Image.Image, people: People, scene: Scene, laid: list[_Laid], who: str, frame: _Frame) -> None:
    """Darken the ground under whoever and whatever stands on it."""
    spans = [(placed.left, placed.left + placed.width) for placed in laid if placed.sprite.shadow]
    if scene.actor is not None and scene.actor.shadow:
        (left, _, right, _), x = _extent(people.size(who, scene.actor.pose), scene.actor), scene.actor.at[0]
        spans.append((x + (left - x) * 0.8, x + (right - x) * 0.8))
    if not spans:
        return
    ovals = []
    for left, right in spans:
        (x0, level), (x1, _) = frame.at((left, 0.0)), frame.at((right, 0.0))
        high = max(8.0, (x1 - x0) * 0.075)
        for ring in range(4):
            inner, tall = 0.07 * ring * (x1 - x0), high * (1 - 0.2 * ring)
            box = (round(x0 + inner), round(level - tall), round(x1 - inner), round(level + tall))
            ovals.append((box, _SHADOW * (ring + 1) // 4))
    left, top = max(0, min(box[0] for box, _ in ovals)), max(0, min(box[1] for box, _ in ovals))
    right, bottom = (min(SIDE, max(box[side] for box, _ in ovals) + 1) for side in (2, 3))
    if left >= right or top >= bottom:
        return
    shade = Image.new("L", (right - left, bottom - top))
    draw = ImageDraw.Draw(shade)
    for (x0, y0, x1, y1), dark in ovals:
        draw.ellipse((x0 - left, y0 - top, x1 - left, y1 - top), fill=dark)
    canvas.paste((0, 0, 0, 255), (left, top), shade)


def _join_boxes(first: Box | None, second: Box) -> Box:
    if first is None:
        return second
    return min(first[0], second[0]), min(first[1], second[1]), max(first[2], second[2]), max(first[3], second[3])


def _mirror_box(box: Box, *, mirrored: bool) -> Box:
    return (SIDE - box[2], box[1], SIDE - box[0], box[3]) if mirrored else box
