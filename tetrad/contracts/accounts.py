"""Teams, their keys and their models."""

from typing import Annotated, Literal, TypeAlias

import msgspec

from tetrad.contracts.wire import END, LINE, UNPRINTABLE, Name, Request, Timestamp, Wire

Scope: TypeAlias = Literal["read", "submit", "admin"]
TeamState: TypeAlias = Literal["pending", "active", "suspended", "deleted"]
Title: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=200, pattern=LINE)]
Url: TypeAlias = Annotated[str, msgspec.Meta(max_length=500, pattern=rf"^https?://[^\s{UNPRINTABLE}]+{END}")]


class TeamRequest(Request, frozen=True, kw_only=True):
    """A team to register. Its first key comes with it."""

    name: Name
    """The team's name, by which boards, reports and operators call it. It never changes."""
    title: Title | None = None
    """How people are to read the team's name. Left out or null: as `name`."""
    contact: Annotated[str, msgspec.Meta(max_length=200, pattern=LINE)] | None = None
    """An e-mail address, which operators alone see. Needed if this instance says so."""
    invite: Annotated[str, msgspec.Meta(max_length=200)] | None = None
    """The operator's code, needed if this instance registers teams by invitation."""


class Approval(Wire, frozen=True, kw_only=True):
    """An operator's approval to open submissions on a fixed corpus."""

    corpus: str
    """The corpus: a benchmark's name, or KIND:NAME of a source."""
    submissions_cap: int
    """The most submissions that the team may ever open on it."""
    approved_at: Timestamp
    """When the operator approved it: RFC 3339, UTC."""


class Caps(Wire, frozen=True, kw_only=True):
    """The most a team may have. An operator may set each; otherwise the instance's defaults hold."""

    open_submissions: int
    """Submissions that may be open at a time."""
    items_a_day: int
    """Items of the submissions opened within any 24 hours, all together."""
    models: int
    """Models that may be registered."""


class CapUsage(Wire, frozen=True, kw_only=True):
    """The numbers that count against the caps now."""

    open_submissions: int
    """Submissions that are open and whose deadline is still to come."""
    items_a_day: int
    """Items of the submissions opened within the last 24 hours. Failed ones count if their questions were fetched."""
    models: int
    """Models registered so far; none is ever given back."""


class Team(Wire, frozen=True, kw_only=True):
    """A team as its own members and operators see it."""

    id: str
    """The team's id: team_ and 32 hex digits."""
    name: str
    """The team's name, as boards show it."""
    title: str
    """How people read the name; the name itself unless the team gave another."""
    created_at: Timestamp
    """When the team was registered: RFC 3339, UTC."""
    state: TeamState = "active"
    """pending (waits for an operator), active, suspended (may only read) or deleted."""
    state_reason: str | None = None
    """Why the state is what it is, in the operator's words; null if nothing was said."""
    caps: Caps | None = None
    """What the team may have at most."""
    usage: CapUsage | None = None
    """What counts against the caps now."""
    approvals: list[Approval] = []
    """The fixed corpora that the team may open submissions on."""


class KeyRequest(Request, frozen=True, kw_only=True):
    """Another API key for the team."""

    name: Name
    """What the key is for, in the list of keys; it opens nothing."""
    scopes: Annotated[list[Scope], msgspec.Meta(min_length=1)] = msgspec.field(
        default_factory=lambda: ["read", "submit"]
    )
    """What the key opens: read (own submissions), submit (open, answer, register models), admin (API keys). By default
    read and submit.
    """


class ApiKey(Wire, frozen=True, kw_only=True):
    """An API key as it is stored: its first characters and its scopes, never the key itself."""

    id: str
    """The key's id: key_ and 32 hex digits. It names the key to revoke."""
    name: str
    """What the key is for, as its maker called it."""
    prefix: str
    """The first characters of the key, to tell it from others."""
    scopes: list[Scope]
    """What the key opens: read, submit, admin."""
    created_at: Timestamp
    """When the key was made: RFC 3339, UTC."""
    revoked_at: Timestamp | None = None
    """Since when it opens nothing: RFC 3339, UTC; null while it is valid."""


class NewApiKey(Wire, frozen=True, kw_only=True):
    """A new API key. This is the only time that it is shown."""

    key: str
    """The key itself, for `Authorization: Bearer`. The service keeps its hash alone."""
    about: ApiKey
    """The key as it is listed from now on."""


class Registration(Wire, frozen=True, kw_only=True):
    """A new team and its first API key, which is shown only this once."""

    team: Team
    """What was registered, with its caps and its state."""
    key: str
    """The key itself, with all three scopes, for `Authorization: Bearer`. The service keeps its hash alone."""
    about: ApiKey
    """The key as it is listed from now on."""


class KeyList(Wire, frozen=True, kw_only=True):
    """A page of the team's API keys, oldest first."""

    keys: list[ApiKey]
    """The keys of this page, revoked ones too."""
    next: str | None = None
    """Cursor of the next page, for `cursor`; null on the last."""


class ModelRequest(Request, frozen=True, kw_only=True):
    """A model to register, once, under a name that never changes."""

    name: Name
    """The model's name on boards, once in a team. It never changes, and the model can't be deleted."""
    title: Title | None = None
    """How people are to read the name, shown to others; needs a key with scope admin. Left out: as `name`."""
    url: Url | None = None
    """A page about the model, shown to others; needs a key with scope admin."""


class Model(Wire, frozen=True, kw_only=True):
    """A model that can be named in a submission (kind team) or in an evaluation (kind service)."""

    id: str
    """mdl_ and 32 hex digits for a team's model; the id in the gateway's registry for a model of the service."""
    name: str
    """The name that requests and boards use."""
    title: str
    """How people read the name."""
    team: str
    """The team that registered it; for a model of the service, the service's own name."""
    kind: str
    """team (answers come from outside) or service (behind this instance's gateway)."""
    url: str | None
    """A page about the model; null if its team gave none."""
    created_at: Timestamp | None
    """When it was registered: RFC 3339, UTC; null for models of the service."""


class ModelList(Wire, frozen=True, kw_only=True):
    """A page of models: the caller's own, oldest first, then the service's."""

    models: list[Model]
    """The models of this page."""
    next: str | None = None
    """Cursor of the next page, for `cursor`; null on the last."""
