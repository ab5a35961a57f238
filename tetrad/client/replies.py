"""What a reply stands for, and what it means that none came."""

from typing import TypeVar

import httpx
import msgspec

from tetrad.client.calls import Call
from tetrad.client.errors import UnreachableError, UnreadableError, service_error

T = TypeVar("T")


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


def unreachable(address: httpx.URL | str, error: Exception) -> UnreachableError:
    return UnreachableError(f"{address}: {str(error) or type(error).__name__}; is the service up?")
