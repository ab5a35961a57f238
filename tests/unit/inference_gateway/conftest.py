"""A gateway over the shipped models."""

from collections.abc import Iterator

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from inference_gateway.app import create_app
from inference_gateway.settings import GatewaySettings

TOKEN, OTHER = "gateway-token-of-tests", "gateway-token-of-others"


@pytest.fixture
def client() -> Iterator[TestClient[Litestar]]:
    with TestClient(create_app(GatewaySettings(tokens=f"{TOKEN},{OTHER}", body_limit_mib=1))) as client:
        client.headers["Authorization"] = f"Bearer {TOKEN}"
        yield client
