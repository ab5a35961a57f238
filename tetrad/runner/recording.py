"""Record every reply in a file, bound what a run may cost, and answer from the file when a run is taken up again.

The file `replies.jsonl` has one line of JSON for each call before it is made, and one for its reply. Each is on disk
before the run goes on. A question whose reply is there is not asked again. A call without a reply counts at the most
that it could have cost: what was sent may be on the bill.

Costs are whole micro-dollars (1,000,000 are one dollar), rounded up. A price of one dollar for a million tokens is one
micro-dollar a token.
"""

import hashlib
import math
import os
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Condition
from types import TracebackType
from typing import Self, TypeAlias

import msgspec
from msgspec.structs import replace

from tetrad.contracts.inference import ImagePart, Message, StopKind, TextPart
from tetrad.money import show_microdollars
from tetrad.prompting import picture_address
from tetrad.rows.png_content import png_checksum
from tetrad.runner.fitting import fit_thought
from tetrad.runner.ports import ModelReply, Prompt, RefusedError, ReplyError, Responder, TokenUsage

REPLIES = "replies.jsonl"


class BudgetSpentError(RefusedError):
    """The next question could cost more than what is left."""


class BusyFolderError(RefusedError):
    """Another run writes to this folder."""


class Prices(msgspec.Struct, frozen=True, kw_only=True):
    """The price of a million tokens in dollars. `picture_tokens`: the most tokens that a picture can be."""

    input: float
    output: float
    cached_input: float | None = None
    picture_tokens: int = 2_000

    def cost(self, usage: TokenUsage) -> int:
        """Return the cost of a call in micro-dollars."""
        cached = min(usage.cached_input, usage.input)
        at = self.input if self.cached_input is None else self.cached_input
        return math.ceil((usage.input - cached) * self.input + cached * at + usage.output * self.output - 1e-9)

    def most(self, prompt: Prompt, max_tokens: int) -> int:
        """Return the most that a call can cost: a token has one byte at least."""
        texts, pictures = 0, 0
        for message in prompt.messages:
            parts = [TextPart(text=message.content)] if isinstance(message.content, str) else message.content
            texts += sum(len(part.text.encode()) for part in parts if isinstance(part, TextPart))
            pictures += sum(isinstance(part, ImagePart) for part in parts)
        return math.ceil((texts + pictures * self.picture_tokens) * self.input + max_tokens * self.output)


class Asked(msgspec.Struct, frozen=True, kw_only=True, tag="asked", tag_field="line"):
    """A call that is about to be made, and the most that it can cost; `prompt` is the digest of all that is sent."""

    item: int
    question: str
    prompt: str
    most: int
    at: str


class Replied(msgspec.Struct, frozen=True, kw_only=True, tag="reply", tag_field="line"):
    """A reply. `seconds`: what it took. `estimated`: nobody counted its tokens, so `cost` is the most it could be.

    `thought`: where the reply has no text, the end of what the model thought instead. No answer is read from it.
    """

    item: int
    question: str
    prompt: str
    text: str
    thought: str = ""
    stop: StopKind | None = None
    usage: TokenUsage | None = None
    seconds: float
    cost: int
    estimated: bool
    at: str


class Failed(msgspec.Struct, frozen=True, kw_only=True, tag="failed", tag_field="line"):
    """A call without a reply, why, and what it is taken to have cost."""

    item: int
    question: str
    prompt: str
    reason: str
    cost: int
    at: str


Line: TypeAlias = Asked | Replied | Failed


class RunCosts(msgspec.Struct, frozen=True, kw_only=True):
    """The sums of a run. Seconds are those of single replies; costs are micro-dollars, None without prices."""

    replies: int = 0
    failures: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: int | None = None
    estimated: int = 0
    """Calls whose cost is the most that it could be."""
    median_seconds: float | None = None
    slowest_seconds: float | None = None
    p95_seconds: float | None = None


class RecordedReplies:
    """A responder that records what another one replies. Leave the block to close its file."""

    def __init__(
        self,
        folder: Path,
        responder: Responder,
        *,
        prices: Prices | None = None,
        max_tokens: int = 0,
        limit: int | None = None,
    ) -> None:
        """Open the record, and read what an earlier run left.

        Args:
            folder: where the record is; made if it is not there.
            responder: what is asked.
            prices: needed for a limit.
            max_tokens: the most that a reply may have; needed for a limit.
            limit: micro-dollars that all runs of this folder may cost together; None is no limit.

        Raises:
            BusyFolderError: another run has the folder open.
        """
        self._responder, self._prices, self._max_tokens, self._limit = responder, prices, max_tokens, limit
        self._made = [place for place in (folder, *folder.parents) if not place.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        self._file = (folder / REPLIES).open("a+b")
        try:
            _lock(self._file.fileno(), folder)
            self.lines: list[Line] = list(_read(self._file.name))
        except BaseException:
            self._file.close()
            raise
        self._file.truncate(_whole_bytes(self._file.name))
        self._known = {_key(line): line for line in self.lines if isinstance(line, Replied)}
        self._spent, self._reserved = _add_costs(self.lines), 0
        self._changed = Condition()
        self._written = self._synced = 0
        self._is_syncing = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        file = Path(self._file.name)
        if kind is not None and not file.stat().st_size:  # it ended before anything was asked
            file.unlink()
            with suppress(OSError):  # something else is in one of them
                for folder in self._made:
                    folder.rmdir()
        self._file.close()

    @property
    def spent(self) -> int:
        """Return what all runs of the folder have cost, in micro-dollars."""
        return self._spent

    def __call__(self, prompt: Prompt) -> ModelReply:
        digest = _digest(prompt)
        known = self._known.get((prompt.item, prompt.question.id, digest))
        if known is not None:
            return ModelReply(text=known.text, stop=known.stop, usage=known.usage, thought=known.thought)
        most = 0 if self._prices is None else self._prices.most(prompt, self._max_tokens)
        item, question = prompt.item, prompt.question.id
        self._reserve(most)
        cost = most
        try:
            self._write(Asked(item=item, question=question, prompt=digest, most=most, at=_now()))
            began = time.monotonic()
            try:
                said = self._responder(prompt)
            except ReplyError as error:
                cost = most if error.may_cost else 0
                self._write(
                    Failed(item=item, question=question, prompt=digest, reason=str(error), cost=cost, at=_now())
                )
                raise
            reply = ModelReply(text=said) if isinstance(said, str) else said
            counted = self._prices is None or reply.usage is not None
            if self._prices is not None and reply.usage is not None:
                cost = self._prices.cost(reply.usage)
            line = Replied(
                item=item,
                question=question,
                prompt=digest,
                text=reply.text,
                thought=fit_thought(reply.text, reply.thought),
                stop=reply.stop,
                usage=reply.usage,
                seconds=round(time.monotonic() - began, 4),
                cost=cost,
                estimated=not counted,
                at=_now(),
            )
            self._write(line)
            self._known[_key(line)] = line
            return reply
        finally:
            self._settle(most, cost)

    def costs(self) -> RunCosts:
        """Return the sums of all runs of the folder."""
        return costs_of(self.lines, priced=self._prices is not None)

    def _reserve(self, most: int) -> None:
        """Wait until the call fits into what is left, counting calls in flight at their most.

        Raises:
            BudgetSpentError: nothing is in flight, and it does not fit.
        """
        with self._changed:
            while self._limit is not None and self._spent + self._reserved + most > self._limit:
                if not self._reserved:
                    raise BudgetSpentError(
                        f"the limit of {show_microdollars(self._limit, 4)} leaves "
                        f"{show_microdollars(self._limit - self._spent, 4)}, and the next question could cost "
                        f"{show_microdollars(most, 4)}; what is sealed stays so: give a higher --limit-cost to go on"
                    )
                self._changed.wait()
            self._reserved += most

    def _settle(self, most: int, cost: int) -> None:
        with self._changed:
            self._reserved -= most
            self._spent += cost
            self._changed.notify_all()

    def _write(self, line: Line) -> None:
        """Write a line, and return once it is on disk. Lines that are written meanwhile share the next wait for it."""
        with self._changed:
            self.lines.append(line)
            self._file.write(msgspec.json.encode(line) + b"\n")
            self._file.flush()
            self._written += 1
            number = self._written
            while self._synced < number:
                if self._is_syncing:
                    self._changed.wait()
                else:
                    self._sync()

    def _sync(self) -> None:
        """Wait for the disk without the lock, and tell those who wait for what is on it now."""
        written, self._is_syncing = self._written, True
        self._changed.release()
        try:
            os.fsync(self._file.fileno())
        finally:
            self._changed.acquire()
            self._is_syncing = False
            self._changed.notify_all()
        self._synced = written


def costs_of(lines: Iterable[Line], *, priced: bool) -> RunCosts:
    """Return the sums over the lines of a record. `priced`: the calls had prices."""
    lines = list(lines)
    replies = [line for line in lines if isinstance(line, Replied)]
    usages = [reply.usage for reply in replies if reply.usage is not None]
    seconds = sorted(reply.seconds for reply in replies)
    return RunCosts(
        replies=len(replies),
        failures=sum(isinstance(line, Failed) for line in lines),
        input_tokens=sum(usage.input for usage in usages),
        output_tokens=sum(usage.output for usage in usages),
        cost=_add_costs(lines) if priced else None,
        estimated=sum(reply.estimated for reply in replies) + len(_find_lost(lines)),
        median_seconds=_at(seconds, 0.5),
        slowest_seconds=_at(seconds, 1.0),
        p95_seconds=_at(seconds, 0.95),
    )


def read_lines(folder: Path) -> list[Line]:
    """Return the record of a folder; empty if it has none."""
    try:
        return list(_read(str(folder / REPLIES)))
    except FileNotFoundError:
        return []


def _add_costs(lines: Iterable[Line]) -> int:
    lines = list(lines)
    return sum(line.cost for line in lines if not isinstance(line, Asked)) + sum(
        call.most for call in _find_lost(lines)
    )


def _find_lost(lines: Iterable[Line]) -> list[Asked]:
    """Return the calls of which no end is recorded: the run was killed meanwhile."""
    open_calls: dict[tuple[int, str, str], list[Asked]] = {}
    for line in lines:
        if isinstance(line, Asked):
            open_calls.setdefault(_key(line), []).append(line)
        elif calls := open_calls.get(_key(line)):
            calls.pop()
    return [call for calls in open_calls.values() for call in calls]


def _key(line: Line) -> tuple[int, str, str]:
    return line.item, line.question, line.prompt


def _digest(prompt: Prompt) -> str:
    """Return SHA-256 of all that is sent, with each picture's name for its bytes.

    Equal pixels may be compressed to other bytes from one time to the next, and an item's pictures never change. Of
    several pictures with equal pixels each goes by the name of the first, whether their bytes are equal or not.
    """
    names: dict[str, str] = {}
    firsts: dict[tuple[bytes, bytes], str] = {}
    for name, png in prompt.pictures.items():
        names[picture_address(png)] = firsts.setdefault(png_checksum(png), name)
    return hashlib.sha256(
        msgspec.json.encode([_name_pictures(message, names) for message in prompt.messages])
    ).hexdigest()


def _name_pictures(message: Message, names: Mapping[str, str]) -> Message:
    """Return a message with the addresses of pictures replaced by their names."""
    if isinstance(message.content, str):
        return message
    parts = [
        ImagePart(image_url=replace(part.image_url, url=names.get(part.image_url.url, part.image_url.url)))
        if isinstance(part, ImagePart)
        else part
        for part in message.content
    ]
    return replace(message, content=parts)


def _read(name: str) -> Iterable[Line]:
    decoder = msgspec.json.Decoder(Line)
    for line in Path(name).read_bytes()[: _whole_bytes(name)].splitlines():
        yield decoder.decode(line)


def _whole_bytes(name: str) -> int:
    """Return the bytes up to the last end of a line. A run that was killed may leave a part of one behind."""
    return Path(name).read_bytes().rfind(b"\n") + 1


def _lock(descriptor: int, folder: Path) -> None:
    with suppress(ImportError):  # not on Windows: two runs in one folder go unnoticed there
        import fcntl  # noqa: PLC0415 -- only where the system has it

        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise BusyFolderError(f"{folder}: another run writes to it; wait for it, or name another folder") from error


def _at(ordered: list[float], share: float) -> float | None:
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)] if ordered else None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def minutes_of(lines: Iterable[Line]) -> float | None:
    """Return the minutes from the first question of a record to its last reply; the rehearsal does not count."""
    times = [datetime.fromisoformat(line.at) for line in lines if line.item >= 0]
    return (max(times) - min(times)).total_seconds() / 60 if times else None
