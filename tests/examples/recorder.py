"""Asks a service, and keeps what was asked and answered without what is secret, long, or another each time."""

import hashlib
import json
import re
from collections.abc import Callable
from typing import Any

import httpx

from api.http.description import NDJSON
from tetrad import __version__
from tetrad.versions import RELEASE

MOST_ENTRIES, MOST_NAMES, MOST_NAMES_SHOWN, MOST_CHARACTERS, MOST_OF_A_PICTURE = 2, 30, 6, 1200, 60
REFUSED = frozenset({"adminRequeueSubmission"})
"""Operations that no healthy service has a case for: their example is a refusal."""
ZEROS = "0" * 64
ID = re.compile(r"(?:\b|(?<=\\n))(sub|team|key|mdl|ver|evl|inv|gwt|rsb|rsc)_[0-9a-f]{32}\b")
DATASET = re.compile(r"\bdst_[0-9a-f]{40}\b")
DIGEST = re.compile(r"\b[0-9a-f]{64}\b")
TIME = re.compile(r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
API_KEY = re.compile(r"\btetrad_[\w-]{43}")
PREFIX = re.compile(r'(?<="prefix": ")tetrad_[\w-]{5}')
INVITE = re.compile(r"\binvite-[\w-]{32}")
REQUEST_ID = re.compile(r'(?<="request_id": ")[0-9a-f]{32}')
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")


class Recorder:
    """A client of one service. What it keeps is named by operation."""

    def __init__(self, url: str) -> None:
        self._client = httpx.Client(base_url=url, timeout=300)
        self.kept: dict[str, dict[str, Any]] = {}

    def ask(  # the parts of a request
        self, operation: str, method: str, path: str, body: object = None, *, key: str = "", role: str = "YOUR_KEY"
    ) -> Any:
        """Ask, keep question and answer under the operation's name, and return the answer.

        A body that is bytes has lines of JSON. Of lines the first is kept.

        Raises:
            AssertionError: the service refused or failed.
        """
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        if isinstance(body, bytes):
            sent: dict[str, Any] = {"content": body}
            headers["Content-Type"] = NDJSON
        else:
            sent = {"json": body}
        reply = self._client.request(method, path, headers=headers, **sent)
        assert (reply.status_code < 400) != (operation in REFUSED), (operation, reply.status_code, reply.text)
        line = f"{method} {path}" + (f"\nAuthorization: Bearer {role}" if key else "")
        media_type = reply.headers.get("content-type", "").partition(";")[0]
        example: dict[str, Any] = {"request": line, "status": reply.status_code, "media_type": media_type}
        if body is not None:
            example["sent"] = cut(first_line(body) if isinstance(body, bytes) else body)
        answered = answer_of(reply, media_type)
        if answered is not None:
            example["answered"] = cut(answered)
        self.kept[operation] = example
        return answered if media_type.endswith("json") else reply

    def settled(self) -> dict[str, dict[str, Any]]:
        """Return what was kept, with its ids, digests, keys and times replaced by others that are always the same."""
        text = json.dumps(self.kept)
        text = _replace(text, ID, lambda found, number: f"{found.partition('_')[0]}_{number:032x}")
        text = _replace(text, DATASET, lambda _, number: f"dst_{number:040x}")
        text = _replace(text, DIGEST, lambda found, number: _digest(number) if found != ZEROS else found)
        text = _replace(text, API_KEY, lambda _, number: f"tetrad_a-key-of-a-team-{number}-that-is-not-there")
        text = _replace(text, PREFIX, lambda _, __: "tetrad_a-key")
        text = _replace(text, INVITE, lambda _, __: "invite-a-code-that-is-not-there")
        text = _replace(text, REQUEST_ID, lambda _, number: f"{number:032x}")
        text = _replace(text, ADDRESS, lambda _, __: "http://127.0.0.1:8000")
        moments = {moment: place for place, moment in enumerate(sorted(set(TIME.findall(text))))}
        text = TIME.sub(lambda found: _time(moments[found[0]]), text)
        settled: dict[str, dict[str, Any]] = json.loads(text.replace(__version__, RELEASE))
        return dict(sorted(settled.items()))


def answer_of(reply: httpx.Response, media_type: str) -> Any:
    """Return the answer of a reply: of lines the first, of a text all, of other bytes None."""
    if media_type == NDJSON:
        return first_line(reply.content)
    if media_type.endswith("json"):
        return reply.json()
    return reply.text if media_type.startswith("text/") else None


def first_line(lines: bytes) -> Any:
    return json.loads(lines.partition(b"\n")[0])


def cut(value: Any) -> Any:
    """Return a value with its lists cut to two entries, its large objects to six names, its texts to a beginning."""
    if isinstance(value, list):
        return [cut(entry) for entry in value[:MOST_ENTRIES]]
    if isinstance(value, dict):
        names = [*value] if len(value) <= MOST_NAMES else [*value][:MOST_NAMES_SHOWN]
        return {name: cut(value[name]) for name in names}
    if isinstance(value, str):
        return value[: MOST_OF_A_PICTURE if value.startswith("data:") else MOST_CHARACTERS]
    return value


def _replace(text: str, pattern: re.Pattern[str], other: Callable[[str, int], str]) -> str:
    """Replace each text that matches, the same one always by the same, numbered as they come."""
    numbers: dict[str, int] = {}
    return pattern.sub(lambda found: other(found[0], numbers.setdefault(found[0], len(numbers) + 1)), text)


def _digest(number: int) -> str:
    return hashlib.sha256(f"example {number}".encode()).hexdigest()


def _time(place: int) -> str:
    minutes, seconds = divmod(place, 60)
    return f"2026-11-27T12:{minutes:02d}:{seconds:02d}.000Z"
