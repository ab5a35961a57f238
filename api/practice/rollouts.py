"""Rollouts of NeMo Gym's protocol: what a trainer sends for one response, and the text of that response.

A rollout has further columns of the trainer's own. They are let through: this protocol sends whole rows.
"""

from typing import Any

import msgspec

from api.errors import InvalidInputError
from tetrad.contracts.answers import LARGEST_REPLY
from tetrad.contracts.inference import StopKind
from tetrad.contracts.training import (
    EnvironmentRollout,
    EnvironmentSession,
    EnvironmentVerdict,
    PracticeReply,
    PracticeVerdict,
)

EXAMPLE = 'send {"item": "itm_...", "question": "which", "responses_create_params": {...}, "response": {...}}'
STOPS: dict[str, StopKind] = {"max_output_tokens": "length", "content_filter": "blocked", "length": "length"}
"""Reasons why a response of OpenAI's is incomplete, in our words."""


def read_rollout(body: bytes) -> EnvironmentRollout:
    """Return the rollout of a body.

    Raises:
        InvalidInputError: it is no JSON, or a part has another form.
    """
    try:
        return msgspec.json.decode(body or b"{}", type=EnvironmentRollout)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInputError.at("body", None, str(error), EXAMPLE) from error


def reply_of(rollout: EnvironmentRollout) -> PracticeReply:
    """Return the reply that a verdict is asked on.

    Raises:
        InvalidInputError: the rollout lacks a part, or its response is none.
    """
    for name in ("item", "question", "response"):
        if not getattr(rollout, name):
            raise InvalidInputError.at(name, None, "is missing", EXAMPLE)
    text, stop = read_response(rollout.response)
    return PracticeReply(
        item=rollout.item or "",
        question=rollout.question or "",
        response=text,
        stop=stop,
        earlier=rollout.answers,
    )


def read_response(response: dict[str, Any]) -> tuple[str, StopKind | None]:
    """Return the visible text of a response of OpenAI's Responses, or of a chat completion, and why it ended.

    Only the end of a text that is longer than a reply may be is kept: the answer usually stands there.
    """
    try:
        text, stop = _completion(response) if "choices" in response else _output(response)
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


def rolled_verdict(rollout: EnvironmentRollout, verdict: PracticeVerdict) -> EnvironmentVerdict:
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
