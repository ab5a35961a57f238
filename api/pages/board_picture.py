"""A board as one picture, to be put into a paper or a slide: an SVG that needs no stylesheet, on light ground.

It stands alone because the page draws in percents of its cells, and a picture that is taken elsewhere draws in pixels.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from tetrad.contracts.leaderboards import BoardRow
from tetrad.contracts.reports import IntervalValue
from tetrad.reporting.pages.words import UNKNOWN, in_percent, interval_words

WIDTH, ROW, HEAD, FOOT = 960, 30, 96, 44
RANK, NAME, LEFT, RIGHT, SCORE, END = 24, 84, 400, 740, 800, 936  # of columns; the last two end there
LONGEST = 44  # characters of a name
INK, SOFT, RULE, ACCENT, MARK, PEOPLE = "#1b1c1e", "#585c62", "#dedad1", "#0b5c73", "#a9c9d1", "#ece5d4"
GROUND = "#fbfaf7"
SVG = "http://www.w3.org/2000/svg"


@dataclass(frozen=True, kw_only=True)
class BoardPicture:
    """All that the picture shows. `rows` are (rank or "", row) in order; `published` are (name, share)."""

    title: str
    address: str
    chance: float | None
    people: tuple[float, float] | None
    rows: Sequence[tuple[str, BoardRow]]
    published: Sequence[tuple[str, float]]


def write_picture(board: BoardPicture) -> str:
    """Return the picture. Names are strangers' texts: they are escaped, and cut where they are long."""
    bottom = HEAD + ROW * (len(board.rows) + len(board.published))
    height = bottom + FOOT
    parts = [
        Markup('<svg xmlns="{0}" width="{1}" height="{2}" viewBox="0 0 {1} {2}" role="img">').format(
            SVG, WIDTH, height
        ),
        Markup("<title>{}</title>").format(board.title),
        Markup('<rect width="{}" height="{}" fill="{}"/>').format(WIDTH, height, GROUND),
        *draw_scale(board, bottom),
    ]
    middle = HEAD + ROW // 2
    for rank, row in board.rows:
        parts += draw_row(middle, rank, row)
        middle += ROW
    for name, share in board.published:
        parts += draw_published(middle, name, share)
        middle += ROW
    foot = f"95% intervals at all times; dashed: chance; diamonds: published, of other pictures. {board.address}"
    parts.append(write(RANK, bottom + 28, foot, size=11, fill=SOFT))
    return "".join([*parts, "</svg>\n"])


def across(share: float) -> float:
    """Return where a share stands, in pixels."""
    return round(LEFT + (RIGHT - LEFT) * min(1.0, max(0.0, share)), 1)


def write(x: float, y: float, text: str, **style: object) -> Markup:
    named = {"size": 13, "fill": INK, "anchor": "start", "weight": 400, "slant": "normal"} | style
    return Markup(
        '<text x="{x}" y="{y}" font-family="Charter, Georgia, serif" font-size="{size}" fill="{fill}" '
        'text-anchor="{anchor}" font-weight="{weight}" font-style="{slant}" unicode-bidi="isolate">{text}</text>'
    ).format(x=x, y=y, text=text, **named)


def across_line(ends: tuple[float, float], y: float, stroke: str, width: float = 1) -> Markup:
    """Return a line from left to right."""
    return Markup('<line x1="{}" x2="{}" y1="{y}" y2="{y}" stroke="{}" stroke-width="{}"/>').format(
        *ends, stroke, width, y=y
    )


def down_line(x: float, bottom: float, stroke: str, dashes: str = "none") -> Markup:
    """Return a line through all rows."""
    return Markup('<line x1="{x}" x2="{x}" y1="{}" y2="{}" stroke="{}" stroke-dasharray="{}"/>').format(
        HEAD, bottom, stroke, dashes, x=x
    )


def draw_scale(board: BoardPicture, bottom: float) -> Iterator[Markup]:
    """Yield the title, the heads of the columns, the band of people, lines at quarters and at chance."""
    yield write(RANK, 34, board.title, size=20)
    for x, head, anchor in ((RANK, "Rank", "start"), (NAME, "Model", "start"), (END, "Score, %", "end")):
        yield write(x, HEAD - 14, head, size=11, fill=SOFT, anchor=anchor)
    if board.people is not None:
        low, high = (across(end) for end in board.people)
        yield Markup('<rect x="{}" y="{}" width="{}" height="{}" fill="{}"/>').format(
            low, HEAD, round(high - low, 1), bottom - HEAD, PEOPLE
        )
        yield write((low + high) / 2, HEAD - 32, "people", size=11, anchor="middle")
    for tick in (0, 25, 50, 75, 100):
        place = across(tick / 100)
        yield down_line(place, bottom, RULE if tick else SOFT)
        yield write(place, HEAD - 14, str(tick), size=11, fill=SOFT, anchor="middle")
    if board.chance is not None:
        yield down_line(across(board.chance), bottom, INK, "2 3")


def draw_row(middle: float, rank: str, row: BoardRow) -> Iterator[Markup]:
    """Yield a measured row: with a rank its dot is filled and its interval has a halo."""
    yield across_line((RANK, END), middle + ROW / 2, RULE)
    yield write(RANK, middle + 5, rank or UNKNOWN, size=15)
    yield write(NAME, middle + 5, shorten(f"{row.model} · {row.team}"), weight=600 if rank else 400)
    if row.interval is not None:
        yield from draw_interval(middle, row.interval, has_halo=bool(rank))
    if row.score is not None:
        yield Markup('<circle cx="{}" cy="{}" r="5" fill="{}" stroke="{}" stroke-width="1.6"/>').format(
            across(row.score), middle, ACCENT if rank else GROUND, ACCENT
        )
    yield write(SCORE, middle + 5, in_percent(row.score), size=15, anchor="end")
    yield write(END, middle + 5, interval_words(row.interval), size=12, fill=SOFT, anchor="end")


def draw_interval(middle: float, interval: IntervalValue, *, has_halo: bool) -> Iterator[Markup]:
    ends = across(interval.lower), across(interval.upper)
    if has_halo:
        yield across_line(ends, middle, MARK, 9)
    yield across_line(ends, middle, ACCENT, 1.5)


def draw_published(middle: float, name: str, share: float) -> Iterator[Markup]:
    """Yield a published figure: a diamond and italics, without a rank and an interval."""
    yield across_line((RANK, END), middle + ROW / 2, RULE)
    yield write(NAME, middle + 5, shorten(name), slant="italic")
    yield Markup(
        '<path transform="translate({} {})" d="M0-6 6 0 0 6-6 0z" fill="{}" stroke="{}" stroke-width="1.4"/>'
    ).format(across(share), middle, GROUND, INK)
    yield write(SCORE, middle + 5, in_percent(share), size=15, anchor="end", slant="italic", fill=SOFT)


def shorten(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
