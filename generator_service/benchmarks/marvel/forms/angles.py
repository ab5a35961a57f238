"""Forms of 2d-geometry: angles and parallels."""

from generator_service.benchmarks.marvel.forms.counting import chance
from generator_service.benchmarks.marvel.forms.form import (
    Detail,
    Drawn,
    Field,
    Form,
    Reading,
    count_details,
    field_value,
    put,
)
from generator_service.benchmarks.marvel.rules.laws import CYCLE, NUMBER
from generator_service.benchmarks.marvel.spec import ABSTRACT, GEOMETRIC, Look, Panel
from generator_service.drawing.vector import BLACK, MIDDLE, Pen, moved, polar, sine


def _angle_turn(_: Look, panel: Panel) -> int:
    return chance(panel, "turn").below(_TURNS)


def _angle(pen: Pen, look: Look, panel: Panel) -> None:
    turn = 15 * _angle_turn(look, panel)
    at = polar(MIDDLE, -120, turn + 15 * panel.values[0])
    for arm in (0, 30 * panel.values[0]):
        end = polar(at, 385, turn + arm)
        pen.line([at, end], width=20)
        put(pen, look, 0, end, 62, shade=BLACK)
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
            "quantity",
            lambda _: "Do the two lines in choice {choice} meet at {a} or at {b} degrees?",
            lambda _, value: str(30 * value),
            field_value(0),
        ),
        Detail(
            "comparison",
            lambda _: "Is the angle in choice {choice} {a} or {b} than the one in choice {other}?",
            lambda _, value: ("smaller", "larger")[value],
            field_value(0),
        ),
    ),
)


_WAYS, _LINES = 6, 6
_HALF = 120.0  # length of a line: middles are 310 apart, and two lines must not meet


def directions(panel: Panel, count: int) -> list[int]:
    """Return the six lines' directions in degrees: `count` of them alike, the others each its own."""
    stream = chance(panel, "directions")
    first, *others = stream.sample(range(_WAYS), _WAYS)
    found = [first] * count + others[: _LINES - count]
    return [30 * one + 10 for one in stream.shuffled(found)]


def _common_direction(panel: Panel) -> int:
    """Return the shared direction of the lines that are alike: one of six."""
    pointing = directions(panel, panel.values[0])
    return (max(pointing, key=pointing.count) - 10) // 30


_LINE_SPOTS = tuple((across, down) for down in (300.0, 700.0) for across in (190.0, 500.0, 810.0))


def _parallel(pen: Pen, look: Look, panel: Panel) -> None:
    for at, degrees in zip(_LINE_SPOTS, directions(panel, panel.values[0]), strict=True):
        wave = [
            (26 * sine(720 * step / 24) if look.shape == ABSTRACT else 0.0, _HALF * (step / 12 - 1))
            for step in range(25)
        ]
        pen.line(moved(wave, at, 1.0, degrees), width=26, smooth=True)


_PARALLEL_WORDS = {
    3: "three of them point the same way, the others each another way",
    4: "four of them point the same way, the others each another way",
    5: "five of them point the same way, the other one another way",
    6: "all six point the same way",
}

PARALLEL = Form(
    name="parallel",
    fields=(Field("count", NUMBER, 3, _LINES),),
    readings=(Reading("directions", NUMBER, lambda _, values: _LINES + 1 - values[0]),),
    drawn=(Drawn("direction", CYCLE, lambda _, panel: _common_direction(panel), _WAYS),),
    draw=_parallel,
    describe=lambda look, panel: (
        f"Six {('straight', 'wavy')[look.shape == ABSTRACT]} lines; {_PARALLEL_WORDS[panel.values[0]]}."
    ),
    details=count_details("parallel lines"),
)
