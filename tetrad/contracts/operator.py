"""Requests and records of operators, all under /v1/admin, with an operator's token."""

from typing import Annotated, TypeAlias

import msgspec

from tetrad.contracts.accounts import Team
from tetrad.contracts.benchmarks import ConversationChoice
from tetrad.contracts.wire import LINE, Name, ParameterValue, Request, Timestamp, Version, Wire

Note: TypeAlias = Annotated[str, msgspec.Meta(max_length=500, pattern=LINE)]
PublicReason: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=500, pattern=LINE)]
Cap: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]


class Noted(Request, frozen=True, kw_only=True):
    """An act whose reason stays in the operators' log."""

    reason: Note = ""
    """The reason, for the operators' log."""


class Explained(Request, frozen=True, kw_only=True):
    """An act whose reason others are shown."""

    reason: PublicReason
    """The reason, for everybody whom the act concerns."""


class CapsRequest(Request, frozen=True, kw_only=True):
    """Caps to set. One that is left out stays as it is; null restores the instance's default."""

    open_submissions: Cap | msgspec.UnsetType | None = msgspec.UNSET
    """Submissions that may be open at a time."""
    items_a_day: Cap | msgspec.UnsetType | None = msgspec.UNSET
    """Items of the submissions opened within any 24 hours, all together."""
    models: Cap | msgspec.UnsetType | None = msgspec.UNSET
    """Models that may be registered."""
    reason: Note = ""
    """The reason, for the operators' log."""


class ApprovalRequest(Request, frozen=True, kw_only=True):
    """An approval to open submissions on a fixed corpus. A second one replaces the number."""

    submissions_cap: Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]
    """The most submissions that the team may ever open on it."""
    reason: Note = ""
    """The reason, for the operators' log."""


class DeletionRequest(Request, frozen=True, kw_only=True):
    """The deletion of a team. It can't be taken back."""

    confirm: str
    """The team's name, once more."""
    public_reason: PublicReason | None = None
    """A reason that stays with the pseudonym, for everybody to read; null is none."""
    reason: Note = ""
    """The reason, for the operators' log."""


class Deletion(Wire, frozen=True, kw_only=True):
    """The rest of a deleted team."""

    team: Team
    """The team under its pseudonym."""
    submissions_kept: int
    """Public submissions that stay on boards under the pseudonym."""
    submissions_deleted: int
    """Submissions that were deleted, with their reports."""


class InviteRequest(Request, frozen=True, kw_only=True):
    """A code with which teams can be registered."""

    teams: Annotated[int, msgspec.Meta(ge=1, le=10_000)] = 1
    """Teams that can be registered with it."""
    days: Annotated[float, msgspec.Meta(gt=0, le=366)] = 14.0
    """Days until it expires."""
    note: Note = ""
    """What it is for, for operators alone."""


class InviteRecord(Wire, frozen=True, kw_only=True):
    """An invite as operators see it, without its code."""

    id: str
    """inv_ and 32 hex digits."""
    note: str
    """What it is for, for operators alone."""
    teams_left: int
    """Teams that can still be registered with it."""
    created_at: Timestamp
    """When it was made: RFC 3339, UTC."""
    expires_at: Timestamp
    """Until when it can be used: RFC 3339, UTC."""
    revoked_at: Timestamp | None = None
    """Since when it is revoked: RFC 3339, UTC; null while it is valid."""


class NewInvite(Wire, frozen=True, kw_only=True):
    """A new invite. This is the only time that its code is shown."""

    code: str
    """The code, for `invite` of a registration."""
    about: InviteRecord
    """The invite as it is listed from now on."""


class InviteList(Wire, frozen=True, kw_only=True):
    """A page of invites, oldest first."""

    invites: list[InviteRecord]
    """The invites of this page, used and revoked ones too."""
    next: str | None = None
    """Cursor of the next page, for `cursor`; null on the last."""


class RowRequest(Request, frozen=True, kw_only=True):
    """A model's row on one board. Defaults are the card's first track and setting, and the parameters' defaults."""

    team: str
    """Name of the team."""
    model: str
    """Name of the model."""
    benchmark: Name
    """The board's benchmark."""
    track: Name | None = None
    """The board's track; null is the card's first."""
    setting: Name | None = None
    """The board's setting; null is the track's first."""
    version: Version | None = None
    """Version of the benchmark; null is the newest."""
    parameters: dict[str, ParameterValue] = {}
    """The board's ranked parameters, as far as they are not at their defaults."""
    source: list[str] = []
    """KIND:NAME of the board's sources; by default the benchmark's own."""
    conversation: ConversationChoice = "as-card"
    """The board's conversation; as-card is the one that the card names."""
    reason: PublicReason
    """The reason, which the board shows while the row is hidden."""


class RescoringRequest(Request, frozen=True, kw_only=True):
    """Submissions to score again: one, or every scored one of a benchmark."""

    submission: str | None = None
    """Id of the submission; null if a benchmark is named."""
    benchmark: Name | None = None
    """The benchmark; null if a submission is named."""
    version: Version | None = None
    """The version of the benchmark; null is all of them."""
    reason: PublicReason
    """The reason, which teams are shown once it is applied."""


class TeamRecord(Wire, frozen=True, kw_only=True):
    """A team as operators see it."""

    team: Team
    """The team as it sees itself."""
    contact: str | None
    """Its e-mail address; null if it gave none, and for an operator who may only view."""
    keys: int
    """API keys of it that are valid."""
    models: list[str]
    """Names of its models."""
    submissions: dict[str, int]
    """By state, the number of its submissions."""


class TeamRecordList(Wire, frozen=True, kw_only=True):
    """A page of teams, oldest first."""

    teams: list[TeamRecord]
    """The teams of this page."""
    next: str | None = None
    """Cursor of the next page, for `cursor`; null on the last."""


class Act(Wire, frozen=True, kw_only=True):
    """One line of the append-only log of what operators did."""

    id: int
    """Counts up."""
    at: Timestamp
    """When it was done: RFC 3339, UTC."""
    operator: str
    """Name of the operator's token."""
    act: str
    """What was done, in words."""
    subject: str
    """Id of what it was done to."""
    reason: str
    """Why, in the operator's words; "" if nothing was said."""
    details: dict[str, object]
    """Further facts by name."""


class ActList(Wire, frozen=True, kw_only=True):
    """A page of the log, newest first."""

    acts: list[Act]
    """The lines of this page."""
    next: str | None = None
    """Cursor of the next page, for `cursor`; null on the last."""


class SecretState(Wire, frozen=True, kw_only=True):
    """A seed secret, named by its digest."""

    id: str
    """Digest of the secret."""
    current: bool
    """Whether new draws use it."""
    loaded: bool
    """Whether the generator has it."""
    needed_by: int
    """Draws of it that can still be answered or scored."""


class SecretStates(Wire, frozen=True, kw_only=True):
    """The seed secrets that are loaded or needed."""

    secrets: list[SecretState]
    """The secrets, the current one first."""
    closed: int
    """Draws that this call closed because nobody can answer them any more."""
