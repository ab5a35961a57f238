"""The result of `tetrad ci`, with the first wrong answers of the candidate and their pictures."""

from collections.abc import Mapping
from datetime import UTC, datetime

from msgspec.structs import replace

from tetrad.ci.measured import Measured
from tetrad.ci.result import CiResult, GateResult, ModelResult, overall
from tetrad.cli.output import say_apart
from tetrad.cli.team.ci.runs import Job
from tetrad.cli.team.report_files import revealed_until
from tetrad.client import TetradError
from tetrad.contracts.submissions import RevealedItem
from tetrad.reporting.pages.report import WrongAnswer, wrong_answers
from tetrad.reporting.pages.report_file import picture_addresses
from tetrad.reporting.pages.whole_file import data_addresses
from tetrad.runner.recording import read_lines
from tetrad.statistics.deciding import sample_interval
from tetrad.versions import find_version

MOST_WRONG = 12
Replies = dict[tuple[int, str], str]


def result_of(job: Job, gates: tuple[GateResult, ...], ours: Measured, theirs: Measured | None) -> CiResult:
    drawn = job.client.submission(ours.submissions[0])
    return CiResult(
        outcome=overall(gates),
        metric=job.card.metric_of(drawn.identity.setting),
        identity=drawn.identity,
        conversation=drawn.conversation,
        pairing=job.baseline.pairing,
        why_paired=job.baseline.why,
        sequential=job.sequential,
        gates=gates,
        candidate=_model(ours),
        baseline=None if theirs is None else _model(theirs),
        uniform_chance=None if drawn.headline is None else drawn.headline.uniform_chance,
        at=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        tetrad=find_version(),
    )


def _model(measured: Measured) -> ModelResult:
    sample = measured.sample
    return ModelResult(
        model=measured.model,
        submissions=measured.submissions,
        sealed=measured.sealed,
        score=sample.mean,
        interval=sample_interval(sample, 0.95),
        items=sample.count,
        asked=measured.asked,
        unread=measured.unread,
        missing=measured.missing,
        incomplete=measured.incomplete,
        groups=measured.groups,
        costs=measured.costs,
        minutes=measured.minutes,
    )


def find_wrong_answers(job: Job, ours: Measured) -> list[WrongAnswer]:
    """Return the first wrong answers with their pictures. What can't be shown any more is left out."""
    wanted = {(place, question): answer for place, question, answer, _ in ours.wrong[:MOST_WRONG]}
    replies = _recorded_replies(job, ours)
    found: list[WrongAnswer] = []
    try:
        for submission in dict.fromkeys(place.submission for place, _ in wanted):
            asked = {
                (place.item, question): (answer, replies.get(submission, {}).get((place.item, question)))
                for (place, question), answer in wanted.items()
                if place.submission == submission
            }
            items = [
                _as_answered(item, asked)
                for item in revealed_until(job.client, submission, max(index for index, _ in asked))
            ]
            addresses = picture_addresses(items, list(asked))
            pictures = data_addresses({address: job.client.picture(address) for address in addresses})
            found += wrong_answers(items, set(asked), picture=pictures, address={}, card=job.card, stops={})
    except TetradError as error:
        say_apart(f"the report shows no wrong answers: {error}")
        return []
    return found


def _as_answered(item: RevealedItem, asked: Mapping[tuple[int, str], tuple[str | None, str | None]]) -> RevealedItem:
    """Return an item with the candidate's answers and replies: a revealed draw has those of the baseline."""
    questions = []
    for revealed in item.questions:
        answer, reply = asked.get((item.item, revealed.question.id), (None, None))
        verdict = "incorrect" if answer is not None else "unread" if reply is not None else "missing"
        questions.append(replace(revealed, answer=answer, response=reply, verdict=verdict))
    return replace(item, questions=questions)


def _recorded_replies(job: Job, ours: Measured) -> dict[str, Replies]:
    """Return the candidate's replies by submission, item and question, from the records of its runs."""
    if job.sequential:
        folders = [job.folder / f"look-{number + 1}" / "candidate" for number in range(len(ours.submissions))]
    else:
        folders = [job.folder / "candidate"]
    replies: dict[str, Replies] = {}
    for submission, folder in zip(dict.fromkeys(ours.submissions), folders, strict=False):
        lines = [line for line in read_lines(folder) if hasattr(line, "text")]
        replies[submission] = {(line.item, line.question): line.text for line in lines}
    return replies
