"""The interfaces that the runner needs: a submission with open questions, and something that replies."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import msgspec

from tetrad.contracts.answers import Answer, SealReceipt
from tetrad.contracts.inference import Message, StopKind
from tetrad.contracts.items import Question
from tetrad.contracts.submissions import EarlierTurn, OpenQuestion


class ReplyError(Exception):
    """No reply came, and asking again may help; `wait_seconds` is how long the other side wants us to wait.

    `may_cost`: the request was sent, so that it may be on the bill although its reply never came.
    """

    def __init__(self, message: str, *, wait_seconds: float | None = None, may_cost: bool = False) -> None:
        super().__init__(message)
        self.wait_seconds = wait_seconds
        self.may_cost = may_cost


class RefusedError(ReplyError):
    """No reply came, and the same request will never get one: a wrong key, an unknown model, a bad command."""


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """One question, ready to be asked: as it came, with its pictures as PNG bytes by name, and as messages.

    `earlier` are the turns of its conversation so far: their pictures and messages are among the others. `item` tells
    equal questions of two items apart.
    """

    question: Question
    pictures: Mapping[str, bytes]
    messages: Sequence[Message]
    earlier: Sequence[EarlierTurn] = ()
    item: int = 0


class TokenUsage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The tokens of a call, as whoever replied counted them; `cached_input` are among `input`."""

    input: int
    output: int
    cached_input: int = 0


@dataclass(frozen=True, kw_only=True)
class ModelReply:
    """A reply's text, and why it ended and what it took, where whoever replied says so."""

    text: str
    stop: StopKind | None = None
    usage: TokenUsage | None = None


class Responder(Protocol):
    def __call__(self, prompt: Prompt, /) -> str | ModelReply:
        """Return the model's whole reply; called from several threads at a time.

        Raises:
            ReplyError: none came; RefusedError where asking again is useless.
        """
        ...


class SubmissionPort(Protocol):
    """A submission, or practice items that behave like one."""

    def questions(self, items: Sequence[int] | None = None) -> Iterator[OpenQuestion]:
        """Yield the questions that are open now, once each, page by page: of all items, or of these alone."""
        ...

    def picture(self, asked: OpenQuestion, name: str) -> bytes:
        """Return a picture's PNG bytes; called from several threads at a time."""
        ...

    def seal(self, answers: Sequence[Answer]) -> SealReceipt:
        """Seal answers to open questions; the same again is fine."""
        ...


@runtime_checkable
class PicturesPort(Protocol):
    """A submission that gives several pictures of an item in one request. The runner then asks for all of them so."""

    def pictures(self, asked: OpenQuestion, names: Sequence[str]) -> Mapping[str, bytes]:
        """Return the PNG bytes of these pictures, by name; called from several threads at a time."""
        ...


@dataclass(frozen=True, kw_only=True)
class RunProgress:
    """The progress of a run: answers sealed by it, attempts that failed, rounds begun, and the submission's state.

    `items_done` counts the items that it found to have no further question, `altered` the replies that the service
    can't take as they are: what it can't keep was replaced, or the reply was shortened (`fit_reply`).
    """

    sealed: int = 0
    items_done: int = 0
    failed_attempts: int = 0
    rounds: int = 0
    altered: int = 0
    state: str = "open"
