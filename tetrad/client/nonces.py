"""The client's part of a seed: drawn here, so that the seed can't have been settled before the service heard of it."""

import msgspec

from tetrad.canonical import hexdigest
from tetrad.client.errors import NonceError
from tetrad.contracts.submissions import Submission, SubmissionRequest

PURPOSE = "tetrad/nonce/1"


def with_nonce(request: SubmissionRequest, key: str) -> SubmissionRequest:
    """Return the request with a nonce, of its idempotency key if it has none: sent again it must be the same again."""
    return request if request.nonce else msgspec.structs.replace(request, nonce=hexdigest(PURPOSE, key))


def opened_with(asked: SubmissionRequest, opened: Submission) -> Submission:
    """Return what was opened, if it was opened with the nonce that was asked for.

    Raises:
        NonceError: it was opened with another.
    """
    if opened.nonce != asked.nonce:
        raise NonceError(
            f"submission {opened.id} was opened with the nonce {opened.nonce!r}, not with {asked.nonce!r} as asked: its"
            " seed may have been chosen beforehand; leave it unanswered and ask the operator"
        )
    return opened
