"""Addresses of requests: only proxies named in the settings are believed."""

import pytest

from api.http.addresses import Addresses
from tetrad.server.settings import SettingsError

PROXIES = "10.0.0.0/8, fd00::/8"


def address(client: str | None, *forwarded: str, trusted: str = PROXIES) -> str:
    headers = [(b"x-forwarded-for", line.encode()) for line in forwarded]
    scope = {"client": None if client is None else (client, 1234), "headers": headers}
    return Addresses(trusted).of(scope)


@pytest.mark.parametrize(
    ("client", "forwarded", "seen"),
    [
        ("192.0.2.7", (), "192.0.2.7"),
        ("192.0.2.7", ("198.51.100.1",), "192.0.2.7"),
        ("10.0.0.1", ("198.51.100.1",), "198.51.100.1"),
        ("10.0.0.1", ("1.1.1.1, 198.51.100.1, 10.0.0.2",), "198.51.100.1"),
        ("10.0.0.1", ("1.1.1.1", "198.51.100.1"), "198.51.100.1"),
        ("10.0.0.1", ("198.51.100.1:5678",), "198.51.100.1"),
        ("10.0.0.1", ("[2001:db8:1:2::9]:443",), "2001:db8:1:2::/64"),
        ("10.0.0.1", ("198.51.100.1, nonsense",), "unknown"),
        ("fd00::1", ("2001:db8:1:2:3:4:5:6",), "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", (), "192.0.2.7"),
        (None, ("198.51.100.1",), "unknown"),
    ],
)
def test_the_right_most_address_that_no_trusted_proxy_has_is_the_caller_s(
    client: str | None, forwarded: tuple[str, ...], seen: str
) -> None:
    assert address(client, *forwarded) == seen


@pytest.mark.parametrize("forwarded", [(), (" , ",), ("10.0.0.3, 10.0.0.2",), ("fd00::7", "10.0.0.2:80")])
def test_a_trusted_proxy_that_names_nobody_else_is_no_client(forwarded: tuple[str, ...]) -> None:
    headers = [(b"x-forwarded-for", line.encode()) for line in forwarded]
    scope = {"client": ("10.0.0.1", 1234), "headers": headers}
    assert Addresses(PROXIES).client(scope) is None
    assert Addresses(PROXIES).of(scope) == "10.0.0.1"
    assert Addresses("").client(scope) == "10.0.0.1"


def test_without_trusted_proxies_nobody_is_believed() -> None:
    assert address("10.0.0.1", "198.51.100.1", trusted="") == "10.0.0.1"


def test_a_setting_that_is_no_network_is_refused_by_name() -> None:
    with pytest.raises(SettingsError, match=r"TETRAD_API_TRUSTED_PROXIES.*10\.0\.0\.0/8"):
        Addresses("10.0.0.0/8, proxy.example")
