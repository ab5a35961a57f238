"""Poses as data: where the limbs point, how the trunk leans, where the look goes.

A direction is (out, up, front): out to the limb's own side, as the world has it, whatever the trunk does. Degrees:
`lean` bends hips and trunk forward, `tilt` leans them to the left, `curl` bends the spine further, `nod` the head.
"""

from dataclasses import dataclass, replace

Direction = tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class Limb:
    """An arm (upper, lower) or a leg (thigh, shin); `end` is the way that the foot or the hand points, None: as it is.

    grip: how far the fingers are bent, 0 to 1.
    """

    upper: Direction
    lower: Direction
    end: Direction | None = None
    grip: float = 0.35


@dataclass(frozen=True, kw_only=True)
class Pose:
    """A pose of a whole body; `yaw` is the side it is seen from: 0 from the front, 90 from its right, facing left."""

    left_arm: Limb
    right_arm: Limb
    left_leg: Limb
    right_leg: Limb
    lean: float = 0.0
    tilt: float = 0.0
    curl: float = 0.0
    nod: float = 0.0
    look: float = 0.0
    yaw: float = 58.0


def _arm(upper: Direction, lower: Direction, grip: float = 0.35, hand: Direction | None = None) -> Limb:
    return Limb(upper=upper, lower=lower, grip=grip, end=hand)


def _leg(thigh: Direction, shin: Direction, foot: Direction | None = (0.12, -0.12, 1.0)) -> Limb:
    return Limb(upper=thigh, lower=shin, end=foot)


_DOWN = _arm((0.22, -1.0, 0.02), (0.08, -1.0, 0.22))
_BACK = _arm((0.25, -1.0, -0.45), (0.1, -0.9, 0.1))
_AHEAD = _arm((0.1, -0.35, 1.0), (-0.05, 0.1, 1.0), 0.5)
_CRADLE = _arm((0.15, -1.0, 0.25), (-0.3, -0.02, 1.0), 0.45)
_OVERHEAD = _arm((0.45, 1.0, 0.1), (0.05, 1.0, 0.12), 0.3)
_SPREAD = _arm((1.0, 0.05, 0.0), (1.0, 0.12, 0.05), 0.1)
_RAISED = _arm((0.5, 0.75, 0.15), (0.1, 1.0, 0.1), 0.6)
_STRAIGHT = _leg((0.08, -1.0, 0.02), (0.02, -1.0, -0.02))
_STEP = _leg((0.05, -1.0, 0.5), (0.02, -1.0, 0.06), (0.1, 0.05, 1.0))
_TRAIL = _leg((0.05, -1.0, -0.38), (0.02, -0.95, -0.55), (0.1, -0.7, 0.75))
_KNEE = _leg((0.1, -1.0, -0.05), (0.02, -0.12, -1.0), (0.02, -1.0, -0.15))
_SEATED = _leg((0.18, -0.05, 1.0), (0.02, -1.0, 0.08))
_BENT = _leg((0.16, -0.8, 0.75), (0.04, -1.0, -0.5))
_SQUAT = _leg((0.3, 0.12, 1.0), (0.05, -1.0, -0.45))

STAND = Pose(left_arm=_DOWN, right_arm=_DOWN, left_leg=_STRAIGHT, right_leg=_STRAIGHT)
_WALK = replace(STAND, left_leg=_STEP, right_leg=_TRAIL)
_RUN = replace(
    STAND,
    left_leg=_leg((0.05, -0.35, 1.0), (0.02, -1.0, -0.25), (0.1, 0.1, 1.0)),
    right_leg=_leg((0.05, -1.0, -0.5), (0.02, -0.05, -1.0), (0.0, -0.9, -0.35)),
    left_arm=_arm((0.15, -0.8, -0.8), (0.1, -0.35, 1.0), 0.9),
    right_arm=_arm((0.1, -0.7, 0.75), (-0.2, 0.75, 0.7), 0.9),
    lean=14,
    yaw=72,
)
_KNEEL = replace(STAND, left_leg=_SEATED, right_leg=_KNEE)

_DRAFTS: dict[str, Pose] = {
    "stand": STAND,
    "carry": replace(_WALK, left_arm=_CRADLE, right_arm=_CRADLE, yaw=66),
    "lift": replace(STAND, left_arm=_OVERHEAD, right_arm=_OVERHEAD, yaw=30),
    "throw": replace(
        STAND,
        right_arm=_arm((0.3, 0.35, 1.0), (0.0, 0.3, 1.0), 0.0),
        left_arm=_arm((0.5, -0.6, -0.8), (0.3, -0.2, -1.0), 0.5),
        left_leg=_leg((0.1, -0.85, 0.6), (0.02, -1.0, -0.1)),
        right_leg=_leg((0.1, -1.0, -0.65), (0.02, -1.0, -0.6), (0.1, -0.6, 0.8)),
        lean=16,
        yaw=68,
    ),
    "catch": replace(
        STAND,
        left_arm=_arm((0.3, 0.5, 1.0), (0.05, 0.75, 1.0), 0.1),
        right_arm=_arm((0.3, 0.5, 1.0), (0.05, 0.75, 1.0), 0.1),
        left_leg=_BENT,
        right_leg=_leg((0.25, -0.85, 0.5), (0.06, -1.0, -0.55)),
        lean=-6,
        nod=-22,
        yaw=62,
    ),
    "kick": replace(
        STAND,
        left_leg=_leg((0.05, -0.35, 1.0), (0.0, -0.15, 1.0), (0.0, 0.55, 1.0)),
        right_leg=_leg((0.06, -1.0, 0.0), (0.02, -1.0, -0.2)),
        left_arm=_arm((0.9, -0.25, -0.6), (0.6, -0.1, -0.6), 0.3),
        right_arm=_arm((0.7, -0.2, 0.7), (0.4, 0.1, 0.8), 0.3),
        lean=-16,
        yaw=74,
    ),
    "drop": replace(
        STAND,
        right_arm=_arm((0.3, -0.05, 1.0), (0.1, 0.0, 1.0), 0.0, (0.1, -0.35, 1.0)),
        left_arm=_arm((0.7, -0.5, 0.1), (-0.6, 0.75, 0.6), 0.1),
        nod=28,
        yaw=60,
    ),
    "juggle": replace(
        STAND,
        left_arm=_arm((0.4, -1.0, 0.1), (0.3, 0.25, 1.0), 0.1),
        right_arm=_arm((0.4, -1.0, 0.1), (0.3, 0.25, 1.0), 0.1),
        nod=-20,
        yaw=18,
    ),
    "balance": replace(_WALK, left_arm=_SPREAD, right_arm=_SPREAD, yaw=34),
    "hug": replace(
        STAND,
        left_arm=_arm((0.45, -0.35, 0.9), (-0.95, 0.1, 0.55), 0.2),
        right_arm=_arm((0.45, -0.6, 0.9), (-0.95, -0.1, 0.55), 0.2),
        nod=10,
        look=20,
        yaw=40,
    ),
    "pick": replace(
        STAND,
        lean=78,
        curl=24,
        nod=-20,
        left_arm=_arm((0.1, -1.0, 0.4), (0.0, -1.0, 0.35), 0.3),
        right_arm=_arm((0.1, -1.0, 0.4), (0.0, -1.0, 0.35), 0.3),
        left_leg=_leg((0.1, -1.0, 0.1), (0.03, -1.0, -0.15)),
        right_leg=_leg((0.1, -1.0, 0.25), (0.03, -1.0, -0.2)),
        yaw=80,
    ),
    "offer": replace(
        _KNEEL,
        left_arm=_arm((0.1, -0.15, 1.0), (0.0, 0.35, 1.0), 0.2),
        right_arm=_arm((0.1, -0.15, 1.0), (0.0, 0.35, 1.0), 0.2),
        nod=-14,
        yaw=72,
    ),
    "sleep": replace(
        STAND,
        lean=-90,
        left_arm=_arm((0.3, -0.1, 0.9), (-0.5, -0.1, 0.9), 0.3),
        right_arm=_arm((0.3, -0.1, 0.9), (-0.5, -0.1, 0.9), 0.3),
        left_leg=_leg((0.1, 0.03, 1.0), (0.02, 0.0, 1.0), (0.2, 1.0, 0.2)),
        right_leg=_leg((0.1, 0.55, 1.0), (0.02, -0.65, 1.0), (0.2, 0.6, 1.0)),
        yaw=84,
    ),
    "head": replace(
        STAND,
        lean=10,
        nod=-8,
        left_arm=_arm((0.8, -0.35, -0.5), (0.4, 0.25, 0.7), 0.6),
        right_arm=_arm((0.8, -0.35, -0.5), (0.4, 0.25, 0.7), 0.6),
        left_leg=_leg((0.08, -1.0, 0.2), (0.02, -0.6, -0.9), (0.05, -1.0, 0.0)),
        right_leg=_leg((0.08, -1.0, -0.3), (0.02, -0.7, -0.8), (0.05, -1.0, -0.2)),
        yaw=72,
    ),
    "bury": replace(
        STAND,
        lean=48,
        curl=20,
        left_arm=_arm((0.1, -1.0, 0.45), (-0.2, -0.7, 0.9), 0.9),
        right_arm=_arm((0.1, -0.9, 0.1), (-0.1, -0.8, 0.7), 0.9),
        left_leg=_STEP,
        right_leg=_leg((0.1, -1.0, -0.2), (0.03, -1.0, -0.3)),
        yaw=70,
    ),
    "draw": replace(
        STAND,
        right_arm=_arm((0.15, -0.3, 1.0), (-0.05, 0.5, 1.0), 0.9),
        left_arm=_arm((0.25, -1.0, 0.2), (-0.1, 0.0, 1.0), 0.6),
        yaw=72,
    ),
    "sit": replace(
        STAND,
        left_leg=_SEATED,
        right_leg=_SEATED,
        left_arm=_arm((0.12, -1.0, 0.3), (-0.05, -0.3, 1.0)),
        right_arm=_arm((0.12, -1.0, 0.3), (-0.05, -0.3, 1.0)),
        yaw=66,
    ),
    "stumble": replace(
        STAND,
        lean=52,
        nod=-30,
        left_arm=_arm((0.4, 0.1, 1.0), (0.2, 0.2, 1.0), 0.0),
        right_arm=_arm((0.7, 0.5, 0.6), (0.4, 0.6, 0.8), 0.0),
        left_leg=_leg((0.05, -1.0, -0.1), (0.02, -0.8, -0.8), (0.0, -1.0, 0.3)),
        right_leg=_leg((0.05, -0.35, -1.0), (0.02, 0.1, -1.0), (0.0, -0.5, -0.7)),
        yaw=76,
    ),
    "hide": replace(
        STAND,
        lean=26,
        curl=24,
        nod=-20,
        left_leg=_SQUAT,
        right_leg=_SQUAT,
        left_arm=_arm((0.2, -0.7, 0.8), (-0.1, 0.6, 0.8), 0.2),
        right_arm=_arm((0.2, -0.7, 0.8), (-0.1, 0.6, 0.8), 0.2),
        yaw=50,
    ),
    "admire": replace(
        STAND,
        left_arm=_arm((0.35, -0.8, 0.55), (-0.45, 1.0, 0.35), 0.2),
        right_arm=_arm((0.35, -0.8, 0.55), (-0.45, 1.0, 0.35), 0.2),
        nod=-8,
        lean=4,
        yaw=62,
    ),
    "sell": replace(
        STAND,
        left_arm=_arm((0.55, -0.8, 0.45), (0.5, 0.15, 1.0), 0.1),
        right_arm=_arm((0.55, -0.8, 0.45), (0.5, 0.15, 1.0), 0.1),
        yaw=14,
    ),
    "ride": replace(
        STAND,
        left_leg=_leg((0.35, -0.3, 1.0), (0.05, -1.0, 0.0)),
        right_leg=_leg((0.35, -0.3, 1.0), (0.05, -1.0, 0.0)),
        left_arm=_arm((0.1, -0.75, 0.8), (-0.1, -0.05, 1.0), 0.9),
        right_arm=_arm((0.1, -0.75, 0.8), (-0.1, -0.05, 1.0), 0.9),
        lean=8,
        yaw=68,
    ),
    "push": replace(
        STAND,
        lean=34,
        nod=-24,
        left_arm=_arm((0.1, -0.15, 1.0), (0.0, 0.05, 1.0), 0.0, (0.0, 0.7, 0.7)),
        right_arm=_arm((0.1, -0.2, 1.0), (0.0, 0.0, 1.0), 0.0, (0.0, 0.7, 0.7)),
        left_leg=_leg((0.06, -1.0, 0.35), (0.02, -0.8, -0.75)),
        right_leg=_leg((0.06, -1.0, -0.75), (0.02, -0.9, -0.7), (0.1, -0.7, 0.7)),
        yaw=76,
    ),
    # The one that pulls walks on and holds the rope behind.
    "pull": replace(
        STAND,
        lean=28,
        left_arm=_arm((0.1, -0.55, -1.0), (0.0, -0.25, -1.0), 1.0),
        right_arm=_arm((0.1, -0.75, -1.0), (0.0, -0.35, -1.0), 1.0),
        left_leg=_leg((0.06, -0.9, 0.75), (0.02, -1.0, -0.3)),
        right_leg=_leg((0.06, -1.0, -0.55), (0.02, -0.9, -0.55), (0.1, -0.7, 0.7)),
        yaw=76,
    ),
    "wash": replace(
        STAND,
        lean=18,
        right_arm=_arm((0.1, 0.0, 1.0), (0.0, 0.15, 1.0), 0.1),
        left_arm=_arm((0.5, -0.9, 0.1), (0.1, -0.9, 0.3), 0.9),
        left_leg=_STEP,
        yaw=74,
    ),
    "repair": replace(
        _KNEEL,
        lean=18,
        curl=14,
        right_arm=_arm((0.1, -0.55, 1.0), (-0.05, -0.1, 1.0), 0.9),
        left_arm=_arm((0.1, -0.8, 0.8), (-0.05, -0.35, 1.0), 0.6),
        yaw=76,
    ),
    "run": _RUN,
    # The runner reaches out for what is ahead.
    "pursue": replace(
        _RUN,
        right_arm=_arm((0.1, 0.15, 1.0), (0.0, 0.2, 1.0), 0.0),
        lean=24,
    ),
    # The runner's arms are thrown up and the look goes back.
    "flee": replace(
        _RUN,
        left_arm=_arm((0.7, 0.85, 0.25), (0.25, 1.0, 0.3), 0.0),
        right_arm=_arm((0.7, 0.85, 0.25), (0.25, 1.0, 0.3), 0.0),
        lean=6,
        look=-60,
    ),
    "jump": replace(
        STAND,
        left_leg=_leg((0.1, 0.02, 1.0), (0.02, -0.15, 1.0), (0.0, 0.7, 0.7)),
        right_leg=_leg((0.2, -0.25, -1.0), (0.1, 0.1, -1.0), (0.0, -0.3, -1.0)),
        left_arm=_arm((0.6, 0.4, -0.7), (0.3, 0.4, -0.8), 0.2),
        right_arm=_arm((0.4, 0.35, 1.0), (0.1, 0.35, 1.0), 0.2),
        lean=18,
        yaw=78,
    ),
    "climb": replace(
        STAND,
        left_arm=_arm((0.2, 0.6, 0.9), (0.0, 1.0, 0.6), 0.9),
        right_arm=_arm((0.2, -0.1, 1.0), (0.0, 0.7, 0.9), 0.9),
        left_leg=_leg((0.15, -0.2, 1.0), (0.05, -1.0, -0.1)),
        right_leg=_leg((0.08, -1.0, 0.1), (0.02, -1.0, -0.05)),
        nod=-18,
        yaw=80,
    ),
    "stop": replace(
        STAND,
        right_arm=_arm((0.1, 0.08, 1.0), (0.0, 0.08, 1.0), 0.0, (0.0, 1.0, 0.15)),
        left_arm=_arm((0.75, -0.75, -0.1), (-0.8, -0.45, 0.3), 0.6),
        left_leg=_leg((0.3, -1.0, 0.05), (0.12, -1.0, 0.0)),
        right_leg=_leg((0.3, -1.0, 0.05), (0.12, -1.0, 0.0)),
        yaw=62,
    ),
    "wave": replace(
        STAND,
        right_arm=_arm((0.7, 0.75, 0.2), (0.35, 1.0, 0.1), 0.0),
        left_arm=_arm((0.6, -0.9, 0.0), (-0.55, -0.6, 0.4), 0.6),
        nod=-6,
        yaw=44,
    ),
    "photograph": replace(
        STAND,
        left_arm=_arm((0.5, -0.55, 0.75), (-0.35, 0.85, 0.6), 0.6),
        right_arm=_arm((0.5, -0.55, 0.75), (-0.35, 0.85, 0.6), 0.6),
        left_leg=_STEP,
        yaw=66,
    ),
    "paint": replace(
        STAND,
        right_arm=_arm((0.15, 0.45, 1.0), (0.0, 0.6, 1.0), 0.9),
        left_arm=_arm((0.3, -1.0, 0.0), (0.05, -1.0, 0.1), 0.9),
        nod=-12,
        yaw=70,
    ),
    # On the back, head propped up on the hands, one knee up.
    "lie": replace(
        STAND,
        lean=-78,
        nod=30,
        left_arm=_arm((0.8, 0.45, -0.6), (-0.8, 0.25, 0.2), 0.3),
        right_arm=_arm((0.8, 0.45, -0.6), (-0.8, 0.25, 0.2), 0.3),
        left_leg=_leg((0.1, 0.8, 1.0), (0.02, -0.9, 0.75), (0.1, 0.0, 1.0)),
        right_leg=_leg((0.1, 0.15, 1.0), (0.02, -0.05, 1.0), (0.2, 0.9, 0.5)),
        yaw=80,
    ),
    "collide": replace(
        STAND,
        lean=-34,
        nod=-10,
        left_arm=_arm((0.6, 0.45, 1.0), (0.3, 0.6, 1.0), 0.0),
        right_arm=_arm((0.6, 0.2, 1.0), (0.3, 0.5, 1.0), 0.0),
        left_leg=_leg((0.2, -0.25, 1.0), (0.1, -0.1, 1.0), (0.1, 0.8, 0.6)),
        right_leg=_leg((0.2, -0.8, 0.7), (0.1, -0.6, 0.7), (0.1, 0.7, 0.7)),
        yaw=72,
    ),
    "fuel": replace(
        STAND,
        right_arm=_arm((0.15, -0.8, 0.65), (0.0, -0.05, 1.0), 0.9),
        left_arm=_arm((0.6, -0.9, -0.1), (-0.7, -0.5, 0.3), 0.6),
        yaw=62,
    ),
    "surf": replace(
        STAND,
        left_arm=_arm((1.0, 0.2, 0.15), (1.0, 0.35, 0.2), 0.0),
        right_arm=_arm((1.0, 0.1, -0.15), (1.0, 0.0, 0.1), 0.0),
        left_leg=_leg((0.6, -0.75, 0.35), (0.25, -1.0, -0.2)),
        right_leg=_leg((0.6, -0.75, 0.35), (0.25, -1.0, -0.2)),
        lean=16,
        yaw=16,
        look=35,
    ),
    "fall": replace(
        STAND,
        lean=150,
        left_arm=_arm((0.7, -0.6, 0.5), (0.5, -0.9, 0.3), 0.0),
        right_arm=_arm((0.7, -0.5, 0.8), (0.3, -0.9, 0.5), 0.0),
        left_leg=_leg((0.3, 0.8, 0.5), (0.1, 0.9, -0.4), (0.0, 0.7, 0.5)),
        right_leg=_leg((0.3, 0.8, -0.5), (0.1, 0.3, -0.9), (0.0, 0.6, -0.6)),
        yaw=66,
    ),
    "load": replace(_WALK, left_arm=_AHEAD, right_arm=_AHEAD, lean=8, yaw=76),
    "inspect": replace(
        STAND,
        lean=36,
        curl=12,
        nod=-14,
        left_leg=_leg((0.16, -0.6, 0.9), (0.04, -1.0, -0.75)),
        right_leg=_leg((0.16, -0.8, 0.7), (0.04, -1.0, -0.75)),
        right_arm=_arm((0.15, -0.3, 1.0), (-0.05, 0.5, 1.0), 0.9),
        left_arm=_arm((0.2, -0.9, 0.45), (-0.1, -0.75, 0.35), 0.4),
        yaw=74,
    ),
    "hit": replace(
        STAND,
        right_arm=_arm((0.3, 0.9, 0.1), (0.05, 0.9, -0.35), 1.0),
        left_arm=_arm((0.4, -0.5, 0.8), (0.0, 0.2, 1.0), 0.6),
        left_leg=_leg((0.1, -0.9, 0.55), (0.02, -1.0, -0.2)),
        right_leg=_leg((0.1, -1.0, -0.4), (0.02, -1.0, -0.35), (0.1, -0.4, 0.9)),
        lean=6,
        yaw=68,
    ),
    "poke": replace(
        STAND,
        right_arm=_arm((0.1, -0.3, 1.0), (0.0, -0.12, 1.0), 1.0),
        left_arm=_arm((0.3, -0.7, -0.7), (0.1, -0.6, -0.5), 0.4),
        left_leg=_leg((0.1, -0.75, 0.8), (0.02, -1.0, -0.15)),
        right_leg=_leg((0.1, -0.9, -0.75), (0.02, -0.9, -0.65), (0.1, -0.5, 0.85)),
        lean=12,
        yaw=76,
    ),
    "chase": replace(_RUN, right_arm=_RAISED, lean=18),
    "lure": replace(
        STAND,
        right_arm=_arm((0.1, -0.55, 1.0), (0.0, -0.2, 1.0), 0.9),
        left_arm=_arm((0.3, -0.9, 0.2), (-0.1, 0.1, 1.0), 0.0),
        left_leg=_leg((0.06, -1.0, 0.2), (0.02, -1.0, 0.0)),
        right_leg=_leg((0.06, -0.95, -0.45), (0.02, -1.0, -0.4)),
        lean=-12,
        nod=16,
        yaw=74,
    ),
    "wake": replace(
        STAND,
        right_arm=_arm((0.15, -0.5, 1.0), (0.0, -0.75, 1.0), 0.9),
        left_arm=_arm((0.4, -0.4, 0.9), (-0.25, 1.0, 0.2), 0.1),
        lean=36,
        curl=8,
        left_leg=_STRAIGHT,
        right_leg=_leg((0.08, -1.0, -0.1), (0.02, -1.0, -0.1)),
        yaw=74,
    ),
    "scare": replace(
        STAND,
        right_arm=_arm((0.7, 0.8, 0.5), (0.2, 0.9, 0.8), 0.9),
        left_arm=_arm((0.7, 0.8, 0.5), (0.2, 0.6, 1.0), 0.2),
        left_leg=_leg((0.35, -0.9, 0.35), (0.15, -1.0, -0.2)),
        right_leg=_leg((0.35, -0.9, 0.0), (0.15, -1.0, -0.2)),
        lean=18,
        yaw=54,
    ),
    "shelter": replace(
        STAND,
        right_arm=_arm((0.15, 0.45, 1.0), (0.0, 0.35, 1.0), 1.0),
        left_arm=_arm((0.3, -0.8, 0.7), (-0.5, 0.2, 0.8), 0.2),
        nod=10,
        yaw=72,
    ),
    "train": replace(
        STAND,
        right_arm=_arm((0.3, 0.9, 0.3), (0.05, 1.0, 0.2), 1.0),
        left_arm=_arm((0.2, -0.2, 1.0), (0.0, 0.05, 1.0), 0.9),
        nod=-6,
        yaw=66,
    ),
    "tickle": replace(
        STAND,
        left_leg=_KNEE,
        right_leg=_KNEE,
        lean=30,
        curl=12,
        right_arm=_arm((0.15, -0.7, 0.9), (0.0, -0.3, 1.0), 0.9),
        left_arm=_arm((0.15, -0.7, 0.9), (0.0, -0.6, 1.0), 0.1),
        yaw=76,
    ),
    "groom": replace(
        STAND,
        right_arm=_arm((0.1, -0.35, 1.0), (0.0, -0.45, 1.0), 0.9),
        left_arm=_arm((0.2, -0.7, 0.9), (0.0, -0.35, 1.0), 0.1),
        lean=22,
        curl=10,
        yaw=72,
    ),
    # A fencer's lunge: the sword arm out, the other one up behind.
    "fence": replace(
        STAND,
        right_arm=_arm((0.15, 0.0, 1.0), (0.0, 0.05, 1.0), 1.0),
        left_arm=_arm((0.35, 0.3, -1.0), (0.1, 1.0, -0.35), 0.3),
        left_leg=_leg((0.15, -0.35, 1.0), (0.02, -1.0, 0.1)),
        right_leg=_leg((0.15, -0.75, -1.0), (0.05, -0.7, -1.0), (0.2, -0.3, 0.8)),
        yaw=78,
    ),
    "mount": replace(
        STAND,
        left_leg=_leg((0.5, -0.5, 0.7), (0.1, -1.0, -0.2)),
        right_leg=_leg((0.5, -0.5, 0.7), (0.1, -1.0, -0.2)),
        left_arm=_arm((0.1, -0.75, 0.7), (-0.1, -0.1, 1.0), 0.9),
        right_arm=_arm((0.5, 0.75, 0.0), (0.25, 1.0, 0.2), 1.0),
        lean=6,
        yaw=66,
    ),
    "dangle": replace(
        STAND,
        right_arm=_arm((0.1, 0.1, 1.0), (0.0, 0.2, 1.0), 1.0, (0.0, -0.4, 1.0)),
        left_arm=_arm((0.5, -0.5, 0.8), (0.1, 0.55, 0.9), 0.0),
        lean=8,
        yaw=68,
    ),
    "guard": replace(
        STAND,
        right_arm=_arm((0.3, -1.0, 0.15), (0.05, 0.25, 1.0), 1.0),
        left_arm=_arm((0.6, -0.85, -0.1), (-0.75, -0.35, 0.35), 0.6),
        left_leg=_leg((0.25, -1.0, 0.0), (0.1, -1.0, 0.0)),
        right_leg=_leg((0.25, -1.0, 0.0), (0.1, -1.0, 0.0)),
        yaw=24,
    ),
    "measure": replace(
        STAND,
        right_arm=_arm((0.1, -0.6, 0.9), (-0.05, 0.35, 1.0), 0.9),
        left_arm=_arm((0.3, -0.7, 0.4), (-0.5, 0.9, 0.3), 0.5),
        nod=12,
        yaw=64,
    ),
    "aim": replace(
        STAND,
        right_arm=_arm((0.1, -0.6, 0.9), (-0.1, 0.1, 1.0), 1.0),
        left_arm=_arm((0.1, -0.45, 1.0), (-0.2, 0.05, 1.0), 0.8),
        left_leg=_leg((0.2, -0.95, 0.35), (0.08, -1.0, -0.1)),
        right_leg=_leg((0.2, -1.0, -0.3), (0.08, -1.0, -0.2)),
        yaw=66,
    ),
    "award": replace(
        STAND,
        right_arm=_arm((0.15, -0.25, 1.0), (0.0, 0.3, 1.0), 0.8),
        left_arm=_arm((0.15, -0.55, 0.9), (0.0, 0.35, 1.0), 0.3),
        lean=10,
        nod=-8,
        yaw=68,
    ),
    "lead": replace(
        _WALK,
        right_arm=_arm((0.2, -0.75, -0.8), (0.05, -0.5, -0.8), 0.9),
        left_arm=_arm((0.2, -0.9, 0.4), (0.0, 0.25, 1.0), 0.9),
        yaw=70,
    ),
    "stalk": replace(
        STAND,
        lean=62,
        nod=-46,
        left_leg=_SQUAT,
        right_leg=_leg((0.2, -0.6, 0.75), (0.05, -0.8, -0.9), (0.1, -0.4, 0.9)),
        right_arm=_arm((0.15, -0.5, 1.0), (0.0, 0.1, 1.0), 1.0),
        left_arm=_arm((0.15, -0.8, 0.7), (0.0, -0.7, 0.8), 0.2),
        yaw=76,
    ),
}


def _mirror_pose(pose: Pose) -> Pose:
    """Swap left and right: the poses are written for the right hand, and the viewer sees the left side."""
    return replace(
        pose,
        left_arm=pose.right_arm,
        right_arm=pose.left_arm,
        left_leg=pose.right_leg,
        right_leg=pose.left_leg,
        tilt=-pose.tilt,
        look=-pose.look,
    )


POSES: dict[str, Pose] = {name: _mirror_pose(pose) for name, pose in _DRAFTS.items()}
