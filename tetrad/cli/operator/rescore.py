"""`tetrad admin rescore`: propose, show what would change, apply."""

import sys
import time
from collections.abc import Iterator

from tetrad.cli.credentials import UrlOption
from tetrad.cli.operator.connecting import NOT_CONFIRMED, operate
from tetrad.cli.output import JsonOption, errors, print_json, progress_bar, say, table
from tetrad.client import TetradError
from tetrad.client.operator import OperatorClient
from tetrad.client.pages import every_page
from tetrad.contracts.operator import RescoringRequest
from tetrad.contracts.rescoring import MetricChange, Rescoring, RescoringBatch
from tetrad.reporting.markdown import ASKED
from tetrad.reporting.units import in_unit, percent

POLL_SECONDS = 0.5
QUESTIONS_SHOWN = 20


class RescoringError(TetradError):
    """Some of the batch failed: nothing of it is applied."""


def rescore(
    submission: str | None = None,
    *,
    reason: str,
    all_of: str | None = None,
    version: int | None = None,
    dry_run: bool = False,
    yes: bool = False,
    url: UrlOption = None,
    json: JsonOption = False,
) -> None:
    """Score again with the current scorer and show what would change. Apply it only with --yes.

    The old report stays readable as an earlier revision. The answers are those that were sealed.

    Args:
        submission: a scored submission's id.
        reason: public: why the report has another revision.
        all_of: a benchmark: every scored submission of it, instead of one.
        version: only of this version of the benchmark.
        dry_run: show and never apply; exits 3 where something would change.
        yes: apply what is shown.
    """
    with operate(url) as client:
        request = RescoringRequest(submission=submission, benchmark=all_of, version=version, reason=reason)
        batch = _wait(client, client.rescore(request))
        proposed = batch.counts.get("proposed", 0)
        failed = batch.counts.get("failed", 0)
        if not json:
            for rescoring in _all(client, batch):
                _show_one(rescoring)
            _show_ranks(batch)
        if failed:
            raise RescoringError(f"{failed} of {batch.id} failed; nothing is applied")
        if proposed and yes and not dry_run:
            batch = client.apply_rescoring(batch.id)
    if json:
        print_json(batch)
    else:
        say(", ".join(f"{number} {state}" for state, number in sorted(batch.counts.items())))
    if proposed and (dry_run or not yes):
        errors.print("Nothing is applied; to do it, run it with --yes.", soft_wrap=True)
        sys.exit(NOT_CONFIRMED)


def _wait(client: OperatorClient, batch: RescoringBatch) -> RescoringBatch:
    """Follow the batch until scoring has looked at all of it."""
    total = sum(batch.counts.values())
    with progress_bar() as bar:
        task = bar.add_task("reports", total=total)
        while queued := batch.counts.get("queued", 0):
            bar.update(task, completed=total - queued)
            time.sleep(POLL_SECONDS)
            batch = client.rescoring(batch.id)
        bar.update(task, completed=total)
    return batch


def _all(client: OperatorClient, batch: RescoringBatch) -> Iterator[Rescoring]:
    """Yield what changed or failed, page by page."""
    pages = every_page(lambda cursor: batch if cursor is None else client.rescoring(batch.id, cursor=cursor))
    yield from (rescoring for page in pages for rescoring in page.rescorings)


def _show_ranks(batch: RescoringBatch) -> None:
    if batch.ranks:
        columns = ["board", "team/model", "score", "then", "ranks", "then"]
        rows = [
            [
                f"{change.benchmark} {change.version}, {change.track}, {change.setting}, {ASKED[change.conversation]}",
                f"{change.team}/{change.model}",
                percent(change.score_before),
                percent(change.score_after),
                _ranks(change.ranks_before),
                _ranks(change.ranks_after),
            ]
            for change in batch.ranks
        ]
        table("Rows that move", columns, rows)


def _show_one(one: Rescoring) -> None:
    if one.difference is None:
        say(f"{one.submission}: {one.state}{'' if one.failure is None else f', {one.failure}'}")
        return
    before, after = one.difference.versions_before, one.difference.versions_after
    title = f"{one.submission}, revision {one.revision}: scorer {before.scorer} to {after.scorer}"
    rows = [
        [
            f"item {change.item}, {change.question}",
            f"{change.verdict_before} ({change.answer_before or '-'})",
            f"{change.verdict_after} ({change.answer_after or '-'})",
        ]
        for change in one.difference.questions[:QUESTIONS_SHOWN]
    ]
    if (more := one.difference.questions_changed - len(rows)) > 0:
        rows.append([f"and {more} questions more", "", ""])
    rows += [[" ".join([change.name, *change.facets.values()]), *_numbers(change)] for change in one.difference.metrics]
    table(f"{title}, reader {before.reader} to {after.reader}", ["", "before", "after"], rows)


def _numbers(change: MetricChange) -> tuple[str, str]:
    return in_unit(change.before, change.unit), in_unit(change.after, change.unit)


def _ranks(ranks: tuple[int, int] | None) -> str:
    return "-" if ranks is None else f"{ranks[0]}-{ranks[1]}"
