"""Client addresses: the other end of the connection, or what a trusted proxy says of it."""

import re
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

from litestar.types import Scope

from tetrad.server.settings import SettingsError

FORWARDED = b"x-forwarded-for"
FORWARDED_SCHEME = b"x-forwarded-proto"
IPV6_CUSTOMER_BITS = 64  # one customer gets at least a /64, so single IPv6 addresses mean nothing
UNKNOWN = "unknown"  # a server on a Unix socket knows no address
WITH_PORT = re.compile(r"(?:\[(?P<six>[^\]]+)\]|(?P<four>[^:]+))(?::\d{1,5})?")  # some proxies write the port, too


class Addresses:
    """Reads client addresses; `trusted` lists the proxies' networks, joined by commas.

    Raises:
        SettingsError: one of them is no network.
    """

    def __init__(self, trusted: str = "") -> None:
        self._trusted = [_network(text.strip()) for text in trusted.split(",") if text.strip()]

    def of(self, scope: Scope | dict[str, Any]) -> str:
        """Return the caller's address; an IPv6 one as its /64. It is a trusted proxy's where that names no client."""
        return self.client(scope) or _normalise(str((scope.get("client") or [UNKNOWN])[0]))

    def client(self, scope: Scope | dict[str, Any]) -> str | None:
        """Return the caller's address, as `of` does; None where a trusted proxy speaks for itself or for another one.

        X-Forwarded-For is believed only from a trusted proxy, from right to left, up to the first address that is
        not trusted itself. Anybody can have written what stands left of it.
        """
        client = scope.get("client")
        address = client[0] if client else UNKNOWN
        if not self._trusts(address):
            return _normalise(address)
        return next((_normalise(hop) for hop in reversed(_hops(scope)) if not self._trusts(hop)), None)

    def trusts_peer(self, scope: Scope | dict[str, Any]) -> bool:
        """Return whether the other end of the connection is a trusted proxy."""
        client = scope.get("client")
        return self._trusts(client[0] if client else UNKNOWN)

    def scheme(self, scope: Scope | dict[str, Any]) -> str | None:
        """Return the scheme that a trusted proxy says the caller speaks; None where none says one."""
        if not self.trusts_peer(scope):
            return None
        values = [value.decode("latin-1") for name, value in scope["headers"] if name == FORWARDED_SCHEME]
        return values[0].partition(",")[0].strip().lower() if values else None

    def _trusts(self, text: str) -> bool:
        try:
            address = ip_address(text)
        except ValueError:
            return False
        return any(address in network for network in self._trusted)


def _hops(scope: Scope | dict[str, Any]) -> list[str]:
    lines = [value.decode("latin-1") for name, value in scope["headers"] if name == FORWARDED]
    return [_without_port(hop.strip()) for hop in ",".join(lines).split(",") if hop.strip()]


def _without_port(hop: str) -> str:
    found = WITH_PORT.fullmatch(hop)
    return hop if found is None else str(found["six"] or found["four"])


def _normalise(text: str) -> str:
    """Return the address in one spelling. Texts that are no address share one name."""
    try:
        address = ip_address(text)
    except ValueError:
        return UNKNOWN
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ip_network((address, IPV6_CUSTOMER_BITS), strict=False))
    return str(address)


def _network(text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text)
    except ValueError as error:
        remedy = "give addresses or networks joined by commas, for example 10.0.0.0/8"
        raise SettingsError(f"TETRAD_API_TRUSTED_PROXIES: {error}; {remedy}") from error
