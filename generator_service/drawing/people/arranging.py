"""Arrange a situation: who stands where, what is held where, what shows the motion.

Units are pixels before framing: 180 a metre. The agent's place on the ground is the origin, x points to the right and
y down. Everybody faces left; a finished picture may be mirrored. Whatever a frame names gets an area, so that none of
it is too small to be asked about.

Pieces are drawn in the order of `layer`: what is behind the agent has a negative one, the agent 0. A piece with `depth`
is held: the parts of the agent that are nearer than it are drawn over it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from generator_service.drawing.people.things import THINGS

Point = tuple[float, float]
Colour = tuple[int, int, int]
ITEM, TOOL, VICTIM, VEHICLE, ANIMAL = 17_000.0, 17_000.0, 26_000.0, 62_000.0, 38_000.0
"""Areas of boxes, in pixels before framing."""
LONGEST = 250.0
"""The longest side of an item's or a tool's box, which keeps slender things from growing huge."""
SPEED, ROPE, WOOD, DARK = (120, 130, 150), (150, 110, 60), (170, 120, 70), (60, 60, 70)
WHITE, RED, STEEL, SOIL = (250, 250, 250), (220, 50, 50), (130, 136, 150), (120, 84, 54)


@dataclass(frozen=True, kw_only=True)
class Sprite:
    """A thing's or scenery's picture: its box covers `area`, and the share `by` of it lies at `at`.

    turn: degrees clockwise, before the box is taken; of a pinned one, `by` is a point of the picture before the turn.
    role: what it fills in the frame, "" for scenery.
    """

    name: str
    at: Point
    by: Point = (0.5, 0.5)
    area: float
    longest: float = 900.0
    turn: int = 0
    flipped: bool = False
    pinned: bool = False
    layer: float = 1.0
    depth: int = 0
    role: str = ""
    shadow: bool = False


@dataclass(frozen=True, kw_only=True)
class Actor:
    """The agent as a person: in which pose, where the origin of the layer lies, and whether it has a shadow.

    scale: 1 is life-size; more where the agent would be too small to be asked about.
    """

    pose: str
    at: Point
    shadow: bool = True
    scale: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Mark:
    """Lines or filled outlines: a motion mark, a rope, a piece of scenery."""

    points: tuple[Point, ...]
    colour: Colour
    width: float = 0.0  # 0: filled
    layer: float = 1.0
    round: bool = False  # an ellipse in the box of the first two points
    framed: bool = True


@dataclass(frozen=True)
class Size:
    """The measures of an agent before it is drawn: anchor points and the box, from its origin."""

    anchors: Mapping[str, tuple[float, float, int]]
    left: float
    top: float
    right: float
    bottom: float


@dataclass
class Scene:
    """A scene while it is arranged. `measure` gives the size of the agent in a pose; animals have the pose ""."""

    values: Mapping[str, str]
    measure: Callable[[str], Size]
    is_animal: bool
    shape: Callable[[str], float]  # height over width of a picture
    boosts: Mapping[str, float] = field(default_factory=dict)  # factors of the areas of roles
    sprites: list[Sprite] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    actor: Actor | None = None
    size: Size | None = None
    at: Point = (0.0, 0.0)

    def agent(self, pose: str, x: float = 0.0, lift: float = 0.0, turn: int = 0, *, shadow: bool = True) -> None:
        """Place the agent with its ground point at x, lifted above the ground; a second call moves it."""
        self.at = (x, -lift)
        self.size = self.measure(pose)
        self.sprites = [sprite for sprite in self.sprites if sprite.role != "agent"]
        if not self.is_animal:
            scale = self.boosts.get("agent", 1.0) ** 0.5
            self.actor = Actor(pose=pose, at=self.at, shadow=shadow, scale=scale)
            return
        self.sprites.append(
            Sprite(
                name=self.values["agent"],
                at=self.at,
                by=(0.5, 1.0),
                area=ANIMAL * THINGS[self.values["agent"]].size,
                turn=turn,
                layer=0.0,
                role="agent",
                shadow=shadow,
            )
        )

    def anchor(self, name: str, dx: float = 0.0, dy: float = 0.0) -> Point:
        """Return where an anchor point of the agent lies."""
        x, y, _ = self._size.anchors[name]
        return self.at[0] + x + dx, self.at[1] + y + dy

    def depth(self, name: str) -> int:
        return self._size.anchors[name][2]

    @property
    def left(self) -> float:
        """Return where the agent ends on the left."""
        return self.at[0] + self._size.left

    @property
    def right(self) -> float:
        return self.at[0] + self._size.right

    @property
    def top(self) -> float:
        return self.at[1] + self._size.top

    @property
    def _size(self) -> Size:
        if self.size is None:
            raise ValueError("the agent is placed first; call `agent`")
        return self.size

    def put(
        self,
        role: str,
        at: Point,
        by: Point = (0.5, 0.5),
        *,
        area: float | None = None,
        layer: float = 1.0,
        turn: int = 0,
        depth: int = 0,
        flipped: bool = False,
        pinned: bool = False,
        shadow: bool = False,
    ) -> None:
        """Lay the thing that fills a role."""
        self.sprites.append(
            Sprite(
                name=self.values[role],
                at=at,
                by=by,
                area=self._area(role, area),
                longest=self._longest(role),
                layer=layer,
                turn=turn % 360,
                depth=depth,
                flipped=flipped != THINGS[self.values[role]].faces_right,
                pinned=pinned,
                role=role,
                shadow=shadow,
            )
        )

    def ground(
        self, role: str, x: float, *, area: float | None = None, layer: float = 1.0, flipped: bool = False
    ) -> None:
        """Stand the thing that fills a role on the ground."""
        self.put(role, (x, 0.0), (0.5, 1.0), area=area, layer=layer, flipped=flipped, shadow=True)

    def box(self, role: str, area: float | None = None) -> Point:
        """Return width and height of the thing that fills a role."""
        return fit_box(self.shape(self.values[role]), self._area(role, area), self._longest(role))

    def _area(self, role: str, area: float | None) -> float:
        areas = {"item": ITEM, "tool": TOOL, "victim": VICTIM, "vehicle": VEHICLE}
        usual = areas[role] * THINGS[self.values[role]].size
        return (usual if area is None else area) * self.boosts.get(role, 1.0)

    def _longest(self, role: str) -> float:
        return LONGEST * self.boosts.get(role, 1.0) if role in ("item", "tool") else 900.0

    def grip(self, hand: str, towards: int, *, dx: float = 0.0, dy: float = 0.0) -> None:
        """Lay the tool into a hand, its tip towards so many degrees: 0 is right, 90 up, 180 left."""
        thing = THINGS[self.values["tool"]]
        pointing = {"S": 90, "N": 270, "SE": 135, "NE": 225, "SW": 45, "NW": 315}[thing.grip]
        turn = (pointing - towards) % 360
        self.put("tool", self.anchor(hand, dx, dy), thing.held, turn=turn, depth=self.depth(hand), pinned=True)

    def scenery(
        self,
        name: str,
        at: Point,
        by: Point = (0.5, 0.5),
        *,
        area: float,
        layer: float = 1.0,
        turn: int = 0,
        flipped: bool = False,
        depth: int = 0,
    ) -> None:
        self.sprites.append(
            Sprite(name=name, at=at, by=by, area=area, layer=layer, turn=turn % 360, flipped=flipped, depth=depth)
        )

    def line(self, *points: Point, colour: Colour = SPEED, width: float = 5.0, layer: float = 1.0) -> None:
        self.marks.append(Mark(points=points, colour=colour, width=width, layer=layer))

    def fill(self, *points: Point, colour: Colour, layer: float = 1.0) -> None:
        self.marks.append(Mark(points=points, colour=colour, layer=layer))

    def bar(self, left: float, top: float, right: float, bottom: float, colour: Colour, layer: float = 1.0) -> None:
        self.fill((left, top), (right, top), (right, bottom), (left, bottom), colour=colour, layer=layer)

    def oval(
        self,
        left: float,
        top: float,
        right: float,
        bottom: float,
        colour: Colour,
        *,
        width: float = 0.0,
        layer: float = 1.0,
    ) -> None:
        self.marks.append(
            Mark(points=((left, top), (right, bottom)), colour=colour, width=width, layer=layer, round=True)
        )

    def speed(
        self, x: float, y: float, long: float = 50.0, *, rows: int = 3, gap: float = 18.0, down: bool = False
    ) -> None:
        """Draw streaks that trail to the right of what moves left, or above what falls."""
        for row in range(rows):
            shift = (row - (rows - 1) / 2) * gap
            reach = long * (1.0 if row % 2 else 0.7)
            if down:
                self.line((x + shift, y), (x + shift, y - reach))
            else:
                self.line((x, y + shift), (x + reach, y + shift))


def fit_box(shape: float, area: float, longest: float) -> Point:
    """Return width and height of a box of this height over width: of the area, unless a side grows too long."""
    width = (area / shape) ** 0.5
    height = width * shape
    most = max(width, height)
    share = min(1.0, longest / most)
    return width * share, height * share
