"""The public page of the state of this instance: its parts, its versions, what is late, what is still being made."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from litestar import Request, Response, get
from litestar.di import NamedDependency

from api.context import AppContext
from api.database.schema import submissions
from api.errors import DomainError
from api.http.state import HttpState
from api.pages.frame import PAGE, Frame, page_response, render
from api.routes.health import find_state
from tetrad.extraction import EXTRACTOR_VERSION
from tetrad.server.clock import now_ms
from tetrad.server.database import is_state, read_rows
from tetrad.versions import API_VERSION, LOG_VERSION, PROTOCOL_VERSION, SCORER_VERSION

PARTS = {
    "database": "what was answered and scored",
    "generator": "draws and questions",
    "store": "reports",
    "practice": "practice items and pictures",
    "scoring": "reports of what is finished",
    "gateway": "models of this service",
    "redis": "limits, and word that something is to be scored",
}


@dataclass(frozen=True, kw_only=True)
class StatusView:
    """The state of the instance. `notice` is what the operator has to say about it, or ""."""

    is_ready: bool
    notice: str
    parts: tuple[tuple[str, str, str], ...]
    damaged: int
    shortages: tuple[str, ...]
    late_seconds: int | None
    versions: tuple[tuple[str, str], ...]
    benchmarks: tuple[tuple[str, int, str], ...]
    moment: datetime


@get("/status", include_in_schema=False, opt=PAGE, sync_to_thread=True)
def status_page(
    context: NamedDependency[AppContext], http_state: NamedDependency[HttpState], request: Request[Any, Any, Any]
) -> Response[Any]:
    """Show what `GET /health/ready` tells, in words; nothing of teams, spending or queues."""
    state, is_ready = find_state(context, http_state)
    try:
        cards = [
            (info.card.short_title, info.card.version, lacking_words(info.lacking)) for info in context.cards.all()
        ]
    except DomainError:
        cards = []
    view = StatusView(
        is_ready=is_ready,
        notice=context.settings.notice,
        parts=tuple((name, about, str(state.get(name, "unknown"))) for name, about in PARTS.items()),
        damaged=len(state.get("damage", {})),
        shortages=tuple(state.get("shortages", {})),
        late_seconds=late_seconds(context.engine),
        versions=(
            ("package", str(state["version"])),
            ("API", str(API_VERSION)),
            ("protocol", str(PROTOCOL_VERSION)),
            ("log", str(LOG_VERSION)),
            ("extractor", str(EXTRACTOR_VERSION)),
            ("scorer", str(SCORER_VERSION)),
        ),
        benchmarks=tuple(sorted(cards)),
        moment=datetime.now(UTC),
    )
    frame = Frame(root=context.settings.root, title="Status · Tetrad", tab="")
    return page_response(request, render(request, "status.html", frame, view))


def lacking_words(lacking: dict[str, str]) -> str:
    return f"still being made: {', '.join(lacking)}" if lacking else "all tracks are served"


def late_seconds(engine: sa.Engine) -> int | None:
    """Return for how long the oldest finished submission has waited for its report; None where none waits."""
    query = sa.select(sa.func.min(submissions.c.finished_at)).where(is_state(submissions.c.state, "queued"))
    try:
        since = read_rows(engine, query)[0][0]
    except sa.exc.SQLAlchemyError:
        return None
    return None if since is None else max(0, now_ms() - since) // 1000


HANDLERS = [status_page]
