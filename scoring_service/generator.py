"""The generator as scoring sees it: keys of sealed draws, keys of revealed ones, and the cards.

It can fail in four ways, each with its own error. The generator can't be reached: wait and ask again. It accepted the
request but is not done in time: ask again a few times. It refuses the request: say so. It knows another draw, or other
answers: raise an alarm.
"""

from collections import abc, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from http import HTTPStatus
from typing import NamedTuple, TypeVar

import httpx
import msgspec

from tetrad.connections import LIMITS
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.benchmarks import BenchmarkInfo, BenchmarkList
from tetrad.contracts.items import DrawIdentity
from tetrad.internal.draws import (
    CloseRequest,
    DrawKeys,
    KeyedItem,
    KeysRequest,
    PackedItems,
    RangeRequest,
    RegenerateRequest,
)
from tetrad.internal.packed_keys import unpack_items
from tetrad.server.request_ids import add_ids, waiting_for
from tetrad.tls import load_trusted

T = TypeVar("T")

# Faults of our deployment that pass once they are repaired: a wrong token, a request that arrived too slowly.
PASSING = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.REQUEST_TIMEOUT})
CONNECT_SECONDS = 5.0
CLOSING_SECONDS = 5.0  # the sweeper, which also touches the heartbeat file, waits no longer
ITEMS_A_RANGE = 512  # the generator takes a twentieth of a second for KiVA, whose items are the quickest
AT_ONCE = 8  # connections; each belongs to one process of the generator, by chance: with 8, most processes have one
AHEAD = 2 * AT_ONCE  # ranges fetched or under way, so that a slow one does not hold up the others

Fetch = Callable[[range, Sequence[SealedAnswer]], Sequence[KeyedItem]]
"""Fetch the keys of these items, given all answers to them. Called by several threads."""
AnswersOf = Callable[[range], Sequence[SealedAnswer]]
"""Return all answers to these items. Called by several threads."""


class GeneratorError(Exception):
    """The generator did not give what was asked for; `status` is its HTTP status, if it answered."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class GeneratorUnavailableError(GeneratorError):
    """No answer, a 5xx, a 429, a token it does not know, or an answer of another release: ask again later."""


class GeneratorTimeoutError(GeneratorError):
    """It was not done in time. The request itself may be the reason, and asking for ever would block a worker."""


class GeneratorConflictError(GeneratorError):
    """It was given other answers before, or knows no such draw: somebody changed something. This is an alarm."""


class GeneratorRefusalError(GeneratorError):
    """It understood and refuses: asking again changes nothing."""


class RevealedDraw(msgspec.Struct, frozen=True, kw_only=True):
    """A revealed draw without its keys."""

    identity: DrawIdentity
    size: int
    seed: str
    commitment: str


class KeyedRange(NamedTuple):
    """Some items of a draw in order, with all answers that go with them."""

    items: Sequence[KeyedItem]
    answers: Sequence[SealedAnswer]


class KeyedRanges:
    """The keyed items of a draw, in order. The next ranges are fetched while one is being judged.

    A process of the generator makes one range at a time. A connection that has received a range asks for another, so
    that all processes with a connection stay busy.
    """

    def __init__(self, size: int, answers_of: AnswersOf, fetch: Fetch) -> None:
        self._ranges = [range(size)[first : first + ITEMS_A_RANGE] for first in range(0, size, ITEMS_A_RANGE)]
        self._answers_of = answers_of
        self._fetch = fetch
        self._first: KeyedRange | None = None

    def fetch_first(self) -> None:
        """Fetch the first range now. Whoever goes through the ranges later gets it at once; raises as a fetch does."""
        self._first = self._fetch_range(self._ranges[0])

    def __iter__(self) -> Iterator[KeyedItem]:
        """Yield every item. The error of a fetch is raised when its range is reached, and cancels the other fetches."""
        for part in self.since(0, ahead=AHEAD):
            yield from part.items

    def since(self, first: int, *, ahead: int = 1) -> abc.Generator[KeyedRange, None, None]:
        """Yield the items from `first` on in ranges, each with its answers. Closing this cancels the other fetches.

        At first, `ahead` ranges are fetched ahead of the one in use, and two more with each that is used. It begins
        small because a caller that stops early loses what was fetched ahead.
        """
        under_way = deque[Future[KeyedRange]]()
        waiting = deque(self._ranges[first // ITEMS_A_RANGE :])
        used = 0
        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="keys") as pool:
            try:
                while waiting or under_way:
                    while waiting and len(under_way) <= min(AHEAD, ahead + 2 * used):
                        # Each thread works for the same request, so its call names it.
                        under_way.append(pool.submit(copy_context().run, self._fetch_range, waiting.popleft()))
                    with waiting_for("generator"):
                        part = under_way.popleft().result()
                    yield _cut_before(first, part)
                    used += 1
            finally:
                for fetch in under_way:
                    fetch.cancel()

    def _fetch_range(self, items: range) -> KeyedRange:
        if items.start == 0 and self._first is not None:
            first, self._first = self._first, None  # kept no longer than until it is used
            return first
        answers = self._answers_of(items)
        return KeyedRange(self._fetch(items, answers), answers)


def _cut_before(first: int, whole: KeyedRange) -> KeyedRange:
    if not whole.items or whole.items[0].item >= first:
        return whole
    items = [item for item in whole.items if item.item >= first]
    return KeyedRange(items, [answer for answer in whole.answers if answer.item >= first or answer.item < 0])


def split_answers(size: int, answers: Iterable[SealedAnswer]) -> AnswersOf:
    """Return a function that finds the answers to the items of a range.

    An answer to no item of the draw goes with the first or the last range, so that the generator refuses it.
    """
    last = (size - 1) // ITEMS_A_RANGE
    found: dict[int, list[SealedAnswer]] = {}
    for answer in answers:
        found.setdefault(min(max(answer.item // ITEMS_A_RANGE, 0), last), []).append(answer)
    return lambda items: found.get(items.start // ITEMS_A_RANGE, [])


class Generator:
    """A client of the generator's internal interface. Safe to share between threads."""

    def __init__(
        self, url: str, token: str, timeout_seconds: float, transport: httpx.BaseTransport | None = None
    ) -> None:
        self._http = httpx.Client(
            base_url=url,
            headers={"Authorization": f"Bearer {token}"},
            timeout=httpx.Timeout(timeout_seconds, connect=CONNECT_SECONDS),
            limits=LIMITS,
            verify=load_trusted(),
            transport=transport,
            event_hooks={"request": [add_ids]},
        )

    def close(self) -> None:
        self._http.close()

    def reveal(self, submission: str, answers: Sequence[SealedAnswer]) -> RevealedDraw:
        """Close the submission's draw and return its seed and keys. The same answers give the same again.

        The keys are fetched as they are gone through, which raises the same:

        Raises:
            GeneratorConflictError: the draw is unknown, or was asked with other answers.
            GeneratorUnavailableError: ask again later.
            GeneratorTimeoutError: ask again, but not for ever.
            GeneratorRefusalError: any other refusal.
        """
        request = KeysRequest(answers=list(answers), by=ITEMS_A_RANGE)
        with waiting_for("generator"):
            revealed = self._post(_draw_path(submission), request, DrawKeys)
        return RevealedDraw(
            identity=revealed.identity, size=revealed.size, seed=revealed.seed, commitment=revealed.commitment
        )

    def revealed_ranges(self, submission: str, size: int, answers_of: AnswersOf) -> KeyedRanges:
        """Return the keys of a draw that is revealed already, fetched as they are gone through. Raises as `reveal`."""

        def fetch(items: range, given: Sequence[SealedAnswer]) -> list[KeyedItem]:
            place = f"{_draw_path(submission)}/ranges/{items.start // ITEMS_A_RANGE}"
            return self._fetch_items(items, place, RangeRequest(answers=list(given)))

        return KeyedRanges(size, answers_of, fetch)

    def regenerate(self, request: RegenerateRequest) -> KeyedRanges:
        """Return the keys of a draw whose seed is public, as made here and fetched as they are gone through."""
        path = "/internal/keys/regenerate"

        def fetch(items: range, given: Sequence[SealedAnswer]) -> list[KeyedItem]:
            part = msgspec.structs.replace(request, first=items.start, count=len(items), answers=list(given))
            return self._fetch_items(items, path, part)

        return KeyedRanges(request.size, split_answers(request.size, request.answers), fetch)

    def close_draws(self, submissions: Sequence[str]) -> None:
        """Close draws that nobody can answer any more; the same again is fine.

        Raises:
            GeneratorError: it failed; treat none of the draws as closed.
        """
        self._end_draws("close", submissions)

    def pack_draws(self, submissions: Sequence[str]) -> None:
        """Let the generator pack what it recorded of revealed draws; the same again is fine.

        Raises:
            GeneratorError: it failed; treat none of the draws as packed.
        """
        self._end_draws("pack", submissions)

    def _end_draws(self, act: str, submissions: Sequence[str]) -> None:
        body = msgspec.json.encode(CloseRequest(submissions=list(submissions)))
        self._send("POST", f"/internal/keys/{act}", body, dict[str, int], timeout=httpx.Timeout(CLOSING_SECONDS))

    def find(self, benchmark: str, version: int) -> BenchmarkInfo | None:
        """Return the card and bank digest of this version of the benchmark, or None where it is not loaded."""
        known = self._send("GET", "/internal/benchmarks", None, BenchmarkList).benchmarks
        return next((info for info in known if (info.card.name, info.card.version) == (benchmark, version)), None)

    def _fetch_items(self, items: range, path: str, body: msgspec.Struct) -> list[KeyedItem]:
        """Return the keyed items. They must be those asked for: an item left out could not be answered wrongly."""
        held = self._post(path, body, PackedItems)
        try:
            keyed = unpack_items(held)
        except msgspec.DecodeError as error:
            raise _unreadable("POST", path) from error
        except IndexError as error:
            raise GeneratorConflictError(f"POST {path}: an item refers to a question that the reply lacks") from error
        if [item.item for item in keyed] != list(items):
            raise GeneratorConflictError(f"POST {path}: the generator gave keys of other items than {items}")
        return keyed

    def _post(self, path: str, body: msgspec.Struct, kind: type[T]) -> T:
        return self._send("POST", path, msgspec.json.encode(body), kind)

    def _send(
        self,
        method: str,
        path: str,
        content: bytes | None,
        kind: type[T],
        *,
        timeout: httpx.Timeout | None = None,
    ) -> T:
        headers = {"Content-Type": "application/json"} if content is not None else {}
        patience = self._http.timeout if timeout is None else timeout
        try:
            response = self._http.request(method, path, content=content, headers=headers, timeout=patience)
        except httpx.ReadTimeout as error:
            raise GeneratorTimeoutError(f"{method} {path}: not done in {patience.read} s") from error
        except httpx.TransportError as error:
            raise GeneratorUnavailableError(f"{method} {path}: {type(error).__name__}") from error
        if response.status_code != HTTPStatus.OK:
            raise _failure(method, path, response.status_code)
        try:
            return msgspec.json.decode(response.content, type=kind)
        except msgspec.DecodeError as error:
            raise _unreadable(method, path) from error


def _draw_path(submission: str) -> str:
    return f"/internal/keys/draws/{submission}"


def _unreadable(method: str, path: str) -> GeneratorUnavailableError:
    return GeneratorUnavailableError(f"{method} {path}: this release can't read the generator's answer")


def _failure(method: str, path: str, status: int) -> GeneratorError:
    """Return what the status means. The response's text stays out of it: it may name answers."""
    message = f"{method} {path}: the generator answered {status}"
    if status == HTTPStatus.GATEWAY_TIMEOUT:
        return GeneratorTimeoutError(message, status)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status == HTTPStatus.TOO_MANY_REQUESTS or status in PASSING:
        return GeneratorUnavailableError(message, status)
    if status in {HTTPStatus.CONFLICT, HTTPStatus.NOT_FOUND}:
        return GeneratorConflictError(message, status)
    return GeneratorRefusalError(message, status)
