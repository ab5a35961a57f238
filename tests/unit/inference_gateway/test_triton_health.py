"""The health of a model of Triton: a server that is away is not ready, and a defect of ours is not taken for that."""

import asyncio

import pytest

from inference_gateway.providers import ModelHealth
from inference_gateway.providers.triton.servers import Keepalive, TritonModel, TritonServers
from inference_gateway.upstream_http import Endpoint, Timeouts, UpstreamHttp
from tests.ports import free_port


def ask_health(servers: TritonServers) -> ModelHealth:
    async def ask() -> ModelHealth:
        times = Timeouts(connect=1, read=1, total=1)
        address = f"grpc://127.0.0.1:{free_port()}"
        endpoint = Endpoint(address=address, name="m", http=UpstreamHttp(), timeouts=times)
        try:
            return await TritonModel(servers, endpoint, "m", Keepalive()).health()
        finally:
            await servers.close()

    return asyncio.run(ask())


def test_a_server_that_is_away_is_not_ready() -> None:
    assert ask_health(TritonServers()) == ModelHealth(ready=False, detail="unavailable no-connection")


def test_a_defect_of_ours_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    servers = TritonServers()

    def fail(*_: object) -> None:
        raise AttributeError("a defect")

    monkeypatch.setattr(servers, "client", fail)
    with pytest.raises(AttributeError, match="a defect"):
        ask_health(servers)
