"""An operator at work, for tests."""

from dataclasses import dataclass
from typing import Any

import httpx
from litestar import Litestar
from litestar.testing import TestClient

OPERATOR_TOKEN = "operator-token-of-the-tests-0000000000"


@dataclass(frozen=True)
class Operator:
    client: TestClient[Litestar]
    token: str = OPERATOR_TOKEN

    def call(self, method: str, path: str, body: Any = None) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.token}"}
        return self.client.request(method, f"/v1/admin/{path}", json=body, headers=headers)

    def get(self, path: str) -> Any:
        reply = self.call("GET", path)
        assert reply.status_code == 200, reply.text
        return reply.json()

    def post(self, path: str, **body: Any) -> Any:
        reply = self.call("POST", path, body)
        assert reply.status_code in {200, 202}, reply.text
        return reply.json()

    def refused(self, status: int, path: str, **body: Any) -> Any:
        reply = self.call("POST", path, body)
        assert reply.status_code == status, reply.text
        return reply.json()

    def acts(self, subject: str | None = None) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.get(f"acts?subject={subject}" if subject else "acts")["acts"]
        return found
