"""Turn an HTTP reply into the result or the error, and wait as a rate limit asks."""

import logging
from dataclasses import dataclass
from typing import TypeVar

import httpx
import msgspec

from tetrad.client.calls import Call
from tetrad.client.errors import UnreachableError, UnreadableError, service_error
from tetrad.waits import wait_of

T = TypeVar("T")
MOST_WAITED_SECONDS = 120.0  # that one call may wait for its rate limit: one of a minute has room within two
SHORTEST_SECONDS = 0.1  # of a wait, so that whoever asks for none is not asked without end
NOT_TLS = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE")  # OpenSSL's words for an answer in plain HTTP
log = logging.getLogger(__name__)


def answer(call: Call[T], reply: httpx.Response) -> T:
    """Return what the reply holds.

    Raises:
        ServiceError: the service refused or failed.
        UnreadableError: the reply is none of this service's.
    """
    if reply.is_error:
        raise service_error(reply)
    try:
        return call.decode(reply)
    except msgspec.DecodeError as error:
        raise UnreadableError(
            f"{reply.url}: status {reply.status_code} with a body that is not the service's ({error}); "
            "is a Tetrad service of this version at this address?"
        ) from error


@dataclass
class Waits:
    """The time that one call may still wait when it is over its rate limit. The service says when to try again."""

    left: float = MOST_WAITED_SECONDS

    def before_again(self, reply: httpx.Response) -> float | None:
        """Return the seconds to wait before sending it again; None if the reply is the answer."""
        asked = wait_of(reply.headers) if reply.status_code == httpx.codes.TOO_MANY_REQUESTS else None
        if asked is None or (wait := max(asked, SHORTEST_SECONDS)) > self.left:
            return None
        self.left -= wait
        log.info("over the rate limit; waiting", extra={"seconds": wait, "path": reply.request.url.path})
        return wait


def unreachable(address: httpx.URL | str, error: Exception) -> UnreachableError:
    reason = str(error) or type(error).__name__
    if str(address).startswith("https://") and any(mark in reason for mark in NOT_TLS):
        plain = str(address).replace("https://", "http://", 1)
        return UnreachableError(f"{address}: what answers there speaks no https; try {plain}")
    return UnreachableError(f"{address}: {reason}; is the service up?")
