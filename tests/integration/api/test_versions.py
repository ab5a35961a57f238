"""The versions of a service, and the wheel of its client: what HTTP says of them, and whose address they name."""

import hashlib

import pytest
from msgspec.structs import replace

from api.client_wheel import client_wheel
from api.settings import ApiSettings
from tests.integration.api.assembled import client_of
from tests.integration.api.conftest import Client
from tetrad import __version__
from tetrad.extraction import EXTRACTOR_VERSION
from tetrad.versions import SCORER_VERSION

FALSE = {
    "Host": "evil.example",
    "X-Forwarded-Host": "evil.example",
    "X-Forwarded-Proto": "https",
    "Forwarded": "host=evil.example",
}


def test_every_version_is_named(client: Client) -> None:
    told = client.get("/v1/versions").json()
    served = client.get("/v1/benchmarks").json()["benchmarks"]
    newest = {info["card"]["name"]: info["card"]["version"] for info in served}
    assert {name: numbers[-1] for name, numbers in told["benchmarks"].items()} == newest
    assert told["benchmarks"]["trio"] == [1, 2], "older versions are served, too"
    assert (told["package"], told["extractor"], told["scorer"]) == (__version__, EXTRACTOR_VERSION, SCORER_VERSION)
    assert (told["api"], told["protocol"], told["log"]) == (1, 1, 1)
    assert client.get("/health/ready").json()["version"] == __version__


def test_the_address_leads_to_the_wheel_of_this_digest(client: Client) -> None:
    told = client.get("/v1/versions").json()["client"]
    assert "+" not in told["url"], "some read a plus as a space"
    got = client.get(told["url"])
    assert (got.status_code, got.headers["content-type"]) == (200, "application/zip")
    assert hashlib.sha256(got.content).hexdigest() == told["sha256"]
    unescaped = client.get(told["url"].replace("%2B", "+"))
    assert unescaped.content == got.content
    head = client.head(told["url"])
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == str(len(got.content))
    assert head.headers["etag"] == got.headers["etag"]
    known = client.get(told["url"], headers={"If-None-Match": got.headers["etag"]})
    assert (known.status_code, known.content) == (304, b"")
    assert known.headers["cache-control"] == got.headers["cache-control"] == "public, no-cache"
    assert client.get(told["url"], headers={"If-None-Match": '"another"'}).status_code == 200


def test_no_other_file_is_a_client(client: Client) -> None:
    for name in ("tetrad-0.0.1-py3-none-any.whl", "..%2Fpyproject.toml", "settings.py"):
        refused = client.get(f"/client/{name}")
        assert refused.status_code == 404
        assert refused.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("public_url", "address"),
    [("", "http://127.0.0.1:8123"), ("https://tetrad.example.org/below/", "https://tetrad.example.org/below")],
)
def test_no_header_of_a_request_moves_the_address(settings: ApiSettings, public_url: str, address: str) -> None:
    """Who installs what a false Host named would run a stranger's code with the team's key."""
    given = replace(settings, public_url=public_url, loopback_url="http://127.0.0.1:8123", trusted_proxies="0.0.0.0/0")
    with client_of(given) as client:
        told = client.get("/v1/versions", headers=FALSE)
        page = client.get("/", headers=FALSE)
    wheel = client_wheel()
    assert told.json()["client"]["url"] == f"{address}/client/{wheel.name.replace('+', '%2B')}"
    assert "evil" not in told.text + str(told.headers)
    assert "evil" not in page.text
    assert f"tetrad @ {address}/client/" in page.text
    assert f"#sha256={wheel.sha256}" in page.text


def test_while_the_generator_is_away_versions_are_asked_for_again(settings: ApiSettings) -> None:
    with client_of(replace(settings, generator_url="http://127.0.0.1:9")) as client:
        assert client.get("/v1/versions").status_code in {502, 503}
