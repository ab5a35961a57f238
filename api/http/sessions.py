"""Sessions over HTTP: the cookie, who is asking for a page, and what a form has to bring.

Pages read the cookie, /v1 never does. Whether a browser speaks HTTPS is known from a trusted proxy, else from
`public_url`: a request's own words about it count for nothing. Forms are believed from our own pages alone: their
Origin is ours, and they bring a token that follows from the cookie.
"""

import hashlib
import hmac
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

import msgspec
from litestar import Request
from litestar.concurrency import sync_to_thread
from litestar.connection import ASGIConnection
from litestar.datastructures import Cookie, MutableScopeHeaders
from litestar.exceptions import ValidationException
from litestar.handlers import BaseRouteHandler
from litestar.types import Guard, Message, Scope

from api.context import AppContext
from api.database.idempotency import ClientKey, lease
from api.http.guards import check_scope, identify_key
from api.http.idempotency import Once
from api.http.state import HttpState
from api.inputs import check_names
from api.teams.access import Caller
from api.teams.sessions import BEGINNING, HOURS, find_session
from tetrad.canonical import hexdigest
from tetrad.contracts.accounts import Scope as KeyScope
from tetrad.server.problems import SENT, ProblemError, refuse

COOKIE, SECURE_COOKIE = "tetrad-session", "__Host-tetrad-session"
VISIT_BEGINNING = "visit_"  # of a token of somebody who has not signed in: it holds a form's token, and nothing else
SESSION = "tetrad.session"
"""In a request's state: the token of its session."""

FORM_TYPE = "application/x-www-form-urlencoded"
LONGEST_FORM = 2**16  # bytes
MOST_FIELDS = 64
TOKEN_FIELD, ONCE_FIELD = "token", "once"
FORWARDED = (b"forwarded", b"x-forwarded-for", b"x-forwarded-host", b"x-forwarded-proto", b"x-real-ip")
RELOAD = "open the page again and send its form from there"
T = TypeVar("T", bound=msgspec.Struct)
Connection = ASGIConnection[Any, Any, Any, Any]


def speaks_https(context: AppContext, http_state: HttpState, scope: Scope) -> bool:
    """Return whether the browser speaks HTTPS: as a trusted proxy says, else as the public address does."""
    told = http_state.addresses.scheme(scope)
    return context.settings.public_url.startswith("https://") if told is None else told == "https"


def is_loopback(http_state: HttpState, scope: Scope) -> bool:
    """Return whether a browser of this machine asks, by an address of this machine, and no proxy stands between.

    A proxy that we don't trust gives itself away by its headers, or by the Host that it hands on.
    """
    client = http_state.addresses.client(scope)
    headers = {name for name, _ in scope["headers"]}
    is_direct = http_state.addresses.trusts_peer(scope) or not headers.intersection(FORWARDED)
    return is_direct and _is_loopback(client or "") and _is_loopback(_host(scope))


def _host(scope: Scope) -> str:
    """Return the Host of a request, without its port."""
    text = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"host"), "")
    return urlsplit(f"//{text}").hostname or ""


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host.partition("/")[0]).is_loopback
    except ValueError:
        return False


def check_may_sign_in(context: AppContext, http_state: HttpState, scope: Scope) -> None:
    """Check that an API key can't be read on its way.

    Raises:
        ProblemError: 403, the browser speaks plain HTTP, and not to its own machine.
    """
    if not speaks_https(context, http_state, scope) and not is_loopback(http_state, scope):
        detail = (
            "an API key is taken over HTTPS alone, or on the machine itself: open the service at its https address; "
            "its operator sets TETRAD_API_PUBLIC_URL, or TETRAD_API_TRUSTED_PROXIES"
        )
        raise ProblemError(403, detail)


def cookie_name(context: AppContext, http_state: HttpState, scope: Scope) -> str:
    return SECURE_COOKIE if speaks_https(context, http_state, scope) else COOKIE


def token_cookie(context: AppContext, http_state: HttpState, scope: Scope, token: str) -> Cookie:
    """Return the cookie that holds this token; an empty one takes the cookie away."""
    return Cookie(
        key=cookie_name(context, http_state, scope),
        value=token,
        path="/",
        max_age=HOURS * 3600 if token else 0,
        httponly=True,
        secure=speaks_https(context, http_state, scope),
        samesite="strict",
    )


def token_of(connection: Connection) -> str:
    """Return the token in the cookie; "" where there is none."""
    state = connection.app.state
    return str(connection.cookies.get(cookie_name(state.context, state.http_state, connection.scope), ""))


async def _visitor(connection: Connection, handler: BaseRouteHandler) -> None:
    """Find who asks for a page: by an API key, else by a session; a wrong API key is an error here, too."""
    if not handler.opt.get("page"):
        return
    found = await identify_key(connection)
    token = token_of(connection)
    if found is None and token.startswith(BEGINNING):
        found = await sync_to_thread(find_session, connection.app.state.context.engine, token)
        if found is not None:
            connection.scope["auth"] = found
            connection.scope["state"][SESSION] = token


VISITOR: Sequence[Guard] = [_visitor]
"""The guards of all pages."""


def session_of(request: Request[Any, Any, Any]) -> str:
    """Return the token of the session that asks; "" where none does."""
    return str(request.scope["state"].get(SESSION, ""))


def form_token(token: str) -> str:
    """Return what a form has to bring from the holder of this token; it does not tell the token."""
    return hashlib.sha256(f"tetrad/form/1\n{token}".encode()).hexdigest()


def new_visit() -> str:
    return VISIT_BEGINNING + secrets.token_urlsafe(32)


async def hide_from_caches(message: Message, scope: Scope) -> None:
    """Have no cache keep what a session is shown. For Litestar's `before_send`."""
    if message["type"] == "http.response.start" and scope.get("state", {}).get(SESSION):
        headers = MutableScopeHeaders.from_message(message)
        if "no-store" not in headers.get("cache-control", ""):
            headers["Cache-Control"] = "private, no-store"


@dataclass(frozen=True)
class Form:
    """A form that one of our pages sent: its fields, in order, and the token in the cookie that came with it."""

    fields: Sequence[tuple[str, str]]
    token: str

    def __getitem__(self, name: str) -> str:
        """Return a field's value, "" where it is not given."""
        return next((value.strip() for known, value in self.fields if known == name), "")

    def all(self, name: str) -> list[str]:
        return [value for known, value in self.fields if known == name]


async def read_form(request: Request[Any, Any, Any], *known: str, repeated: Sequence[str] = ()) -> Form:
    """Return the form that a request brings, if one of our own pages sent it.

    Raises:
        ProblemError: 403, its Origin is not ours, or its token is not that of the cookie; 415 or 413, it is no form.
        InvalidInputError: it has other fields than these.
    """
    check_origin(request)
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM_TYPE:
        raise refuse(415, "Content-Type", request.headers.get("content-type"), "is no form", f"send {FORM_TYPE}")
    body = await request.body()
    if len(body) > LONGEST_FORM:
        raise ProblemError(413, f"a form has at most {LONGEST_FORM} bytes")
    try:
        fields = parse_qsl(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS)
    except ValueError as error:
        raise ProblemError(400, "the form can't be read: send up to 64 fields in UTF-8") from error
    form = Form(fields, token_of(request))
    if not form.token or not hmac.compare_digest(form[TOKEN_FIELD].encode(), form_token(form.token).encode()):
        raise ProblemError(403, f"the form does not belong to your session, which may have ended; {RELOAD}")
    once_each = [(name, value) for name, value in fields if name not in repeated]
    check_names(once_each, (TOKEN_FIELD, ONCE_FIELD, *known))
    return form


def check_origin(request: Request[Any, Any, Any]) -> None:
    """Check that one of our own pages sent the request: a browser names the page's origin with each form.

    Raises:
        ProblemError: 403, another one did, or a browser that does not say.
    """
    origin = request.headers.get("origin")
    if origin is None or origin not in own_origins(request):
        raise refuse(403, "Origin", origin, "is not the address of this service", RELOAD)


def own_origins(request: Request[Any, Any, Any]) -> set[str]:
    """Return the origins at which a browser may have our pages: the public one, and this machine's own."""
    state = request.app.state
    context, http_state = state.context, state.http_state
    public = urlsplit(context.settings.public_url)
    host = request.headers.get("host", "")
    found = {f"{public.scheme}://{public.netloc}"} if public.netloc else set()
    if is_loopback(http_state, request.scope):
        found.add(f"http://{host}")
    if not public.netloc:
        scheme = "https" if speaks_https(context, http_state, request.scope) else "http"
        found.add(f"{scheme}://{host}")
    return found


def refuse_signed_out() -> ProblemError:
    return ProblemError(401, "your session has ended, or you have not signed in: sign in at /team")


def check_session(request: Request[Any, Any, Any], scope: KeyScope) -> Caller:
    """Return who has the session that asks, if it has this scope.

    Raises:
        ProblemError: 401, there is no session; 403, its API key lacks the scope, or its team may only read.
    """
    caller: Caller | None = request.auth
    if caller is None or not session_of(request):
        raise refuse_signed_out()
    check_scope(caller, scope)
    return caller


def convert_form(request: Request[Any, Any, Any], values: Mapping[str, Any], kind: type[T]) -> T:
    """Return the values of a form as a request of the API has them.

    Raises:
        ValidationException: one is wrong; it becomes the same fault as in the API.
    """
    request.state[SENT] = dict(values)
    try:
        return msgspec.convert(dict(values), type=kind)
    except msgspec.ValidationError as error:
        message, _, place = str(error).partition(" - at `$")
        raise ValidationException(extra=[{"key": place.strip("`."), "message": message}]) from error


def once_of_form(request: Request[Any, Any, Any], form: Form) -> Once:
    """Return the creation that a form asks for: sent twice, by two clicks or a reload, it makes one thing."""
    context: AppContext = request.app.state.context
    if not form[ONCE_FIELD]:
        return Once(context.engine, None)
    record = hexdigest("tetrad/form/1", form.token, request.url.path, form[ONCE_FIELD])
    asked = "\n".join(f"{name}={value}" for name, value in form.fields).encode()
    fingerprint = hmac.new(form.token.encode(), asked, hashlib.sha256).hexdigest()
    return Once(context.engine, lease(context.engine, ClientKey(record, fingerprint)))
