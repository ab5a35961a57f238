"""The look of each verb: a pose, who holds, meets or stands on what, and the marks of its motion.

One function a verb; `arrange` calls it. Everybody faces left. What an animal does differs where it has no hands.
"""

from collections.abc import Callable

from generator_service.drawing.people.arranging import (
    DARK,
    RED,
    ROPE,
    SOIL,
    SPEED,
    STEEL,
    WHITE,
    WOOD,
    Scene,
)
from generator_service.drawing.people.things import THINGS

Arranged = Callable[[Scene], None]
_SKY = (210, 226, 244)
_RAIN = (70, 120, 210)


def _carrying(s: Scene) -> None:
    s.agent("carry")
    if s.is_animal:
        s.put("item", s.anchor("mouth", 6, 8), (0.84, 0.3))
    else:
        s.put("item", s.anchor("hands", -34, 16), (0.5, 0.8), depth=s.depth("hands") - 12)


def _lifting(s: Scene) -> None:
    s.agent("lift")
    s.put("item", s.anchor("hands", 0, -2), (0.5, 0.96), depth=s.depth("hands") - 4)


def _throwing(s: Scene) -> None:
    s.agent("throw")
    x, y = s.anchor("hand", -90, -46)
    s.put("item", (x, y), (1.0, 0.5))
    s.speed(x + 12, y, 58)


def _catching(s: Scene) -> None:
    s.agent("catch")
    x, y = s.anchor("hands", -42, -66)
    s.put("item", (x, y), (0.7, 0.6))
    wide, high = s.box("item")
    for row in (-1, 0, 1):
        left, top = x - 0.72 * wide + 16 * row, y - 0.62 * high - 16 * row
        s.line((left, top), (left - 44, top - 44))


def _kicking(s: Scene) -> None:
    s.agent("kick")
    x, y = s.anchor("other foot", -76, -20)
    s.put("item", (x, y), (1.0, 0.6))
    s.speed(x + 8, y + 6, 40)
    s.scenery("impact", s.anchor("other foot", -6, -4), area=2600, layer=2)


def _dropping(s: Scene) -> None:
    s.agent("drop")
    x, y = s.anchor("hand", -10, 0)
    wide, high = s.box("item")
    s.put("item", (x - max(0.0, wide / 2 - 46), y + 64 + high / 2))
    s.speed(x, y + 58, 42, down=True)
    s.line((x - 30, 10), (x - 60, 10), width=4)
    s.line((x + 10, 10), (x + 40, 10), width=4)


def _juggling(s: Scene) -> None:
    s.agent("juggle")
    x, y = s.anchor("crown")
    s.put("item", (x, y - 92))
    s.put("item", (x - 122, y + 8))
    s.put("item", (x + 122, y + 8))
    s.line((x - 116, y - 88), (x - 92, y - 118), (x - 66, y - 136), layer=-1)
    s.line((x + 66, y - 136), (x + 92, y - 118), (x + 116, y - 88), layer=-1)


def _balancing(s: Scene) -> None:
    s.agent("balance")
    s.put("item", s.anchor("crown", 0, 4), (0.5, 1.0))
    x, y = s.anchor("crown", 0, -60)
    for side in (-1, 1):
        s.line((x + side * 92, y - 30), (x + side * 100, y), (x + side * 92, y + 30), width=4)


def _hugging(s: Scene) -> None:
    s.agent("hug")
    s.put("item", s.anchor("hands", -14, -6), (0.5, 0.34), depth=s.depth("hands") - 6)
    for dx, dy in ((-84, -150), (10, -190), (70, -140)):
        s.scenery("heart", s.anchor("hands", dx, dy), area=1300, layer=2)


def _picking(s: Scene) -> None:
    s.agent("pick")
    s.put("item", (s.anchor("hands")[0] - 8, 4.0), (0.5, 1.0), layer=0.5, depth=s.depth("hands") - 8, shadow=True)
    x = s.anchor("hands")[0] - 96
    s.line((x, -30), (x, -110), width=6)
    s.line((x - 16, -92), (x, -114), (x + 16, -92), width=6)


def _offering(s: Scene) -> None:
    s.agent("offer")
    s.put("item", s.anchor("hands", -34, 6), (0.5, 0.9), depth=s.depth("hands") - 4)
    for dx, dy in ((-120, -100), (-50, -150)):
        s.scenery("sparkles", s.anchor("hands", dx, dy), area=1800, layer=2)


def _dreaming(s: Scene) -> None:
    s.agent("sleep", x=0)
    x, y = s.anchor("crown")
    wide, high = s.box("item")
    reach = max(wide, high) * 0.74
    top = y - 74 - 1.7 * reach
    middle = x - 60 if not s.is_animal else x + 20
    s.oval(middle - 1.36 * reach, top, middle + 1.36 * reach, top + 1.72 * reach, WHITE, layer=0.5)
    s.oval(middle - 4, top + 1.78 * reach, middle + 34, top + 1.78 * reach + 26, WHITE, layer=0.5)
    s.oval(x + 2, y - 36, x + 26, y - 18, WHITE, layer=0.5)
    s.put("item", (middle, top + 0.86 * reach))
    s.scenery("sleep", (x + 70, y - 62) if not s.is_animal else (x - 60, y - 40), area=3600)


def _heading(s: Scene) -> None:
    s.agent("head", lift=58)
    x, y = s.anchor("crown", -18, -6)
    s.put("item", (x - 14, y - 8), (0.62, 0.98))
    s.scenery("impact", (x, y - 4), area=3000, layer=2)
    for row in (-22, 0, 22):
        s.line((row, -8), (row, -46), width=4)


def _burying(s: Scene) -> None:
    s.agent("bury")
    x = s.anchor("hands")[0] - 66 if not s.is_animal else s.anchor("mouth")[0] - 46
    _, high = s.box("item")
    s.put("item", (x, 16.0), (0.5, 0.94), layer=-2)
    s.oval(x - 120, -0.36 * high, x + 116, 34, SOIL, layer=-1)
    s.oval(x - 86, -0.36 * high, x - 10, 14, (138, 98, 66), layer=-1)
    for dx, dy in ((64, -70), (84, -40), (30, -96), (-84, -66), (-60, -92)):
        s.oval(x + dx - 7, dy - 0.2 * high, x + dx + 7, dy + 12 - 0.2 * high, SOIL)
    if not s.is_animal:
        hx, hy = s.anchor("hands")
        s.line((hx + 34, hy - 60), (hx - 34, hy + 48), colour=WOOD, width=9, layer=0.5)
        s.fill((hx - 20, hy + 36), (hx - 50, hy + 46), (hx - 62, hy + 92), (hx - 30, hy + 70), colour=STEEL, layer=0.5)


def _drawing(s: Scene) -> None:
    s.agent("draw")
    x, y = s.anchor("hand", -96, 0)
    wide, high = s.box("item")
    half = max(wide, high) * 0.62
    for dx in (-46, 46):
        s.line((x, y - half - 26), (x + dx * 1.5, 0), colour=WOOD, width=9, layer=-2)
    s.bar(x - half, y - half, x + half, y + half, WHITE, layer=-1)
    s.line((x - half, y + half), (x + half, y + half), colour=WOOD, width=10, layer=-1)
    s.put("item", (x, y), layer=-0.5)
    s.scenery("brush", s.anchor("hand", -4, 2), (0.5, 0.5), area=3600, depth=s.depth("hand") - 2)


def _sitting(s: Scene) -> None:
    _, high = s.box("item", 26_000)
    seat = THINGS[s.values["item"]].seat[1]
    if s.is_animal:
        s.agent("sit", lift=high * (1 - seat) - 6)
        s.ground("item", 10, area=26_000, layer=-1)
        return
    s.agent("sit")
    hips = -s.anchor("hips")[1]
    lift = max(0.0, high * (1 - seat) + 26 - hips)
    s.agent("sit", lift=lift)
    s.ground("item", s.anchor("hips")[0] + 4, area=26_000, layer=-1)


def _stumbling(s: Scene) -> None:
    s.agent("stumble", lift=46)
    x = s.anchor("other foot")[0] - 34
    s.ground("item", x, layer=-1)
    _, high = s.box("item")
    s.scenery("impact", (x + 54, -0.5 * high), area=3000)
    s.scenery("dizzy", s.anchor("crown", -10, -40), area=2600)
    s.speed(s.anchor("foot")[0] + 30, s.anchor("foot")[1] + 6, 40)


def _hiding(s: Scene) -> None:
    s.agent("hide")
    wide, _ = s.box("item", 22_000)
    # The face and half of the body show: who hides can be asked about, too.
    s.ground("item", s.left + 0.3 * (s.right - s.left) - wide / 2, area=22_000, layer=1)
    x, y = s.anchor("eyes", -150, -26)
    s.scenery("exclamation", (x + 20, y - 60), area=2200)


def _admiring(s: Scene) -> None:
    s.agent("admire")
    x = s.left - 120
    s.bar(x - 62, -104, x + 62, -88, (226, 222, 214), layer=-1)
    s.bar(x - 48, -88, x + 48, -10, (206, 202, 194), layer=-1)
    s.bar(x - 66, -10, x + 66, 4, (190, 186, 178), layer=-1)
    s.put("item", (x, -104.0), (0.5, 1.0))
    for dx, dy in ((-30, -52), (22, -74), (64, -40)):
        s.scenery("heart", s.anchor("crown", dx - 40, dy), area=1300)


def _selling(s: Scene) -> None:
    s.agent("sell")
    s.agent("sell", lift=max(0.0, 300.0 + s.top))
    s.bar(-150, -150, 150, -132, WOOD, layer=1)
    s.bar(-142, -132, 142, 0, (196, 150, 96), layer=1)
    s.bar(-150, -400, -138, 0, (140, 100, 60), layer=-1)
    s.bar(138, -400, 150, 0, (140, 100, 60), layer=-1)
    for stripe in range(6):
        left = -168 + stripe * 56
        s.fill(
            (left, -352),
            (left + 56, -352),
            (left + 46, -404),
            (left + 10, -404),
            colour=RED if stripe % 2 else WHITE,
            layer=1,
        )
    s.put("item", (-76.0, -150.0), (0.5, 1.0), layer=2)
    s.fill((60, -150), (108, -150), (108, -186), (60, -186), colour=(250, 220, 90), layer=2)
    s.oval(76, -178, 92, -162, DARK, layer=2.5)


def _ride_height(s: Scene, pose: str) -> None:
    wide, high = s.box("vehicle")
    seat_x, seat_y = THINGS[s.values["vehicle"]].seat
    top = high * (1 - seat_y)
    if s.is_animal:
        s.agent(pose, lift=top - 8, shadow=False)
        s.ground("vehicle", s.at[0] + wide * (0.5 - seat_x), layer=-1)
        return
    s.agent(pose)
    s.agent(pose, lift=top + s.anchor("hips")[1] + 22, shadow=False)
    s.ground("vehicle", s.anchor("hips")[0] + wide * (0.5 - seat_x), layer=-1)


def _riding(s: Scene) -> None:
    _ride_height(s, "ride")
    wide, _ = s.box("vehicle")
    s.speed(s.at[0] + wide * 0.62 + 8, -70, 60)


def _pushing(s: Scene) -> None:
    s.agent("push")
    wide, _ = s.box("vehicle")
    x = (s.anchor("mouth")[0] if s.is_animal else s.anchor("hands")[0]) - wide / 2 + 6
    s.ground("vehicle", x, layer=-1)
    s.line((x - wide / 2 - 62, -40), (x - wide / 2 - 14, -40), width=7)
    s.line((x - wide / 2 - 44, -56), (x - wide / 2 - 64, -40), (x - wide / 2 - 44, -24), width=7)
    s.scenery("drops", s.anchor("crown", 34, 6), area=2200)


def _pulling(s: Scene) -> None:
    s.agent("pull")
    wide, high = s.box("vehicle")
    start = s.anchor("hips", 40, -10) if s.is_animal else s.anchor("hands")
    x = s.right + 74 + wide / 2
    s.ground("vehicle", x, layer=-1)
    s.line(start, (x - wide * 0.44, -high * 0.34), colour=ROPE, width=8, layer=0.5)
    s.scenery("drops", s.anchor("crown", 24, -18), area=2200)


def _beside(
    s: Scene, pose: str, anchor: str, gap: float = 0.0, layer: float = -1.0, *, comes: bool = False
) -> tuple[float, float, float]:
    """Place the agent, and the vehicle left of an anchor point; return the vehicle's middle and its box.

    comes: the vehicle faces the agent, as what is on its way there.
    """
    s.agent(pose)
    wide, high = s.box("vehicle")
    x = s.anchor(anchor)[0] - gap - wide / 2
    s.ground("vehicle", x, layer=layer, flipped=comes)
    return x, wide, high


def _washing(s: Scene) -> None:
    x, wide, high = _beside(s, "wash", "hand", -34)
    s.scenery("sponge", s.anchor("hand", -6, 0), area=3000, depth=s.depth("hand") - 2)
    for dx, dy in ((0.28, 0.9), (-0.2, 1.02), (-0.36, 0.5), (0.1, 0.4)):
        s.scenery("bubbles", (x + dx * wide, -dy * high), area=5200)
    s.line((s.anchor("hand")[0] - 36, s.anchor("hand")[1] - 44), (s.anchor("hand")[0] + 20, s.anchor("hand")[1] - 52))
    px, py = s.anchor("other hand")
    s.fill(
        (px - 26, py + 16),
        (px + 26, py + 16),
        (px + 20, py + 66),
        (px - 20, py + 66),
        colour=(70, 130, 220),
        layer=-0.5,
    )


def _repairing(s: Scene) -> None:
    x, wide, high = _beside(s, "repair", "hand", -16)
    s.scenery("wrench", s.anchor("hand", -10, -4), (0.8, 0.8), area=4600, depth=s.depth("hand") - 2)
    s.scenery("gear", (x + 0.2 * wide, -high - 40), area=4600)
    s.scenery("gear", (x + 0.2 * wide + 56, -high - 66), area=2400)


def _chasing(s: Scene) -> None:
    s.agent("pursue", lift=6)
    wide, high = s.box("vehicle")
    x = s.left - 70 - wide / 2
    s.ground("vehicle", x, layer=-1)
    s.speed(x + wide / 2 + 10, -0.4 * high, 66)
    s.scenery("dust", (x + wide / 2 + 40, -16), area=3000)


def _fleeing(s: Scene) -> None:
    s.agent("flee", lift=6)
    wide, high = s.box("vehicle")
    x = s.right + 100 + wide / 2
    s.ground("vehicle", x, layer=-1)
    s.speed(x + wide / 2 + 8, -0.4 * high, 46)
    s.scenery("drops", s.anchor("crown", 44, -20), area=2800)
    s.scenery("exclamation", s.anchor("crown", -60, -26), area=2400)


def _jumping(s: Scene) -> None:
    _, high = s.box("vehicle")
    s.agent("jump", lift=high + 46, turn=14 if s.is_animal else 0, shadow=False)
    s.ground("vehicle", 0, layer=-1)
    wide, _ = s.box("vehicle")
    points = [(wide * 0.5 + 70, -20.0), (wide * 0.5 + 62, -high * 0.5), (wide * 0.5 + 36, -high * 0.86)]
    s.line(*points)
    s.line(*((-x - 8, y) for x, y in points))


def _climbing(s: Scene) -> None:
    s.agent("climb", lift=54)
    wide, _ = s.box("vehicle")
    x = s.anchor("hands")[0] + 18
    top, foot = s.anchor("hand")[1] - 60, 0.0
    for dx in (0.0, -44.0):
        s.line((x + dx + 30, foot), (x + dx - 22, top), colour=WOOD, width=10, layer=-0.5)
    for rung in range(9):
        y = foot + (top - foot) * (rung + 0.7) / 9
        shift = 30 - 52 * (rung + 0.7) / 9
        s.line((x + shift, y), (x + shift - 44, y), colour=(196, 146, 90), width=8, layer=-0.5)
    s.ground("vehicle", x - 66 - wide / 2, layer=-1)


def _stopping(s: Scene) -> None:
    x, wide, high = _beside(s, "stop", "hand", 54, comes=True)
    hx, hy = s.anchor("hand", -34, 0)
    for dy in (-34, 0, 34):
        s.line((hx, hy + dy * 0.6), (hx - 26, hy + dy), colour=RED, width=7)
    s.scenery("dust", (x - wide / 2 - 6, -14), area=3000, flipped=True)
    s.line((x - 0.3 * wide, 8), (x - 0.9 * wide, 8), colour=DARK, width=7, layer=-1)
    s.line((x + 0.1 * wide, 14), (x - 0.6 * wide, 14), colour=DARK, width=7, layer=-1)
    _ = high


def _hailing(s: Scene) -> None:
    s.agent("wave")
    wide, _ = s.box("vehicle")
    s.ground("vehicle", s.left - 60 - wide / 2, layer=-1, flipped=True)
    x, y = s.anchor("hand")
    for side in (-1, 1):
        s.line((x + side * 34, y - 34), (x + side * 44, y - 8), (x + side * 38, y + 18), width=6)


def _photographing(s: Scene) -> None:
    x, wide, high = _beside(s, "photograph", "hands", 70)
    s.scenery("camera", s.anchor("hands", -4, -8), area=6400, depth=s.depth("hands") - 4)
    cx, cy = s.anchor("hands", -44, -10)
    for dy in (-40, 0, 40):
        s.line((cx, cy + dy * 0.4), (cx - 30, cy + dy), colour=(250, 210, 60), width=6)
    s.line((x - wide / 2 - 8, -high - 14), (x - wide / 2 - 8, -high + 30), colour=DARK, width=5)
    s.line((x - wide / 2 - 8, -high - 14), (x - wide / 2 + 36, -high - 14), colour=DARK, width=5)
    s.line((x + wide / 2 + 8, 12), (x + wide / 2 - 36, 12), colour=DARK, width=5)
    s.line((x + wide / 2 + 8, 12), (x + wide / 2 + 8, -32), colour=DARK, width=5)


def _painting(s: Scene) -> None:
    x, wide, high = _beside(s, "paint", "hand", -12)
    hx, hy = s.anchor("hand")
    s.line((hx, hy), (hx - 10, hy - 44), colour=DARK, width=7, layer=0.5)
    s.bar(hx - 46, hy - 70, hx + 26, hy - 40, (60, 180, 90), layer=0.5)
    for dx, drop in ((-0.28, 60), (-0.12, 96), (0.04, 70), (0.2, 110), (0.32, 66)):
        s.line((x + dx * wide, -high * 0.9), (x + dx * wide, -high * 0.9 + drop), colour=(60, 180, 90), width=22)
    s.bar(x - 0.36 * wide, -high * 0.96, x + 0.4 * wide, -high * 0.84, (60, 180, 90))
    px, py = s.anchor("other hand")
    s.fill(
        (px - 28, py + 12), (px + 28, py + 12), (px + 22, py + 66), (px - 22, py + 66), colour=(60, 180, 90), layer=-0.5
    )


def _lying(s: Scene) -> None:
    wide, high = s.box("vehicle")
    seat = THINGS[s.values["vehicle"]].seat[1]
    s.agent("lie", lift=high * (1 - min(seat, 0.3)) - 6, shadow=False)
    s.ground("vehicle", (s.left + s.right) / 2, layer=-1)
    s.oval(-196, -high - 250, -126, -high - 180, (255, 206, 70), layer=-2)
    for dx, dy in ((0, -64), (46, -46), (64, 0), (46, 46), (0, 64), (-46, 46), (-64, 0), (-46, -46)):
        s.line(
            (-161 + dx * 0.72, -high - 215 + dy * 0.72),
            (-161 + dx, -high - 215 + dy),
            colour=(255, 206, 70),
            width=7,
            layer=-2,
        )
    _ = wide


def _colliding(s: Scene) -> None:
    s.agent("collide", lift=40, x=30)
    wide, high = s.box("vehicle")
    x = s.anchor("foot")[0] - wide / 2 + 24
    s.ground("vehicle", x, layer=-1)
    s.scenery("impact", (x + wide / 2 - 6, -0.5 * high - 10), area=16_000, layer=-0.5)
    s.scenery("dizzy", s.anchor("crown", 4, -40), area=3400)


def _fueling(s: Scene) -> None:
    s.agent("fuel")
    wide, high = s.box("vehicle")
    hx, hy = s.anchor("hand")
    x = hx - 66 - wide / 2
    s.ground("vehicle", x, layer=-1)
    s.scenery("pump", (s.right + 70, 0.0), (0.5, 1.0), area=30_000, layer=-1)
    end = s.right + 26
    s.line(
        (end, -90), (end - 30, -26), (hx + 40, -40), (hx + 6, hy + 20), (hx - 4, hy), colour=DARK, width=9, layer=0.5
    )
    s.line((hx + 4, hy - 4), (hx - 40, hy - 8), (hx - 72, hy + 14), colour=STEEL, width=14, layer=0.5)
    s.oval(hx - 96, hy + 14, hx - 82, hy + 34, (70, 130, 230))
    _ = high


def _surfing(s: Scene) -> None:
    wide, high = s.box("vehicle")
    seat = THINGS[s.values["vehicle"]].seat[1]
    s.agent("surf", lift=high * (1 - min(seat, 0.4)) - 10, shadow=False)
    s.ground("vehicle", 0, layer=-1)
    s.speed(wide / 2 + 14, -0.4 * high, 76, rows=4)
    s.speed(s.right - 20, -high - 110, 56, rows=3)


def _falling(s: Scene) -> None:
    wide, high = s.box("vehicle")
    if s.is_animal:
        s.agent("fall", x=wide * 0.5 + 66, lift=40, turn=200, shadow=False)
    else:
        s.agent("fall", x=wide * 0.5 + 84, lift=24, shadow=False)
    s.ground("vehicle", -30, layer=-1)
    x, top = s.at[0], s.top
    s.speed(x, top - 8, 46, down=True)
    s.line((30, -high - 10), (wide * 0.25 + 20, -high - 56), (wide * 0.5 + 20, -high - 40), width=5)
    s.scenery("exclamation", (x + 96, top + 30), area=2600)


def _loading(s: Scene) -> None:
    s.agent("load")
    wide, high = s.box("vehicle")
    s.scenery("package", s.anchor("hands", -26, -2), (0.5, 0.7), area=9000, depth=s.depth("hands") - 8)
    x = s.anchor("hands")[0] - 96 - wide / 2
    s.ground("vehicle", x, layer=-1)
    for dx, dy in ((-0.16, 0), (0.22, 0), (0.04, 62)):
        s.scenery("package", (x + dx * wide, -high * 0.84 - dy), (0.5, 1.0), area=6400, layer=-2 + dy / 100)
    s.line((x + wide * 0.5 + 70, -high - 40), (x + wide * 0.5 + 16, -high - 70), (x + wide * 0.4, -high - 56), width=6)


def _inspecting(s: Scene) -> None:
    _beside(s, "inspect", "hand", 30)
    s.scenery("lens", s.anchor("hand", -4, 0), (0.84, 0.84), area=8600, depth=s.depth("hand") - 2)


def _face_victim(
    s: Scene, pose: str, gap: float, *, victim_lift: float = 0.0, turn: int = 0
) -> tuple[float, float, float]:
    """Place the agent, and the victim left of it, turned to the agent; return the victim's middle and its box."""
    s.agent(pose)
    wide, high = s.box("victim")
    x = s.left - gap - wide / 2
    if turn or victim_lift:
        s.put("victim", (x, -victim_lift), (0.5, 1.0), turn=turn, flipped=True, shadow=True)
    else:
        s.ground("victim", x, flipped=True)
    return x, wide, high


def _hitting(s: Scene) -> None:
    s.agent("hit")
    s.grip("hand", 150)
    wide, high = s.box("victim")
    x = s.left - 46 - wide / 2
    s.ground("victim", x, flipped=True)
    s.scenery("impact", (x + 0.3 * wide, -high - 12), area=7000, layer=2)
    hx, hy = s.anchor("hand", -140, -40)
    s.line((hx - 20, hy + 4), (hx - 62, hy + 40), (hx - 84, hy + 92), width=6)
    s.line((hx + 16, hy + 24), (hx - 26, hy + 60), (hx - 46, hy + 104), width=6)


def _poking(s: Scene) -> None:
    s.agent("poke")
    s.grip("hand", 180)
    wide, high = s.box("victim")
    x = s.anchor("hand")[0] - 150 - wide / 2
    s.put("victim", (x, 0.0), (0.5, 1.0), flipped=True, shadow=True, layer=-1)
    s.scenery("exclamation", (x, -high - 40), area=2600)
    for dy in (-26, 26):
        hx, hy = s.anchor("hand", 16, dy)
        s.line((hx + 30, hy), (hx + 74, hy))


def _pelting(s: Scene) -> None:
    s.agent("throw")
    wide, high = s.box("victim")
    x, y = s.anchor("hand", -120, -44)
    s.put("tool", (x, y))
    s.speed(x + 84, y + 8, 44)
    s.ground("victim", x - 96 - wide / 2, flipped=True)
    s.scenery("drops", (x - 96 - wide / 2, -high - 34), area=2600)


def _shooing(s: Scene) -> None:
    s.agent("chase", lift=6)
    s.grip("hand", 110)
    wide, high = s.box("victim")
    x = s.left - 86 - wide / 2
    s.put("victim", (x, -14.0), (0.5, 1.0), turn=10, shadow=True)
    s.speed(x + wide / 2 + 8, -0.5 * high, 44)
    s.scenery("dust", (x + wide / 2 + 22, -10), area=2600)
    s.scenery("drops", (x - 10, -high - 36), area=2600)


def _luring(s: Scene) -> None:
    # The agent walks away to the right and looks back at the victim, which follows.
    s.agent("lure")
    s.grip("hand", 160)
    wide, high = s.box("victim")
    x = s.anchor("hand")[0] - 110 - wide / 2
    s.ground("victim", x, flipped=True)
    s.scenery("heart", (x + 0.4 * wide, -high - 30), area=2600)
    for step in range(3):
        left = x - wide / 2 - 24 - 34 * step
        s.oval(left, -6 + 10 * (step % 2), left + 18, 4 + 10 * (step % 2), SPEED, layer=-1)
    right = s.right + 20
    s.line((right, -60), (right + 50, -60), width=7)
    s.line((right + 32, -78), (right + 54, -60), (right + 32, -42), width=7)


def _waking(s: Scene) -> None:
    s.agent("wake")
    s.grip("hand", 200)
    wide, high = s.box("victim")
    x = s.left - 70 - wide / 2
    left, right, top = x - wide / 2 - 26, x + wide / 2 + 20, -40.0
    for leg in (left + 6, right - 6):
        s.line((leg, top + 10), (leg, 0), colour=WOOD, width=12, layer=-2)
    s.bar(left - 12, top - 0.7 * high, left + 4, top + 20, WOOD, layer=-2)
    s.bar(left, top, right, top + 26, (236, 236, 230), layer=-1)
    s.put("victim", (x, top), (0.5, 1.0), flipped=True, layer=-0.8)
    edge = top - 0.34 * high
    wave = [(left + (right - left) * step / 8, edge + (10 if step % 2 else 0)) for step in range(9)]
    s.fill(*wave, (right, top + 18), (left, top + 18), colour=(96, 130, 200), layer=-0.7)
    s.scenery("sleep", (x - 10, top - high - 46), area=5600)
    for dy in (-26, 0, 26):
        s.line((right + 34, top - high + dy * 1.6), (right + 4, top - high + 10 + dy), colour=(240, 170, 40), width=6)


def _scaring(s: Scene) -> None:
    x, wide, high = _face_victim(s, "scare", 100, victim_lift=44)
    s.grip("hand", 120)
    for dx in (-46, 0, 46):
        s.scenery("exclamation", (x + dx, -high - 90 - (20 if not dx else 0)), area=2600)
    s.line((x - wide / 2 - 12, -60), (x - wide / 2 - 22, -90), (x - wide / 2 - 12, -120), width=6)
    s.line((x + wide / 2 + 12, -60), (x + wide / 2 + 22, -90), (x + wide / 2 + 12, -120), width=6)
    s.line((x - 26, -6), (x - 26, -34), width=5)
    s.line((x + 26, -6), (x + 26, -34), width=5)


def _sheltering(s: Scene) -> None:
    s.agent("shelter")
    wide, high = s.box("victim")
    x = s.anchor("hand")[0] - 66
    s.ground("victim", x - 14, flipped=True)
    s.grip("hand", 170)
    top = s.anchor("hand")[1] - 60
    for column in range(-3, 4):
        for row in range(3):
            left = x - 20 + column * 42
            upper = top - 150 + row * 46 + 14 * (column % 2)
            s.line((left, upper), (left - 8, upper + 28), colour=_RAIN, width=6)
    for dx in (-wide / 2 - 60, wide / 2 + 30):
        for row in range(4):
            s.line((x + dx, top + row * 60), (x + dx - 8, top + row * 60 + 30), colour=_RAIN, width=6, layer=-1)
    s.scenery("cloud", (x - 10, top - 196), area=16_000, layer=-1)
    _ = high


def _training(s: Scene) -> None:
    s.agent("train")
    s.grip("hand", 60)
    wide, high = s.box("victim")
    reach = 0.66 * max(wide, high)
    x = s.left - 24 - reach
    y = -reach - 62
    s.oval(x - reach, y - reach, x + reach, y + reach, (240, 120, 30), width=14, layer=-1)
    s.line((x, y + reach), (x, 0), colour=STEEL, width=10, layer=-2)
    s.put("victim", (x - 8, y), turn=346, flipped=True, layer=1)
    s.line((x + reach + 6, -20), (x + reach - 4, -56), (x + 0.7 * reach, -80), width=5)


def _tickling(s: Scene) -> None:
    s.agent("tickle")
    s.grip("hand", 190)
    wide, high = s.box("victim")
    x = s.anchor("hand")[0] - 124 - wide / 2
    s.put("victim", (x, -4.0), (0.5, 1.0), turn=250, flipped=True, shadow=True, layer=-1)
    s.scenery("laugh", (x - 10, -max(wide, high) - 44), area=5600)
    for dx in (-0.5, 0.5):
        left = x + dx * wide + (-24 if dx < 0 else 24)
        s.line((left, -70), (left + 10, -56), (left, -42), (left + 10, -28), width=5)
    _ = high


def _grooming(s: Scene) -> None:
    s.agent("groom")
    s.grip("hand", 200)
    wide, high = s.box("victim")
    x = s.anchor("hand")[0] - 130 - wide / 4
    s.bar(x - wide / 2 - 30, -64, x + wide / 2 + 16, -50, (150, 110, 80), layer=-2)
    for dx in (-wide / 2 - 10, wide / 2 - 10):
        s.bar(x + dx - 6, -50, x + dx + 6, 0, (130, 94, 66), layer=-2)
    s.put("victim", (x - 10, -64.0), (0.5, 1.0), flipped=True, layer=-1)
    for dx, dy in ((-0.5, -30), (0.1, -50), (-0.2, 30)):
        s.scenery("sparkles", (x + dx * wide, -64 - high + dy), area=2400)


def _fighting(s: Scene) -> None:
    s.agent("fence")
    s.grip("hand", 160)
    wide, high = s.box("victim")
    x = s.anchor("hand")[0] - 150 - wide / 2
    s.put("victim", (x, -8.0), (0.5, 1.0), turn=340, flipped=True, shadow=True, layer=-1)
    s.scenery("impact", (s.anchor("hand")[0] - 120, s.anchor("hand")[1] + 10), area=6400, layer=2)
    s.scenery("dust", (x + 10, -8), area=4200, layer=2)
    s.scenery("dust", (s.at[0] - 10, -8), area=3600, layer=2, flipped=True)
    _ = high


def _mounting(s: Scene) -> None:
    wide, high = s.box("victim", 52_000)
    seat_x, seat_y = THINGS[s.values["victim"]].seat
    s.agent("mount")
    s.agent("mount", lift=high * (1 - seat_y) + s.anchor("hips")[1] + 20, shadow=False)
    s.ground("victim", s.anchor("hips")[0] + wide * (0.5 - seat_x), area=52_000, layer=-1)
    s.grip("hand", 60)
    s.line(
        s.anchor("other hand"),
        (s.anchor("hips")[0] - wide * (seat_x - 0.1), -high * 0.7),
        colour=ROPE,
        width=6,
        layer=-0.5,
    )


def _hypnotizing(s: Scene) -> None:
    x, wide, high = _face_victim(s, "dangle", 110)
    hx, hy = s.anchor("hand")
    s.line((hx, hy), (hx - 4, hy + 40), colour=DARK, width=4, layer=0.5)
    s.put("tool", (hx - 6, hy + 36), (0.5, 0.05))
    y = -high - 70
    points, reach = [], 4.0
    for step in range(15):
        dx, dy = ((1, 0), (0.7, 0.7), (0, 1), (-0.7, 0.7), (-1, 0), (-0.7, -0.7), (0, -1), (0.7, -0.7))[step % 8]
        points.append((x + dx * reach, y + dy * reach))
        reach += 3.2
    s.line(*points, colour=(140, 60, 190), width=7)
    for side in (-1, 1):
        s.line((hx + side * 84, hy + 110), (hx + side * 92, hy + 140), (hx + side * 84, hy + 170), width=5)
    _ = wide


def _guarding(s: Scene) -> None:
    s.agent("guard")
    s.grip("hand", 268)
    wide, high = s.box("victim")
    x = s.left - 60 - wide / 2
    left, right, top = x - wide / 2 - 26, x + wide / 2 + 26, -high - 40
    s.bar(left, top, right, 4, (206, 206, 214), layer=-2)
    s.put("victim", (x, -8.0), (0.5, 1.0), flipped=True, layer=-1)
    for number in range(6):
        at = left + (right - left) * number / 5
        s.line((at, top), (at, 4), colour=DARK, width=8)
    s.line((left, top), (right, top), colour=DARK, width=12)
    s.line((left, 4), (right, 4), colour=DARK, width=12)


def _measuring(s: Scene) -> None:
    x, wide, high = _face_victim(s, "measure", 60)
    s.grip("hand", 110)
    left, top = x - wide / 2 - 40, -high
    s.line((left, top), (left, 0), colour=RED, width=6)
    s.line((left - 14, top + 20), (left, top), (left + 14, top + 20), colour=RED, width=6)
    s.line((left - 14, -20), (left, 0), (left + 14, -20), colour=RED, width=6)
    for tick in range(1, 8):
        y = -high * tick / 8
        s.line((left - 12, y), (left, y), colour=RED, width=4)
    s.line((left - 30, top), (x + wide / 2, top), colour=RED, width=3, layer=-1)
    s.line((left - 30, 0), (x + wide / 2, 0), colour=RED, width=3, layer=-1)


def _spraying(s: Scene) -> None:
    x, wide, high = _face_victim(s, "aim", 170)
    s.grip("hand", 175)
    hx, hy = s.anchor("hand", -150, 0)
    for number in range(7):
        for side in (-1, 0, 1):
            left = hx - 22 * number
            y = hy + side * (6 + 7 * number) + number * number * 0.9
            s.oval(left - 9, y - 5, left + 9, y + 7, _RAIN)
    s.scenery("drops", (x + 0.2 * wide, -high - 26), area=2600)


def _awarding(s: Scene) -> None:
    wide, high = s.box("victim")
    s.agent("award")
    x = s.anchor("hand")[0] - 130 - wide / 2
    s.bar(x - 70, -78, x + 70, 4, (240, 190, 60), layer=-1)
    s.bar(x - 150, -48, x - 70, 4, (196, 200, 210), layer=-1)
    s.bar(x + 70, -34, x + 150, 4, (206, 150, 96), layer=-1)
    s.line((x, -62), (x, -20), colour=WHITE, width=10, layer=-0.5)
    s.put("victim", (x, -78.0), (0.5, 1.0), flipped=True)
    s.put("tool", s.anchor("hand", -20, 0), (0.5, 0.75), depth=s.depth("hand") - 2)
    s.scenery("ribbon", (x - 10, -high - 116), area=5000)


def _walking(s: Scene) -> None:
    s.agent("lead")
    s.grip("other hand", 100)
    wide, high = s.box("victim")
    x = s.right + 60 + wide / 2
    s.ground("victim", x)
    s.line(s.anchor("hand"), (x - wide * 0.3, -high * 0.62), colour=(200, 40, 60), width=6, layer=0.5)


def _hunting(s: Scene) -> None:
    s.agent("stalk")
    s.grip("hand", 160)
    wide, _ = s.box("victim")
    x = s.anchor("hand")[0] - 170 - wide / 2
    s.ground("victim", x)
    left = s.at[0] - 116
    for dx, dy, reach in ((0, 0, 46), (48, -22, 56), (104, -8, 50), (150, 4, 40)):
        s.oval(left + dx - reach, dy - 1.1 * reach, left + dx + reach, dy + 0.5 * reach + 6, (60, 130, 66), layer=1.5)
        s.oval(left + dx - 0.6 * reach, dy - reach, left + dx + 0.3 * reach, dy - 0.2 * reach, (82, 156, 84), layer=1.6)


ARRANGEMENTS: dict[str, Arranged] = {
    "carrying": _carrying,
    "lifting": _lifting,
    "throwing": _throwing,
    "catching": _catching,
    "kicking": _kicking,
    "dropping": _dropping,
    "juggling": _juggling,
    "balancing": _balancing,
    "hugging": _hugging,
    "picking": _picking,
    "offering": _offering,
    "dreaming": _dreaming,
    "heading": _heading,
    "burying": _burying,
    "drawing": _drawing,
    "sitting": _sitting,
    "stumbling": _stumbling,
    "hiding": _hiding,
    "admiring": _admiring,
    "selling": _selling,
    "riding": _riding,
    "pushing": _pushing,
    "pulling": _pulling,
    "washing": _washing,
    "repairing": _repairing,
    "chasing": _chasing,
    "fleeing": _fleeing,
    "jumping": _jumping,
    "climbing": _climbing,
    "stopping": _stopping,
    "hailing": _hailing,
    "photographing": _photographing,
    "painting": _painting,
    "lying": _lying,
    "colliding": _colliding,
    "fueling": _fueling,
    "surfing": _surfing,
    "falling": _falling,
    "loading": _loading,
    "inspecting": _inspecting,
    "hitting": _hitting,
    "poking": _poking,
    "pelting": _pelting,
    "shooing": _shooing,
    "luring": _luring,
    "waking": _waking,
    "scaring": _scaring,
    "sheltering": _sheltering,
    "training": _training,
    "tickling": _tickling,
    "grooming": _grooming,
    "fighting": _fighting,
    "mounting": _mounting,
    "hypnotizing": _hypnotizing,
    "guarding": _guarding,
    "measuring": _measuring,
    "spraying": _spraying,
    "awarding": _awarding,
    "walking": _walking,
    "hunting": _hunting,
}


def arrange(verb: str, scene: Scene) -> Scene:
    """Arrange a scene as the verb has it and return it."""
    ARRANGEMENTS[verb](scene)
    return scene
