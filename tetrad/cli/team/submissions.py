"""`tetrad submissions`, `status`, `finish`; and step by step: `questions`, `answers`, `events`, `report`."""

import gzip
import sys
import tarfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Annotated, Literal

import msgspec
from cyclopts import Parameter
from cyclopts.validators import Number

from tetrad.cli.credentials import UrlOption, connect, connect_with_key
from tetrad.cli.output import JsonOption, print_json, print_line, printable, say
from tetrad.cli.team.parameters import SubmissionId
from tetrad.cli.team.report_files import write_report_file
from tetrad.cli.team.reports import FailUnder, check_report
from tetrad.client import Client, ServiceError, TetradError
from tetrad.client.calls import AnswerForm
from tetrad.client.pages import every_page
from tetrad.contracts.submissions import Event, Submission
from tetrad.files import whole_file
from tetrad.reporting.markdown import ASKED
from tetrad.reporting.units import value_in_unit

QUESTIONS, ABOUT = "questions.ndjson", "submission.json"
"""Members of a bundle: the open questions, and the submission that they belong to."""

PAGE = 100  # submissions
CONFLICT = 409

FORMS: dict[str, AnswerForm] = {".csv": "csv", ".ndjson": "ndjson", ".jsonl": "ndjson", ".json": "json"}


class AnswerFileError(TetradError):
    """The file can't be read, or its ending names no form of answers."""


class BundleError(TetradError):
    """The bundle would be empty, or would overwrite a file that is something else."""


def submissions(
    *,
    count: Annotated[int, Parameter(validator=Number(gte=1))] = 20,
    url: UrlOption = None,
    json: JsonOption = False,
) -> None:
    """List your team's submissions, newest first.

    Args:
        count: how many at most.
    """
    with connect_with_key(url) as client:
        found = list(islice(_every(client, min(count, PAGE)), count))
    if json:
        print_json(found)
        return
    if not found:
        say("No submissions yet: `tetrad submit --benchmark NAME --model NAME` opens one.")
        return
    for submission in found:
        score = (
            "" if submission.headline is None else f"  {submission.headline.name} {value_in_unit(submission.headline)}"
        )
        done = f"  {submission.progress.items_finished}/{submission.size} items" if submission.state == "open" else ""
        say(
            f"{submission.id}  {submission.state}{done}{score}",
            f"    {submission.model}, {_place(submission)}, opened {submission.opened_at[:16]}Z",
        )


def _every(client: Client, limit: int) -> Iterator[Submission]:
    pages = every_page(lambda cursor: client.submissions(cursor=cursor, limit=limit))
    return (submission for page in pages for submission in page.submissions)


def _place(one: Submission) -> str:
    return f"{one.identity.benchmark} {one.identity.version}, {one.identity.track}, {one.identity.setting}"


def status(submission: SubmissionId, *, url: UrlOption = None, json: JsonOption = False) -> None:
    """Show how far a submission is, and what can be done with it."""
    with connect_with_key(url) as client:
        found = client.submission(submission)
    if json:
        print_json(found)
        return
    progress = found.progress
    say(
        f"{found.id} is {found.state}",
        f"model      {found.model} ({found.visibility})",
        f"items      {_place(found)}, {ASKED[found.conversation]}",
        f"progress   {progress.items_finished} of {progress.items} items done, "
        f"{progress.questions_answered} questions answered",
    )
    if found.headline is not None:
        say(f"score      {found.headline.name} {value_in_unit(found.headline)}")
    say(*_next_steps(found))


def _next_steps(found: Submission) -> list[str]:
    """Return what can be done now, as commands to copy."""
    match found.state:
        case "open":
            return [
                f"deadline   {found.deadline_at}",
                f"go on:     tetrad submit --resume {found.id}   (with the options that say what answers)",
                f"give up:   tetrad finish {found.id}   (what is missing counts as wrong)",
            ]
        case "queued":
            return ["It waits for its score, or is being scored.", f"wait:      tetrad events {found.id} --follow"]
        case "scored":
            return [f"report:    tetrad report {found.id}"]
        case "failed":
            return [f"failure    {found.failure}", "The operator can queue it again."]
        case _:
            return [f"reason     {found.void_reason}"]


def finish(submission: SubmissionId, *, url: UrlOption = None, json: JsonOption = False) -> None:
    """Finish an open submission now. Questions without an answer count as wrong."""
    with connect_with_key(url) as client:
        found = client.finish(submission)
    if json:
        print_json(found)
        return
    done = f"{found.progress.items_finished} of {found.size} items were done"
    say(
        f"{found.id} is {found.state}: {done}, and what is missing counts as wrong.",
        f"report: tetrad report {found.id}",
    )


def questions(submission: SubmissionId, *, out: Path, url: UrlOption = None, json: JsonOption = False) -> None:
    """Write all open questions with their pictures to one tar file: questions.ndjson, submission.json and images/.

    Answering them may open others: send the answers (`tetrad answers`) and ask again until no question is open. The
    file may be an earlier one of the same submission.

    Args:
        out: the file to write.
    """
    with connect_with_key(url) as client:
        written = write_bundle(client, submission, out)
    if json:
        print_json({"submission": submission, "bundle": str(out), "questions": written})
        return
    say(f"{out} holds {written} open questions of {submission}", f"answer with: tetrad answers {submission} FILE.csv")


def write_bundle(client: Client, submission: str, out: Path) -> int:
    """Write the bundle to a file, either completely or not at all, and return the number of its questions.

    Raises:
        BundleError: no question is open, or the file is there and no bundle of this submission.
    """
    if out.exists() and (held := submission_of(out)) != submission:
        what = f"a bundle of {held}" if held else "no bundle that names its submission"
        raise BundleError(f"{out} is there already, and is {what}; name another file")
    try:
        with whole_file(out, durable=False) as file:
            client.bundle(submission, file)
            if (written := _count(file)) == 0:
                raise BundleError(_nothing_open(client.submission(submission)))
    except ServiceError as error:
        if error.problem.status == CONFLICT and (found := client.submission(submission)).state != "open":
            raise BundleError(_nothing_open(found)) from error
        raise
    return written


def _nothing_open(found: Submission) -> str:
    return (
        f"no question of {found.id} is open: it is {found.state}. Nothing was written; see `tetrad status {found.id}`"
    )


def submission_of(bundle: Path) -> str | None:
    """Return the id of the submission that a bundle belongs to; None if the file is no bundle that says so."""
    try:
        with tarfile.open(bundle) as archive, _member(archive, ABOUT) as about:
            return msgspec.json.decode(about.read(), type=_Named).id
    except (tarfile.TarError, KeyError, OSError, msgspec.DecodeError):
        return None


def _member(archive: tarfile.TarFile, name: str) -> IO[bytes]:
    found = archive.extractfile(name)
    if found is None:
        raise KeyError(name)
    return found


class _Named(msgspec.Struct):
    id: str


def _count(file: IO[bytes]) -> int:
    """Return the number of questions in a bundle."""
    file.flush()
    file.seek(0)
    with tarfile.open(fileobj=file) as archive, _member(archive, QUESTIONS) as lines:
        return sum(1 for _ in lines)


def answers(
    submission: SubmissionId, file: Path, *, dry_run: bool = False, url: UrlOption = None, json: JsonOption = False
) -> None:
    """Seal the answers of a file: .csv, .ndjson, .jsonl or .json, or one of these packed with gzip (.csv.gz).

    A CSV file has a header with the columns item, question, answer and response, the last two as needed.

    Args:
        file: the answers.
        dry_run: check everything and seal nothing.
    """
    body, form = _read(file)
    with connect_with_key(url) as client:
        receipt = client.upload(submission, body, form, dry_run=dry_run)
    if json:
        print_json(receipt)
        return
    done = "would be sealed" if dry_run else "sealed"
    say(f"{receipt.accepted} {done}, {receipt.unchanged} known; {receipt.answered} in all; {receipt.state}")


def events(
    submission: SubmissionId, *, follow: bool = False, after: int = 0, url: UrlOption = None, json: bool = False
) -> None:
    """Show the events of a submission. With --follow, show new ones as they happen, until it is scored.

    Args:
        follow: go on until the last event, reconnecting whenever the connection is lost.
        after: id of the last event you have.
        json: print each event as one line of JSON.
    """
    with connect_with_key(url) as client:
        found = client.follow(submission, after=after) if follow else client.events(submission)
        for event in found:
            if event.id > after:
                _show(event, json=json)


def report(
    submission: SubmissionId,
    *,
    format: Literal["markdown", "html", "json", "csv", "junit"] = "markdown",  # noqa: A002 -- the option's name
    out: Path | None = None,
    fail_under: FailUnder = None,
    url: UrlOption = None,
) -> None:
    """Print the report of a scored submission.

    Args:
        format: markdown to read, html as one page with the wrong answers and their pictures, json whole, csv with one
            line a question, junit for CI.
        out: a file to write instead.
        fail_under: exit 4 if the score is below this share, for example 0.5; in junit, a test case fails.
    """
    with connect(url) as client:
        found = client.report(submission)
        if format == "html":
            text = write_report_file(client, submission, found)
        else:
            text = client.report_text(submission, format, fail_under=fail_under if format == "junit" else None)
    if out is None:
        is_read = format == "markdown" or sys.stdout.isatty()
        sys.stdout.write(printable(text.replace("\r\n", "\n"), lines=True) if is_read else text)
    else:
        out.write_bytes(text.encode())
    check_report(found, fail_under)


def _read(file: Path) -> tuple[bytes, AnswerForm]:
    is_packed = file.suffix.lower() == ".gz"
    form = FORMS.get((file.with_suffix("") if is_packed else file).suffix.lower())
    if form is None:
        raise AnswerFileError(f"{file}: name it .csv, .ndjson, .jsonl or .json, with .gz behind it if it is compressed")
    try:
        body = file.read_bytes()
    except OSError as error:
        raise AnswerFileError(f"{file} can't be read: {error.strerror}") from error
    return body if is_packed else gzip.compress(body), form


def _show(event: Event, *, json: bool) -> None:
    if json:
        print_line(event)
        return
    facts = ", ".join(f"{name} {value}" for name, value in event.data.items())
    say(f"{event.at}  {event.kind}{f': {facts}' if facts else ''}")
