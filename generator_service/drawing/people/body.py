"""A body that can be posed: MakeHuman's mesh, its shapes, its bones and how they move it.

Lengths are metres. x points to the body's left, y up, z to its front. A pose is computed by sums in a fixed order and
by + - * / sqrt alone, so that every machine finds the same body.
"""

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from generator_service.drawing.exact import Floats, Ints, unit

_DECIMETRE = 0.1  # the unit of MakeHuman's files
_BONE = "mixamorig:"
MESH = "3dobjs/base.obj"
RIG = "rigs/standard/rig.mixamo.json"
WEIGHTS = "rigs/standard/weights.mixamo.json"
TARGETS = "targets/macrodetails"


class Files(Protocol):
    """Reads a file of MakeHuman's data by its path there."""

    def __call__(self, path: str, /) -> bytes: ...


@dataclass(frozen=True, eq=False)
class Bone:
    """A bone: its parent's number (-1: none), and the vertices whose mean is its head."""

    name: str
    parent: int
    head: Ints


@dataclass(frozen=True, eq=False)
class Template:
    """The mesh that all bodies share: positions (V, 3), triangles (F, 3), each one's group, bones in order of parents.

    weights: of each bone, the vertices that it moves and how much; a vertex' weights sum to one.
    """

    vertices: Floats
    faces: Ints
    groups: tuple[str, ...]
    group: Ints
    bones: tuple[Bone, ...]
    weights: tuple[tuple[Ints, Floats], ...]
    joints: Mapping[str, Ints]

    def number(self, bone: str) -> int:
        return next(number for number, each in enumerate(self.bones) if each.name == bone)


def read_template(read: Files) -> Template:
    """Read mesh, bones and weights."""
    vertices, faces, names, group = _mesh(read(MESH).decode())
    joints = {
        name.removeprefix("joint-"): np.unique(faces[group == number])
        for number, name in enumerate(names)
        if name.startswith("joint-")
    }
    bones = _bones(json.loads(read(RIG))["bones"], joints)
    weights = _weights(json.loads(read(WEIGHTS))["weights"], bones, len(vertices))
    return Template(vertices, faces, names, group, bones, weights, joints)


def shape_body(template: Template, read: Files, shares: Mapping[str, float]) -> Floats:
    """Return the positions (V, 3) of a body: the template moved by targets, each by its share."""
    vertices = template.vertices.copy()
    for name, share in shares.items():
        for line in gzip.decompress(read(f"{TARGETS}/{name}.target.gz")).decode().splitlines():
            words = line.split()
            if len(words) == 4 and not line.startswith("#"):
                number = int(words[0])
                vertices[number] += np.array([float(word) for word in words[1:]]) * (share * _DECIMETRE)
    return vertices


def mean_of(vertices: Floats, numbers: Ints) -> Floats:
    """Return the mean place of some vertices, summed one after the other."""
    total = np.zeros(3)
    for number in numbers:
        total = total + vertices[number]
    return total / len(numbers)


def heads(template: Template, vertices: Floats) -> Floats:
    """Return where each bone begins, (bones, 3)."""
    return np.stack([mean_of(vertices, bone.head) for bone in template.bones])


def move_bones(template: Template, vertices: Floats, begins: Floats, turns: Floats) -> tuple[Floats, Floats]:
    """Turn every bone about its head and return the vertices and heads where they are then.

    begins: heads (bones, 3) as `heads` gives them. turns: a rotation (3, 3) a bone, of the body's own axes.
    """
    ends = np.zeros_like(begins)
    posed = np.zeros_like(vertices)
    for number, bone in enumerate(template.bones):
        if bone.parent < 0:
            ends[number] = begins[number]
        else:
            ends[number] = turn_places(turns[bone.parent], begins[number] - begins[bone.parent]) + ends[bone.parent]
        moving, weight = template.weights[number]
        places = turn_places(turns[number], vertices[moving] - begins[number]) + ends[number]
        posed[moving] += places * weight[:, None]
    return posed, ends


def turn_places(turn: Floats, places: Floats) -> Floats:
    """Turn places (..., 3) by a rotation (3, 3), by plain sums: BLAS may fuse them, and then machines differ."""
    x, y, z = places[..., 0], places[..., 1], places[..., 2]
    return np.stack([row[0] * x + row[1] * y + row[2] * z for row in turn], axis=-1)


def product(first: Floats, second: Floats) -> Floats:
    """Return the rotation that is `second` and then `first`."""
    return np.stack([turn_places(first, second[:, column]) for column in range(3)], axis=-1)


def between(start: Floats, end: Floats) -> Floats:
    """Return the smallest rotation that takes one direction to another."""
    a, b = unit(start), unit(end)
    cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    if cosine < -0.999999:
        return np.diag([-1.0, -1.0, 1.0])
    x, y, z = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    share = 1.0 / (1.0 + cosine)
    return np.array(
        [
            [1 - (y * y + z * z) * share, x * y * share - z, x * z * share + y],
            [x * y * share + z, 1 - (x * x + z * z) * share, y * z * share - x],
            [x * z * share - y, y * z * share + x, 1 - (x * x + y * y) * share],
        ]
    )


def _mesh(text: str) -> tuple[Floats, Ints, tuple[str, ...], Ints]:
    places: list[list[float]] = []
    faces: list[tuple[int, int, int]] = []
    names: dict[str, int] = {}
    group: list[int] = []
    current = 0
    for line in text.splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] == "v":
            places.append([float(word) * _DECIMETRE for word in words[1:4]])
        elif words[0] == "g":
            current = names.setdefault(words[1], len(names))
        elif words[0] == "f":
            corners = [int(word.partition("/")[0]) - 1 for word in words[1:]]
            for second, third in pairwise(corners[1:]):
                faces.append((corners[0], second, third))
                group.append(current)
    return np.array(places), np.array(faces), tuple(names), np.array(group)


def _bones(rig: dict[str, Any], joints: Mapping[str, Ints]) -> tuple[Bone, ...]:
    """Return the bones, every parent before its children."""
    order: list[str] = []
    while len(order) < len(rig):
        order += [
            name for name, each in rig.items() if name not in order and (not each["parent"] or each["parent"] in order)
        ]
    found = []
    for name in order:
        head = rig[name]["head"]
        if head["strategy"] == "CUBE":
            numbers = joints[head["cube_name"].removeprefix("joint-")]
        elif head["strategy"] == "VERTEX":
            numbers = np.array([head["vertex_index"]])
        else:
            numbers = np.array(head["vertex_indices"])
        parent = order.index(rig[name]["parent"]) if rig[name]["parent"] else -1
        found.append(Bone(name.removeprefix(_BONE), parent, numbers))
    return tuple(found)


def _weights(
    given: dict[str, list[list[float]]], bones: tuple[Bone, ...], count: int
) -> tuple[tuple[Ints, Floats], ...]:
    """Return each bone's weights, scaled so that a vertex' sum to one. What no bone moves, the first one does."""
    total = np.zeros(count)
    found = []
    for bone in bones:
        pairs = given[_BONE + bone.name]
        moving = np.array([int(vertex) for vertex, _ in pairs], np.int64)
        weight = np.array([share for _, share in pairs], np.float64)
        found.append((moving, weight))
        np.add.at(total, moving, weight)
    loose = np.flatnonzero(total == 0)
    total[loose] = 1.0
    moving, weight = found[0]
    found[0] = (np.concatenate([moving, loose]), np.concatenate([weight, np.ones(len(loose))]))
    return tuple((moving, weight / total[moving]) for moving, weight in found)
