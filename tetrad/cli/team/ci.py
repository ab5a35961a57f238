"""`tetrad ci`: decide in CI whether a model is good enough, and write why in every form that CI systems read.

In this file: the options, the command, and the runs that it makes: a sealed draw of the candidate, and the baseline on
the same items once they are revealed; or the candidate on a draw that the baseline answered before.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from cyclopts import Parameter
from cyclopts.validators import Number

from tetrad import __version__
from tetrad.ci.applying import apply_gates
from tetrad.ci.cases import gate_cases
from tetrad.ci.measured import Answered, Measured, Place, first_items, of_answers, of_report, on_draw_of, together
from tetrad.ci.page import html_page
from tetrad.ci.result import CiResult, GateResult, ModelResult, Pairing, Thresholds, WrongAnswer, overall
from tetrad.ci.summary import summary_markdown
from tetrad.cli.credentials import connect_with_key
from tetrad.cli.output import leave_at_once, print_json, progress_bar, say, say_apart
from tetrad.cli.team.evaluate import EvalOptions
from tetrad.cli.team.own_run import Spending, own_run, recorded
from tetrad.cli.team.served_run import served_run
from tetrad.cli.team.submit import INTERRUPTED, Options, SubmitError, answering_of, check_solver
from tetrad.client import Client, ServiceError, TetradError
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.evaluations import EvaluationRequest
from tetrad.contracts.submissions import RevealedQuestion, Submission
from tetrad.files import whole_file
from tetrad.runner import ReplyError, RunError, RunProgress, StalledError, answer_submission
from tetrad.runner.recording import RecordedReplies, minutes_of, read_lines
from tetrad.runner.revealed import RevealedDraw
from tetrad.statistics.deciding import least_drop, least_unpaired_drop, sample_interval

STATUS = {"pass": 0, "fail": 1, "undecided": 2}
SUBMISSION = "sub_"
BLOCK = 50  # items of a look
USUAL_DISCORDANCE = 0.1
MOST_WRONG = 12
RESULTS = Path("tetrad-ci")


class CiError(SubmitError):
    """The options don't go together, or the draw can't be used."""


@dataclass(frozen=True, kw_only=True)
class CiOptions(EvalOptions):
    """The options: those of `tetrad eval`, the gates, and the baseline."""

    least_accuracy: Annotated[float | None, Parameter(validator=Number(gte=0, lte=1))] = None
    """Gate: the accuracy is this share or more, for example 0.6."""
    allow_drop: Annotated[float | None, Parameter(validator=Number(gt=0, lt=1))] = None
    """Gate: not worse than --baseline by more than this share, for example 0.05 for 5 points."""
    most_unread: Annotated[float | None, Parameter(validator=Number(gte=0, lte=1))] = None
    """Gate: at most this share of replies without an answer that can be read."""
    most_cost: Annotated[float | None, Parameter(validator=Number(gte=0))] = None
    """Gate: at most so many dollars; needs --price."""
    most_minutes: Annotated[float | None, Parameter(validator=Number(gt=0))] = None
    """Gate: at most so many minutes from the first question to the last answer."""
    baseline: str | None = None
    """A scored submission of yours (sub_...), or the name of a model that is asked anew."""
    baseline_upstream: str | None = None
    """What the baseline's server calls the baseline; its name by default."""
    baseline_base_url: str | None = None
    """Address of the baseline's server; --base-url by default."""
    baseline_command: str | None = None
    """A command that answers for the baseline."""
    paired: Literal["auto", "fresh", "revealed", "published", "no"] = "auto"
    """On which items the two are compared. fresh: one new draw; a model is asked anew. revealed: the candidate answers
    the draw of a submission, which is public. published: the items of a fixed corpus whose labels are public. no: a
    draw of its own against the submission's score, which takes about 2.5 times the items. auto: published for such a
    corpus, else fresh for a model, revealed for a submission."""
    sequential: bool = False
    """Look after every 50 items, each 50 a draw of its own, and stop once every gate has decided."""
    out: Path | None = None
    """The folder for summary.md, junit.xml, result.json and report.html; tetrad-ci by default."""
    service: bool = False
    """Let the service answer: --model and --baseline are models of its gateway, as `tetrad models` lists them."""
    extraction_model: str | None = None
    """With --service: a model of its gateway that extracts answers from replies which our extractor can't read."""
    public: bool = False
    """Let the candidate's draw count on the board. By default it is private."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """The runs to make: the models, where the runs are recorded, and how they are paired."""

    client: Client
    card: Card
    options: CiOptions
    candidate: Options
    baseline: Options | None
    stored: Submission | None
    pairing: Pairing | None
    folder: Path
    spending: Spending


def ci(options: Annotated[CiOptions, Parameter(name="*")]) -> None:
    """Evaluate a model, decide the gates, and write reports for CI.

    Exit 0 if every gate passes, 1 if one fails, 2 if none fails and one could not tell, 3 for an error. An interrupted
    job goes on with the same line; after a job that ended, the same line begins another.
    """
    try:
        result = _ran(options)
    except (RunError, ReplyError, StalledError) as error:
        raise CiError(f"{error}\nthe same line goes on with what there is") from error
    except KeyboardInterrupt:
        say_apart("stopped; the same line goes on with what there is")
        leave_at_once(INTERRUPTED)
    sys.exit(STATUS[result.outcome])


def _ran(options: CiOptions) -> CiResult:
    thresholds = _thresholds(options)
    out = options.out or RESULTS
    candidate = replace(options.submit_options(), private=not options.public)
    candidate.request()
    spending = Spending.of(
        price=options.price,
        picture_tokens=options.picture_tokens,
        limit_cost=options.limit_cost,
        max_tokens=options.max_tokens,
    )
    with connect_with_key(options.url) as client:
        card = client.benchmark(options.benchmark).card
        _check_pairing(options, card)
        baseline, stored, pairing, why = _baseline(client, options, candidate, card)
        job = Job(
            client=client,
            card=card,
            options=options,
            candidate=candidate,
            baseline=baseline,
            stored=stored,
            pairing=pairing,
            folder=options.folder or out / "runs",
            spending=spending,
        )
        _say_beforehand(job, thresholds)
        ours, theirs, gates = _sequential(job, thresholds) if options.sequential else _at_once(job, thresholds)
        result = _result(job, gates, ours, theirs, why)
        wrong = _wrong_answers(client, ours, _replies(job, ours))
    _write(out, result, wrong)
    job.folder.rename(job.folder.with_name(f"{job.folder.name}-{result.at.replace(':', '')}"))
    if options.json:
        print_json(result)
    else:
        say(summary_markdown(result))
    say_apart(f"{out} has summary.md, junit.xml, result.json and report.html")
    return result


def _thresholds(options: CiOptions) -> Thresholds:
    found = Thresholds(
        least_accuracy=options.least_accuracy,
        allow_drop=options.allow_drop,
        most_unread=options.most_unread,
        most_cost=None if options.most_cost is None else round(options.most_cost * 1_000_000),
        most_minutes=options.most_minutes,
    )
    if not found.any():
        raise CiError(
            "no gate was given: ask for --least-accuracy, --allow-drop, --most-unread, --most-cost, "
            "--most-minutes, or several of them"
        )
    if (options.allow_drop is None) != (options.baseline is None):
        raise CiError("--allow-drop and --baseline belong together; give both, or leave both out")
    if options.extraction_model is not None and not options.service:
        raise CiError("--extraction-model is a model of the service's gateway; give --service, or leave it out")
    if options.most_cost is not None and options.price is None and not options.service:
        raise CiError("--most-cost needs to know what calls cost; give --price INPUT,OUTPUT")
    if options.service and (
        options.inspect or options.base_url or options.command or options.upstream or options.limit_cost is not None
    ):
        raise CiError("--service has the service's gateway answer; leave out what answers on this machine")
    if options.sequential and options.least_accuracy is None and options.allow_drop is None:
        raise CiError("--sequential looks at --least-accuracy or --allow-drop; give one, or leave it out")
    return found


def _check_pairing(options: CiOptions, card: Card) -> None:
    """Check that the draws of this benchmark can be paired as it was asked for.

    Raises:
        CiError: they can't, or the reports of a fixed corpus say nothing of single items.
    """
    if card.corpus is None:
        if options.paired == "published":
            raise CiError(f"--paired published is for fixed corpora, and {card.name} draws new items; leave it out")
        return
    if not card.corpus.labels_public:
        raise CiError(
            f"{card.name} is a fixed corpus whose labels are not public, so its reports say nothing of single items, "
            "which gates need; compare headlines with `tetrad report`"
        )
    if options.paired in {"fresh", "revealed"} or options.sequential:
        asked = "--sequential" if options.sequential else f"--paired {options.paired}"
        raise CiError(f"{asked} needs new draws, and {card.name} is a fixed corpus; leave it out")


def _baseline(
    client: Client, options: CiOptions, candidate: Options, card: Card
) -> tuple[Options | None, Submission | None, Pairing | None, str]:
    """Return the model that is asked anew, or the stored submission; how they are paired, and why.

    Raises:
        CiError: the pairing that was asked for is impossible.
    """
    if options.baseline is None:
        return None, None, None, ""
    if not options.baseline.startswith(SUBMISSION):
        if options.paired in {"revealed", "no"}:
            raise CiError(
                f"--paired {options.paired} compares with a submission, and --baseline {options.baseline} is a "
                "model's name; name a submission (sub_...), or leave --paired out"
            )
        asked = replace(
            candidate,
            model=options.baseline,
            command=options.baseline_command,
            keep_alive=options.keep_alive and options.baseline_command is not None,
            openai=None if options.baseline_command else options.baseline_base_url or options.base_url,
            openai_model=options.baseline_upstream,
            inspect=None,
        )
        if asked.openai is None:  # a command or a solver: what is told to a server has no effect
            asked = replace(asked, max_tokens=None, temperature=None, extra_body=None, openai_model=None)
        why = "the baseline is a model, which is asked anew" if options.paired == "auto" else ""
        return asked, None, "fresh" if card.corpus is None else "published", why
    if options.paired == "fresh":
        raise CiError(
            f"--paired fresh asks the baseline anew, and {options.baseline} is a submission; name a model and what "
            "answers for it, or leave --paired out"
        )
    stored, pairing, why = _stored(client, options, candidate, card, options.baseline)
    return None, stored, pairing, why


def _stored(
    client: Client, options: CiOptions, candidate: Options, card: Card, name: str
) -> tuple[Submission, Pairing, str]:
    """Return the submission to compare with, how its items are paired, and why.

    Raises:
        CiError: it is not scored or of another benchmark, or its items can't be asked again.
    """
    stored = client.submission(name)
    if stored.state != "scored":
        raise CiError(f"--baseline {stored.id} is {stored.state}: only a scored submission can be compared with")
    _check_same_items(candidate, stored)
    if options.paired == "no":
        return stored, "no", ""
    if card.corpus is not None:
        return stored, "published", "the baseline is a submission on a fixed corpus" if options.paired == "auto" else ""
    try:
        first = client.revealed(stored.id, limit=1).items[0]
        client.practice_item(first.practice_id)
    except (ServiceError, IndexError) as error:
        if options.paired == "revealed":
            raise CiError(f"--paired revealed: the items of {stored.id} can't be asked again: {error}") from error
        return stored, "no", f"the items of {stored.id} can't be asked again"
    return stored, "revealed", "the baseline is a submission" if options.paired == "auto" else ""


def _check_same_items(candidate: Options, stored: Submission) -> None:
    identity = stored.identity
    asked = {"benchmark": candidate.benchmark, "track": candidate.track, "setting": candidate.setting}
    own = {"benchmark": identity.benchmark, "track": identity.track, "setting": identity.setting}
    for name, value in asked.items():
        if value is not None and value != own[name]:
            raise CiError(f"--{name} {value}: the baseline {stored.id} has {own[name]}; compare like with like")


def _say_beforehand(job: Job, thresholds: Thresholds) -> None:
    """Say which drop can be told with so many items, before anything is spent."""
    if thresholds.allow_drop is None or job.options.sequential:
        return
    size = _size(job)
    if job.pairing == "no" and job.stored is not None:
        least, how = least_unpaired_drop(size, job.stored.size), "against a stored score, at an accuracy of 50%"
    else:
        least, how = least_drop(size, USUAL_DISCORDANCE), "on shared items, of which one in ten tells the models apart"
    say_apart(
        f"{size} items tell a drop of {100 * least:.1f} points or more for an unchanged model (4 times in 5, {how}); "
        f"asked is {100 * thresholds.allow_drop:g}"
    )


def _size(job: Job) -> int:
    if job.pairing == "revealed" and job.stored is not None:
        return job.stored.size
    return job.candidate.request().size


def _at_once(job: Job, thresholds: Thresholds) -> tuple[Measured, Measured | None, tuple[GateResult, ...]]:
    ours, theirs = _block(job, 0, None)
    return ours, theirs, apply_gates(thresholds, ours, theirs, pairing=job.pairing)


def _sequential(job: Job, thresholds: Thresholds) -> tuple[Measured, Measured | None, tuple[GateResult, ...]]:
    """Look after every draw of 50 items, until every gate by bounds has decided or all items are asked."""
    if job.options.service and job.pairing == "revealed":
        raise CiError("--sequential with --service makes new draws; name a model as --baseline")
    if job.pairing == "no":
        raise CiError("--sequential compares on shared items; leave out --paired no")
    if job.pairing == "revealed" and job.stored is not None and first_items(job.client.report(job.stored.id)):
        raise CiError(f"--sequential would tear items of {job.stored.id} apart that share a picture; leave it out")
    ours, theirs = list[Measured](), list[Measured]()
    gates: tuple[GateResult, ...] = ()
    blocks = max(1, _size(job) // BLOCK)
    for number in range(blocks):
        own, other = _block(job, number, BLOCK)
        ours.append(own)
        theirs += [] if other is None else [other]
        candidate, baseline = together(ours), together(theirs) if theirs else None
        gates = apply_gates(thresholds, candidate, baseline, pairing=job.pairing, sequential=True)
        told = "; ".join(f"{gate.name}: {gate.outcome}" for gate in gates if gate.interval is not None)
        say_apart(f"look {number + 1} of at most {blocks}, {BLOCK * (number + 1)} items: {told}")
        if all(gate.outcome != "undecided" for gate in gates):
            break
    return together(ours), together(theirs) if theirs else None, gates


def _block(job: Job, number: int, size: int | None) -> tuple[Measured, Measured | None]:
    """Return what both models did on one draw: the whole one, or the next block of it."""
    folder = job.folder if size is None else job.folder / f"look-{number + 1}"
    if job.options.service:
        return _served(job, folder, size)
    if job.pairing == "revealed" and job.stored is not None:
        every = job.stored.size
        items = range(every) if size is None else range(number * size, min((number + 1) * size, every))
        theirs = _of_stored(job, items)
        return _answer_revealed(job, job.candidate, job.stored, items, folder / "candidate"), theirs
    asked = job.candidate if size is None else replace(job.candidate, size=size)
    report, costs = own_run(job.client, asked, folder / "candidate", job.spending)
    ours = of_report(job.card, report, asked.request().model)
    ours = msgspec.structs.replace(ours, costs=costs, minutes=minutes_of(read_lines(folder / "candidate")))
    if job.baseline is not None and job.pairing == "published":
        asked = replace(job.baseline, size=report.size)
        other, costs = own_run(job.client, asked, folder / "baseline", job.spending)
        return ours, msgspec.structs.replace(of_report(job.card, other, asked.request().model), costs=costs)
    if job.baseline is not None:
        drawn = job.client.submission(report.submission)
        return ours, _answer_revealed(job, job.baseline, drawn, range(report.size), folder / "baseline")
    return ours, None if job.stored is None else _of_stored(job, range(job.stored.size))


def _served(job: Job, folder: Path, size: int | None) -> tuple[Measured, Measured | None]:
    """Return what models of the service's gateway did: on one new draw, or again on the draw of the baseline."""
    asked = job.candidate.request()
    is_again = job.pairing == "revealed" and job.stored is not None
    request = EvaluationRequest(
        benchmark=asked.benchmark,
        models=[asked.model, *([] if job.baseline is None else [job.baseline.request().model])],
        track=None if is_again else asked.track,
        setting=None if is_again else asked.setting,
        parameters={} if is_again else asked.parameters,
        source=[] if is_again else asked.source,
        conversation=asked.conversation,
        size=None if is_again else size or asked.size,
        strategy=job.options.strategy,
        extraction_model=job.options.extraction_model,
        concurrency=job.options.concurrency,
        visibility=asked.visibility,
        on=job.stored.id if is_again and job.stored is not None else None,
    )
    served = served_run(job.client, request, folder)
    found = [
        msgspec.structs.replace(of_report(job.card, one.report, model), costs=one.costs, minutes=one.minutes)
        for one, model in zip(served, request.models, strict=True)
    ]
    if job.stored is None:
        return found[0], on_draw_of(found[1], found[0]) if len(found) > 1 else None
    theirs = _of_stored(job, range(job.stored.size))
    if not is_again:
        return found[0], theirs
    return msgspec.structs.replace(found[0], sealed=False), on_draw_of(theirs, found[0])


def _of_stored(job: Job, items: range) -> Measured:
    assert job.stored is not None  # noqa: S101 -- it is asked for only then
    report = job.client.report(job.stored.id)
    whole = of_report(job.card, report, job.stored.model)
    if len(items) == report.size:
        return whole
    part = {place: score for place, score in whole.scores.items() if place.item in items}
    return msgspec.structs.replace(whole, scores=part)


def _answer_revealed(job: Job, asked: Options, drawn: Submission, items: range, folder: Path) -> Measured:
    """Let a model answer items of a draw that was revealed; return what it did there."""
    model = asked.request().model
    place = {"track": drawn.identity.track, "setting": drawn.identity.setting}
    check_solver(job.client, asked, msgspec.structs.replace(asked.request(), **place))
    draw = RevealedDraw(job.client, drawn.id, conversation=drawn.conversation, items=items)
    with recorded(answering_of(asked, model), folder, job.spending, asked.max_tokens) as own, progress_bar() as bar:
        record = own.responder
        assert isinstance(record, RecordedReplies)  # noqa: S101 -- as `recorded` gives it
        task = bar.add_task(f"{model} on {drawn.id}", total=len(items))

        def show(done: RunProgress) -> None:
            bar.update(task, completed=len(items) if done.state != "open" else min(done.items_done, len(items)))

        answer_submission(draw, own.responder, own.plan, report=show)
        costs, minutes = record.costs(), minutes_of(record.lines)
    answered = [
        Answered(
            item=item,
            verdict=verdict.verdict,
            facets=facets,
            outcome=verdict.outcome,
            question=verdict.question,
            answer=verdict.answer,
            key=verdict.key,
        )
        for item, verdict, facets in draw.results()
    ]
    card, units = job.card.ranked_by(drawn.identity.setting), first_items(job.client.report(drawn.id))
    measured = of_answers(card, answered, units, model=model, submission=drawn.id, sealed=False)
    return msgspec.structs.replace(measured, costs=costs, minutes=minutes)


def _result(job: Job, gates: tuple[GateResult, ...], ours: Measured, theirs: Measured | None, why: str) -> CiResult:
    drawn = job.client.submission(ours.submissions[0])
    return CiResult(
        outcome=overall(gates),
        metric=job.card.metric_of(drawn.identity.setting),
        identity=drawn.identity,
        conversation=drawn.conversation,
        pairing=job.pairing,
        why_paired=why,
        sequential=job.options.sequential,
        gates=gates,
        candidate=_model(ours),
        baseline=None if theirs is None else _model(theirs),
        uniform_chance=None if drawn.headline is None else drawn.headline.uniform_chance,
        at=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        tetrad=__version__,
    )


def _model(one: Measured) -> ModelResult:
    sample = one.sample
    return ModelResult(
        model=one.model,
        submissions=one.submissions,
        sealed=one.sealed,
        score=sample.mean,
        interval=sample_interval(sample, 0.95),
        items=sample.count,
        asked=one.asked,
        unread=one.unread,
        missing=one.missing,
        groups=one.groups,
        costs=one.costs,
        minutes=one.minutes,
    )


Replies = dict[tuple[int, str], str]


def _replies(job: Job, ours: Measured) -> Callable[[Place, str], str | None]:
    """Return what finds the candidate's reply to a question, in the records of its runs."""
    if job.options.sequential:
        folders = [job.folder / f"look-{number + 1}" / "candidate" for number in range(len(ours.submissions))]
    else:
        folders = [job.folder / "candidate"]
    found: dict[str, Replies] = {}
    for submission, folder in zip(dict.fromkeys(ours.submissions), folders, strict=False):
        lines = [line for line in read_lines(folder) if hasattr(line, "text")]
        found[submission] = {(line.item, line.question): line.text for line in lines}
    return lambda place, question: found.get(place.submission, {}).get((place.item, question))


def _wrong_answers(client: Client, ours: Measured, reply: Callable[[Place, str], str | None]) -> list[WrongAnswer]:
    """Return the first wrong answers with their pictures. What can't be shown any more is left out."""
    wanted = ours.wrong[:MOST_WRONG]
    asked: dict[Place, dict[str, RevealedQuestion]] = {}
    try:
        for submission in dict.fromkeys(place.submission for place, *_ in wanted):
            last = max(place.item for place, *_ in wanted if place.submission == submission)
            asked |= _revealed_questions(client, submission, last)
        return [
            _shown(client, place, asked[place][question], answer=answer, key=key, reply=reply(place, question))
            for place, question, answer, key in wanted
            if question in asked.get(place, {})
        ]
    except TetradError as error:
        say_apart(f"the report shows no wrong answers: {error}")
        return []


def _revealed_questions(client: Client, submission: str, last: int) -> dict[Place, dict[str, RevealedQuestion]]:
    """Return the questions of the items up to `last`, by place and id."""
    found: dict[Place, dict[str, RevealedQuestion]] = {}
    cursor: str | None = None
    while True:
        page = client.revealed(submission, cursor=cursor, limit=50)
        for one in page.items:
            found[Place(submission=submission, item=one.item)] = {each.question.id: each for each in one.questions}
        cursor = page.next
        if cursor is None or page.items[-1].item >= last:
            return found


def _shown(
    client: Client, place: Place, asked: RevealedQuestion, *, answer: str | None, key: str, reply: str | None
) -> WrongAnswer:
    question = asked.question
    pictures = [
        (picture.caption or picture.name, client.picture(picture.url))
        for picture in question.pictures
        if picture.url is not None
    ]
    captions = {picture.name: picture.caption for picture in question.pictures}
    options = tuple(
        f"({one.label}) {one.text or captions.get(one.picture or '') or one.picture or ''}".strip()
        for one in question.options
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


def _write(out: Path, result: CiResult, wrong: Sequence[WrongAnswer]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    documents = {
        "summary.md": summary_markdown(result).encode(),
        "junit.xml": gate_cases(result),
        "result.json": msgspec.json.format(msgspec.json.encode(result)) + b"\n",
        "report.html": html_page(result, wrong).encode(),
    }
    for name, body in documents.items():
        with whole_file(out / name, durable=False) as file:
            file.write(body)
