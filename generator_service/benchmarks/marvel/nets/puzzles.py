"""Draw reassembling puzzles: four views of a solid, then the net of a solid that shows just one of them.

A view is (mark, turn) of each visible face. A net is its number, then column, row, mark and turn of each face, so that
its values are odd in number, and those of a view even.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Protocol

from generator_service.benchmarks.marvel.nets.cubes import Cube
from generator_service.benchmarks.marvel.nets.marks import MARK_FAMILIES, MarkFamily
from generator_service.benchmarks.marvel.nets.triangular import OCTAHEDRON, TETRAHEDRON
from generator_service.benchmarks.marvel.spec import CHOICES, REASSEMBLING, SOLID, Look, Panel, Puzzle
from tetrad.streams import Stream

MOST_SETS, MOST_TRIES = 20, 240
_SEEDS = 1 << 32
View = tuple[int, ...]


class Solid(Protocol):
    """A solid with printed faces.

    faces: how many it has. seen: how many of them a view shows. turns: the ways to print a mark on a face. marks: how
    many marks a family has for it.
    """

    @property
    def name(self) -> str: ...
    @property
    def faces(self) -> int: ...
    @property
    def seen(self) -> int: ...
    @property
    def turns(self) -> int: ...
    @property
    def marks(self) -> int: ...

    def same(self, view: View, likeness: int) -> Hashable:
        """Return what all views have in common that show the same faces side by side, turned about on the spot.

        A mark looks alike after every `turns / likeness` of its turns.
        """
        ...

    def net(
        self, view: View, wrong: Sequence[View], likeness: int, marks: Sequence[int], stream: Stream
    ) -> tuple[int, ...] | None:
        """Draw a solid with these marks that shows the view; return its net, None if it shows a wrong one, too."""
        ...


CUBE = Cube()
SOLIDS: Mapping[str, Solid] = {solid.name: solid for solid in (CUBE, TETRAHEDRON, OCTAHEDRON)}
_DRAWN: tuple[Solid, ...] = (CUBE, CUBE, TETRAHEDRON, OCTAHEDRON)
"""Half of the puzzles are of cubes, about as in the published set."""


class NoPuzzle(RuntimeError):  # noqa: N818 - named for what went wrong
    """No puzzle of a stratum was found within the bounds on tries: its rules leave too little room."""


def is_net(panel: Panel) -> bool:
    return len(panel.values) % 2 == 1


def families_on(solid: Solid, shape: str) -> list[str]:
    """Return the families of marks of this shape with which four views of the solid can be told apart."""
    return [name for name, family in MARK_FAMILIES.items() if family.shape == shape and _is_told(solid, family)]


def _is_told(solid: Solid, family: MarkFamily) -> bool:
    """Any two faces of a tetrahedron lie side by side, so that only the turns of their marks tell views apart."""
    return family.turns == solid.turns and (solid is not TETRAHEDRON or family.likeness > 1)


def net_puzzle(shape: str, stream: Stream, rejected: Counter[str]) -> Puzzle:
    """Draw a solid, then a puzzle of it; `rejected` counts refusals by reason."""
    look = Look(shape=shape, sorts=(), seeds=(), fills=(), ground=0, seed=stream.below(_SEEDS))
    return _puzzle(stream.choice(_DRAWN), look, stream, rejected)


def _puzzle(solid: Solid, look: Look, stream: Stream, rejected: Counter[str]) -> Puzzle:
    """Draw four views and a key, then solids until only the key is possible. Views are replaced only all together."""
    family = stream.choice(families_on(solid, look.shape))
    likeness = MARK_FAMILIES[family].likeness
    tries = 0
    for _ in range(MOST_SETS):
        marks, views = _four_views(solid, likeness, stream)
        key = stream.below(len(views))
        wrong = [view for place, view in enumerate(views) if place != key]
        for _ in range(MOST_TRIES):
            tries += 1
            net = solid.net(views[key], wrong, likeness, marks, stream)
            if net is None:
                rejected[f"another {solid.name} possible"] += 1
                continue
            return Puzzle(
                pattern=SOLID,
                configuration=REASSEMBLING,
                family=family,
                form=solid.name,
                look=look,
                context=(Panel(net),),
                choices=tuple(Panel(view, stream.below(_SEEDS)) for view in views),
                key=key,
                rules=(f"the {solid.name} that the net folds to",),
                tries=tries,
            )
        rejected["set dropped"] += 1
    raise NoPuzzle(f"no net for {family} on a {solid.name} in {tries} tries")


def _four_views(solid: Solid, likeness: int, stream: Stream) -> tuple[list[int], tuple[View, ...]]:
    """Draw marks, and four views: one, and what it becomes by mirroring, turning a face or replacing a mark."""
    drawn = stream.sample(range(solid.marks), solid.faces)
    marks = sorted(drawn)
    base = tuple(value for mark in drawn[: solid.seen] for value in (mark, stream.below(solid.turns)))
    views, seen = [base], {solid.same(base, likeness)}
    while len(views) < CHOICES:
        view = stream.choice(views)
        for _ in range(1 + stream.below(2)):
            view = _change_view(solid, view, likeness, marks, stream)
        if solid.same(view, likeness) not in seen:
            views.append(view)
            seen.add(solid.same(view, likeness))
    return marks, stream.shuffle(views)


def _change_view(solid: Solid, view: View, likeness: int, marks: Sequence[int], stream: Stream) -> View:
    change = stream.below(3 if likeness > 1 else 2)
    parts = [view[at : at + 2] for at in range(0, 2 * solid.seen, 2)]
    at = stream.below(solid.seen)
    if change == 0:  # mirrored: two faces change places
        other = (at + 1) % solid.seen
        parts[at], parts[other] = parts[other], parts[at]
    elif change == 1:  # another mark, possibly one that lies opposite to one of the others
        free = [mark for mark in marks if mark not in {part[0] for part in parts}]
        parts[at] = (stream.choice(free), parts[at][1])
    else:
        parts[at] = (parts[at][0], (parts[at][1] + 1 + stream.below(likeness - 1)) % solid.turns)
    return tuple(value for part in parts for value in part)
