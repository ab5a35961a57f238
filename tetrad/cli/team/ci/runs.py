"""The runs that `tetrad ci` makes.

They are a sealed draw of the candidate, and the baseline on the same items once they are revealed; or the candidate on
a draw that the baseline answered before.
"""

from dataclasses import dataclass
from pathlib import Path

import msgspec

from tetrad.ci.applying import apply_gates
from tetrad.ci.measured import Answered, Measured, of_answers, of_report, on_draw_of, together
from tetrad.ci.result import GateResult, Thresholds
from tetrad.cli.output import progress_bar, say_apart
from tetrad.cli.team.answering import tell_altered
from tetrad.cli.team.ci.options import CiError, ServiceOptions
from tetrad.cli.team.ci.pairing import Baseline
from tetrad.cli.team.ci.served_run import served_run
from tetrad.cli.team.opening import Entry, check_solver
from tetrad.cli.team.own_run import Spending, own_run, record_replies
from tetrad.client import Client
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.evaluations import EvaluationRequest
from tetrad.contracts.submissions import Submission
from tetrad.reporting.item_scores import first_items
from tetrad.runner import RunProgress, answer_submission
from tetrad.runner.recording import minutes_of, read_lines
from tetrad.runner.revealed import RevealedDraw

BLOCK = 50  # items of a look


@dataclass(frozen=True, kw_only=True)
class Job:
    """The runs to make: the models, where the runs are recorded, and how they are paired."""

    client: Client
    card: Card
    candidate: Entry
    baseline: Baseline
    service: ServiceOptions
    sequential: bool
    folder: Path
    spending: Spending


def size_of(job: Job) -> int:
    if job.baseline.pairing == "revealed" and job.baseline.stored is not None:
        return job.baseline.stored.size
    return job.candidate.request().size


def run_at_once(job: Job, thresholds: Thresholds) -> tuple[Measured, Measured | None, tuple[GateResult, ...]]:
    ours, theirs = _run_block(job, 0, None)
    return ours, theirs, apply_gates(thresholds, ours, theirs, pairing=job.baseline.pairing)


def run_in_looks(job: Job, thresholds: Thresholds) -> tuple[Measured, Measured | None, tuple[GateResult, ...]]:
    """Look after every draw of 50 items, until every gate by bounds has decided or all items are asked."""
    _check_looks(job)
    ours, theirs = list[Measured](), list[Measured]()
    gates: tuple[GateResult, ...] = ()
    blocks = max(1, size_of(job) // BLOCK)
    for number in range(blocks):
        own, other = _run_block(job, number, BLOCK)
        ours.append(own)
        theirs += [] if other is None else [other]
        candidate, baseline = together(ours), together(theirs) if theirs else None
        gates = apply_gates(thresholds, candidate, baseline, pairing=job.baseline.pairing, sequential=True)
        outcomes = "; ".join(f"{gate.name}: {gate.outcome}" for gate in gates if gate.interval is not None)
        say_apart(f"look {number + 1} of at most {blocks}, {BLOCK * (number + 1)} items: {outcomes}")
        if all(gate.outcome != "undecided" for gate in gates):
            break
    return together(ours), together(theirs) if theirs else None, gates


def _check_looks(job: Job) -> None:
    pairing, stored = job.baseline.pairing, job.baseline.stored
    if job.service.service and pairing == "revealed":
        raise CiError("--sequential with --service makes new draws; name a model as --baseline")
    if pairing == "no":
        raise CiError("--sequential compares on shared items; leave out --paired no")
    if pairing == "revealed" and stored is not None and first_items(job.client.report(stored.id)):
        raise CiError(f"--sequential would tear items of {stored.id} apart that share a picture; leave it out")


def _run_block(job: Job, number: int, size: int | None) -> tuple[Measured, Measured | None]:
    """Return what both models did on one draw: the whole one, or the next block of it."""
    folder = job.folder if size is None else job.folder / f"look-{number + 1}"
    if job.service.service:
        return _run_by_service(job, folder, size)
    stored, baseline = job.baseline.stored, job.baseline.entry
    if job.baseline.pairing == "revealed" and stored is not None:
        items = range(stored.size) if size is None else range(number * size, min((number + 1) * size, stored.size))
        theirs = _measure_stored(job, stored, items)
        return _answer_revealed(job, job.candidate, stored, items, folder / "candidate"), theirs
    candidate = job.candidate if size is None else job.candidate.with_size(size)
    report, costs = own_run(job.client, candidate, folder / "candidate", job.spending)
    ours = of_report(job.card, report, candidate.request().model)
    ours = msgspec.structs.replace(ours, costs=costs, minutes=minutes_of(read_lines(folder / "candidate")))
    if baseline is not None and job.baseline.pairing == "published":
        other, costs = own_run(job.client, baseline.with_size(report.size), folder / "baseline", job.spending)
        return ours, msgspec.structs.replace(of_report(job.card, other, baseline.request().model), costs=costs)
    if baseline is not None:
        drawn = job.client.submission(report.submission)
        return ours, _answer_revealed(job, baseline, drawn, range(report.size), folder / "baseline")
    return ours, None if stored is None else _measure_stored(job, stored, range(stored.size))


def _run_by_service(job: Job, folder: Path, size: int | None) -> tuple[Measured, Measured | None]:
    """Return what models of the service's gateway did: on one new draw, or again on the draw of the baseline."""
    wanted, answering, stored = job.candidate.request(), job.candidate.answering, job.baseline.stored
    again = stored if job.baseline.pairing == "revealed" else None
    request = EvaluationRequest(
        benchmark=wanted.benchmark,
        models=[wanted.model, *([] if job.baseline.entry is None else [job.baseline.entry.request().model])],
        track=None if again else wanted.track,
        setting=None if again else wanted.setting,
        parameters={} if again else wanted.parameters,
        source=[] if again else wanted.source,
        conversation=wanted.conversation,
        size=None if again else size or wanted.size,
        strategy=answering.strategy,
        extraction_model=job.service.extraction_model,
        concurrency=answering.concurrency,
        visibility=wanted.visibility,
        on=None if again is None else again.id,
    )
    runs = [
        msgspec.structs.replace(of_report(job.card, served.report, model), costs=served.costs, minutes=served.minutes)
        for served, model in zip(served_run(job.client, request, folder), request.models, strict=True)
    ]
    if stored is None:
        return runs[0], on_draw_of(runs[1], runs[0]) if len(runs) > 1 else None
    theirs = _measure_stored(job, stored, range(stored.size))
    if again is None:
        return runs[0], theirs
    return msgspec.structs.replace(runs[0], sealed=False), on_draw_of(theirs, runs[0])


def _measure_stored(job: Job, stored: Submission, items: range) -> Measured:
    report = job.client.report(stored.id)
    whole = of_report(job.card, report, stored.model)
    if len(items) == report.size:
        return whole
    part = {place: score for place, score in whole.scores.items() if place.item in items}
    return msgspec.structs.replace(whole, scores=part)


def _answer_revealed(job: Job, entry: Entry, drawn: Submission, items: range, folder: Path) -> Measured:
    """Let a model answer items of a draw that was revealed; return what it did there."""
    request, options = entry.request(), entry.answering
    model = request.model
    place = {"track": drawn.identity.track, "setting": drawn.identity.setting}
    check_solver(job.client, options, msgspec.structs.replace(request, **place))
    draw = RevealedDraw(job.client, drawn.id, conversation=drawn.conversation, items=items)
    answering = options.answering(model)
    recording = record_replies(answering.responder, folder, job.spending, options.max_tokens)
    with recording as record, progress_bar() as bar:
        task = bar.add_task(f"{model} on {drawn.id}", total=len(items))

        def show(done: RunProgress) -> None:
            bar.update(task, completed=len(items) if done.state != "open" else min(done.items_done, len(items)))

        done = answer_submission(draw, record, answering.plan, report=show)
        costs, minutes = record.costs(), minutes_of(record.lines)
    tell_altered(done)
    answered = [
        Answered(
            item=item,
            verdict=verdict.verdict,
            facets=facets,
            outcome=verdict.outcome,
            question=verdict.question,
            answer=verdict.answer,
            key=verdict.key,
            stop=draw.stop_of(item, verdict.question),
        )
        for item, verdict, facets in draw.results()
    ]
    card, units = job.card.ranked_by(drawn.identity.setting), first_items(job.client.report(drawn.id))
    measured = of_answers(card, answered, units, model=model, submission=drawn.id, sealed=False)
    return msgspec.structs.replace(measured, costs=costs, minutes=minutes)
