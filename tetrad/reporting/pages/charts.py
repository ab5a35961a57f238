"""Plots as SVG. All places are percents of the width, so a plot fits any cell without a style or a script.

Each plot says its figures in its label, and the same figures stand beside it in the table.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

from markupsafe import Markup, escape

from tetrad.contracts.reports import IntervalValue
from tetrad.statistics.interval import Interval

TICKS = (0, 25, 50, 75, 100)
MOST_CELLS = 26
CELL, STEP = 5, 7  # pixels
FREE, BEGIN, END, TOP, BOTTOM = 0.05, 0.17, 0.97, 0.06, 0.88  # of a plot of costs, as shares of its sides
LABEL_ROOM = 0.13  # of the width: labels of the head nearer to each other than this don't both fit
Mark = tuple[float, str]


def percent(share: float) -> str:
    """Write a share as a percentage of SVG, clipped to the plot."""
    clipped = 1.0 if share >= 1 else share if share > 0 else 0.0  # a long board has ten thousand: `min` takes as long
    return f"{100 * clipped:.2f}".rstrip("0").rstrip(".") + "%"


def grid(name: str, chance: float | None, people: tuple[float, float] | None = None) -> Markup:
    """Return the symbol that all plots of a table use: lines at quarters, the chance line, the band of people."""
    parts = []
    if people is not None:
        low, high = people
        parts.append(f'<rect class="pe" x="{percent(low)}" y="0" width="{percent(high - low)}" height="100%"/>')
    parts += [f'<line class="{"g" if tick else "g0"}" x1="{tick}%" x2="{tick}%" y1="0" y2="100%"/>' for tick in TICKS]
    if chance is not None:
        at = percent(chance)
        parts.append(f'<line class="ch" x1="{at}" x2="{at}" y1="0" y2="100%"/>')
    symbol = f'<symbol id="{escape(name)}" overflow="visible">{"".join(parts)}</symbol>'
    return Markup(f'<svg width="0" height="0" class="hide" aria-hidden="true">{symbol}</svg>')  # noqa: S704


def scale(chance: float | None, people: tuple[float, float] | None = None, ticks: Sequence[int] = TICKS) -> Markup:
    """Return the head of the plots: ticks below, and above them chance and people by name."""
    places = {0: ' class="first"', 100: ' class="last"'}
    parts = [
        f'<text x="{tick}%" y="38"{places.get(tick, "")}>{tick}{"%" if tick in places else ""}</text>' for tick in ticks
    ]
    middle = None if people is None else sum(people) / 2
    if chance is not None:
        parts.append(f'<text class="lab" x="{_inside(chance)}" y="20">chance {100 * chance:.3g}%</text>')
    if middle is not None and (chance is None or abs(middle - chance) > LABEL_ROOM):
        parts.append(f'<text class="lab" x="{_inside(middle)}" y="20">people</text>')
    return Markup(f'<svg class="p" aria-hidden="true">{"".join(parts)}</svg>')  # noqa: S704


def _inside(share: float) -> str:
    return percent(min(0.92, max(0.08, share)))


def interval_plot(
    name: str,
    label: str,
    score: float | None,
    interval: IntervalValue | Interval | None,
    *,
    solid: bool = True,
    radius: float = 6,
    also: Iterable[Mark] = (),
    asked: float | None = None,
) -> Markup:
    """Return a dot with its interval over the grid of this name; an open dot without a halo if it is not `solid`.

    `also` are published figures of the same thing, as diamonds with their names. `asked` is the least that was asked
    for, a dashed line.
    """
    parts = [f'<use href="#{escape(name)}"/>']
    if asked is not None:
        parts.append(f'<line class="ch" x1="{percent(asked)}" x2="{percent(asked)}" y1="0" y2="100%"/>')
    if interval is not None:
        low, high = percent(interval.lower), percent(interval.upper)
        line = f'x1="{low}" x2="{high}" y1="50%" y2="50%"'
        parts += [f'<line class="h" {line}/>'] * solid + [f'<line class="i" {line}/>']
    parts += [_diamond(place, title) for place, title in also]
    if score is not None:
        kind = "d" if solid else "o"
        parts.append(f'<circle class="{kind}" cx="{percent(score)}" cy="50%" r="{radius:g}"/>')
    return _image(label, parts)


def diamond_plot(name: str, label: str, value: float) -> Markup:
    """Return the mark of a published figure over the grid of this name."""
    return _image(label, [f'<use href="#{escape(name)}"/>', _diamond(value, "")])


def ceiling_plot(name: str, label: str, ceiling: float | None, also: Iterable[Mark]) -> Markup:
    """Return a ceiling as a grey bar from 0 over the grid of this name, and published figures as diamonds."""
    parts = [f'<use href="#{escape(name)}"/>']
    if ceiling is not None:
        parts.append(f'<rect class="b-c" x="0" width="{percent(ceiling)}" y="30%" height="40%"/>')
    return _image(label, [*parts, *(_diamond(place, title) for place, title in also)])


def _diamond(place: float, title: str) -> str:
    said = f"<title>{escape(title)}</title>" if title else ""
    return f'<svg x="{percent(place)}" y="50%">{said}<path class="di" d="M0-6 6 0 0 6-6 0z"/></svg>'


def _image(label: str, parts: Iterable[str]) -> Markup:
    return Markup(f'<svg class="p" role="img" aria-label="{escape(label)}">{"".join(parts)}</svg>')  # noqa: S704


def rank_cells(best: int, worst: int, ranked: int) -> Markup:
    """Return one cell for each ranked model, those that this one may hold filled; of many models a bar."""
    if ranked <= MOST_CELLS:
        last, begin, end = ranked * STEP - 2, (best - 1) * STEP, worst * STEP - 2
        dashes = f'stroke-dasharray="{CELL} {STEP - CELL}"'
        lines = (
            f'<line class="ce" x1="0" x2="{last}" y1="3" y2="3" {dashes}/>'
            f'<line class="cf" x1="{begin}" x2="{end}" y1="3" y2="3" {dashes}/>'
        )
        width = f' width="{max(last, 1)}"'
    else:
        begin_at, end_at = percent((best - 1) / ranked), percent(worst / ranked)
        lines = (
            '<line class="ce" x1="0" x2="100%" y1="3" y2="3"/>'
            f'<line class="cf" x1="{begin_at}" x2="{end_at}" y1="3" y2="3"/>'
        )
        width = ""
    return Markup(f'<svg class="cells"{width} aria-hidden="true">{lines}</svg>')  # noqa: S704


def stacked_bar(label: str, parts: Iterable[tuple[str, float]]) -> Markup:
    """Return one bar of parts: of each its class and its share of the whole width."""
    begin, drawn = 0.0, []
    for kind, share in parts:
        drawn.append(f'<rect class="{kind}" x="{percent(begin)}" width="{percent(share)}" y="0" height="100%"/>')
        begin += share
    return Markup(f'<svg class="bar" role="img" aria-label="{escape(label)}">{"".join(drawn)}</svg>')  # noqa: S704


def difference_plot(label: str, difference: float, bounds: tuple[float, float], margin: float, reach: float) -> Markup:
    """Return a difference with its interval: zero in the middle, the margin that matters as a band, ends at `reach`."""

    def place(value: float) -> str:
        return percent(0.5 + value / (2 * reach))

    low, high = place(bounds[0]), place(bounds[1])
    line = f'x1="{low}" x2="{high}" y1="50%" y2="50%"'
    band = f'<rect class="pe" x="{place(-margin)}" width="{percent(margin / reach)}" y="0" height="100%"/>'
    parts = [
        band if margin else "",
        '<line class="g0" x1="50%" x2="50%" y1="0" y2="100%"/>',
        f'<line class="h" {line}/><line class="i" {line}/>',
        f'<circle class="d" cx="{place(difference)}" cy="50%" r="5"/>',
    ]
    return _image(label, parts)


def two_dots(name: str, label: str, first: float, second: float) -> Markup:
    """Return two scores of the same thing, joined: the first filled, the second open."""
    one, other = percent(first), percent(second)
    return _image(
        label,
        [
            f'<use href="#{escape(name)}"/>',
            f'<line class="i" x1="{one}" x2="{other}" y1="50%" y2="50%"/>',
            f'<circle class="d" cx="{one}" cy="50%" r="4.5"/><circle class="o" cx="{other}" cy="50%" r="4.5"/>',
        ],
    )


def cost_plot(label: str, points: Sequence[tuple[float, float]], frontier: Sequence[tuple[float, float]]) -> Markup:
    """Return scores against costs on a logarithmic scale: a numbered dot for each, and the frontier as a stair.

    `points` and `frontier` are (cost in dollars, score as a share). What costs nothing stands at the left edge, before
    the decades.
    """
    paid = [cost for cost, _ in points if cost > 0]
    low = math.floor(math.log10(min(paid)))
    high = max(low + 1, math.ceil(math.log10(max(paid))))

    def across(cost: float) -> str:
        return percent(FREE if cost <= 0 else BEGIN + (END - BEGIN) * (math.log10(cost) - low) / (high - low))

    def down(score: float) -> str:
        return percent(TOP + (BOTTOM - TOP) * (1 - score))

    edges = f'x1="{percent(FREE)}" x2="{percent(END)}"'
    parts = [f'<line class="g" {edges} y1="{down(tick / 100)}" y2="{down(tick / 100)}"/>' for tick in TICKS]
    parts += [f'<text x="1%" y="{down(tick / 100)}" dy="-3" class="first">{tick}%</text>' for tick in TICKS[1:]]
    for decade in range(low, high + 1):
        at = across(10.0**decade)
        parts.append(f'<line class="g" x1="{at}" x2="{at}" y1="{percent(TOP)}" y2="{percent(BOTTOM)}"/>')
        parts.append(f'<text x="{at}" y="97%">${10.0**decade:g}</text>')
    if min(cost for cost, _ in points) <= 0:
        parts.append(f'<text x="{percent(FREE)}" y="97%">free</text>')
    for (cost, score), (dearer, higher) in pairwise(frontier):
        parts.append(
            f'<line class="i" x1="{across(cost)}" x2="{across(dearer)}" y1="{down(score)}" y2="{down(score)}"/>'
        )
        up = f'x1="{across(dearer)}" x2="{across(dearer)}" y1="{down(score)}" y2="{down(higher)}"'
        parts.append(f'<line class="i" {up}/>')
    best = set(frontier)
    for number, (cost, score) in enumerate(points, start=1):
        at, kind = f'x="{across(cost)}" y="{down(score)}"', "d" if (cost, score) in best else "o"
        parts.append(
            f'<circle class="{kind}" c{at.replace(" y=", " cy=")} r="5"/><text class="lab" {at} dy="-9">{number}</text>'
        )
    return Markup(f'<svg class="costs" role="img" aria-label="{escape(label)}">{"".join(parts)}</svg>')  # noqa: S704
