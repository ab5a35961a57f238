"""`tetrad ci`: decide in CI whether a model is good enough, and write why in every form that CI systems read."""

import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from tetrad.ci.cases import gate_cases
from tetrad.ci.failure import CASES, PAGE, RESULT, RESULTS, SUMMARY
from tetrad.ci.page import html_page
from tetrad.ci.result import CiResult, Thresholds
from tetrad.ci.summary import summary_markdown
from tetrad.cli.credentials import connect_with_key
from tetrad.cli.output import leave_at_once, print_json, say, say_apart
from tetrad.cli.team.answering import NOTHING_GIVEN, AnsweringOptions
from tetrad.cli.team.ci.options import (
    BaselineOptions,
    CiError,
    CiRunOptions,
    GateOptions,
    ServiceOptions,
    check_together,
)
from tetrad.cli.team.ci.pairing import check_pairing, choose_baseline
from tetrad.cli.team.ci.results import find_wrong_answers, result_of
from tetrad.cli.team.ci.runs import Job, run_at_once, run_in_looks, size_of
from tetrad.cli.team.opening import Entry, EvalDrawOptions, check_answers, check_key
from tetrad.cli.team.own_run import NO_LIMIT, SpendingOptions
from tetrad.cli.team.reports import INTERRUPTED
from tetrad.files import whole_file
from tetrad.reporting.pages.report import WrongAnswer
from tetrad.runner import ReplyError, RunError, StalledError
from tetrad.statistics.deciding import least_drop, least_unpaired_drop

STATUS = {"pass": 0, "fail": 1, "undecided": 2}
USUAL_DISCORDANCE = 0.1
NO_GATES = GateOptions()
NO_BASELINE = BaselineOptions()
ON_THIS_MACHINE = ServiceOptions()
USUAL_FOLDERS = CiRunOptions()


def ci(
    *,
    draw: EvalDrawOptions,
    answering: AnsweringOptions = NOTHING_GIVEN,
    costs: SpendingOptions = NO_LIMIT,
    gates: GateOptions = NO_GATES,
    baseline: BaselineOptions = NO_BASELINE,
    service: ServiceOptions = ON_THIS_MACHINE,
    run: CiRunOptions = USUAL_FOLDERS,
) -> None:
    """Evaluate a model, decide the gates, and write reports for CI.

    Exit 0 if every gate passes, 1 if one fails, 2 if none fails and one could not tell, 3 for an error, which stands in
    summary.md and junit.xml, too. An interrupted
    job goes on with the same line; after a job that ended, the same line begins another.
    """
    thresholds = gates.thresholds()
    check_together(gates, baseline, service, answering, costs)
    candidate = Entry(draw=draw, answering=answering, is_private=not run.public)
    candidate.request()
    spending = costs.spending(answering.max_tokens)
    out = run.out or RESULTS
    try:
        with connect_with_key(run.url) as client:
            check_key(client)
            card = client.benchmark(draw.benchmark).card
            check_pairing(baseline, card, sequential=gates.sequential)
            job = Job(
                client=client,
                card=card,
                candidate=candidate,
                baseline=choose_baseline(client, baseline, candidate, card),
                service=service,
                sequential=gates.sequential,
                folder=run.folder or out / "runs",
                spending=spending,
            )
            if job.baseline.entry is not None and not service.service:
                check_answers(client, job.baseline.entry)
            result, wrong = _decide(job, thresholds)
    except (RunError, ReplyError, StalledError) as error:
        raise CiError(f"{error}\nthe same line goes on with what there is") from error
    except KeyboardInterrupt:
        say_apart("stopped; the same line goes on with what there is")
        leave_at_once(INTERRUPTED)
    _write(out, result, wrong)
    job.folder.rename(job.folder.with_name(f"{job.folder.name}-{result.at.replace(':', '')}"))
    if run.json:
        print_json(result)
    else:
        say(summary_markdown(result))
    say_apart(f"{out} has summary.md, junit.xml, result.json and report.html")
    sys.exit(STATUS[result.outcome])


def _decide(job: Job, thresholds: Thresholds) -> tuple[CiResult, list[WrongAnswer]]:
    """Make the runs, decide the gates, and return the result with wrong answers to show."""
    _say_beforehand(job, thresholds)
    ours, theirs, gates = run_in_looks(job, thresholds) if job.sequential else run_at_once(job, thresholds)
    return result_of(job, gates, ours, theirs), find_wrong_answers(job, ours)


def _say_beforehand(job: Job, thresholds: Thresholds) -> None:
    """Say which drop can be told with so many items, before anything is spent."""
    if thresholds.allow_drop is None or job.sequential:
        return
    size, stored = size_of(job), job.baseline.stored
    if job.baseline.pairing == "no" and stored is not None:
        least, how = least_unpaired_drop(size, stored.size), "against a stored score, at an accuracy of 50%"
    else:
        least, how = least_drop(size, USUAL_DISCORDANCE), "on shared items, of which one in ten tells the models apart"
    say_apart(
        f"{size} items tell a drop of {100 * least:.1f} points or more for an unchanged model (4 times in 5, {how}); "
        f"asked is {100 * thresholds.allow_drop:g}"
    )


def _write(out: Path, result: CiResult, wrong: Sequence[WrongAnswer]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    documents = {
        SUMMARY: summary_markdown(result).encode(),
        CASES: gate_cases(result),
        RESULT: msgspec.json.format(msgspec.json.encode(result)) + b"\n",
        PAGE: html_page(result, wrong).encode(),
    }
    for name, body in documents.items():
        with whole_file(out / name, durable=False) as file:
            file.write(body)
