"""The page of a team: what needs it, caps, evaluations as they run, submissions, keys and models; or the way in."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, get_args

from litestar import Request, Response, get
from litestar.concurrency import sync_to_thread
from litestar.di import NamedDependency
from litestar.params import QueryParameter
from markupsafe import Markup

from api.context import AppContext
from api.errors import DomainError
from api.evaluations.finding import find_queue
from api.evaluations.finding import list_own as list_evaluations
from api.http.guards import check_scope
from api.http.page_links import Cursor
from api.http.sessions import (
    VISIT_BEGINNING,
    check_may_sign_in,
    form_token,
    new_visit,
    refuse_signed_out,
    session_of,
    token_cookie,
    token_of,
)
from api.http.state import HttpState
from api.pages.boards import Chip, wheel_line
from api.pages.frame import PAGE, Frame, at, chosen_only, page_response, render
from api.pages.reports import card_of
from api.submissions.finding import list_own as list_submissions
from api.teams.access import Caller
from api.teams.accounts import find_team, list_api_keys
from api.teams.models import list_models
from tetrad.contracts.accounts import ApiKey, Model, Team
from tetrad.contracts.evaluations import Evaluation, EvaluationQueue, EvaluationRun
from tetrad.contracts.submissions import State, Submission
from tetrad.money import show_microdollars
from tetrad.reporting.pages.charts import grid, interval_plot, scale, stacked_bar
from tetrad.reporting.pages.report import label_of
from tetrad.reporting.pages.words import (
    UNKNOWN,
    capitalise,
    count_noun,
    group_digits,
    in_percent,
    in_words,
    time_words,
)
from tetrad.server.problems import ProblemError

SUBMISSIONS_SHOWN = 20
EVALUATIONS_READ = 50
ENDED_SHOWN = 5
MOST_KEYS = 500
STATES: Sequence[str] = get_args(State)
DRAWS = {"fresh": "own draw", "shared": "shared draw", "revealed": "a revealed draw"}
SCRIPT = "team.js"
Named = Annotated[str, QueryParameter(max_length=64)]


@dataclass(frozen=True, kw_only=True)
class Meter:
    """A cap and what is used of it."""

    name: str
    used: str
    cap: str
    bar: Markup


@dataclass(frozen=True, kw_only=True)
class RunRow:
    """One model's answers to the draw of an evaluation, as far as they are."""

    submission: str
    row: str
    bar: Markup
    progress: str
    state: str
    address: str
    failure: str


@dataclass(frozen=True, kw_only=True)
class EvaluationRows:
    """An evaluation with its runs. `acts` are the buttons that its state leaves: each a word and an address."""

    id: str
    place: str
    runs: tuple[RunRow, ...]
    spent: str
    draw: str
    note: str
    ends_at: str
    acts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class RunningView:
    """Evaluations: those that go on, and the newest that have ended. `token` is that of forms, "" for an API key."""

    going: tuple[EvaluationRows, ...]
    ended: tuple[EvaluationRows, ...]
    queue: str
    token: str


@dataclass(frozen=True, kw_only=True)
class SubmissionRow:
    name: str
    address: str
    place: str
    state: str
    plot: Markup
    score: str
    items: str
    opened_at: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class TeamView:
    """All that the page shows. `keys` is None where the key that was signed in with may not see them."""

    team: Team
    lede: Markup
    meters: tuple[Meter, ...]
    running: RunningView
    submissions: tuple[SubmissionRow, ...]
    filters: tuple[tuple[str, tuple[Chip, ...]], ...]
    is_filtered: bool
    older_address: str
    newest_address: str
    csv_address: str
    grid: Markup
    scale: Markup
    keys: tuple[ApiKey, ...] | None
    models: tuple[Model, ...]
    scopes: frozenset[str]
    own_key: str
    token: str
    once: str


@dataclass(frozen=True, kw_only=True)
class SignInView:
    """The way in. `refusal` says why no API key is taken here; "" where one is."""

    token: str
    refusal: str
    commands: str
    wheel: str
    registration: str


REGISTRATIONS: Mapping[str, str] = {
    "open": "Anybody may make a team.",
    "approval": "Anybody may make a team. It can submit once the operator has approved it.",
    "invite": "A team needs a code of the operator: add --invite CODE.",
    "email": "A team needs an e-mail address of a domain that may register: add --contact ADDRESS.",
    "closed": "Teams are made by the operator alone: ask for one.",
}


@get("/team", include_in_schema=False, opt=PAGE)
async def team_page(
    *,
    context: NamedDependency[AppContext],
    http_state: NamedDependency[HttpState],
    caller: NamedDependency[Caller | None],
    request: Request[Any, Any, Any],
    in_state: Annotated[str, QueryParameter(name="state", max_length=16)] = "",
    benchmark: Named = "",
    cursor: Cursor = None,
) -> Response[Any]:
    """Show the team of the session, or of the API key; without either, the way in."""
    if caller is None:
        return sign_in_page(context, http_state, request)
    check_scope(caller, "read")
    asked = Filters(state=in_state, benchmark=benchmark, cursor=cursor)
    view = await sync_to_thread(team_view, context, caller, session_of(request), asked)
    frame = Frame(root=context.settings.root, title=f"{caller.team} · Tetrad", tab="team", scripts=(SCRIPT,))
    return page_response(request, await sync_to_thread(render, request, "team.html", frame, view))


@get("/team/running", include_in_schema=False, opt=PAGE)
async def running_page(
    context: NamedDependency[AppContext], caller: NamedDependency[Caller | None], request: Request[Any, Any, Any]
) -> Response[Any]:
    """Show how far evaluations are: the part of the team's page that changes by itself."""
    if caller is None:
        raise refuse_signed_out()
    check_scope(caller, "read")
    view = await sync_to_thread(running_view, context, caller, session_of(request))
    frame = Frame(root=context.settings.root, title=f"{caller.team}, running · Tetrad", tab="team", scripts=(SCRIPT,))
    return page_response(request, await sync_to_thread(render, request, "running.html", frame, view))


def sign_in_page(context: AppContext, http_state: HttpState, request: Request[Any, Any, Any]) -> Response[Any]:
    """Return the page with a field for an API key, and the cookie that its form belongs to."""
    settings = context.settings
    refusal = ""
    try:
        check_may_sign_in(context, http_state, request.scope)
    except ProblemError as error:
        refusal = capitalise(error.detail)
    token = token_of(request)
    token = token if token.startswith(VISIT_BEGINNING) else new_visit()
    view = SignInView(
        token=form_token(token),
        refusal=refusal,
        commands=f"export TETRAD_URL={settings.address}\ntetrad keys new --team my-team",
        wheel=wheel_line(settings),
        registration=REGISTRATIONS[settings.registration],
    )
    frame = Frame(root=settings.root, title="Sign in · Tetrad", tab="team")
    reply = page_response(request, render(request, "sign_in.html", frame, view), is_private=True)
    reply.set_cookie(token_cookie(context, http_state, request.scope, token))
    return reply


@dataclass(frozen=True, kw_only=True)
class Filters:
    """A choice among the submissions; "" stands for all."""

    state: str
    benchmark: str
    cursor: str | None


def team_view(context: AppContext, caller: Caller, session: str, asked: Filters) -> TeamView:
    engine, settings = context.engine, context.settings
    root = settings.root
    team = find_team(engine, settings, caller)
    listed = list_submissions(
        engine, settings, caller, asked.cursor, SUBMISSIONS_SHOWN, state=asked.state, benchmark=asked.benchmark
    )
    open_ones = list_submissions(engine, settings, caller, None, SUBMISSIONS_SHOWN, state="open").submissions
    running = running_view(context, caller, session)
    keys = list_api_keys(engine, caller, None, MOST_KEYS).keys if "admin" in caller.scopes else None
    models = list_models(engine, context.gateway, caller, None, MOST_KEYS).models
    older = {"state": asked.state, "benchmark": asked.benchmark, "cursor": listed.next or ""}
    token = form_token(session) if session else ""
    return TeamView(
        team=team,
        lede=lede_of(team, running, open_ones),
        meters=tuple(meters_of(team)),
        running=running,
        submissions=tuple(submission_row(context, submission) for submission in listed.submissions),
        filters=tuple(filters_of(context, asked)),
        is_filtered=bool(asked.state or asked.benchmark or asked.cursor),
        older_address=at(root, "team", query=chosen_only(older)) if listed.next else "",
        newest_address=at(root, "team", query=chosen_only(older | {"cursor": ""})) if asked.cursor else "",
        csv_address=at(root, "team", "csv", query=chosen_only(older | {"cursor": ""})),
        grid=grid("grid", None),
        scale=scale(None),
        keys=None if keys is None else tuple(key for key in keys if key.revoked_at is None),
        models=tuple(model for model in models if model.kind == "team"),
        scopes=caller.scopes,
        own_key=caller.key_id,
        token=token,
        once=new_visit() if token else "",
    )


def lede_of(team: Team, running: RunningView, open_ones: Sequence[Submission]) -> Markup:
    """Return what goes on, and what needs the team, in a few sentences."""
    if team.state == "pending":
        return Markup("Your team waits for the operator’s approval; it can open submissions once it is approved.")
    going = [rows for rows in running.going if not rows.note]
    paused = len(running.going) - len(going)
    said = Markup("{} under way. ").format(subject_of(len(going), "evaluation"))
    if paused:
        said += Markup("{} paused, and waits for you. ").format(subject_of(paused, "evaluation"))
    own = [submission for submission in open_ones if submission.evaluation is None]
    if not own:
        return said + ("" if paused else "Nothing needs you.")
    until = min(submission.deadline_at for submission in own)
    more = "or more " if len(open_ones) == SUBMISSIONS_SHOWN else ""
    return said + Markup("{} open {}for your answers; the first ends {}.").format(
        subject_of(len(own), "submission"), more, time_words(until)
    )


def subject_of(count: int, noun: str) -> str:
    """Write a count as the subject of a sentence, with its verb."""
    return f"{capitalise(in_words(count))} {noun}{'' if count == 1 else 's'} {'is' if count == 1 else 'are'}"


def meters_of(team: Team) -> Iterator[Meter]:
    names = {
        "open_submissions": "open submissions",
        "items_a_day": "items in the last 24 hours",
        "models": "models",
    }
    for field, name in names.items():
        used, cap = int(getattr(team.usage, field)), int(getattr(team.caps, field))
        share = min(1.0, used / cap) if cap else 1.0
        label = f"{group_digits(used)} of {group_digits(cap)} {name}"
        yield Meter(name=name, used=group_digits(used), cap=group_digits(cap), bar=progress_bar(label, share))


def progress_bar(label: str, share: float) -> Markup:
    return stacked_bar(label, (("b-r", share), ("b-n", 1 - share)))


def running_view(context: AppContext, caller: Caller, session: str) -> RunningView:
    page = list_evaluations(context.engine, context.settings, caller, None, EVALUATIONS_READ)
    going = [evaluation for evaluation in page.evaluations if evaluation.state != "done"]
    ended = [evaluation for evaluation in page.evaluations if evaluation.state == "done"][:ENDED_SHOWN]
    may_act = bool(session) and "submit" in caller.scopes
    root = context.settings.root
    return RunningView(
        going=tuple(evaluation_rows(context, root, evaluation, may_act=may_act) for evaluation in going),
        ended=tuple(evaluation_rows(context, root, evaluation, may_act=False) for evaluation in ended),
        queue=queue_words(find_queue(context.engine)),
        token=form_token(session) if session else "",
    )


def queue_words(queue: EvaluationQueue) -> str:
    """Return how busy the instance is with runs of all teams."""
    if not queue.waiting and not queue.running:
        return "No run of any team waits."
    return f"Runs of all teams: {group_digits(queue.running)} under way, {group_digits(queue.waiting)} waiting."


def evaluation_rows(context: AppContext, root: str, evaluation: Evaluation, *, may_act: bool) -> EvaluationRows:
    acts: list[tuple[str, str]] = []
    if may_act and evaluation.ended_at is None:
        first = "resume" if evaluation.paused_until else "pause"
        acts = [(word, at(root, "team", "evaluations", evaluation.id, word)) for word in (first, "cancel")]
    note = ""
    if evaluation.paused_until:
        note = f"Paused: {evaluation.pause_reason or 'by request'}. It goes on by itself at the time beside."
    return EvaluationRows(
        id=evaluation.id,
        place=place_of(context, evaluation),
        runs=tuple(run_row(root, run) for run in evaluation.runs),
        spent=spent_words(evaluation),
        draw=DRAWS[evaluation.draw],
        note=note,
        ends_at=evaluation.paused_until or "",
        acts=tuple(acts),
    )


def spent_words(evaluation: Evaluation) -> str:
    """Return what was spent of the budget; without one nothing is billed."""
    if evaluation.request.budget is None:
        return "nothing is billed" if not evaluation.spent else show_microdollars(evaluation.spent)
    spent = show_microdollars(evaluation.spent) if evaluation.spent else "$0"
    return f"{spent} of {show_microdollars(evaluation.request.budget)}"


def place_of(context: AppContext, thing: Evaluation | Submission) -> str:
    """Return what is asked: the benchmark, its track and setting."""
    card = card_of(context, thing.identity)
    name = thing.identity.benchmark if card is None else card.short_title
    return f"{name}: {thing.identity.track}, {thing.identity.setting}"


def run_row(root: str, run: EvaluationRun) -> RunRow:
    progress = run.progress
    finished, size = progress.items_finished, progress.items
    words = f"{group_digits(finished)} of {count_noun(size, 'item')}"
    if run.state not in {"done", "scoring"}:
        left = progress.questions_opened - progress.questions_answered
        words += f" · {group_digits(progress.questions_answered)} answered, {group_digits(left)} open"
    state: str = run.state
    if run.queue is not None:
        state = f"queued, {group_digits(run.queue.position)} of {group_digits(run.queue.waiting)}"
    if run.outcome:
        state = f"{run.state}, {run.outcome}" if run.state == "scoring" else run.outcome
    has_report = run.state == "done" and not run.failure
    return RunRow(
        submission=run.submission,
        row=run.row,
        bar=progress_bar(words, finished / size if size else 0.0),
        progress=words,
        state=state,
        address=at(root, "submissions", run.submission) if has_report else "",
        failure=run.failure or "",
    )


def filters_of(context: AppContext, asked: Filters) -> Iterator[tuple[str, tuple[Chip, ...]]]:
    """Yield the rows of chips above the submissions."""
    root = context.settings.root

    def chip(words: str, **other: str) -> Chip:
        chosen = {"state": asked.state, "benchmark": asked.benchmark} | other
        is_shown = all(getattr(asked, name) == value for name, value in other.items())
        return words, at(root, "team", query=chosen_only(chosen)) + "#submissions", is_shown

    yield "State", (chip("all", state=""), *(chip(state, state=state) for state in STATES))
    try:
        titles = {info.card.name: info.card.short_title for info in context.cards.all()}
    except DomainError:
        titles = {}
    if len(titles) > 1:
        known = (chip(title, benchmark=name) for name, title in titles.items())
        yield "Benchmark", (chip("all", benchmark=""), *known)


def submission_row(context: AppContext, submission: Submission) -> SubmissionRow:
    root, value, progress = context.settings.root, submission.headline, submission.progress
    done = f"{group_digits(progress.items_finished)} of {count_noun(submission.size, 'item')}"
    if value is not None:
        plot = interval_plot("grid", label_of(value), value.value, value.interval, radius=4.5)
        score = in_percent(value.value)
    else:
        plot = progress_bar(done, progress.items_finished / submission.size)
        score = done if submission.state == "open" else UNKNOWN
    return SubmissionRow(
        name=submission.model,
        address=at(root, "submissions", submission.id) if submission.state == "scored" else "",
        place=place_of(context, submission),
        state=submission.state,
        plot=plot,
        score=score,
        items=group_digits(submission.size),
        opened_at=submission.opened_at,
        reason=reason_of(submission),
    )


def reason_of(submission: Submission) -> str:
    """Return what else is to be known of a submission: why it failed or counts nowhere, or until when it is open."""
    told = [submission.failure or "", submission.void_reason or "", submission.unranked]
    told += ["private"] if submission.visibility == "private" else []
    told += ["answered by the service"] if submission.evaluation and submission.state == "open" else []
    return "; ".join(filter(None, told))


HANDLERS = [team_page, running_page]
