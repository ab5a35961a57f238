"""A generator that takes connections and never answers: whoever does not need it is served meanwhile."""

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from litestar.testing import TestClient
from msgspec.structs import replace

from api.app import create_app
from api.settings import ApiSettings
from api.upstream.generator import ASKED_AGAIN, Generator
from tests.integration.api.team import Team

AT_ONCE = 24  # more than the threads that asyncio has by itself on sixteen processors


def test_requests_that_need_no_generator_are_answered_beside_many_that_wait_for_it(settings: ApiSettings) -> None:
    with ThreadPoolExecutor(AT_ONCE) as pool, socket.create_server(("127.0.0.1", 0), backlog=AT_ONCE) as silent:
        hung = replace(settings, generator_url=f"http://127.0.0.1:{silent.getsockname()[1]}")
        with TestClient(create_app(hung)) as client:
            team = Team.registered(client, "team-one")
            waiting = [pool.submit(client.get, f"/v1/items/{name}") for name in [item_of(settings)] * AT_ONCE]
            assert team.get("/v1/models").status_code == 200
            assert not any(each.done() for each in waiting)
            silent.close()  # and with it all that wait
            assert {each.result().status_code for each in waiting} == {503}


def test_one_worker_that_hangs_does_not_make_the_generator_unready_while_another_answers(
    settings: ApiSettings,
) -> None:
    """The kernel gives each connection to one of the workers, and the first three get the one that hangs."""
    with ThreadPoolExecutor(1) as pool, socket.create_server(("127.0.0.1", 0)) as workers, ExitStack() as taken:

        def serve() -> None:
            for number in range(ASKED_AGAIN + 1):
                connection, _ = workers.accept()
                taken.enter_context(connection)
                if number == 3:
                    connection.recv(4096)
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")

        serving = pool.submit(serve)
        generator = Generator(replace(settings, generator_url=f"http://127.0.0.1:{workers.getsockname()[1]}"))
        assert generator.is_ready()
        serving.result(10)
        asyncio.run(generator.close())


def item_of(settings: ApiSettings) -> str:
    """Return the id of an item, which says where it is from: nothing is asked before the generator is."""
    with TestClient(create_app(settings)) as client:
        return str(client.get("/v1/benchmarks/trio/items?limit=1").json()["items"][0]["id"])
