"""A team at work, for tests: registered, with a model, opening and answering submissions."""

from dataclasses import dataclass
from typing import Any

import httpx
from litestar import Litestar
from litestar.testing import TestClient

from tests.integration.api.trio import LABELS, PLAIN, key_of
from tests.integration.real_generator import seed_of
from tetrad.contracts.items import DrawIdentity

NONCE = "a nonce of the tests"
OPENED: dict[str, DrawIdentity] = {}
"""The identities of draws that teams opened, by submission: keys follow from them."""


@dataclass(frozen=True)
class Team:
    client: TestClient[Litestar]
    key: str
    key_id: str

    @classmethod
    def registered(cls, client: TestClient[Litestar], name: str) -> "Team":
        reply = client.post("/v1/teams", json={"name": name})
        assert reply.status_code == 201, reply.text
        made = cls(client, reply.json()["key"], reply.json()["about"]["id"])
        assert made.post("/v1/models", {"name": "model-one"}).status_code == 201
        return made

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}

    def get(self, path: str, **headers: str) -> httpx.Response:
        return self.client.get(path, headers={**self.headers, **headers})

    def post(self, path: str, body: Any = None) -> httpx.Response:
        return self.client.post(path, json=body, headers=self.headers)

    def open(self, **fields: Any) -> str:
        body = {"benchmark": "trio", "track": "plain", "model": "model-one", "size": 5, "nonce": NONCE, **fields}
        reply = self.post("/v1/submissions", body)
        assert reply.status_code == 201, reply.text
        opened = reply.json()
        OPENED[opened["id"]] = DrawIdentity(**opened["identity"])
        return str(opened["id"])

    def questions(self, submission: str) -> list[dict[str, Any]]:
        """Return all open questions, over all pages."""
        found: list[dict[str, Any]] = []
        cursor = ""
        while True:
            reply = self.get(f"/v1/submissions/{submission}/questions?limit=3{cursor}")
            assert reply.status_code == 200, reply.text
            found += reply.json()["questions"]
            if reply.json()["next"] is None:
                return found
            cursor = "&cursor=" + reply.json()["next"]

    def seal(self, submission: str, *answers: dict[str, Any]) -> httpx.Response:
        return self.post(f"/v1/submissions/{submission}/answers", {"answers": list(answers)})

    def answer_all(self, submission: str, *, right: bool = True) -> None:
        """Answer whatever opens until nothing does."""
        while asked := self.questions(submission):
            sealed = [
                {
                    "item": one["item"],
                    "question": one["question"]["id"],
                    "answer": answer_to(submission, one["item"], one["question"]["id"], right=right),
                }
                for one in asked
            ]
            reply = self.seal(submission, *sealed)
            assert reply.status_code == 200, reply.text


def answer_to(submission: str, item: int, question: str, *, right: bool) -> str:
    """Return the right answer, or one of the wrong ones."""
    key = key_of(seed_of(submission, NONCE), item, question, OPENED.get(submission, PLAIN))
    wrong = next(label for label in LABELS[question.partition("-")[0]] if label != key)
    return key if right else wrong
