"""One assembled api for a whole run, each test's services in it by turns: assembling takes longer than most tests."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields

from litestar import Litestar
from litestar.testing import TestClient

from api.app import assemble, running
from api.context import Services, make_services
from api.settings import ApiSettings


class Assembled:
    """An app whose services can be made others; of their settings it keeps the operators' token alone."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._app = assemble(services, running(services))
        self._is_lent = False

    @contextmanager
    def client(self, services: Services) -> Iterator[TestClient[Litestar]]:
        assert not self._is_lent, "two clients of one app; `create_app` makes one beside it"
        self._become(services)
        self._is_lent = True
        try:
            with TestClient(self._app) as client:
                yield client
        finally:
            self._is_lent = False

    def _become(self, services: Services) -> None:
        """Give the objects that the app holds, the services and its middleware, what these others hold."""
        limits = self._services.limits
        vars(limits).update(vars(services.limits))
        for field in fields(Services):
            object.__setattr__(self._services, field.name, getattr(services, field.name))
        object.__setattr__(self._services, "limits", limits)


_assembled: dict[str, Assembled] = {}


@contextmanager
def client_of(settings: ApiSettings) -> Iterator[TestClient[Litestar]]:
    token = settings.operator_token
    if token not in _assembled:
        _assembled[token] = Assembled(make_services(settings))
    with _assembled[token].client(make_services(settings)) as client:
        yield client
