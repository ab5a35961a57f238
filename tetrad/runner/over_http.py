"""A submission of the public API as the runner's port."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from http import HTTPStatus
from typing import TypeVar

from tetrad.client import Client, ServiceError, UnreachableError
from tetrad.contracts.answers import Answer, SealReceipt
from tetrad.contracts.submissions import OpenQuestion
from tetrad.runner.patience import Attempts, retry
from tetrad.runner.ports import RefusedError, ReplyError

T = TypeVar("T")
FIRST_PAGE, LARGEST_PAGE = 25, 100  # items
PATIENT = Attempts(most=6)  # about half a minute: a service that restarts is back by then


class SubmissionOverHttp:
    """One submission of the client's team. Every call is repeated while the service is away or busy.

    Its methods raise ServiceError when the service refuses, and ReplyError when it stays away.
    """

    def __init__(self, client: Client, submission: str, *, attempts: Attempts = PATIENT) -> None:
        self._client, self._submission, self._attempts = client, submission, attempts

    def questions(self, items: Sequence[int] | None = None) -> Iterator[OpenQuestion]:
        """Yield open questions. The first page is small, so that the model begins soon."""
        cursor: str | None = None
        limit = FIRST_PAGE
        while True:
            call = partial(self._client.questions, self._submission, cursor=cursor, limit=limit, items=items)
            page = self._patiently(call)
            yield from page.questions
            if page.next is None:
                return
            cursor, limit = page.next, min(2 * limit, LARGEST_PAGE)

    def picture(self, asked: OpenQuestion, name: str) -> bytes:
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
