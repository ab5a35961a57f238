"""A run that the service makes with models of its own gateway, and what it took: for `tetrad ci --service`.

The folder keeps the key of the request, so that the same line waits for the same evaluation.
"""

import time
import uuid
from pathlib import Path

import msgspec

from tetrad.cli.output import progress_bar, say_apart
from tetrad.cli.team.answering import SubmitError
from tetrad.client import Client
from tetrad.contracts.evaluations import Effort, Evaluation, EvaluationRequest, Expected, RunResult
from tetrad.contracts.reports import Report
from tetrad.files import whole_file
from tetrad.money import show_microdollars
from tetrad.runner.recording import RunCosts

EVALUATION = "evaluation.json"
POLL_SECONDS = 1.0


class Served(msgspec.Struct, frozen=True, kw_only=True):
    """The report of a model that the service ran, and what that took."""

    report: Report
    costs: RunCosts
    minutes: float | None


def served_run(client: Client, request: EvaluationRequest, folder: Path) -> list[Served]:
    """Have the service evaluate, wait until it is done, and return what came of each model, in the request's order.

    Raises:
        SubmitError: the evaluation ended early, or a model has no report.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / EVALUATION
    if not file.exists():
        with whole_file(file) as part:
            part.write(msgspec.json.encode({"idempotency_key": str(uuid.uuid4())}))
    key = msgspec.json.decode(file.read_bytes(), type=dict[str, str])["idempotency_key"]
    opened = client.evaluate(request, idempotency_key=key)
    cost = what_it_costs(opened.expected)
    say_apart(f"{opened.id}: {opened.size} items, at most {opened.expected.questions} questions, {cost}")
    ended = _wait(client, opened)
    if ended.outcome != "complete":
        raise SubmitError(f"evaluation {ended.id} ended early: {ended.outcome} {ended.pause_reason}".rstrip())
    runs = {run.model: run for run in client.evaluation_result(ended.id).runs}
    return [_fetch_served(client, runs[model]) for model in request.models]


def what_it_costs(expected: Expected) -> str:
    """Say what is expected, and whether that is more than a budget leaves."""
    if expected.cost is None:
        return "cost unknown"
    said = f"{show_microdollars(expected.cost, 2)} expected"
    left, needed = expected.budget_left, expected.cost if expected.budget is None else expected.budget
    if left is None or needed <= left:
        return said
    return f"{said}, but {show_microdollars(left, 2)} is left to spend, and {show_microdollars(needed, 2)} is needed"


def _wait(client: Client, opened: Evaluation) -> Evaluation:
    found, paused = opened, ""
    with progress_bar() as bar:
        task = bar.add_task("items", total=opened.size * len(opened.runs))
        while found.state != "done":
            if found.state == "paused" and found.pause_reason != paused:
                paused = found.pause_reason
                say_apart(f"{found.id} is paused: {paused}")
            done = sum(run.progress.items_finished for run in found.runs)
            bar.update(task, completed=done, description=f"items ({show_microdollars(found.spent, 4)})")
            time.sleep(POLL_SECONDS)
            found = client.evaluation(opened.id)
    return found


def _fetch_served(client: Client, run: RunResult) -> Served:
    if run.failure is not None:
        raise SubmitError(f"{run.model} has no report: {run.failure}")
    minutes = None if run.seconds is None else run.seconds / 60
    return Served(report=client.report(run.submission), costs=_costs(run.total), minutes=minutes)


def _costs(total: Effort) -> RunCosts:
    return RunCosts(
        replies=total.calls,
        failures=total.retries,
        input_tokens=total.tokens.prompt,
        output_tokens=total.tokens.completion,
        cost=total.cost,
        median_seconds=total.latency.p50,
        slowest_seconds=total.latency.longest,
    )
