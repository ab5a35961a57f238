"""`tetrad eval`: evaluate a model on this machine, from the first question to the report, in a folder of its own."""

from dataclasses import dataclass
from pathlib import Path

from cyclopts import Group, Parameter

from tetrad.cli.credentials import connect_with_key
from tetrad.cli.output import leave_at_once, print_json, say, say_apart
from tetrad.cli.team.answering import NOTHING_GIVEN, AnsweringOptions, SubmitError
from tetrad.cli.team.opening import Entry, EvalDrawOptions, check_key, note_rank
from tetrad.cli.team.own_run import NO_LIMIT, SpendingOptions, own_run
from tetrad.cli.team.reports import INTERRUPTED, FailUnder, check_report, page_of, without_rank
from tetrad.reporting.run_costs import costs_in_words
from tetrad.runner import ReplyError, RunError, StalledError

RUNS = Path("tetrad-runs")


@Parameter(name="*", group=Group("The run", sort_key=4))
@dataclass(frozen=True, kw_only=True)
class EvalRunOptions:
    """Where the run is recorded, who sees it, and what is printed."""

    folder: Path | None = None
    """Where the run is recorded; tetrad-runs/BENCHMARK-MODEL by default. The same folder goes on with the same run."""
    private: bool = False
    """Keep it off the board."""
    url: str | None = None
    """Address of the service; $TETRAD_URL, else http://127.0.0.1:8000."""
    json: bool = False
    """Print the report as JSON."""
    fail_under: FailUnder = None
    """Exit 4 if the score is below this share, for example 0.5."""


RECORDED = EvalRunOptions()


def evaluate(
    *,
    draw: EvalDrawOptions,
    answering: AnsweringOptions = NOTHING_GIVEN,
    costs: SpendingOptions = NO_LIMIT,
    run: EvalRunOptions = RECORDED,
) -> None:
    """Evaluate a model that runs on this machine, or is reached from it, and print the report.

    It can be interrupted at any time: the same line goes on. Every reply is kept in the folder of the run, and no
    question that has one is asked, or paid for, again.
    """
    entry = Entry(draw=draw, answering=answering, is_private=run.private)
    spending = costs.spending(answering.max_tokens)
    folder = run.folder or RUNS / f"{draw.benchmark}-{draw.model}"
    with connect_with_key(run.url) as client:
        check_key(client)
        note_rank(client, entry.request())
        try:
            report, spent = own_run(client, entry, folder, spending)
        except (RunError, ReplyError, StalledError) as error:
            raise SubmitError(
                f"{error}\nwhat is sealed stays so, and what was replied is in {folder}; the same line goes on with it"
            ) from error
        except KeyboardInterrupt:
            say_apart(f"stopped; {folder} has every reply so far, and the same line goes on with it")
            leave_at_once(INTERRUPTED)
        if run.json:
            print_json(report)
        else:
            say(client.report_text(report.submission, "markdown"))
            submission = client.submission(report.submission)
            say_apart(*without_rank(client, submission, report), page_of(run.url, submission))
    say_apart(f"{costs_in_words(spent)}; {folder} has every reply", "name another --folder for another run")
    check_report(report, run.fail_under)
