"""The page of the public log: the newest entries, or those around one submission's, and how to check the chain."""

from dataclasses import dataclass
from typing import Annotated, Any

from litestar import Request, Response, get
from litestar.di import NamedDependency
from litestar.params import QueryParameter

from api.context import AppContext
from api.database.schema import submissions
from api.errors import not_found
from api.pages.frame import PAGE, Frame, at, page_response, render
from api.submissions.finding import list_scored
from api.submissions.log import log_page, newest_number, number_of
from api.teams.access import Caller
from tetrad.contracts.log import LogEntry

SHOWN = 100
AROUND = 5
LARGEST = 2**31 - 1


@dataclass(frozen=True, kw_only=True)
class LogView:
    """Entries, newest first. `readable` are the submissions whose reports the caller may read."""

    entries: tuple[LogEntry, ...]
    readable: frozenset[str]
    head: str
    submission: str
    older_address: str
    newest_address: str
    json_address: str
    command: str


@get("/log", include_in_schema=False, opt=PAGE, sync_to_thread=True)
def log_of_draws(
    *,
    context: NamedDependency[AppContext],
    caller: NamedDependency[Caller | None],
    request: Request[Any, Any, Any],
    submission: Annotated[str, QueryParameter(max_length=64)] = "",
    before: Annotated[int | None, QueryParameter(ge=1, le=LARGEST)] = None,
) -> Response[Any]:
    """Show entries of the log, as `GET /v1/commitments` gives them.

    Raises:
        NotFoundError: the submission that is named has no entry.
    """
    newest = newest_number(context.engine)
    last, shown = (newest if before is None else min(newest, before - 1)), SHOWN
    if submission:
        number = number_of(context.engine, submission)
        if number is None:
            raise not_found("submission", submission)
        last, shown = min(newest, number + AROUND), 2 * AROUND + 1
    page = log_page(context.engine, max(0, last - shown), min(shown, max(1, last)))
    entries = tuple(reversed([entry for entry in page.entries if entry.number <= last]))
    is_listed = submissions.c.id.in_([entry.submission for entry in entries])
    readable = list_scored(context.engine, caller, is_listed, most=SHOWN)
    root = context.settings.root
    first = entries[-1].number if entries else 1
    view = LogView(
        entries=entries,
        readable=frozenset(str(row.id) for row in readable),
        head=page.head,
        submission=submission,
        older_address=at(root, "log", query={"before": first}) if first > 1 else "",
        newest_address=at(root, "log") if submission or before else "",
        json_address=at(root, "v1", "commitments"),
        command=f"export TETRAD_URL={context.settings.address}\ntetrad verify {submission or 'sub_...'}",
    )
    frame = Frame(root=root, title="Log of sealed draws · Tetrad", tab="")
    return page_response(request, render(request, "log.html", frame, view))


HANDLERS = [log_of_draws]
