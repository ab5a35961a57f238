"""The client of the public API: `Client` and `AsyncClient`, the same verbs."""

from tetrad.client.asynchronous import AsyncClient
from tetrad.client.errors import NonceError, ServiceError, UnreachableError, UnreadableError
from tetrad.client.synchronous import Client
from tetrad.errors import TetradError

__all__ = ["AsyncClient", "Client", "NonceError", "ServiceError", "TetradError", "UnreachableError", "UnreadableError"]
