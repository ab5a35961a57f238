"""The clothes of people by occupation: colours of their clothes, and hats and gear as meshes hung on a bone.

Gear on the head is built in units of `size`, the way from the eyes up to the top of the hair, about the place between
the eyes: x to the left, y up, z to the front. Gear on the trunk and the feet is built in metres about the bone's head.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from generator_service.drawing.exact import Ints, cosine, sine
from generator_service.drawing.mesh import Colour, Mesh, join
from generator_service.drawing.people.body import turn_places
from generator_service.drawing.people.figure import Figure, Skirt
from generator_service.drawing.solids import box, disc, ellipsoid, lathe, ring, tube

WHITE, BLACK, GOLD, SILVER = (246, 246, 244), (36, 36, 42), (240, 190, 50), (176, 182, 192)
RED, NAVY, BROWN, YELLOW = (206, 38, 42), (30, 44, 92), (112, 70, 40), (250, 204, 40)
_HEAD = (0.0, 0.1, -0.85)  # the middle of the head, from between the eyes, in sizes
Gear = Callable[[], Mesh]


@dataclass(frozen=True, kw_only=True)
class Outfit:
    """The signs of an occupation: the colours of parts, gear by bone, and how the skirt or coat is cut.

    beard: gear on the head that only men have.
    """

    colours: Mapping[str, Colour]
    gear: Mapping[str, tuple[Gear, ...]] = field(default_factory=dict)
    skirt: Skirt = ""
    beard: Gear | None = None

    def of(self, sex: str) -> "Outfit":
        """Return the outfit with the beard where it belongs."""
        if self.beard is None or sex != "male":
            return self
        return replace(self, gear={**self.gear, "Head": (*self.gear["Head"], self.beard)})


def wear_outfit(figure: Figure, outfit: Outfit) -> Mesh | None:
    """Return an outfit's gear where the figure wears it; None where it has none."""
    parts = []
    for bone, pieces in outfit.gear.items():
        for piece in pieces:
            mesh = piece()
            on_head = mesh.vertices * figure.size + figure.face
            rest = on_head if bone == "Head" else mesh.vertices + figure.begins[bone]
            placed = turn_places(figure.turns[bone], rest - figure.begins[bone]) + figure.ends[bone]
            parts.append(Mesh(placed, mesh.faces, mesh.colours, mesh.gloss))
    return join(*parts) if parts else None


def _on_head(mesh: Mesh) -> Mesh:
    return mesh.move(*_HEAD)


def _toque() -> Mesh:
    puff = [(0.78, 0.5), (0.8, 0.95), (1.12, 1.2), (1.2, 1.6), (0.95, 1.95), (0.0, 2.05)]
    return _on_head(lathe(puff, WHITE, sides=28))


def _dome(colour: Colour, low: float = 0.35, wide: float = 1.02, high: float = 1.3) -> Mesh:
    profile = [(wide * cosine(15 * k), low + (high - low) * sine(15 * k)) for k in range(7)]
    return _on_head(lathe([(max(r, 0.0), y) for r, y in profile], colour, sides=30).scale(1.0, 1.0, 1.12))


def _brim(colour: Colour, wide: float, height: float = 0.36, *, droop: float = 0.06, long: float = 1.12) -> Mesh:
    profile = [(0.6, height + 0.03), (wide, height - droop), (wide, height - droop - 0.07), (0.6, height - 0.04)]
    return _on_head(lathe(profile, colour, sides=32).scale(1.0, 1.0, long))


def _fire_helmet() -> Mesh:
    crest = tube([(0.0, 1.1, 0.55), (0.0, 1.42, -0.2), (0.0, 1.3, -0.95)], 0.12, (170, 24, 28), sides=10)
    brim = _brim((180, 28, 30), 1.22, droop=0.1, long=1.5).move(z=-0.2)
    shield = box(0.6, 0.62, 0.12, GOLD).move(0.0, 0.85, 0.28)
    return join(_dome(RED), brim, _on_head(crest), shield)


def _police_cap() -> Mesh:
    band = _on_head(lathe([(0.86, 0.36), (0.9, 0.68)], BLACK, sides=28).scale(1.0, 1.0, 1.1))
    top = _on_head(lathe([(0.9, 0.66), (1.3, 0.95), (1.22, 1.06), (0.0, 1.12)], NAVY, sides=28))
    peak = ellipsoid(0.72, 0.07, 0.5, BLACK, sides=20).turn("x", 16).move(0.0, 0.42, 0.1)
    badge = disc(0.2, 0.1, GOLD).move(0.0, 0.86, 0.3)
    return join(band, top.move(0.0, 0.0, 0.06), peak, badge)


def _hard_hat() -> Mesh:
    ridge = tube([(0.0, 0.75, 1.05), (0.0, 1.36, 0.0), (0.0, 0.75, -1.05)], 0.09, (214, 160, 20), sides=8)
    return join(_dome(YELLOW), _brim(YELLOW, 1.2), _on_head(ridge))


def _straw_hat() -> Mesh:
    straw = (226, 190, 112)
    band = _on_head(lathe([(0.98, 0.42), (0.96, 0.6)], (160, 60, 40), sides=28).scale(1.03, 1.0, 1.16))
    return join(_dome(straw, high=1.15), _brim(straw, 2.0, droop=0.16), band)


def _space_helmet() -> Mesh:
    shell = ellipsoid(1.42, 1.5, 1.45, WHITE, sides=30).move(0.0, -0.05, -0.75)
    visor = ellipsoid(1.12, 0.85, 0.85, (150, 92, 20), sides=28).move(0.0, 0.05, -0.02)
    ringed = ring(1.05, 0.16, SILVER).move(0.0, -1.35, -0.8)
    return join(shell, visor.polish(1.0), ringed)


def _pack() -> Mesh:
    return box(0.42, 0.56, 0.22, (214, 216, 222)).move(0.0, 0.0, -0.24)


def _helmet() -> Mesh:
    """Return an open helmet: the face shows, between a nose guard and a coif of mail."""
    helm = _dome(SILVER, low=0.22, wide=1.06, high=1.5).polish(0.9)
    nose = box(0.16, 0.62, 0.14, SILVER).move(0.0, 0.1, 0.42).polish(0.9)
    coif = ellipsoid(1.02, 1.35, 0.92, (132, 138, 150), sides=24).move(0.0, -0.6, -1.0)
    feathers = tube([(0.0, 1.3, -0.1), (0.0, 2.1, -0.4), (0.0, 2.1, -1.3), (0.0, 1.3, -1.9)], 0.26, RED, sides=10)
    return join(helm, nose, coif, _on_head(feathers).move(z=0.6))


def _clown_head() -> Mesh:
    tufts = [ellipsoid(0.72, 0.85, 0.85, (240, 96, 20), sides=18).move(a * 1.15, 0.25, -0.95) for a in (-1, 1)]
    cone = lathe([(0.62, 0.95), (0.0, 2.4)], (70, 60, 200), sides=20).move(0.0, 0.1, -0.8)
    bobble = ellipsoid(0.24, 0.24, 0.24, YELLOW, sides=12).move(0.0, 2.5, -0.8)
    nose = ellipsoid(0.3, 0.3, 0.3, RED, sides=14).move(0.0, -0.42, 0.42).polish(0.8)
    return join(*tufts, cone, bobble, nose)


def _diving_mask() -> Mesh:
    frame = box(1.5, 0.75, 0.5, BLACK).move(0.0, -0.02, 0.1)
    glass = box(1.25, 0.52, 0.14, (120, 214, 240)).move(0.0, -0.02, 0.36).polish(0.9)
    strap = _on_head(lathe([(0.95, -0.16), (0.97, 0.12)], BLACK, sides=24).scale(1.0, 1.0, 1.1))
    snorkel = tube([(0.3, -0.95, 0.4), (1.0, -0.8, 0.0), (1.12, 0.4, -0.4), (1.1, 1.7, -0.6)], 0.15, YELLOW, sides=10)
    return join(frame, glass, strap, snorkel)


def _tank() -> Mesh:
    return lathe([(0.0, -0.3), (0.1, -0.28), (0.1, 0.2), (0.0, 0.27)], YELLOW, sides=16).move(0.0, -0.02, -0.22)


def _fin() -> Mesh:
    return ellipsoid(0.1, 0.02, 0.26, (20, 150, 190), sides=16).move(0.0, -0.06, 0.3)


def _bow_tie() -> Mesh:
    wings = [ellipsoid(0.055, 0.035, 0.022, BLACK, sides=12).move(a * 0.05, 0.09, 0.12) for a in (-1, 1)]
    return join(*wings, ellipsoid(0.02, 0.02, 0.025, BLACK, sides=10).move(0.0, 0.09, 0.125))


def _nurse_cap() -> Mesh:
    cap = box(1.3, 0.75, 0.7, WHITE).turn("x", -14).move(0.0, 1.0, -0.75)
    cross = [box(*size, RED).turn("x", -14).move(0.0, 1.0, -0.34) for size in ((0.5, 0.16, 0.1), (0.16, 0.5, 0.1))]
    return join(cap, *cross)


def _surgeon_cap() -> Mesh:
    return _dome((64, 156, 132), low=0.3, wide=1.04, high=1.28)


def _face_mask() -> Mesh:
    return ellipsoid(0.66, 0.48, 0.5, (150, 200, 226), sides=22).move(0.0, -0.82, -0.12)


def _stethoscope() -> Mesh:
    line = [(-0.1, 0.06, -0.02), (-0.11, -0.02, 0.13), (-0.05, -0.16, 0.17), (0.0, -0.2, 0.17), (0.05, -0.16, 0.17)]
    line += [(0.11, -0.02, 0.13), (0.1, 0.06, -0.02)]
    chest = disc(0.035, 0.02, SILVER).move(0.0, -0.28, 0.18)
    return join(tube(line, 0.013, BLACK, sides=8), tube([(0.0, -0.2, 0.17), (0.0, -0.28, 0.18)], 0.013, BLACK), chest)


def _crown() -> Mesh:
    spikes = [
        lathe([(0.2, 0.0), (0.0, 0.55)], GOLD, sides=8).move(0.85 * sine(45 * k), 0.95, 0.9 * cosine(45 * k))
        for k in range(8)
    ]
    jewels = [
        ellipsoid(0.13, 0.13, 0.13, RED, sides=10).move(0.9 * sine(45 * k), 0.78, 0.98 * cosine(45 * k))
        for k in range(8)
    ]
    band = lathe([(0.86, 0.5), (0.9, 1.02)], GOLD, sides=28).scale(1.0, 1.0, 1.08)
    return _on_head(join(band, *spikes, *jewels).polish(0.7))


def _beard(colour: Colour) -> Gear:
    def make_beard() -> Mesh:
        chin = ellipsoid(0.62, 0.85, 0.45, colour, sides=18).move(0.0, -1.45, -0.18)
        lip = ellipsoid(0.5, 0.14, 0.22, colour, sides=14).move(0.0, -0.68, 0.22)
        return join(chin, lip)

    return make_beard


def _moustache(colour: Colour) -> Gear:
    def make_moustache() -> Mesh:
        halves = [
            ellipsoid(0.34, 0.15, 0.2, colour, sides=12).turn("z", a * -18).move(a * 0.26, -0.68, 0.24) for a in (-1, 1)
        ]
        return join(*halves)

    return make_moustache


def _spectacles() -> Mesh:
    rims = [ring(0.26, 0.05, BLACK, sides=20).turn("x", 90).move(a * 0.34, -0.02, 0.32) for a in (-1, 1)]
    arms = [tube([(a * 0.6, 0.0, 0.3), (a * 0.86, 0.02, -0.7)], 0.04, BLACK, sides=6) for a in (-1, 1)]
    return join(*rims, *arms, tube([(-0.1, 0.0, 0.34), (0.1, 0.0, 0.34)], 0.04, BLACK, sides=6))


def _bun() -> Mesh:
    return ellipsoid(0.5, 0.5, 0.5, (206, 206, 210), sides=18).move(0.0, 1.0, -1.65)


def _witch_hat() -> Mesh:
    cone = [(0.92, 0.4), (0.7, 1.2), (0.42, 2.1), (0.0, 3.0)]
    band = _on_head(lathe([(0.95, 0.42), (0.88, 0.75)], (130, 50, 170), sides=28))
    return join(_on_head(lathe(cone, (40, 34, 52), sides=28)), _brim((40, 34, 52), 1.9, droop=0.05), band)


def _pirate_hat() -> Mesh:
    flaps = [
        ellipsoid(1.55, 0.62, 0.2, BLACK, sides=28).turn("x", -12 * side).move(0.0, 0.86, -0.85 + 0.82 * side)
        for side in (-1, 1)
    ]
    points = [ellipsoid(0.5, 0.34, 0.85, BLACK, sides=18).move(side * 1.3, 0.72, -0.85) for side in (-1, 1)]
    skull = ellipsoid(0.32, 0.28, 0.12, WHITE, sides=16).move(0.0, 1.0, 0.12)
    jaw = box(0.28, 0.22, 0.12, WHITE).move(0.0, 0.72, 0.18)
    holes = [ellipsoid(0.09, 0.1, 0.06, BLACK, sides=10).move(a * 0.13, 0.98, 0.24) for a in (-1, 1)]
    patch = ellipsoid(0.3, 0.26, 0.14, BLACK, sides=14).move(-0.34, -0.02, 0.17)
    return join(_dome(BLACK, high=1.45), *flaps, *points, skull, jaw, *holes, patch)


def _cowboy_hat() -> Mesh:
    felt = (146, 98, 54)
    sides = [ellipsoid(0.16, 0.34, 1.3, felt, sides=18).turn("z", a * -24).move(a * 1.45, 0.62, -0.8) for a in (-1, 1)]
    band = _on_head(lathe([(0.98, 0.42), (0.96, 0.6)], (70, 40, 22), sides=28).scale(1.03, 1.0, 1.16))
    return join(_dome(felt, high=1.45), _brim(felt, 1.55, droop=-0.02, long=1.2), *sides, band)


def _neckerchief() -> Mesh:
    knot = lathe([(0.1, 0.06), (0.12, 0.0), (0.0, -0.14)], RED, sides=14).scale(1.0, 1.0, 0.6)
    return knot.move(0.0, 0.12, 0.06)


def _clothes(**colours: Colour) -> dict[str, Colour]:
    return {name.replace("_", " "): colour for name, colour in colours.items()}


def _suit(colour: Colour, **others: Colour) -> dict[str, Colour]:
    """Colour chest, arms, hips and legs alike, and some parts otherwise."""
    names = ("chest", "front", "band", "collar", "upper arm", "forearm", "cuff", "hips", "lap", "thigh", "shin", "hem")
    return dict.fromkeys((*names, "belt", "skirt"), colour) | _clothes(**others)


_STRIPE = (222, 226, 90)
_LIME = (176, 220, 40)
OUTFITS: dict[str, Outfit] = {
    "cook": Outfit(
        colours=_suit(
            WHITE,
            hips=(70, 74, 84),
            lap=(70, 74, 84),
            thigh=(70, 74, 84),
            shin=(70, 74, 84),
            hem=(70, 74, 84),
            collar=RED,
        ),
        gear={"Head": (_toque,)},
    ),
    "firefighter": Outfit(
        colours=_suit((74, 62, 50), band=_STRIPE, cuff=_STRIPE, hem=_STRIPE, shoe=BLACK, belt=_STRIPE),
        gear={"Head": (_fire_helmet,)},
    ),
    "doctor": Outfit(
        colours=_suit(
            WHITE, front=(64, 156, 132), hand=(150, 196, 226), shin=(64, 156, 132), hem=(64, 156, 132), shoe=WHITE
        ),
        gear={"Head": (_surgeon_cap, _face_mask), "Neck": (_stethoscope,)},
        skirt="knee",
    ),
    "police officer": Outfit(
        colours=_suit(NAVY, belt=BLACK, front=(48, 74, 140), shoe=BLACK, collar=BLACK),
        gear={"Head": (_police_cap,), "Spine2": (lambda: disc(0.045, 0.03, GOLD).move(0.1, 0.02, 0.17),)},
    ),
    "construction worker": Outfit(
        colours=_suit(
            (250, 120, 20),
            upper_arm=(70, 90, 140),
            forearm=(70, 90, 140),
            cuff=(70, 90, 140),
            band=_LIME,
            hips=(66, 72, 92),
            lap=(66, 72, 92),
            thigh=(66, 72, 92),
            shin=(66, 72, 92),
            hem=(66, 72, 92),
            belt=BROWN,
            shoe=BROWN,
            front=_LIME,
        ),
        gear={"Head": (_hard_hat,)},
    ),
    "farmer": Outfit(
        colours=_suit(
            (60, 96, 164),
            chest=(200, 54, 46),
            upper_arm=(200, 54, 46),
            forearm=(200, 54, 46),
            cuff=(200, 54, 46),
            collar=(200, 54, 46),
            band=(200, 54, 46),
            shoe=(60, 110, 60),
        ),
        gear={"Head": (_straw_hat,)},
    ),
    "astronaut": Outfit(
        colours=_suit(
            (232, 234, 238),
            cuff=(40, 90, 200),
            hem=(40, 90, 200),
            belt=(120, 126, 138),
            front=(190, 196, 206),
            hand=(200, 206, 214),
            shoe=(190, 196, 206),
        ),
        gear={"Head": (_space_helmet,), "Spine2": (_pack,)},
    ),
    "knight": Outfit(
        colours=_suit(
            SILVER,
            # A cross on a white surcoat.
            **dict.fromkeys(("chest", "hips", "lap", "thigh", "skirt", "collar"), (236, 234, 226)),
            **dict.fromkeys(("front", "band"), (186, 28, 40)),
            belt=BROWN,
            hand=(140, 146, 158),
            shoe=(150, 156, 168),
            cuff=(130, 136, 148),
        ),
        gear={"Head": (_helmet,)},
        skirt="knee",
    ),
    "clown": Outfit(
        colours=_suit(
            (250, 210, 40),
            front=(230, 50, 60),
            upper_arm=(60, 150, 220),
            forearm=(240, 120, 180),
            collar=WHITE,
            thigh=(110, 200, 80),
            shin=(240, 120, 180),
            hem=WHITE,
            cuff=WHITE,
            lap=(60, 150, 220),
            shoe=RED,
            skin=(250, 236, 226),
            hand=WHITE,
            lips=RED,
        ),
        gear={"Head": (_clown_head,)},
    ),
    "diver": Outfit(
        colours=_suit((38, 40, 50), front=(20, 150, 190), cuff=(20, 150, 190), hand=(38, 40, 50), shoe=(20, 150, 190)),
        gear={"Head": (_diving_mask,), "Spine2": (_tank,), "LeftFoot": (_fin,), "RightFoot": (_fin,)},
    ),
    "waiter": Outfit(
        colours=_suit(
            BLACK,
            front=WHITE,
            collar=WHITE,
            upper_arm=WHITE,
            forearm=WHITE,
            cuff=WHITE,
            shoe=BLACK,
            belt=(120, 20, 40),
        ),
        gear={"Spine2": (_bow_tie,)},
    ),
    "nurse": Outfit(
        colours=_suit(
            (190, 232, 232),
            collar=WHITE,
            cuff=WHITE,
            belt=WHITE,
            shin=WHITE,
            hem=WHITE,
            shoe=WHITE,
            band=(190, 232, 232),
        ),
        gear={"Head": (_nurse_cap,), "Spine2": (lambda: box(0.07, 0.025, 0.02, RED).move(0.1, 0.04, 0.16),)},
        skirt="knee",
    ),
    "king": Outfit(
        colours=_suit((150, 20, 60), collar=WHITE, front=GOLD, cuff=WHITE, belt=GOLD, hem=WHITE, band=(150, 20, 60)),
        gear={"Head": (_crown,)},
        beard=_beard((236, 236, 232)),
        skirt="ankle",
    ),
    "witch": Outfit(
        colours=_suit((50, 42, 64), belt=(130, 50, 170), cuff=(130, 50, 170), collar=(130, 50, 170), shoe=BLACK),
        gear={"Head": (_witch_hat,)},
        skirt="ankle",
    ),
    "pirate": Outfit(
        colours=_suit(
            (140, 30, 36),
            front=WHITE,
            collar=WHITE,
            cuff=GOLD,
            belt=BLACK,
            shin=WHITE,
            hem=BLACK,
            shoe=BLACK,
            band=(140, 30, 36),
        ),
        gear={"Head": (_pirate_hat,)},
        beard=_beard((44, 34, 30)),
        skirt="knee",
    ),
    "cowboy": Outfit(
        colours=_suit(
            (70, 104, 168),
            chest=BROWN,
            band=BROWN,
            front=(214, 196, 160),
            upper_arm=(214, 196, 160),
            forearm=(214, 196, 160),
            cuff=(214, 196, 160),
            collar=RED,
            belt=BLACK,
            shoe=BROWN,
            hem=BROWN,
        ),
        gear={"Head": (_cowboy_hat,), "Spine2": (_neckerchief,)},
    ),
    "grandfather": Outfit(
        colours={"hair": (214, 214, 216)}, gear={"Head": (_spectacles,)}, beard=_moustache((222, 222, 224))
    ),
    "grandmother": Outfit(colours={"hair": (206, 206, 210)}, gear={"Head": (_spectacles, _bun)}, skirt="ankle"),
}


def palette(mesh: Mesh) -> tuple[tuple[Colour, ...], Ints]:
    """Return the colours of some gear, each once, and the number of each face's."""
    colours, numbers = np.unique(mesh.colours.astype(np.int64), axis=0, return_inverse=True)
    return tuple((int(r), int(g), int(b)) for r, g, b in colours), numbers.reshape(-1).astype(np.int64)
