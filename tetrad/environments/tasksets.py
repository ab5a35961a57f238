"""A taskset of practice items for verifiers: `vf-eval tetrad`, prime-rl, and whatever drives verifiers.

Needs the extra `verifiers`. Tasks come without end from the service at $TETRAD_URL: one for each question that is open
at once, with its pictures in the prompt. Rewards are found here, by the extraction that scores submissions.

`AskOnce` is its harness: a question needs one reply and no tools, so nothing is run, and no sandbox is needed.
"""

import os
from collections.abc import Iterator
from itertools import count
from typing import Any

import httpx
import verifiers.v1 as vf
from msgspec import json
from verifiers.v1.dialects.chat import message_to_wire
from verifiers.v1.errors import MODEL_TRANSPORT_ERROR_EXIT_CODE

from tetrad.client import Client
from tetrad.contracts.items import Key, Question
from tetrad.environments import judge_reply
from tetrad.extraction.judging import CORRECT, UNREAD
from tetrad.rows.forms import chat
from tetrad.rows.making import question_of

__all__ = ["AskOnce", "PracticeEnv", "PracticeTaskset"]
PAGE = 100
PATIENCE_SECONDS = 3600.0  # the run's own time limits come first


class PracticeConfig(vf.TasksetConfig):  # type: ignore[misc]  # verifiers is an extra
    """The items to ask: those of `tetrad items`."""

    benchmark: str = "kiva"
    track: str | None = None
    setting: str | None = None
    seed: str = "1"
    url: str | None = None


class QuestionData(vf.TaskData):  # type: ignore[misc]
    """A question: its prompt, and what a verdict on a reply needs."""

    row: str
    asked: str
    answer_key: str


class QuestionTask(vf.Task[QuestionData]):  # type: ignore[misc]
    """A question of a practice item. Its key is the row's id, so resumed runs know it again."""

    @property
    def key(self) -> str:
        return str(self.data.row)

    @vf.reward  # type: ignore[untyped-decorator]
    async def correct(self, trace: vf.Trace) -> float:
        """Return 1 for a right reply, else 0."""
        return float(self._verdict(trace) == CORRECT)

    @vf.metric  # type: ignore[untyped-decorator]
    async def unread(self, trace: vf.Trace) -> float:
        """Return 1 for a reply that holds no answer."""
        return float(self._verdict(trace) == UNREAD)

    def _verdict(self, trace: vf.Trace) -> str:
        question = json.decode(self.data.asked, type=Question)
        return judge_reply(question, json.decode(self.data.answer_key, type=Key), trace.last_reply or "").verdict


class PracticeTaskset(vf.Taskset[QuestionTask, PracticeConfig]):  # type: ignore[misc]
    """Practice items of a benchmark, without end."""

    INFINITE = True

    def load(self) -> Iterator[QuestionTask]:
        config = self.config
        url = config.url or os.environ.get("TETRAD_URL") or "http://127.0.0.1:8000"
        with Client(url, os.environ.get("TETRAD_KEY")) as client:
            for first in count(0, PAGE):
                rows = client.rows(
                    config.benchmark,
                    count=PAGE,
                    track=config.track,
                    setting=config.setting,
                    seed=config.seed,
                    offset=first,
                )
                for row in rows:
                    data = QuestionData(
                        name=row.id,
                        prompt=chat(row)["messages"],
                        row=row.id,
                        asked=json.encode(question_of(row)).decode(),
                        answer_key=row.key or "",
                    )
                    yield QuestionTask(data, config.task)


class AskOnceConfig(vf.HarnessConfig):  # type: ignore[misc]
    """Nothing can be chosen."""


class AskOnce(vf.Harness[AskOnceConfig]):  # type: ignore[misc]
    """Put a question to the model once, from this process."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: Any,
        _trace: Any,
        _runtime: Any,
        endpoint: str,
        secret: str,
        _mcp_urls: dict[str, str],
        data: Any,
    ) -> Any:
        """Send the prompt to where verifiers records it and passes it on to the model."""
        system, prompt = self.resolve_prompt(data)
        messages = [{"role": "system", "content": system}] if system else []
        if isinstance(prompt, str):
            messages.append({"role": "user", "content": prompt})
        else:
            messages += [message_to_wire(message) for message in prompt or []]
        headers = {"Authorization": f"Bearer {secret}"}
        async with httpx.AsyncClient(headers=headers, timeout=PATIENCE_SECONDS) as client:
            try:
                reply = await client.post(
                    f"{endpoint}/chat/completions", json={"model": ctx.model, "messages": messages}
                )
            except httpx.TransportError as error:
                return vf.ProgramResult(MODEL_TRANSPORT_ERROR_EXIT_CODE, "", f"{type(error).__name__}: {error}")
        return vf.ProgramResult(0 if reply.is_success else 1, "", "" if reply.is_success else reply.text)


class PracticeEnvConfig(vf.EnvConfig):  # type: ignore[misc]
    """One model that answers. What it runs in is this machine: it runs nothing."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class PracticeEnv(vf.Env[PracticeEnvConfig]):  # type: ignore[misc]
    """A question is answered by one model, once."""

    async def run(self, task: Any, agents: Any) -> None:
        await agents.agent.run(task)
