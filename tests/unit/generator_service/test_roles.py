"""What each role of the generator's program serves, and who goes first where keys are made."""

import asyncio

import pytest
from litestar.testing import TestClient
from msgspec.structs import replace

from generator_service.app import create_app
from generator_service.right_of_way import RightOfWay
from generator_service.settings import GeneratorSettings, Role
from tetrad.server.settings import SettingsError

EMPTY = dict.fromkeys(("seed_secret", "sealed_token", "keys_token", "database_url"), "")
ROUTES = ("practice/items", "sealed/draws", "keys/regenerate")


@pytest.mark.parametrize(
    ("role", "served"),
    [("whole", {*ROUTES}), ("sealed", {*ROUTES[1:]}), ("practice", {ROUTES[0]})],
)
def test_a_role_serves_its_own_routes_beside_the_cards(
    role: Role, served: set[str], settings: GeneratorSettings
) -> None:
    of_role = replace(settings, role=role, **(EMPTY if role == "practice" else {}))
    with TestClient(create_app(of_role)) as client:
        found = {route for route in ROUTES if client.post(f"/internal/{route}", json={}).status_code != 404}
        headers = {"Authorization": f"Bearer {settings.practice_token}"}
        assert client.get("/internal/benchmarks", headers=headers).status_code == 200
        assert client.get("/health/ready").status_code == 200
    assert found == served


@pytest.mark.parametrize("lacking", EMPTY)
def test_only_practice_does_without_the_secrets_of_sealed_draws(lacking: str, settings: GeneratorSettings) -> None:
    with pytest.raises(SettingsError, match=f"TETRAD_GENERATOR_ROLE=whole needs TETRAD_GENERATOR_{lacking.upper()};"):
        replace(settings, **{lacking: ""})


async def take(way: RightOfWay, order: list[str], name: str, *, second: bool = False) -> None:
    async with way.turn(second=second):
        order.append(name)
        await asyncio.sleep(0)
        order.append(name)


def test_scoring_goes_before_verification_and_one_at_a_time() -> None:
    order: list[str] = []

    async def run() -> None:
        way = RightOfWay()
        asked = [("first", False), ("verify", True), ("verify again", True), ("score", False), ("score again", False)]
        await asyncio.gather(*(take(way, order, name, second=second) for name, second in asked))
        await take(way, order, "later", second=True)

    asyncio.run(run())
    assert order[::2] == order[1::2] == ["first", "score", "score again", "verify", "verify again", "later"]


def test_who_gives_up_waiting_holds_nobody_up() -> None:
    order: list[str] = []

    async def run() -> None:
        way = RightOfWay()
        waiting = [asyncio.create_task(take(way, order, str(number))) for number in range(4)]
        await asyncio.sleep(0)
        waiting[1].cancel()
        waiting[0].add_done_callback(lambda _: waiting[2].cancel())  # at the moment at which it is called
        await asyncio.gather(*waiting, return_exceptions=True)

    asyncio.run(run())
    assert order[-1] == "3"
    assert "1" not in order
