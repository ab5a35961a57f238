"""The errors of the domain: each class is named for what went wrong.

Nothing here knows HTTP. `api.http.problems` maps each class to a status and headers; whoever calls the domain without
HTTP, as a worker does, catches the classes themselves.
"""

from collections.abc import Sequence
from typing import Self

from tetrad.contracts.problems import LONGEST_VALUE, Fault

LONGEST_NAME = 80  # characters of a name that is not found


class DomainError(Exception):
    """An error of the domain: its message, its faults, and the seconds after which another try may succeed."""

    def __init__(self, detail: str, *, faults: Sequence[Fault] = (), retry_after: int | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.faults = list(faults)
        self.retry_after = retry_after  # seconds

    @classmethod
    def at(cls, field: str, value: object, problem: str, remedy: str, *, line: int | None = None) -> Self:
        """Return the error for one wrong field: what it was, what is wrong with it, what to send instead."""
        shown = None if value is None else str(value)[:LONGEST_VALUE]
        fault = Fault(field=field, value=shown, problem=problem, remedy=remedy, line=line)
        return cls(f"{field}: {problem}; {remedy}", faults=[fault])


class InvalidInputError(DomainError):
    """A value is wrong in every state of the service."""


class TooLargeError(DomainError):
    """More was sent than is accepted at once, or in all."""


class UnreadableFormatError(DomainError):
    """The content has a type or an encoding that is not understood."""


class NotFoundError(DomainError):
    """The thing does not exist, or belongs to somebody else. The message is the same for both."""


class UnknownKeyError(DomainError):
    """The API key is unknown or revoked. The message is the same for both."""


class NotPermittedError(DomainError):
    """The caller is known, and may not do this."""


class NotAnOperatorError(NotPermittedError):
    """The token is no operator's."""


class ViewOnlyError(NotPermittedError):
    """The operator may view and change nothing."""


class RegistrationClosedError(NotPermittedError):
    """Teams are made by the operator alone."""


class InvalidInviteError(NotPermittedError):
    """The invite code is unknown, used up, expired or revoked."""


class InactiveTeamError(NotPermittedError):
    """The team waits for approval, or is suspended."""


class TooManyModelsError(NotPermittedError):
    """The team has as many models as it may."""


class AnsweredByServiceError(NotPermittedError):
    """The service itself answers the submission; its team can't."""


class NotApprovedError(NotPermittedError):
    """The team may not use this fixed corpus, or not again."""


class WithheldItemsError(NotPermittedError):
    """Answer keys of a fixed corpus are shown to nobody."""


class StateConflictError(DomainError):
    """This can be done in another state, not in the present one."""


class NameTakenError(StateConflictError):
    """Something else has this name."""


class LastAdminKeyError(StateConflictError):
    """Without this API key the team could make no other."""


class SubmissionClosedError(StateConflictError):
    """The submission takes no answers and opens no questions any more."""


class NothingFetchedError(StateConflictError):
    """No question of the submission was ever fetched, so there is nothing to score."""


class AlreadySealedError(StateConflictError):
    """Another answer is sealed for the question."""


class NotScoredError(StateConflictError):
    """There is no report yet."""


class EvaluationEndedError(StateConflictError):
    """The evaluation has ended, and nothing of it can be changed."""


class VoidSubmissionError(StateConflictError):
    """The submission is void, and stays so."""


class NotFailedError(StateConflictError):
    """Only a failed submission is queued again."""


class NotHiddenError(StateConflictError):
    """The row is not hidden on this board."""


class UnfinishedBatchError(StateConflictError):
    """Some of the rescoring is still queued."""


class DeletedTeamError(StateConflictError):
    """The team is deleted and can't be changed."""


class ReportJustWrittenError(StateConflictError):
    """A report was written while its team was being deleted."""


class NotMadeError(StateConflictError):
    """The shard is not made yet."""


class BeingRemovedError(StateConflictError):
    """The data set is being removed, because nobody held an order of it for long."""


class CapReachedError(DomainError):
    """The team has reached a cap."""


class GeneratorFailedError(DomainError):
    """The generator failed, and the caller can't do anything about it."""


class UnavailableError(DomainError):
    """Something that is needed can't be reached now."""


class LongQueueError(UnavailableError):
    """The scoring queue is so long that requests of this kind are refused for now."""


class GeneratorAwayError(UnavailableError):
    """The generator can't be reached, or isn't ready."""


class SourceUnavailableError(UnavailableError):
    """A source that this needs is damaged, or lacks something; the faults name the operator's remedy."""


class GatewayAwayError(UnavailableError):
    """The gateway can't be reached, or isn't ready."""


def not_found(what: str, value: str) -> NotFoundError:
    """Return the error for a thing that is not there or is another's."""
    return NotFoundError(f"there is no {what} {value[:LONGEST_NAME]!r}, or it is not yours to see")
