"""Draw a few signs as strokes, so that labels on pictures need no font file."""

from functools import lru_cache

from generator_service.drawing.vector import Grey, Path, Pen, polar

_BOW = tuple(polar((500.0, 330.0), 210, angle) for angle in range(-80, 141, 20))
_HOOK = tuple(polar((490.0, 310.0), 190, angle) for angle in range(-75, 181, 15))
_BELLY = tuple(polar((490.0, 680.0), 205, angle) for angle in range(0, 256, 15))
SIGNS: dict[str, tuple[Path, ...]] = {
    "1": (((340, 260), (520, 130), (520, 870)),),
    "2": ((*_BOW, (290.0, 870.0), (730.0, 870.0)),),
    "3": ((*_HOOK, *_BELLY),),
    "4": (((600, 870), (600, 130), (240, 640), (760, 640)),),
    "A": (((230, 870), (500, 130), (770, 870)), ((330, 620), (670, 620))),
    "B": (
        ((280, 130), (280, 870)),
        ((280, 130), (520, 130), (650, 200), (690, 310), (650, 410), (520, 480), (280, 480)),
        ((520, 480), (680, 560), (720, 675), (680, 790), (520, 870), (280, 870)),
    ),
    "C": (tuple(polar((520.0, 500.0), 340, angle) for angle in range(50, -231, -20)),),
    "D": (
        (
            (280, 130),
            (280, 870),
            (480, 870),
            (650, 790),
            (740, 640),
            (760, 500),
            (740, 360),
            (650, 210),
            (480, 130),
            (280, 130),
        ),
    ),
    "?": (
        (*(polar((500.0, 330.0), 200, angle) for angle in range(-80, 121, 20)), (520.0, 560.0), (500.0, 690.0)),
        ((500, 850), (500, 856)),
    ),
}


@lru_cache(maxsize=64)
def sign(character: str, side: int, width: int = 95) -> Grey:
    """Draw one sign black on white, (side, side), read-only; KeyError for one that is not among `SIGNS`."""
    pen = Pen(side)
    for path in SIGNS[character]:
        pen.line(path, width=width)
    drawn = pen.finished()
    drawn.flags.writeable = False
    return drawn
