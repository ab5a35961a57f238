"""A submission of the public API as the runner's port."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from http import HTTPStatus
from typing import TypeVar

from tetrad.client import Client, ServiceError, TetradError, UnreachableError
from tetrad.client.calls import Place
from tetrad.contracts.answers import Answer, SealReceipt
from tetrad.contracts.submissions import OpenQuestion
from tetrad.runner.patience import Attempts, retry
from tetrad.runner.ports import RefusedError, ReplyError

T = TypeVar("T")
FETCHERS = 4  # threads, as many as the generator has workers
QUESTIONS_TOGETHER = 8  # questions whose pictures are fetched together
MOST_TOGETHER = 32  # pictures in a request: the service's limit
FIRST_PAGE, LARGEST_PAGE = 25, 100  # items
PATIENT = Attempts(most=6)  # about half a minute: a service that restarts is back by then


class SubmissionOverHttp:
    """One submission of the client's team. Every call is repeated while the service is away or busy.

    Its methods raise ServiceError when the service refuses, and ReplyError when it stays away.

    The pictures of the next few questions are fetched together, while the model answers those before. A request for
    many costs the service a tenth of many requests.
    """

    def __init__(self, client: Client, submission: str, *, attempts: Attempts = PATIENT) -> None:
        self._client, self._submission, self._attempts = client, submission, attempts
        self._fetched: dict[Place, Future[dict[Place, bytes]]] = {}
        self._known: dict[int, set[str]] = {}
        self._fetchers = ThreadPoolExecutor(FETCHERS, "pictures")

    def questions(self, items: Sequence[int] | None = None) -> Iterator[OpenQuestion]:
        """Yield open questions. The first page is small, and its first pictures are few: the model begins soon."""
        cursor: str | None = None
        limit, most = FIRST_PAGE, 1 if items is None else QUESTIONS_TOGETHER
        while True:
            call = partial(self._client.questions, self._submission, cursor=cursor, limit=limit, items=items)
            page = self._patiently(call)
            left = page.questions
            while left:
                together, left = left[:most], left[most:]
                most = min(2 * most, QUESTIONS_TOGETHER)
                self._fetch_ahead(together)
                yield from together
            if page.next is None:
                return
            cursor, limit = page.next, min(2 * limit, LARGEST_PAGE)

    def _fetch_ahead(self, questions: Sequence[OpenQuestion]) -> None:
        """Begin to fetch the pictures of these questions that were not asked for before."""
        wanted: list[Place] = []
        for asked in questions:
            known = self._known.setdefault(asked.item, set())
            names = [name for name in asked.pictures() if name not in known]
            known.update(names)
            wanted += [(asked.item, name) for name in names]
        for first in range(0, len(wanted), MOST_TOGETHER):
            part = wanted[first : first + MOST_TOGETHER]
            fetch = self._fetchers.submit(self._client.submission_pictures, self._submission, part)
            self._fetched.update(dict.fromkeys(part, fetch))

    def picture(self, asked: OpenQuestion, name: str) -> bytes:
        """Return a picture that was fetched with others. If that failed, or it was taken before, fetch it alone."""
        fetch = self._fetched.pop((asked.item, name), None)
        if fetch is not None:
            try:
                return fetch.result()[asked.item, name]
            except (TetradError, KeyError):
                pass  # the one that fails alone tells why
        return self._fetch_alone(asked, name)

    def _fetch_alone(self, asked: OpenQuestion, name: str) -> bytes:
        shown = asked.pictures().get(name)
        if shown is None or (url := shown.url) is None:
            raise RefusedError(f"item {asked.item}, question {asked.question.id}: picture {name!r} has no address")
        return self._patiently(lambda: self._client.picture(url))

    def seal(self, answers: Sequence[Answer]) -> SealReceipt:
        return self._patiently(lambda: self._client.seal(self._submission, answers))

    def _patiently(self, call: Callable[[], T]) -> T:
        def attempt() -> T:
            try:
                return call()
            except UnreachableError as error:
                raise ReplyError(str(error)) from error
            except ServiceError as error:
                status = error.problem.status
                if status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                    raise ReplyError(str(error), wait_seconds=error.retry_after) from error
                raise

        return retry(attempt, self._attempts)
