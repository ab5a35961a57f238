"""`tetrad verify`: check a report against a second instance, and its commitment against the first one's log."""

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter
from rich.markup import escape

from tetrad.cli.credentials import address, connect, kept_key, known_key
from tetrad.cli.output import JsonOption, console, print_json, printable
from tetrad.cli.team.parameters import SubmissionId
from tetrad.client import Client, TetradError
from tetrad.commitments import commitment_of, first_broken
from tetrad.contracts.log import LogEntry
from tetrad.contracts.reports import Finding, Report, Verification

POLL_SECONDS = 0.5
PATIENCE_SECONDS = 300
SUBMISSION = "sub_"  # how the id of a submission begins


class VerificationFailedError(TetradError):
    """The second instance could not check the report, or took too long."""


class NoSubmissionError(TetradError):
    """The text can't be the id of a submission."""


def verify(
    submission: SubmissionId,
    *,
    against: Annotated[str | None, Parameter(name=["--with", "--against"])] = None,
    url: str | None = None,
    report: Path | None = None,
    json: JsonOption = False,
) -> None:
    """Confirm a scored submission: its place in the public log, its answer keys, its verdicts, its score.

    Args:
        against: address of the second instance; the same one by default.
        url: address of the instance that scored it; $TETRAD_URL, else http://127.0.0.1:8000.
        report: a report's JSON file, instead of fetching it.
    """
    with connect(url) as issuer:
        claimed = _find_claim(issuer, submission, report)
        findings = [*log_findings(claimed, list(_entries(issuer)))]
    issuer_address, second = address(url), address(against or url, option="--with" if against else "--url")
    key = known_key(second) if second == issuer_address else kept_key(second)
    with Client(second, None if key is None else key.text) as client:
        verdict = wait_for(client, client.verify(claimed))
    findings = sorted([*findings, *verdict.findings], key=lambda finding: finding.ok)
    confirmed = all(finding.ok for finding in findings) and bool(verdict.confirmed)
    _say(claimed, findings, second, confirmed=confirmed, json=json)
    sys.exit(0 if confirmed else 1)


def log_findings(claimed: Report, entries: list[LogEntry]) -> list[Finding]:
    """Check on this machine that the log is whole and holds the commitment to this draw."""
    broken = first_broken(entries)
    logged = next((entry.commitment for entry in entries if entry.submission == claimed.submission), "not in the log")
    computed = commitment_of(claimed.identity, claimed.seed, claimed.size)
    return [
        Finding(
            check="log is hash-chained",
            ok=broken is None,
            where="/v1/commitments" if broken is None else f"entry {broken.number}",
            claimed="a whole chain",
            found="a whole chain" if broken is None else "does not follow from the entry before",
        ),
        Finding(
            check="commitment in the log", ok=logged == computed, where="commitment", claimed=computed, found=logged
        ),
    ]


def wait_for(client: Client, started: Verification) -> Verification:
    """Poll a verification until it is done.

    Raises:
        VerificationFailedError: it failed, or is not done in five minutes.
    """
    end = time.monotonic() + PATIENCE_SECONDS
    while started.state == "queued" and time.monotonic() < end:
        time.sleep(POLL_SECONDS)
        started = client.verification(started.id)
    if started.state != "done":
        raise VerificationFailedError(
            f"verification {started.id} is {started.state}: {started.failure or 'no result yet'}"
        )
    return started


def _find_claim(issuer: Client, submission: str, report: Path | None) -> Report:
    if not submission.startswith(SUBMISSION):
        raise NoSubmissionError(
            f"{submission!r} is not a submission's id: those begin with {SUBMISSION}; "
            "to check a report's file, give the id, and the file as --report"
        )
    if report is None:
        return issuer.report(submission)
    try:
        return msgspec.json.decode(report.read_bytes(), type=Report)
    except OSError as error:
        raise VerificationFailedError(f"--report {report} can't be read: {error.strerror}") from error
    except msgspec.DecodeError as error:
        remedy = f"tetrad report {submission} --format json --out FILE"
        raise VerificationFailedError(
            f"--report {report} is no report in JSON ({error}); write one: {remedy}"
        ) from error


def _entries(issuer: Client) -> Iterator[LogEntry]:
    after = 0
    while (page := issuer.commitments(after=after)).entries:
        yield from page.entries
        after = page.entries[-1].number


def _difference(finding: Finding) -> str:
    return f"{finding.check}, {finding.where}: claimed {finding.claimed}, found {finding.found}"


def _say(claimed: Report, findings: list[Finding], second: str, *, confirmed: bool, json: bool) -> None:
    if json:
        print_json({"submission": claimed.submission, "confirmed": confirmed, "findings": findings})
        return
    for finding in findings:
        if finding.ok:
            console.print(f"[green]ok[/]     {escape(printable(finding.check))}", highlight=False)
        else:
            console.print(
                f"[red]wrong[/]  {escape(printable(_difference(finding)))}",
                highlight=False,
                soft_wrap=True,
            )
    verdict = "[bold green]confirmed[/]" if confirmed else "[bold red]not confirmed[/]"
    console.print(f"{escape(printable(claimed.submission))}: {verdict} by {second}", highlight=False, soft_wrap=True)
