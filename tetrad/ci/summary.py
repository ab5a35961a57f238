"""Write the result as short Markdown, for a job's summary or a comment."""

from collections.abc import Iterator

from tetrad.ci.applying import gate_names
from tetrad.ci.result import CiResult, ModelResult
from tetrad.reporting.run_costs import costs_in_words
from tetrad.reporting.units import percent

MARKS = {"pass": "✅", "fail": "❌", "undecided": "❔"}
PAIRED = {
    "fresh": "Both answered one new draw. What was not sealed was answered once the draw was revealed.",
    "published": "Both answered the same published items, each in a sealed submission of its own.",
    "revealed": "The candidate answered the baseline's draw, which was public by then. Its answers count on no board.",
    "no": "Each answered a draw of its own.",
}


def summary_markdown(result: CiResult) -> str:
    """Return the document: the decision, the gates with their numbers, the models."""
    return "\n".join(_lines(result)) + "\n"


def _lines(result: CiResult) -> Iterator[str]:
    identity = result.identity
    yield f"## {MARKS[result.outcome]} {identity.benchmark}: {gate_names(result.outcome)}"
    yield ""
    yield "| gate | decision | why |"
    yield "| --- | --- | --- |"
    for gate in result.gates:
        yield f"| {_cell(gate.asks)} | {MARKS[gate.outcome]} {gate_names(gate.outcome)} | {_cell(gate.why)} |"
    yield ""
    yield f"| model | {result.metric} | 95% interval | items | unread | draw |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for model in (result.candidate, result.baseline):
        if model is not None:
            yield _row(model)
    yield ""
    parameters = "".join(f", {name} {value}" for name, value in sorted(identity.parameters.items()))
    chance = "" if result.uniform_chance is None else f" Guessing gives {percent(result.uniform_chance)}."
    yield (
        f"{identity.benchmark} {identity.version}, track {identity.track}, setting {identity.setting}{parameters}."
        f"{chance}"
    )
    if result.pairing is not None:
        why = f" `--paired auto` chose this: {result.why_paired}." if result.why_paired else ""
        yield f"{PAIRED[result.pairing]}{why}"
    if result.candidate.costs is not None:
        yield f"{result.candidate.model}: {costs_in_words(result.candidate.costs)}."


def unread_in_words(model: ModelResult) -> str:
    """Say how many replies could not be read, and how many of the others are not complete."""
    more = f", {model.incomplete} not complete" if model.incomplete else ""
    return f"{model.unread} of {model.asked}{more}"


def _row(model: ModelResult) -> str:
    interval = f"{percent(model.interval.lower)} to {percent(model.interval.upper)}"
    first, more = model.submissions[0], len(model.submissions) - 1
    draw = f"`{first}`" + (f" and {more} more" if more else "") + ("" if model.sealed else ", revealed")
    unread = unread_in_words(model)
    return f"| {_cell(model.model)} | {percent(model.score)} | {interval} | {model.items} | {unread} | {draw} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
