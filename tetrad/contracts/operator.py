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


class Explained(Request, frozen=True, kw_only=True):
    """An act whose reason others are shown."""

    reason: PublicReason


class CapsRequest(Request, frozen=True, kw_only=True):
    """A cap that is left out stays as it is. null restores the instance's default."""

    open_submissions: Cap | msgspec.UnsetType | None = msgspec.UNSET
    items_a_day: Cap | msgspec.UnsetType | None = msgspec.UNSET
    models: Cap | msgspec.UnsetType | None = msgspec.UNSET
    reason: Note = ""


class ApprovalRequest(Request, frozen=True, kw_only=True):
    submissions_cap: Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]
    reason: Note = ""


class DeletionRequest(Request, frozen=True, kw_only=True):
    """`confirm` repeats the team's name: a deletion can't be taken back. `public_reason` stays with the pseudonym."""

    confirm: str
    public_reason: PublicReason | None = None
    reason: Note = ""


class Deletion(Wire, frozen=True, kw_only=True):
    """The rest of a deleted team: its pseudonym, and the public submissions that stay on boards under it."""

    team: Team
    submissions_kept: int
    submissions_deleted: int


class InviteRequest(Request, frozen=True, kw_only=True):
    """A code with which so many teams can be registered within so many days."""

    teams: Annotated[int, msgspec.Meta(ge=1, le=10_000)] = 1
    days: Annotated[float, msgspec.Meta(gt=0, le=366)] = 14.0
    note: Note = ""


class InviteRecord(Wire, frozen=True, kw_only=True):
    """An invite as operators see it, without its code."""

    id: str
    note: str
    teams_left: int
    created_at: Timestamp
    expires_at: Timestamp
    revoked_at: Timestamp | None = None


class NewInvite(Wire, frozen=True, kw_only=True):
    """The only time the code itself is shown."""

    code: str
    about: InviteRecord


class InviteList(Wire, frozen=True, kw_only=True):
    invites: list[InviteRecord]
    next: str | None = None


class RowRequest(Request, frozen=True, kw_only=True):
    """A model's row on one board. Defaults are the card's first track and setting, and the parameters' defaults."""

    team: str
    model: str
    benchmark: Name
    track: Name | None = None
    setting: Name | None = None
    version: Version | None = None
    parameters: dict[str, ParameterValue] = {}
    source: list[str] = []
    conversation: ConversationChoice = "as-card"
    reason: PublicReason


class RescoringRequest(Request, frozen=True, kw_only=True):
    """One submission, or every scored one of a benchmark (of all its versions if none is named)."""

    submission: str | None = None
    benchmark: Name | None = None
    version: Version | None = None
    reason: PublicReason


class TeamRecord(Wire, frozen=True, kw_only=True):
    """A team as operators see it. `submissions` counts them by state."""

    team: Team
    contact: str | None
    keys: int
    models: list[str]
    submissions: dict[str, int]


class TeamRecordList(Wire, frozen=True, kw_only=True):
    teams: list[TeamRecord]
    next: str | None = None


class Act(Wire, frozen=True, kw_only=True):
    """One line of the append-only log: who did what to which id, when and why."""

    id: int
    at: Timestamp
    operator: str
    act: str
    subject: str
    reason: str
    details: dict[str, object]


class ActList(Wire, frozen=True, kw_only=True):
    acts: list[Act]
    next: str | None = None


class SecretState(Wire, frozen=True, kw_only=True):
    """A seed secret, named by its digest. `needed_by` counts the draws that can still be answered or scored."""

    id: str
    current: bool
    loaded: bool
    needed_by: int


class SecretStates(Wire, frozen=True, kw_only=True):
    """`closed` counts the draws that this call closed because nobody can answer them any more."""

    secrets: list[SecretState]
    closed: int
