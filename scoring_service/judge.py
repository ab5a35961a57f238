"""A second opinion on captions: a chat model behind the gateway, asked as CARV's authors asked theirs, in our words.

It is off unless a deployment names a model. Its verdict is shown beside the extractor's and never replaces it.
"""

import logging
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeAlias

import httpx
import msgspec

from scoring_service.settings import ScoringSettings
from tetrad.connections import LIMITS
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.inference import ChatReply, ChatRequest, Message
from tetrad.contracts.items import DiagnosisKey, KeyedQuestion, StateCaptionKey
from tetrad.contracts.reports import QuestionResult
from tetrad.extraction.captions.text import caption_text
from tetrad.server.request_ids import add_ids, waiting_for
from tetrad.tls import load_trusted

JUDGE = "judge"
"""The outcome that holds the judge's verdict."""
CONNECT_SECONDS = 5.0
JUDGING_SECONDS = 300.0
"""The time limit for all captions of a submission, so that a slow judge leaves time for report and other jobs."""
_VERDICT = re.compile(r"[\"']?correct[\"']?\s*[:=]\s*[\"']?(true|false)\b", re.IGNORECASE)
_LONGEST = 4_000  # characters of a reply that are judged: its end, where answers stand

INSTRUCTION = """\
You check descriptions of pictures. Every picture shows one or two things of one kind, and one piece of furniture.
You get the facts of a picture, and the description that somebody gave of it. Wording is free; facts are not.
The description is right if it agrees with the facts on all five points: what the thing is, how many there are, which \
piece of furniture it is, its color or material, and where the things are: on it, under it, to its left or to its right.
"Under" means straight below. Diagonally below is left or right, and whoever says "under" then is wrong, and the other \
way round. A pair of scissors is one thing.
Reply with JSON only: {"correct": true or false, "why": "one short sentence"}"""
QUESTION = "Facts: <<{facts}>>\nDescription: <<{description}>>"

JudgedCaption: TypeAlias = tuple[str, str]
"""The facts in words, and the reply to be judged."""
CaptionJudge: TypeAlias = Callable[[Sequence[JudgedCaption]], list[str]]
"""Verdicts in the same order: correct, incorrect, or unread where the judge's own reply can't be read or comes late."""

Pair = tuple[KeyedQuestion, QuestionResult]

# Each takes its own key struct, hence Any.
_FACTS: Mapping[type, Callable[[Any], str]] = {
    StateCaptionKey: lambda key: caption_text(key.values),
    DiagnosisKey: lambda key: caption_text(key.final.values),
}

log = logging.getLogger(__name__)


class JudgeUnavailableError(Exception):
    """The gateway gives no verdict now; a later try may succeed."""


class JudgeRefusalError(Exception):
    """The gateway refuses the judge's requests: the deployment's settings are wrong."""


class GatewayJudge:
    """Asks one model of the gateway; the same question is asked once a call. Safe to share between threads."""

    def __init__(
        self, *, url: str, token: str, model: str, timeout_seconds: float, http: httpx.Client | None = None
    ) -> None:
        """`http` is a client to use, for example a test's; by default one is made."""
        self._timeout_seconds = timeout_seconds
        self._model = model
        self._address = url.rstrip("/") + "/v1/chat/completions"
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._http = http or httpx.Client(limits=LIMITS, verify=load_trusted(), event_hooks={"request": [add_ids]})

    def __call__(self, captions: Sequence[JudgedCaption], seconds: float | None = None) -> list[str]:
        """Judge captions for `seconds`, JUDGING_SECONDS by default. Captions left over are unread.

        Raises:
            JudgeUnavailableError, JudgeRefusalError: the gateway did not answer one.
        """
        different = list(dict.fromkeys(captions))
        end = time.monotonic() + (JUDGING_SECONDS if seconds is None else seconds)
        with waiting_for("judge"), ThreadPoolExecutor(8, "judge") as pool:
            asked = [pool.submit(copy_context().run, self._verdict, end, caption) for caption in different]
            found = {caption: verdict.result() for caption, verdict in zip(different, asked, strict=True)}
        if unread := list(found.values()).count("unread"):
            log.warning("captions without the judge's verdict", extra={"captions": len(found), "unread": unread})
        return [found[caption] for caption in captions]

    def close(self) -> None:
        self._http.close()

    def _verdict(self, end: float, caption: JudgedCaption) -> str:
        facts, reply = caption
        question = QUESTION.format(facts=facts, description=reply[-_LONGEST:])
        said = _VERDICT.findall(self._reply_before(end, question))
        if not said:
            return "unread"
        return "correct" if said[-1].lower() == "true" else "incorrect"

    def _reply_before(self, end: float, question: str) -> str:
        """Return the reply, or nothing where it does not come before `end`."""
        left = end - time.monotonic()
        if left <= 0:
            return ""
        try:
            return self._reply(question, min(left, self._timeout_seconds))
        except JudgeUnavailableError:
            if time.monotonic() >= end:
                return ""
            raise

    def _reply(self, question: str, seconds: float) -> str:
        messages = [Message(role="system", content=INSTRUCTION), Message(role="user", content=question)]
        request = ChatRequest(model=self._model, messages=messages, temperature=0.0)
        timeout = httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
        body = msgspec.json.encode(request)
        try:
            response = self._http.post(self._address, content=body, headers=self._headers, timeout=timeout)
        except httpx.TransportError as error:
            raise JudgeUnavailableError(f"the gateway gave the judge no answer ({type(error).__name__})") from error
        except httpx.DecodingError:
            return ""
        if response.is_server_error or response.status_code in {408, 429}:
            raise JudgeUnavailableError(f"the gateway answered the judge {response.status_code}")
        if not response.is_success:
            raise JudgeRefusalError(
                f"the gateway answered {response.status_code} for judge model {self._model!r}; "
                "check TETRAD_SCORING_JUDGE_MODEL and TETRAD_SCORING_GATEWAY_TOKEN"
            )
        return _content(response.content)


def _content(body: bytes) -> str:
    """Return the model's reply. Return "" if the gateway's answer holds none; then no caption is judged."""
    try:
        choices = msgspec.json.decode(body, type=ChatReply).choices
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""
    return choices[0].message.content if choices else ""


def open_judge(settings: ScoringSettings) -> GatewayJudge | None:
    """Return the judge that the settings name, or None."""
    if not settings.judge_model:
        return None
    return GatewayJudge(
        url=settings.gateway_url,
        token=settings.gateway_token,
        model=settings.judge_model,
        timeout_seconds=settings.gateway_timeout_seconds,
    )


def with_opinions(pairs: Sequence[Pair], answers: Sequence[SealedAnswer], judge: CaptionJudge) -> list[Pair]:
    """Return the same results, each caption that came as text with the judge's verdict in its outcome."""
    replies = {(answer.item, answer.question): answer.response for answer in answers}
    asked = list(_judged_captions(pairs, replies))
    verdicts = judge([case for _, case in asked])
    found = {place: verdict for (place, _), verdict in zip(asked, verdicts, strict=True)}
    return [
        (keyed, _add_opinion(result, found[place]) if place in found else result)
        for place, (keyed, result) in enumerate(pairs)
    ]


def count_captions(pairs: Sequence[Pair], answers: Sequence[SealedAnswer]) -> int:
    """Return how many of the results a judge is asked about."""
    replies = {(answer.item, answer.question): answer.response for answer in answers}
    return sum(1 for _ in _judged_captions(pairs, replies))


def without_opinion(result: QuestionResult) -> QuestionResult:
    """Return the result as it is where there is no judge."""
    outcome = {name: value for name, value in result.outcome.items() if name != JUDGE}
    return msgspec.structs.replace(result, outcome=outcome)


def _judged_captions(
    pairs: Sequence[Pair], replies: Mapping[tuple[int, str], str | None]
) -> Iterator[tuple[int, JudgedCaption]]:
    for place, (keyed, result) in enumerate(pairs):
        reply = replies.get((result.item, result.question))
        if reply and type(keyed.key) in _FACTS:
            yield place, (_FACTS[type(keyed.key)](keyed.key), reply)


def _add_opinion(result: QuestionResult, verdict: str) -> QuestionResult:
    return msgspec.structs.replace(result, outcome={**result.outcome, JUDGE: verdict})
