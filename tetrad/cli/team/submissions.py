"""`tetrad questions`, `answers`, `events` and `report`: one submission, step by step, with files in between."""

import gzip
import sys
from pathlib import Path

from tetrad.cli.credentials import connect, connect_with_key
from tetrad.cli.output import print_json, print_line, printable, say
from tetrad.client import Client, TetradError
from tetrad.client.calls import AnswerForm, ReportForm
from tetrad.contracts.submissions import Event
from tetrad.files import whole_file

FORMS: dict[str, AnswerForm] = {".csv": "csv", ".ndjson": "ndjson", ".jsonl": "ndjson", ".json": "json"}


class AnswerFileError(TetradError):
    """The file can't be read, or its ending names no form of answers."""


def questions(submission: str, *, out: Path, url: str | None = None, json: bool = False) -> None:
    """Write all open questions with their pictures to one tar file: questions.ndjson and images/.

    Answering them may open others: send the answers (`tetrad answers`) and ask again until the file is empty.

    Args:
        submission: the submission's id.
        out: the file to write.
        url: address of the service.
        json: print JSON.
    """
    with connect_with_key(url) as client:
        write_bundle(client, submission, out)
    if json:
        print_json({"submission": submission, "bundle": str(out)})
        return
    say(f"{out} holds the open questions of {submission}", f"answer with: tetrad answers {submission} FILE.csv")


def write_bundle(client: Client, submission: str, out: Path) -> None:
    """Write the bundle to a file, either completely or not at all."""
    with whole_file(out, durable=False) as file:
        client.bundle(submission, file)


def answers(submission: str, file: Path, *, dry_run: bool = False, url: str | None = None, json: bool = False) -> None:
    """Seal the answers of a file: .csv, .ndjson, .jsonl or .json, also with .gz behind it.

    A CSV file has a header with the columns item, question, answer and response, the last two as needed.

    Args:
        submission: the submission's id.
        file: the answers.
        dry_run: check everything and seal nothing.
        url: address of the service.
        json: print JSON.
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
    submission: str, *, follow: bool = False, after: int = 0, url: str | None = None, json: bool = False
) -> None:
    """Show the events of a submission. With --follow, show new ones as they happen, until it is scored.

    Args:
        submission: the submission's id.
        follow: go on until the last event, reconnecting whenever the connection is lost.
        after: id of the last event you have.
        url: address of the service.
        json: print each event as one line of JSON.
    """
    with connect_with_key(url) as client:
        found = client.follow(submission, after=after) if follow else client.events(submission)
        for event in found:
            if event.id > after:
                _show(event, json=json)


def report(
    submission: str,
    *,
    format: ReportForm = "markdown",  # noqa: A002 -- the option's name
    out: Path | None = None,
    url: str | None = None,
) -> None:
    """Print the report of a scored submission.

    Args:
        submission: the submission's id.
        format: markdown to read, json whole, csv with one line a question, junit for CI.
        out: a file to write instead.
        url: address of the service.
    """
    with connect(url) as client:
        text = client.report_text(submission, format)
    if out is None:
        is_read = format == "markdown" or sys.stdout.isatty()
        sys.stdout.write(printable(text.replace("\r\n", "\n"), lines=True) if is_read else text)
    else:
        out.write_bytes(text.encode())


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
