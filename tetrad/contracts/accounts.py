"""Teams, their keys and their models."""

from typing import Annotated, Literal, TypeAlias

import msgspec

from tetrad.contracts.wire import END, LINE, UNPRINTABLE, Name, Request, Timestamp, Wire

Scope: TypeAlias = Literal["read", "submit", "admin"]
TeamState: TypeAlias = Literal["pending", "active", "suspended", "deleted"]
Title: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=200, pattern=LINE)]
Url: TypeAlias = Annotated[str, msgspec.Meta(max_length=500, pattern=rf"^https?://[^\s{UNPRINTABLE}]+{END}")]


class TeamRequest(Request, frozen=True, kw_only=True):
    """`invite`: the operator's code, if this instance needs one. `contact`: an e-mail address, if it needs one."""

    name: Name
    title: Title | None = None
    contact: Annotated[str, msgspec.Meta(max_length=200, pattern=LINE)] | None = None
    invite: Annotated[str, msgspec.Meta(max_length=200)] | None = None


class Approval(Wire, frozen=True, kw_only=True):
    """The team may open up to `submissions_cap` submissions on this corpus."""

    corpus: str
    submissions_cap: int
    approved_at: Timestamp


class Caps(Wire, frozen=True, kw_only=True):
    """The most a team may have: submissions open at a time, items asked for within 24 hours, models."""

    open_submissions: int
    items_a_day: int
    models: int


class CapUsage(Wire, frozen=True, kw_only=True):
    """The numbers that count against the caps now."""

    open_submissions: int
    items_a_day: int
    models: int


class Team(Wire, frozen=True, kw_only=True):
    """state: pending (waits for the operator), active, suspended (may only read) or deleted, with the reason."""

    id: str
    name: str
    title: str
    created_at: Timestamp
    state: TeamState = "active"
    state_reason: str | None = None
    caps: Caps | None = None
    usage: CapUsage | None = None
    approvals: list[Approval] = []


class KeyRequest(Request, frozen=True, kw_only=True):
    """Another API key for the team. Scopes: read (own submissions), submit (and register models), admin (API keys)."""

    name: Name
    scopes: Annotated[list[Scope], msgspec.Meta(min_length=1)] = msgspec.field(
        default_factory=lambda: ["read", "submit"]
    )


class ApiKey(Wire, frozen=True, kw_only=True):
    """An API key as it is stored: its first characters and its scopes, never the key itself."""

    id: str
    name: str
    prefix: str
    scopes: list[Scope]
    created_at: Timestamp
    revoked_at: Timestamp | None = None


class NewApiKey(Wire, frozen=True, kw_only=True):
    """A new API key. This is the only time that it is shown."""

    key: str
    about: ApiKey


class Registration(Wire, frozen=True, kw_only=True):
    team: Team
    key: str
    about: ApiKey


class KeyList(Wire, frozen=True, kw_only=True):
    keys: list[ApiKey]
    next: str | None = None


class ModelRequest(Request, frozen=True, kw_only=True):
    """A model to register, once, under a name that never changes."""

    name: Name
    title: Title | None = None
    url: Url | None = None


class Model(Wire, frozen=True, kw_only=True):
    """kind: team (answers come from outside) or service (behind this instance's gateway)."""

    id: str
    name: str
    title: str
    team: str
    kind: str
    url: str | None
    created_at: Timestamp | None


class ModelList(Wire, frozen=True, kw_only=True):
    models: list[Model]
    next: str | None = None
