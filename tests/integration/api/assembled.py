"""One assembled api for a whole run, each test's context in it by turns: assembling takes longer than most tests."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields

from litestar import Litestar
from litestar.testing import TestClient

from api.app import assemble, running
from api.context import AppContext, make_context
from api.http.state import HttpState, make_http_state
from api.settings import ApiSettings


class Assembled:
    """An app whose context can be made another; of its settings it keeps the operators' and the ledger's token."""

    def __init__(self, context: AppContext) -> None:
        self._context = context
        self._http_state = make_http_state(context)
        self._app = assemble(context, self._http_state, running(context, self._http_state))
        self._is_lent = False

    @contextmanager
    def client(self, context: AppContext) -> Iterator[TestClient[Litestar]]:
        assert not self._is_lent, "two clients of one app; `create_app` makes one beside it"
        self._become(context)
        self._is_lent = True
        try:
            with TestClient(self._app) as client:
                yield client
        finally:
            self._is_lent = False

    def _become(self, context: AppContext) -> None:
        """Give the objects that the app holds, the context, its state and its middleware, what these others hold."""
        for field in fields(AppContext):
            object.__setattr__(self._context, field.name, getattr(context, field.name))
        state, limits = make_http_state(context), self._http_state.limits
        vars(limits).update(vars(state.limits))
        for field in fields(HttpState):
            object.__setattr__(self._http_state, field.name, getattr(state, field.name))
        object.__setattr__(self._http_state, "limits", limits)


_assembled: dict[tuple[str, str], Assembled] = {}


@contextmanager
def client_of(settings: ApiSettings) -> Iterator[TestClient[Litestar]]:
    tokens = settings.operator_token, settings.ledger_token
    if tokens not in _assembled:
        _assembled[tokens] = Assembled(make_context(settings))
    with _assembled[tokens].client(make_context(settings)) as client:
        yield client
