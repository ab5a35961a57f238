"""Ask models through the inference gateway."""

import httpx
import msgspec

from tetrad.contracts.inference import ChatReply, ChatRequest, Message

SECONDS = 300.0


class ModelUnavailableError(Exception):
    """The gateway gives no reply of a model; the message says what it answered, and what to check."""


class Gateway:
    """Asks models of one gateway, one request at a time, at temperature 0; a model's own cap bounds its replies."""

    def __init__(self, url: str, token: str, http: httpx.Client | None = None) -> None:
        """`http` is a client to use; by default one is made."""
        self._address = url.rstrip("/") + "/v1/chat/completions"
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._http = http or httpx.Client(timeout=SECONDS)

    def __call__(self, model: str, messages: list[Message]) -> str:
        """Return a model's reply; "" where it said nothing.

        Raises:
            ModelUnavailableError: the gateway can't be reached, or answers with an error.
        """
        request = ChatRequest(model=model, messages=messages, temperature=0.0)
        try:
            response = self._http.post(self._address, content=msgspec.json.encode(request), headers=self._headers)
        except httpx.TransportError as error:
            raise ModelUnavailableError(f"{self._address} can't be reached ({error}); check --gateway") from error
        if not response.is_success:
            raise ModelUnavailableError(
                f"{self._address} answered {response.status_code} for model {model!r} ({response.text[:300]}); check "
                "the model's name and TETRAD_GATEWAY_TOKEN"
            )
        choices = msgspec.json.decode(response.content, type=ChatReply).choices
        return (choices[0].message.content or "") if choices else ""
