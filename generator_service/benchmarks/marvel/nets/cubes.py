"""Draw reassembling puzzles: four views of a cube's corner, then the net of a cube that shows just one of them."""

from collections import Counter

from generator_service.benchmarks.marvel.nets.folding import (
    NETS,
    VISIBLE,
    Face,
    View,
    fold,
    is_possible,
    laid,
    negative,
    rotate,
    rotations,
)
from generator_service.benchmarks.marvel.nets.marks import MARK_FAMILIES
from generator_service.benchmarks.marvel.spec import REASSEMBLING, SOLID, Look, Panel, Puzzle
from tetrad.streams import Stream

MOST_SETS, MOST_TRIES = 20, 240
FACES = 6


class NoPuzzle(RuntimeError):  # noqa: N818 - named for what went wrong
    """No puzzle of a stratum was found within the bounds on tries: its rules leave too little room."""


def cube_puzzle(look: Look, family: str, stream: Stream, rejected: Counter[str]) -> Puzzle:
    """Draw four views and a key, then cubes until only the key is possible. Views are replaced only all together."""
    likeness = MARK_FAMILIES[family].likeness
    tries = 0
    for _ in range(MOST_SETS):
        views = _four_views(likeness, stream)
        key = stream.below(len(views))
        for _ in range(MOST_TRIES):
            tries += 1
            cube = _cube_showing(views[key], stream)
            wrong = [view for place, view in enumerate(views) if place != key]
            if any(is_possible(cube, view, likeness) for view in wrong):
                rejected["another cube possible"] += 1
                continue
            return Puzzle(
                pattern=SOLID,
                configuration=REASSEMBLING,
                family=family,
                form="cube",
                look=look,
                context=(Panel(_net_of(cube, stream)),),
                choices=tuple(Panel(view, stream.below(1 << 32)) for view in views),
                key=key,
                rules=("the cube that the net folds to",),
                tries=tries,
            )
        rejected["set dropped"] += 1
    raise NoPuzzle(f"no net for {family} in {tries} tries")


def _four_views(likeness: int, stream: Stream) -> tuple[View, ...]:
    """Draw a view, and change it by mirroring, turning a face or replacing a mark, until there are four views."""
    marks = stream.sample(range(FACES), FACES)
    base = tuple(value for mark in marks[:3] for value in (mark, stream.below(4)))
    views, seen = [base], {corner_of(base, likeness)}
    while len(views) < 4:  # noqa: PLR2004 - choices of a puzzle
        view = stream.choice(views)
        for _ in range(1 + stream.below(2)):
            view = _changed(view, likeness, stream)
        if corner_of(view, likeness) not in seen:
            views.append(view)
            seen.add(corner_of(view, likeness))
    return stream.shuffled(views)


def _changed(view: View, likeness: int, stream: Stream) -> View:
    change = stream.below(3 if likeness > 1 else 2)
    parts = [view[0:2], view[2:4], view[4:6]]
    at = stream.below(3)
    if change == 0:  # mirrored: two faces change places
        other = (at + 1) % 3
        parts[at], parts[other] = parts[other], parts[at]
    elif change == 1:  # another mark, possibly one that lies opposite to one of the others
        free = [mark for mark in range(FACES) if mark not in {part[0] for part in parts}]
        parts[at] = (stream.choice(free), parts[at][1])
    else:
        parts[at] = (parts[at][0], (parts[at][1] + 1 + stream.below(likeness - 1)) % 4)
    return tuple(value for part in parts for value in part)


def corner_of(view: View, likeness: int) -> frozenset[tuple[tuple[int, int], ...]]:
    """Return the view and its two turns about the corner. Turns of a mark that look alike count as one."""
    return frozenset(tuple((mark, turn % likeness) for mark, turn in _about_corner(view, times)) for times in range(3))


def _about_corner(view: View, times: int) -> list[tuple[int, int]]:
    """Turn a view about its corner: x goes to y, y to z, z to x."""
    faces = [(at, view[2 * at], VISIBLE[at].pointing(view[2 * at + 1])) for at in range(3)]
    for _ in range(times):
        faces = [((at + 1) % 3, mark, (d[2], d[0], d[1])) for at, mark, d in faces]
    return [(mark, VISIBLE[at].turn_of(direction)) for at, mark, direction in sorted(faces)]


def _cube_showing(view: View, stream: Stream) -> tuple[Face, ...]:
    """Complete a view to a cube. The other three marks lie behind in a drawn order, each with a drawn turn."""
    front = [Face(frame.normal, view[2 * at], frame.pointing(view[2 * at + 1])) for at, frame in enumerate(VISIBLE)]
    rest = stream.shuffled([mark for mark in range(FACES) if mark not in view[::2]])
    behind = [
        Face(negative(frame.normal), mark, frame.pointing(stream.below(4)))
        for frame, mark in zip(VISIBLE, rest, strict=True)
    ]
    return (*front, *behind)


def _net_of(cube: tuple[Face, ...], stream: Stream) -> tuple[int, ...]:
    """Unfold the cube along one of the eleven nets: (net, then column, row, mark, turn of each cell)."""
    net = stream.below(len(NETS))
    cells = laid(net, stream.below(4), mirrored=bool(stream.below(2)))
    rotation = stream.choice(rotations())
    turned = {rotate(rotation, face.normal): face for face in cube}
    values = [net]
    for cell, frame in sorted(fold(cells).items()):
        face = turned[frame.normal]
        values += [*cell, face.mark, frame.turn_of(rotate(rotation, face.direction))]
    return tuple(values)
