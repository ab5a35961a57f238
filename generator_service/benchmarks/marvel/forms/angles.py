"""Forms of 2d-geometry: angles and parallels."""

from generator_service.benchmarks.marvel.forms.counting import chance
from generator_service.benchmarks.marvel.forms.form import (
    Detail,
    Drawn,
    Field,
    Form,
    Reading,
    count_details,
    draw_figure,
    field_value,
)
from generator_service.benchmarks.marvel.rules.laws import CYCLE, NUMBER
from generator_service.benchmarks.marvel.spec import ABSTRACT, GEOMETRIC, Look, Panel
from generator_service.drawing.vector import BLACK, MIDDLE, Pen, Point, move_path, polar, sine


def _angle_turn(_: Look, panel: Panel) -> int:
    return chance(panel, "turn").below(_TURNS)


def _angle(pen: Pen, look: Look, panel: Panel) -> None:
    turn = 15 * _angle_turn(look, panel)
    at = polar(MIDDLE, -120, turn + 15 * panel.values[0])
    for arm in (0, 30 * panel.values[0]):
        end = polar(at, 385, turn + arm)
        pen.line([at, end], width=20)
        draw_figure(pen, look, 0, end, 62, shade=BLACK)
    pen.disc(at, 26)


_TURNS = 24
_END = {
    GEOMETRIC: ("circle", "square", "triangle", "diamond", "star"),
    ABSTRACT: ("jagged shape", "four-lobed blob", "five-lobed blob", "three-lobed blob"),
}

ANGLE = Form(
    name="angle",
    fields=(Field("opening", NUMBER, 1, 6),),
    sorts=_END,
    drawn=(Drawn("turn", CYCLE, _angle_turn, _TURNS),),
    draw=_angle,
    describe=lambda look, panel: (
        f"Two lines that meet at an angle of {30 * panel.values[0]} degrees, each ending in a black {look.sorts[0]}."
    ),
    details=(
        Detail(
            kind="quantity",
            ask=lambda _: "Do the two lines in choice {choice} meet at {a} or at {b} degrees?",
            answer=lambda _, value: str(30 * value),
            of=field_value(0),
        ),
        Detail(
            kind="comparison",
            ask=lambda _: "Is the angle in choice {choice} {a} or {b} than the one in choice {other}?",
            answer=lambda _, value: ("smaller", "larger")[value],
            of=field_value(0),
        ),
    ),
)


_WAYS = 6
_LINES = 6
_HALF = 120.0  # of a line's length: so short that no two lines meet
_SPOTS: tuple[Point, ...] = tuple((across, down) for down in (300.0, 700.0) for across in (190.0, 500.0, 810.0))
_PARALLEL_WORDS = {
    3: "three of them point the same way, the others each another way",
    4: "four of them point the same way, the others each another way",
    5: "five of them point the same way, the other one another way",
    6: "all six point the same way",
}


def directions(panel: Panel) -> list[int]:
    """Return the lines' directions in degrees: as many alike as the value says, the others each its own."""
    count = panel.values[0]
    stream = chance(panel, "directions")
    first, *others = stream.sample(range(_WAYS), _WAYS)
    found = [first] * count + others[: _LINES - count]
    return [30 * way + 10 for way in stream.shuffle(found)]


def _parallel(pen: Pen, look: Look, panel: Panel) -> None:
    for at, degrees in zip(_SPOTS, directions(panel), strict=True):
        wave = [
            (26 * sine(720 * step / 24) if look.shape == ABSTRACT else 0.0, _HALF * (step / 12 - 1))
            for step in range(25)
        ]
        pen.line(move_path(wave, at, 1.0, degrees), width=26, smooth=True)


def _common_direction(_: Look, panel: Panel) -> int:
    """Return the shared direction of the lines that are alike: one of six."""
    pointing = directions(panel)
    return (max(pointing, key=pointing.count) - 10) // 30


PARALLEL = Form(
    name="parallel",
    fields=(Field("count", NUMBER, 3, _LINES),),
    readings=(Reading("directions", NUMBER, lambda _, values: _LINES + 1 - values[0]),),
    drawn=(Drawn("direction", CYCLE, _common_direction, _WAYS),),
    draw=_parallel,
    describe=lambda look, panel: (
        f"Six {('straight', 'wavy')[look.shape == ABSTRACT]} lines; {_PARALLEL_WORDS[panel.values[0]]}."
    ),
    details=count_details("parallel lines"),
)
