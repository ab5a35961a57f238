"""A person in a pose: the body's parts by what covers them, turned into the pose, with anchor points.

Clothes are MakeHuman's tights and skirt, cut at the joints. The skin under them is left out, so that none comes
through where the body bends.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from generator_service.drawing.exact import Floats, Ints, cosine, sine, unit
from generator_service.drawing.mesh import Mesh
from generator_service.drawing.people.body import (
    Template,
    between,
    heads,
    mean_of,
    move_bones,
    product,
    turn_places,
)
from generator_service.drawing.people.poses import Direction, Limb, Pose

PARTS = (
    "nothing",
    "skin",
    "hand",
    "hair",
    "eye",
    "iris",
    "brow",
    "lips",
    "chest",
    "upper arm",
    "forearm",
    "hips",
    "thigh",
    "shin",
    "shoe",
    "skirt",
    "front",
    "lap",
    "belt",
    "band",
    "collar",
    "cuff",
    "hem",
)
"""What a pixel of a person can show. Things that are worn have numbers from `WORN` on.

front: the middle of the chest. lap: the front of hips and thighs. band: a stripe round the chest.
"""
NUMBER = {name: number for number, name in enumerate(PARTS)}
WORN = 32
Chosen = npt.NDArray[np.bool_]
Words = npt.NDArray[np.str_]
Skirt = Literal["", "knee", "ankle"]
FINGERS = ("Index", "Middle", "Ring", "Pinky", "Thumb")
_FIST = 72.0  # degrees by which each joint of a closed finger bends
_GREY = 128.0
_NO_GLOSS = 0.0


@dataclass(frozen=True, eq=False)
class Person:
    """A body with parts: its rest positions, heads of bones, and the faces that are drawn with the part of each."""

    template: Template
    vertices: Floats
    begins: Floats
    faces: Ints
    part: Ints


@dataclass(frozen=True, eq=False)
class Figure:
    """A person in a pose: a mesh, its faces' parts, anchor points, and each bone's turn and its head before and after.

    face: the place between the eyes at rest; size: from there up to the top of the hair.
    """

    mesh: Mesh
    part: Ints
    anchors: Mapping[str, Floats]
    turns: Mapping[str, Floats]
    begins: Mapping[str, Floats]
    ends: Mapping[str, Floats]
    face: Floats
    size: float


def person(template: Template, vertices: Floats, *, long_hair: bool, skirt: Skirt) -> Person:
    """Choose the faces of a body that are drawn, and name the part of each."""
    begins = heads(template, vertices)
    part = _parts(template, vertices, begins, long_hair=long_hair, skirt=skirt)
    drawn = np.flatnonzero(part)
    return Person(template, vertices, begins, template.faces[drawn], part[drawn])


def pose_person(person: Person, pose: Pose) -> Figure:
    """Turn a person into a pose, feet (or whatever is lowest) on the ground, hips over the origin."""
    template = person.template
    turns = _turns(template, person.begins, pose)
    vertices, ends = move_bones(template, person.vertices, person.begins, turns)
    used = vertices[np.unique(person.faces)]
    hips = ends[template.number("Hips")]
    shift = np.array([-hips[0], -used[:, 1].min(), -hips[2]])
    vertices, ends = vertices + shift, ends + shift
    count = len(person.faces)
    joints = template.joints
    face = (mean_of(person.vertices, joints["l-eye"]) + mean_of(person.vertices, joints["r-eye"])) / 2.0
    head = template.number("Head")
    top = np.array([0.0, _crown(template, person.vertices), person.begins[head][2]])
    crown = turn_places(turns[head], top - person.begins[head]) + ends[head]
    mesh = Mesh(vertices, person.faces, np.full((count, 3), _GREY), np.full(count, _NO_GLOSS))
    names = [bone.name for bone in template.bones]
    return Figure(
        mesh=mesh,
        part=person.part,
        anchors=_anchors(template, vertices, ends) | {"crown": crown},
        turns=dict(zip(names, turns, strict=True)),
        begins=dict(zip(names, person.begins, strict=True)),
        ends=dict(zip(names, ends, strict=True)),
        face=face,
        size=_crown(template, person.vertices) - float(face[1]),
    )


def rotation(axis: Direction | Floats, degrees: float) -> Floats:
    """Return the rotation about an axis, counterclockwise as seen from its tip."""
    x, y, z = unit(np.array(axis, np.float64))
    c, s = cosine(degrees), sine(degrees)
    d = 1.0 - c
    return np.array(
        [
            [c + x * x * d, x * y * d - z * s, x * z * d + y * s],
            [y * x * d + z * s, c + y * y * d, y * z * d - x * s],
            [z * x * d - y * s, z * y * d + x * s, c + z * z * d],
        ]
    )


def _parts(template: Template, vertices: Floats, begins: Floats, *, long_hair: bool, skirt: Skirt) -> Ints:
    """Return the part of every face, 0 where it isn't drawn."""
    bone = _ruling_bones(template, len(vertices))[template.faces[:, 0]]
    names = np.array([each.name for each in template.bones])[bone]
    short = np.char.replace(np.char.replace(names, "Left", ""), "Right", "")
    corners = vertices[template.faces]
    middle = (corners.min(axis=1) + corners.max(axis=1)) / 2
    part = np.zeros(len(template.faces), np.int64)
    tights, body = _of(template, "helper-tights"), _of(template, "body")
    _clothe(template, begins, short, middle, part, tights)
    top = vertices[np.unique(template.faces[tights])][:, 1].max()
    neck = np.isin(short, ("Head", "Neck")) | (
        np.isin(short, ("Spine2", "Shoulder")) & (middle[:, 1] > top - 0.035) & (np.abs(middle[:, 0]) < 0.11)
    )
    part[body & neck] = NUMBER["skin"]
    part[body & np.char.startswith(short, "Hand")] = NUMBER["hand"]
    part[body & _wrist(template, begins, short, middle)] = NUMBER["hand"]
    _face(template, vertices, middle, part, body)
    for side in ("l", "r"):
        eye = _of(template, f"helper-{side}-eye")
        front = middle[eye][:, 2].max()
        part[eye] = np.where(middle[eye][:, 2] > front - 0.004, NUMBER["iris"], NUMBER["eye"])
    # The scalp is coloured as the hair over it, which is not dense.
    hair = (_of(template, "helper-hair") & (short == "Head")) | (body & (short == "Head"))
    hair &= _hairline(template, vertices, middle, long_hair=long_hair)
    part[hair & ((part == 0) | (part == NUMBER["skin"]))] = NUMBER["hair"]
    if skirt:
        lowest = begins[template.number("LeftLeg"), 1] - 0.06
        if skirt == "ankle":
            lowest = begins[template.number("LeftFoot"), 1] + 0.02
        part[_of(template, "helper-skirt") & (middle[:, 1] > lowest)] = NUMBER["skirt"]
        part[np.isin(part, (NUMBER["hips"], NUMBER["thigh"]))] = NUMBER["skirt"]
    return part


def _of(template: Template, group: str) -> Chosen:
    chosen: Chosen = template.group == template.groups.index(group)
    return chosen


def _clothe(template: Template, begins: Floats, short: Words, middle: Floats, part: Ints, tights: Chosen) -> None:
    """Cut the tights into garments."""
    for bones, name in (
        (("Spine", "Spine1", "Spine2", "Shoulder", "Neck"), "chest"),
        (("Arm",), "upper arm"),
        (("ForeArm", "Hand"), "forearm"),
        (("Hips",), "hips"),
        (("UpLeg",), "thigh"),
        (("Leg",), "shin"),
        (("Foot", "ToeBase"), "shoe"),
    ):
        part[tights & np.isin(short, bones)] = NUMBER[name]
    hips, chest = begins[template.number("Hips")], begins[template.number("Spine2")]
    neck, knee = begins[template.number("Neck")], begins[template.number("LeftLeg")]
    foot, wrist = begins[template.number("LeftFoot")], begins[template.number("LeftHand")]
    x, y, z = np.abs(middle[:, 0]), middle[:, 1], middle[:, 2]
    trunk = tights & np.isin(part, (NUMBER["chest"], NUMBER["hips"]))
    waist = hips[1] + 0.05
    part[trunk] = np.where(y[trunk] > waist, NUMBER["chest"], NUMBER["hips"])
    part[trunk & (np.abs(y - waist) < 0.022)] = NUMBER["belt"]
    on_chest = tights & (part == NUMBER["chest"])
    part[on_chest & (x < 0.075) & (z > hips[2])] = NUMBER["front"]
    part[on_chest & (np.abs(y - chest[1] + 0.04) < 0.03)] = NUMBER["band"]
    part[on_chest & (y > neck[1] - 0.085)] = NUMBER["collar"]
    legs = tights & np.isin(part, (NUMBER["hips"], NUMBER["thigh"])) & (y > knee[1] + 0.1)
    part[legs & (z > hips[2]) & (x < 0.16)] = NUMBER["lap"]
    part[tights & (part == NUMBER["forearm"]) & (x > np.abs(wrist[0]) - 0.075)] = NUMBER["cuff"]
    part[tights & (part == NUMBER["shin"]) & (np.abs(y - foot[1] - 0.12) < 0.03)] = NUMBER["hem"]


def _ruling_bones(template: Template, count: int) -> Ints:
    """Return the bone that moves each vertex the most."""
    most, ruling = np.zeros(count), np.zeros(count, np.int64)
    for number, (moving, weight) in enumerate(template.weights):
        more = weight > most[moving]
        ruling[moving[more]] = number
        most[moving[more]] = weight[more]
    return ruling


def _wrist(template: Template, begins: Floats, short: Words, middle: Floats) -> Chosen:
    """Pick the end of the forearm, which the sleeve leaves free."""
    picked = np.zeros(len(middle), bool)
    for side in ("Left", "Right"):
        elbow, hand = begins[template.number(f"{side}ForeArm")], begins[template.number(f"{side}Hand")]
        along = hand - elbow
        length = along[0] * along[0] + along[1] * along[1] + along[2] * along[2]
        offset = middle - elbow
        share = (offset[:, 0] * along[0] + offset[:, 1] * along[1] + offset[:, 2] * along[2]) / length
        picked |= (short == "ForeArm") & (share > 0.72) & (middle[:, 0] * elbow[0] > 0)
    return picked


def _face(template: Template, vertices: Floats, middle: Floats, part: Ints, body: Chosen) -> None:
    """Paint brows and lips."""
    eyes = mean_of(vertices, template.joints["l-eye"]), mean_of(vertices, template.joints["r-eye"])
    teeth = [vertices[np.unique(template.faces[_of(template, f"helper-{row}-teeth")])] for row in ("upper", "lower")]
    line = (teeth[0][:, 1].min() + teeth[1][:, 1].max()) / 2
    size = eyes[0][1] - line
    skin = body & (part == NUMBER["skin"])
    front = middle[:, 2] > eyes[0][2] - 0.2 * size
    for eye in eyes:
        across, up = np.abs(middle[:, 0] - eye[0]), middle[:, 1] - eye[1]
        part[skin & front & (across < 0.32 * size) & (up > 0.24 * size) & (up < 0.36 * size)] = NUMBER["brow"]
    lips = (np.abs(middle[:, 0]) < 0.32 * size) & (np.abs(middle[:, 1] - line) < 0.1 * size)
    part[skin & front & lips & (middle[:, 2] > teeth[0][:, 2].max())] = NUMBER["lips"]


def _hairline(template: Template, vertices: Floats, middle: Floats, *, long_hair: bool) -> Chosen:
    """Pick the hair that leaves the face free, down to the ears or to the shoulders."""
    eye = mean_of(vertices, template.joints["l-eye"])
    size = _crown(template, vertices) - eye[1]
    behind = eye[2] - middle[:, 2]
    fringe = eye[1] + 0.5 * size
    if long_hair:
        lowest = np.full(len(middle), eye[1] - 2.3 * size)
        picked: Chosen = (middle[:, 1] > lowest) & ((behind > 0.62 * size) | (middle[:, 1] > fringe))
        return picked
    # Short hair: cut above the ears, lower at the nape.
    lowest = np.where(behind > 1.05 * size, eye[1] - 0.75 * size, eye[1] + 0.12 * size)
    cut: Chosen = (middle[:, 1] > lowest) & ((behind > 0.55 * size) | (middle[:, 1] > fringe))
    return cut


def _crown(template: Template, vertices: Floats) -> float:
    """Return the height of the hair's highest point."""
    return float(vertices[np.unique(template.faces[_of(template, "helper-hair")])][:, 1].max())


def _turns(template: Template, begins: Floats, pose: Pose) -> Floats:
    """Return each bone's rotation from rest, of the world's axes."""
    turns = np.tile(np.eye(3), (len(template.bones), 1, 1))
    trunk = product(rotation((1, 0, 0), pose.lean), rotation((0, 0, 1), -pose.tilt))
    spine = product(trunk, rotation((1, 0, 0), pose.curl))
    # The look follows the trunk only a little: `nod` and `look` are against the upright where it leans.
    level = product(rotation((1, 0, 0), pose.lean * (0.35 if abs(pose.lean) < 70 else 1.0)), np.eye(3))
    head = product(level, product(rotation((0, 1, 0), pose.look), rotation((1, 0, 0), pose.nod)))
    fixed = {"Hips": trunk, "Spine": trunk, "Spine1": spine, "Spine2": spine, "Neck": head, "Head": head}
    limbs = {
        "LeftArm": (pose.left_arm, 1.0, ("LeftArm", "LeftForeArm", "LeftHand", "LeftHandMiddle1")),
        "RightArm": (pose.right_arm, -1.0, ("RightArm", "RightForeArm", "RightHand", "RightHandMiddle1")),
        "LeftUpLeg": (pose.left_leg, 1.0, ("LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToeBase")),
        "RightUpLeg": (pose.right_leg, -1.0, ("RightUpLeg", "RightLeg", "RightFoot", "RightToeBase")),
    }
    for name, turn in fixed.items():
        turns[template.number(name)] = turn
    for number, bone in enumerate(template.bones):
        if bone.name in limbs:
            _place_limb(template, begins, turns, *limbs[bone.name])
        elif bone.parent >= 0 and bone.name not in fixed and not _of_limb(bone.name):
            turns[number] = turns[bone.parent]
    for side, limb in (("Left", pose.left_arm), ("Right", pose.right_arm)):
        _bend_fingers(template, begins, turns, side, limb.grip)
    return turns


def _of_limb(name: str) -> bool:
    return name.endswith(("ForeArm", "Leg", "Foot", "ToeBase", "LeftHand", "RightHand", "LeftArm", "RightArm"))


def _place_limb(
    template: Template, begins: Floats, turns: Floats, limb: Limb, side: float, names: tuple[str, str, str, str]
) -> None:
    upper, lower, end, tip = (template.number(name) for name in names)
    carried = turns[template.bones[upper].parent]
    for bone, child, wanted in ((upper, lower, limb.upper), (lower, end, limb.lower), (end, tip, limb.end)):
        if wanted is None:
            turns[bone] = carried
        else:
            towards = np.array([side * wanted[0], wanted[1], wanted[2]])
            now = turn_places(carried, begins[child] - begins[bone])
            turns[bone] = product(between(now, towards), carried)
        carried = turns[bone]
    if names[3].endswith("ToeBase"):
        turns[tip] = carried


def _bend_fingers(template: Template, begins: Floats, turns: Floats, side: str, grip: float) -> None:
    """Bend every finger's joints about the line across the palm."""
    hand = turns[template.number(f"{side}Hand")]
    first, last = (begins[template.number(f"{side}Hand{finger}1")] for finger in ("Index", "Pinky"))
    across = turn_places(hand, last - first) * (1.0 if side == "Left" else -1.0)
    for finger in FINGERS:
        bend = grip * _FIST * (0.4 if finger == "Thumb" else 1.0)
        for joint in (1, 2, 3):
            turn = rotation(across, bend * joint)
            turns[template.number(f"{side}Hand{finger}{joint}")] = product(turn, hand)


def _anchors(template: Template, vertices: Floats, ends: Floats) -> dict[str, Floats]:
    """Return the places at which things are held, worn or met; `hand` and `foot` are those that do what is done."""

    def end(name: str) -> Floats:
        place: Floats = ends[template.number(name)]
        return place

    palms = {
        side: (end(f"{side}HandMiddle1") * 2.0 + end(f"{side}HandMiddle2") + end(f"{side}HandThumb2")) / 4.0
        for side in ("Left", "Right")
    }
    eyes = (mean_of(vertices, template.joints["l-eye"]) + mean_of(vertices, template.joints["r-eye"])) / 2.0
    return {
        "hand": palms["Left"],
        "other hand": palms["Right"],
        "hands": (palms["Left"] + palms["Right"]) / 2.0,
        "mouth": mean_of(vertices, template.joints["mouth"]),
        "eyes": eyes,
        "chest": end("Spine2"),
        "hips": end("Hips"),
        "foot": end("LeftToeBase"),
        "other foot": end("RightToeBase"),
        "knee": end("LeftLeg"),
    }
