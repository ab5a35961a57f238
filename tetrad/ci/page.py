"""Write the result as one HTML page: charts as SVG, pictures inside, no script, nothing fetched from elsewhere.

Texts of models and questions are strangers' texts: every one of them is escaped.
"""

import base64
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from tetrad.ci.applying import gate_names
from tetrad.ci.result import CiResult, GateResult, ModelResult, WrongAnswer
from tetrad.ci.summary import PAIRED, unread_in_words
from tetrad.reporting.run_costs import costs_in_words
from tetrad.reporting.units import percent
from tetrad.statistics.interval import Interval

WIDTH, LABELS, ROW = 720, 230, 34  # of a chart, in pixels: all, the part with labels, the height of a row
LONGEST = 1500  # characters of a reply that are shown

STYLE = """
:root { color-scheme: light dark; --ink: #1d2430; --soft: #5b6675; --line: #d5dbe3; --paper: #ffffff; --card: #f6f8fa;
  --pass: #1a7f4b; --fail: #c0352b; --undecided: #9a6700; --bar: #3566b8; --other: #8a94a3; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --soft: #a2acba; --line: #39424e; --paper: #14181d;
  --card: #1d232b; --pass: #4cc38a; --fail: #ff7b72; --undecided: #e3b341; --bar: #7aa7f0; --other: #8a94a3; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 960px;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top;
  padding: .4rem .6rem; border-bottom: 1px solid var(--line); } th { color: var(--soft); font-weight: 600; }
.pass { color: var(--pass); } .fail { color: var(--fail); } .undecided { color: var(--undecided); }
.decision { font-weight: 700; white-space: nowrap; }
.soft { color: var(--soft); } svg { max-width: 100%; height: auto; } svg text { fill: var(--ink);
  font: 13px system-ui, sans-serif; } svg .soft { fill: var(--soft); }
.wrong { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem;
  margin: 1rem 0; } .wrong figure { display: inline-block; margin: .3rem .6rem .3rem 0; vertical-align: top; }
.wrong img { max-width: 190px; max-height: 190px; background: #fff; border: 1px solid var(--line); }
.wrong label { cursor: zoom-in; } .wrong label input { position: absolute; opacity: 0; }
.wrong label input:checked + img { max-width: 100%; max-height: none; cursor: zoom-out; }
.wrong label input:focus-visible + img { outline: 3px solid var(--bar); }
figcaption { font-size: 12px; color: var(--soft); max-width: 190px; } pre { white-space: pre-wrap;
  overflow-wrap: anywhere; font-size: 13px; margin: .3rem 0 0; } code { font-size: 13px; overflow-wrap: anywhere; }
"""


def html_page(result: CiResult, wrong: Sequence[WrongAnswer]) -> str:
    """Return the page. `wrong` are the wrong answers that it shows."""
    identity = result.identity
    title = f"{identity.benchmark}: {gate_names(result.outcome)}"
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>",
            f'<h1 class="{result.outcome}">{escape(title)}</h1>',
            f'<p class="soft">{escape(_about(result))}</p>',
            *_gates(result.gates),
            *_models(result),
            *_groups(result),
            *_wrong(result, wrong),
            *_how(result),
            "</body>\n</html>\n",
        ]
    )


def _about(result: CiResult) -> str:
    identity = result.identity
    parameters = "".join(f", {name} {value}" for name, value in sorted(identity.parameters.items()))
    return (
        f"{identity.benchmark} {identity.version}, track {identity.track}, setting {identity.setting}{parameters}; "
        f"{result.at[:16].replace('T', ' ')} UTC, tetrad {result.tetrad}"
    )


def _gates(gates: Iterable[GateResult]) -> Iterator[str]:
    yield "<h2>Gates</h2>\n<table>\n<tr><th>gate</th><th>decision</th><th>why</th></tr>"
    for gate in gates:
        yield (
            f'<tr><td>{escape(gate.asks)}</td><td class="decision {gate.outcome}">{gate_names(gate.outcome)}</td>'
            f"<td>{escape(gate.why)}</td></tr>"
        )
    yield "</table>"
    for gate in gates:
        if gate.interval is not None and gate.estimate is not None and gate.boundary is not None:
            yield _gate_chart(gate, gate.estimate, gate.interval, gate.boundary)


def _gate_chart(gate: GateResult, estimate: float, interval: Interval, boundary: float) -> str:
    """Draw the bounds of one gate and its boundary."""
    ends = (interval.lower, interval.upper, boundary)
    room = max(0.02, 0.25 * (max(ends) - min(ends)))
    low, high = min(ends) - room, max(ends) + room

    def place(value: float) -> float:
        return 20 + (WIDTH - 40) * (value - low) / (high - low)

    is_share = low >= -room and gate.name == "least-accuracy"
    show = percent if is_share else _points
    middle, line = 30.0, place(boundary)
    return (
        f'<p class="soft">{escape(gate.asks)}</p>'
        f'<svg viewBox="0 0 {WIDTH} 78" width="{WIDTH}" role="img" aria-label="{escape(gate.why)}">'
        f'<line x1="{line:.1f}" x2="{line:.1f}" y1="6" y2="56" stroke="var(--soft)" stroke-dasharray="4 3"/>'
        f'<line x1="{place(interval.lower):.1f}" x2="{place(interval.upper):.1f}" y1="{middle}" y2="{middle}" '
        f'stroke="var(--{gate.outcome})" stroke-width="5" stroke-linecap="round"/>'
        f'<circle cx="{place(estimate):.1f}" cy="{middle}" r="7" fill="var(--{gate.outcome})"/>'
        f'<text x="{place(estimate):.1f}" y="18" text-anchor="middle">{show(estimate)}</text>'
        f'<text class="soft" x="{place(interval.lower):.1f}" y="50" text-anchor="middle">{show(interval.lower)}</text>'
        f'<text class="soft" x="{place(interval.upper):.1f}" y="50" text-anchor="middle">{show(interval.upper)}</text>'
        f'<text x="{line:.1f}" y="70" text-anchor="middle">boundary {show(boundary)}</text></svg>'
    )


def _models(result: CiResult) -> Iterator[str]:
    models = [model for model in (result.candidate, result.baseline) if model is not None]
    yield f"<h2>Scores</h2>\n<p>{escape(result.metric)}, with 95% intervals.</p>"
    rows = [(model.model, model.score, model.interval) for model in models]
    yield _chart(rows, result.uniform_chance)
    yield "<table>\n<tr><th>model</th><th>score</th><th>items</th><th>unread</th><th>took</th><th>draw</th></tr>"
    for model in models:
        yield _model_row(model)
    yield "</table>"
    if result.pairing is not None:
        why = f" --paired auto chose this: {result.why_paired}." if result.why_paired else ""
        yield f"<p>{escape(PAIRED[result.pairing] + why)}</p>"


def _model_row(model: ModelResult) -> str:
    took = "" if model.costs is None else costs_in_words(model.costs)
    draws = ", ".join(f"<code>{escape(name)}</code>" for name in model.submissions)
    draws += "" if model.sealed else " (revealed)"
    return (
        f"<tr><td>{escape(model.model)}</td><td>{percent(model.score)}</td><td>{model.items}</td>"
        f"<td>{unread_in_words(model)}</td><td>{escape(took)}</td><td>{draws}</td></tr>"
    )


def _groups(result: CiResult) -> Iterator[str]:
    if len(result.candidate.groups) < 2:  # noqa: PLR2004 -- one group is the whole
        return
    yield "<h2>By group</h2>"
    rows = [(f"{group.name} ({group.items})", group.score, group.interval) for group in result.candidate.groups]
    yield _chart(rows, result.uniform_chance)


def _chart(rows: Sequence[tuple[str, float, Interval]], chance: float | None) -> str:
    """Draw a bar and an interval for each row, from 0 to 100%, and a line at chance."""
    height = ROW * len(rows) + 26

    def place(share: float) -> float:
        return LABELS + (WIDTH - LABELS - 60) * share

    parts = [f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" role="img" aria-label="scores with intervals">']
    for step in range(5):
        x = place(step / 4)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{height - 22}" stroke="var(--line)"/>')
        parts.append(f'<text class="soft" x="{x:.1f}" y="{height - 6}" text-anchor="middle">{25 * step}%</text>')
    for number, (label, score, interval) in enumerate(rows):
        top = ROW * number + 6
        middle = top + 11
        parts.append(f'<text x="{LABELS - 10}" y="{middle + 5}" text-anchor="end">{escape(_short(label))}</text>')
        parts.append(
            f'<rect x="{place(0):.1f}" y="{top}" width="{max(place(score) - place(0), 0.5):.1f}" height="22" rx="3" '
            'fill="var(--bar)" fill-opacity="0.55"/>'
        )
        parts.append(
            f'<line x1="{place(interval.lower):.1f}" x2="{place(interval.upper):.1f}" y1="{middle}" y2="{middle}" '
            'stroke="var(--ink)" stroke-width="2"/>'
        )
        parts.append(f'<text x="{WIDTH - 52}" y="{middle + 5}">{percent(score)}</text>')
    if chance is not None:
        x = place(chance)
        parts.append(
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{height - 22}" stroke="var(--fail)" stroke-dasharray="4 3">'
            f"<title>guessing: {percent(chance)}</title></line>"
        )
    return "".join([*parts, "</svg>"])


def _wrong(result: CiResult, wrong: Sequence[WrongAnswer]) -> Iterator[str]:
    if not wrong:
        return
    yield f"<h2>Wrong answers of {escape(result.candidate.model)}</h2>"
    yield f'<p class="soft">{len(wrong)} of them, the first ones of the draw. Press a picture to enlarge it.</p>'
    for mistake in wrong:
        yield f'<div class="wrong"><strong>item {mistake.item}, {escape(mistake.question)}</strong>'
        yield f"<p>{escape(mistake.text)}</p>"
        for caption, picture in mistake.pictures:
            data = base64.b64encode(picture).decode()
            yield (
                f'<figure><label><input type="checkbox" aria-label="enlarge: {escape(caption)}">'
                f'<img alt="{escape(caption)}" src="data:image/png;base64,{data}"></label>'
                f"<figcaption>{escape(caption)}</figcaption></figure>"
            )
        if mistake.options:
            yield f'<p class="soft">{escape(" · ".join(mistake.options))}</p>'
        answer = "no answer could be read" if mistake.answer is None else f"answer {mistake.answer}"
        right = f'<span class="pass">{escape(mistake.key)}</span>'
        yield f'<p><span class="fail">{escape(answer)}</span>, right is {right}</p>'
        if mistake.reply:
            shown = mistake.reply if len(mistake.reply) <= LONGEST else f"… {mistake.reply[-LONGEST:]}"
            yield f"<details><summary>reply</summary><pre>{escape(shown)}</pre></details>"
        yield "</div>"


def _how(result: CiResult) -> Iterator[str]:
    yield "<h2>How it was decided</h2>"
    yield (
        "<p>A gate passes if the bound on its good side is beyond the boundary, fails if the other one is, and could "
        "not tell otherwise. A model that is exactly at the boundary passes in at most 5% of draws, and fails in at "
        "most 5%. That nothing significant was found is no pass.</p>"
    )
    if result.sequential:
        yield (
            "<p>The draws were looked at one after the other, and no more were made once every gate had decided. The "
            "bounds hold at all looks together.</p>"
        )
    seeds = ", ".join(f"<code>{escape(name)}</code>" for name in result.candidate.submissions)
    yield f'<p class="soft">Check a sealed draw with <code>tetrad verify</code>: {seeds}</p>'


def _short(label: str) -> str:
    return label if len(label) <= 32 else f"{label[:31]}…"  # noqa: PLR2004 -- what fits beside a chart


def _points(share: float) -> str:
    return f"{100 * share:+.1f}"
