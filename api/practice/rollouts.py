"""Rollouts of NeMo Gym's protocol: what a trainer sends for one response, and the text of that response.

A rollout has further columns of the trainer's own. They are let through: this protocol sends whole rows.
"""

from typing import Any

import msgspec

from api.errors import InvalidInputError
from tetrad.contracts.answers import LARGEST_REPLY, PracticeAnswer
from tetrad.contracts.inference import StopKind
from tetrad.contracts.training import EnvironmentSession, EnvironmentVerdict, PracticeReply, PracticeVerdict

EMPTY, NONE = msgspec.Raw(b"{}"), msgspec.Raw(b"")
EXAMPLE = 'send {"item": "itm_...", "question": "which", "responses_create_params": {...}, "response": {...}}'
STOPS: dict[str, StopKind] = {"max_output_tokens": "length", "content_filter": "blocked", "length": "length"}
"""Reasons why a response of OpenAI's is incomplete, in our words."""


class Rollout(msgspec.Struct, frozen=True):
    """A rollout, as far as it is looked at."""

    item: str | None = None
    question: str | None = None
    answers: list[PracticeAnswer] = []
    responses_create_params: msgspec.Raw = EMPTY
    response: msgspec.Raw = NONE

    def reply(self) -> PracticeReply:
        """Return the reply that a verdict is asked on.

        Raises:
            InvalidInputError: the rollout lacks a part.
        """
        for name in ("item", "question", "response"):
            if not getattr(self, name):
                raise InvalidInputError.at(name, None, "is missing", EXAMPLE)
        text, stop = read_response(self.response)
        return PracticeReply(
            item=self.item or "", question=self.question or "", response=text, stop=stop, earlier=self.answers
        )


def read_rollout(body: bytes) -> Rollout:
    """Return the rollout of a body.

    Raises:
        InvalidInputError: it is no JSON, or a part has another form.
    """
    try:
        return msgspec.json.decode(body or b"{}", type=Rollout)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInputError.at("body", None, str(error), EXAMPLE) from error


def read_response(response: msgspec.Raw) -> tuple[str, StopKind | None]:
    """Return the visible text of a response of OpenAI's Responses, or of a chat completion, and why it ended.

    Only the end of a text that is longer than a reply may be is kept: the answer usually stands there.
    """
    try:
        found: Any = msgspec.json.decode(response)
        text, stop = _completion(found) if "choices" in found else _output(found)
    except (TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        problem = "is neither a response of OpenAI's Responses nor a chat completion"
        raise InvalidInputError.at("response", None, problem, 'send {"output": [{"type": "message", ...}]}') from error
    return text.encode()[-LARGEST_REPLY:].decode(errors="ignore"), stop


def _output(response: dict[str, Any]) -> tuple[str, StopKind | None]:
    parts = [
        part
        for entry in response["output"]
        if entry.get("type", "message") == "message"
        for part in _parts(entry["content"])
    ]
    stop = STOPS.get((response.get("incomplete_details") or {}).get("reason", ""))
    if any(part.get("type") == "refusal" for part in parts):
        stop = "refused"
    return "".join(part.get("text") or part.get("refusal") or "" for part in parts), stop


def _parts(content: str | list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"type": "output_text", "text": content}] if isinstance(content, str) else content


def _completion(completion: dict[str, Any]) -> tuple[str, StopKind | None]:
    choice = completion["choices"][0]
    message = choice["message"]
    parts = _parts(message.get("content") or message.get("refusal") or "")
    stop: StopKind | None = "refused" if message.get("refusal") else STOPS.get(choice.get("finish_reason") or "")
    return "".join(part.get("text") or "" for part in parts), stop


def next_question(item: str, lines: bytes) -> EnvironmentSession:
    """Return the session of the first row of these lines, in the form of Responses; without a row nothing is open."""
    if not lines.strip():
        return EnvironmentSession(item=item)
    row = msgspec.json.decode(lines.split(b"\n", 1)[0])
    return EnvironmentSession(
        item=item, question=row["question"], responses_create_params=row["responses_create_params"]
    )


def rolled_verdict(rollout: Rollout, verdict: PracticeVerdict) -> EnvironmentVerdict:
    return EnvironmentVerdict(
        responses_create_params=rollout.responses_create_params,
        response=rollout.response,
        reward=verdict.reward,
        unread=verdict.unread,
        stage_reward=verdict.stage_reward,
        verdict=verdict.verdict,
        answer=verdict.answer,
        reason=verdict.reason,
        mistake=verdict.mistake,
    )
