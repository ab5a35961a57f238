"""The result of `tetrad ci`, with the first wrong answers of the candidate and their pictures."""

from datetime import UTC, datetime

from tetrad.ci.measured import Measured, Place
from tetrad.ci.result import CiResult, GateResult, ModelResult, WrongAnswer, overall
from tetrad.cli.output import say_apart
from tetrad.cli.team.ci.runs import Job
from tetrad.client import Client, TetradError
from tetrad.client.pages import every_page
from tetrad.contracts.submissions import RevealedQuestion
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
    first = ours.wrong[:MOST_WRONG]
    replies = _recorded_replies(job, ours)
    questions: dict[Place, dict[str, RevealedQuestion]] = {}
    try:
        for submission in dict.fromkeys(place.submission for place, *_ in first):
            last = max(place.item for place, *_ in first if place.submission == submission)
            questions |= _revealed_questions(job.client, submission, last)
        return [
            _wrong_answer(
                job.client,
                place,
                questions[place][question],
                answer=answer,
                key=key,
                reply=replies.get(place.submission, {}).get((place.item, question)),
            )
            for place, question, answer, key in first
            if question in questions.get(place, {})
        ]
    except TetradError as error:
        say_apart(f"the report shows no wrong answers: {error}")
        return []


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


def _revealed_questions(client: Client, submission: str, last: int) -> dict[Place, dict[str, RevealedQuestion]]:
    """Return the questions of the items up to `last`, by place and id."""
    questions: dict[Place, dict[str, RevealedQuestion]] = {}
    for page in every_page(lambda cursor: client.revealed_items(submission, cursor=cursor, limit=50)):
        for item in page.items:
            place = Place(submission=submission, item=item.item)
            questions[place] = {revealed.question.id: revealed for revealed in item.questions}
        if page.items[-1].item >= last:
            break
    return questions


def _wrong_answer(
    client: Client, place: Place, revealed: RevealedQuestion, *, answer: str | None, key: str, reply: str | None
) -> WrongAnswer:
    question = revealed.question
    pictures = [
        (picture.caption or picture.name, client.picture(picture.url))
        for picture in question.pictures
        if picture.url is not None
    ]
    captions = {picture.name: picture.caption for picture in question.pictures}
    options = tuple(
        f"({option.label}) {option.text or captions.get(option.picture or '') or option.picture or ''}".strip()
        for option in question.options
    )
    return WrongAnswer(
        submission=place.submission,
        item=place.item,
        question=question.id,
        text=question.text,
        options=options,
        answer=answer,
        key=key,
        reply=reply,
        pictures=tuple(pictures),
    )
