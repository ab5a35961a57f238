"""Collects an instance's submissions, boards, log and corpora over HTTP, as plain JSON.

The script that made the fixture wrote this down, and the test compares it with what the upgraded instance says. Only
addresses and fields of the public API are used, so that it goes on working when modules move.
"""

import hashlib
from collections.abc import Mapping
from io import BytesIO
from typing import Any

import httpx
from PIL import Image

TIMEOUT_SECONDS = 60
CORPORA = ("kiva-published", "marvel-published")


class Observer:
    """Asks an instance with one key."""

    def __init__(self, url: str, key: str | None) -> None:
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        self._http = httpx.Client(base_url=url, headers=headers, timeout=TIMEOUT_SECONDS)

    def close(self) -> None:
        self._http.close()

    def get(self, path: str, **query: str | int) -> Any:
        """Return the JSON at this address.

        Raises:
            httpx.HTTPStatusError: the instance refuses.
        """
        return self._http.get(path, params=query).raise_for_status().json()

    def post(self, path: str, body: object) -> Any:
        """Send a body and return the JSON of the reply.

        Raises:
            httpx.HTTPStatusError: the instance refuses.
        """
        return self._http.post(path, json=body).raise_for_status().json()

    def status(self, path: str) -> int:
        """Return the status of the reply at this address."""
        return self._http.get(path).status_code

    def open_questions(self, submission: str) -> list[dict[str, Any]]:
        """Return every open question; its pictures by name, each with the digest of its decoded pixels."""
        found: list[dict[str, Any]] = []
        query: dict[str, str | int] = {}
        while True:
            page = self.get(f"/v1/submissions/{submission}/questions", **query)
            found += [self._with_digests(one) for one in page["questions"]]
            if page["next"] is None:
                return found
            query = {"cursor": page["next"]}

    def log(self) -> list[dict[str, Any]]:
        """Return the whole public log of commitments."""
        entries: list[dict[str, Any]] = []
        while page := self.get("/v1/commitments", after=len(entries))["entries"]:
            entries += page
        return entries

    def corpora(self) -> dict[str, str]:
        """Return the digest of each mounted corpus."""
        listed = self.get("/v1/benchmarks")["benchmarks"]
        return {one["card"]["name"]: one["bank"] for one in listed if one["card"]["name"] in CORPORA}

    def board(self, query: Mapping[str, str], bank: str = "none") -> dict[str, Any]:
        """Return the rows of one board, ranked and hidden, and what is void on it.

        `bank` is the digest of its sources; "none" is a board without any, or of the default ones.
        """
        place = {name: value for name, value in query.items() if name != "benchmark"}
        place |= {} if bank == "none" else {"source": bank}
        board = self.get(f"/v1/leaderboards/{query['benchmark']}", **place)
        return {name: board[name] for name in ("benchmark", "version", "rows", "hidden", "void")}

    def _with_digests(self, one: dict[str, Any]) -> dict[str, Any]:
        question = one["question"]
        pictures = [
            {"name": picture["name"], "caption": picture["caption"], "pixels": self._pixels(picture["url"])}
            for picture in question["pictures"]
        ]
        return {"item": one["item"], "question": {**question, "pictures": pictures}}

    def _pixels(self, url: str) -> str:
        with Image.open(BytesIO(self._http.get(url).raise_for_status().content)) as picture:
            pixels = picture.convert("RGBA")
        return hashlib.sha256(f"{pixels.width}x{pixels.height} ".encode() + pixels.tobytes()).hexdigest()


def differences(expected: object, found: object, where: str = "") -> list[str]:
    """Name each place where `found` lacks or contradicts what `expected` holds; further fields may be there."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return [
            fault
            for name, value in expected.items()
            for fault in (
                differences(value, found[name], f"{where}/{name}") if name in found else [f"{where}/{name} is missing"]
            )
        ]
    if isinstance(expected, list) and isinstance(found, list):
        if len(expected) != len(found):
            return [f"{where}: {len(expected)} entries expected, {len(found)} found"]
        return [
            fault
            for place, (one, other) in enumerate(zip(expected, found, strict=True))
            for fault in differences(one, other, f"{where}/{place}")
        ]
    return [] if expected == found else [f"{where}: {expected!r} expected, {found!r} found"]
