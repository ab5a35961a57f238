"""The client's part of the seed: always its own, the same for the same key, and checked in what was opened."""

import re

import httpx
import msgspec
import pytest

import tetrad
from tests.unit.tetrad.client.test_verbs import SUBMISSION
from tetrad.client import Client, NonceError
from tetrad.contracts.submissions import SubmissionRequest

REQUEST = SubmissionRequest(benchmark="toy", track="toy", size=1, model="m")


class Service:
    """Opens submissions with the nonce it is given, or always with one of its own."""

    def __init__(self, own: str | None = None) -> None:
        self.own = own
        self.heard: list[str] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        body = msgspec.json.decode(request.content)
        self.heard.append(body["nonce"])
        opened = msgspec.structs.replace(SUBMISSION, nonce=self.own or body["nonce"])
        return httpx.Response(201, content=msgspec.json.encode(opened))


def client_of(service: Service) -> Client:
    return Client("", "k", http=httpx.Client(base_url="http://service", transport=httpx.MockTransport(service)))


def test_every_submission_gets_a_nonce_of_its_own() -> None:
    service = Service()
    with client_of(service) as client:
        client.open_submission(REQUEST)
        client.open_submission(REQUEST)
    assert len(set(service.heard)) == 2
    assert all(re.fullmatch(r"[0-9a-f]{64}", nonce) for nonce in service.heard)


def test_the_same_key_sends_the_same_body_again() -> None:
    service = Service()
    with client_of(service) as client:
        client.open_submission(REQUEST, idempotency_key="1" * 32)
        client.open_submission(REQUEST, idempotency_key="1" * 32)
    assert len(set(service.heard)) == 1


def test_a_nonce_of_the_caller_s_is_sent_as_it_is() -> None:
    service = Service()
    with client_of(service) as client:
        client.open_submission(msgspec.structs.replace(REQUEST, nonce="mine"))
    assert service.heard == ["mine"]


def test_what_was_opened_with_another_nonce_is_refused() -> None:
    with client_of(Service(own="theirs")) as client, pytest.raises(NonceError, match="'theirs'"):
        client.open_submission(REQUEST)


def test_the_clients_are_names_of_the_package() -> None:
    assert tetrad.Client is Client
    with pytest.raises(AttributeError, match="'Klient'"):
        _ = tetrad.Klient
