"""Write in words what a run on a team's own machine took: replies, failures, tokens, dollars, seconds."""

from tetrad.money import show_microdollars
from tetrad.runner.recording import RunCosts


def costs_in_words(costs: RunCosts) -> str:
    """Return one line: "500 replies (2 failed attempts), 451,200 tokens in and 2,100 out, $1.15, 0.8 s a reply"."""
    failed = f" ({costs.failures} failed attempts)" if costs.failures else ""
    parts = [f"{costs.replies:,} replies{failed}"]
    if costs.input_tokens or costs.output_tokens:
        parts.append(f"{costs.input_tokens:,} tokens in and {costs.output_tokens:,} out")
    if costs.cost is not None:
        guessed = f" ({costs.estimated} calls counted at their most)" if costs.estimated else ""
        parts.append(f"{show_microdollars(costs.cost)}{guessed}")
    if costs.median_seconds is not None:
        most = "" if costs.p95_seconds is None else f"; 95% within {costs.p95_seconds:.2f} s"
        parts.append(f"{costs.median_seconds:.2f} s a reply (median{most})")
    return ", ".join(parts)
