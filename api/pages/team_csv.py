"""The submissions of a team as CSV, as its page filters them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any

import sqlalchemy as sa
from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import QueryParameter

from api.context import AppContext
from api.http.guards import check_scope
from api.http.sessions import refuse_signed_out
from api.pages.frame import FOR_ONE_CALLER, HEADERS, PAGE, VARY
from api.settings import ApiSettings
from api.submissions.finding import list_own
from api.teams.access import Caller
from tetrad.contracts.submissions import Submission
from tetrad.reporting.csv_table import harmless, write_table

AT_ONCE, MOST = 500, 20_000  # submissions: read together, and given in all
COLUMNS = (
    *("submission", "model", "benchmark", "version", "track", "setting", "state", "visibility", "size"),
    *("opened_at", "finished_at", "scored_at", "metric", "score", "lower", "upper", "items", "evaluation", "reason"),
)


@get("/team/csv", include_in_schema=False, opt=PAGE, sync_to_thread=True)
def team_csv(
    context: NamedDependency[AppContext],
    caller: NamedDependency[Caller | None],
    in_state: Annotated[str, QueryParameter(name="state", max_length=16)] = "",
    benchmark: Annotated[str, QueryParameter(max_length=64)] = "",
) -> Response[str]:
    """Give the newest 20,000 submissions of the team, one a line."""
    if caller is None:
        raise refuse_signed_out()
    check_scope(caller, "read")
    found = submissions_of(context.engine, context.settings, caller, {"state": in_state, "benchmark": benchmark})
    headers = {
        **HEADERS,
        "Cache-Control": FOR_ONE_CALLER,
        "Vary": VARY,
        "Content-Disposition": 'attachment; filename="submissions.csv"',
    }
    return Response(write_csv(found), media_type="text/csv", headers=headers)


def submissions_of(
    engine: sa.Engine, settings: ApiSettings, caller: Caller, wanted: Mapping[str, str]
) -> Iterator[Submission]:
    cursor: str | None = None
    for _ in range(MOST // AT_ONCE):
        page = list_own(engine, settings, caller, cursor, AT_ONCE, **wanted)
        yield from page.submissions
        cursor = page.next
        if cursor is None:
            return


def write_csv(found: Iterable[Submission]) -> str:
    """Return a line for each submission. A cell that a spreadsheet would run as a formula begins with an apostrophe."""
    return write_table(COLUMNS, map(cells_of, found))


def cells_of(submission: Submission) -> dict[str, Any]:
    identity, headline = submission.identity, submission.headline
    interval = None if headline is None else headline.interval
    return {
        "submission": submission.id,
        "model": harmless(submission.model),
        "benchmark": identity.benchmark,
        "version": identity.version,
        "track": identity.track,
        "setting": identity.setting,
        "state": submission.state,
        "visibility": submission.visibility,
        "size": submission.size,
        "opened_at": submission.opened_at,
        "finished_at": submission.finished_at,
        "scored_at": submission.scored_at,
        "metric": None if headline is None else headline.name,
        "score": None if headline is None else headline.value,
        "lower": None if interval is None else interval.lower,
        "upper": None if interval is None else interval.upper,
        "items": None if headline is None else headline.items,
        "evaluation": submission.evaluation,
        "reason": harmless(submission.failure or submission.void_reason or ""),
    }


HANDLERS = [team_csv]
