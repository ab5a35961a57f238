"""Tetrad's shared language: wire types, canonical bytes, the reply reader, the client and the runner."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tetrad.client import AsyncClient, Client

__all__ = ["AsyncClient", "Client", "__version__"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Import the clients when they are asked for: the services need the wire types, not httpx."""
    if name in {"AsyncClient", "Client"}:
        from tetrad import client  # noqa: PLC0415 -- see above

        return getattr(client, name)
    raise AttributeError(f"module 'tetrad' has no attribute {name!r}")
