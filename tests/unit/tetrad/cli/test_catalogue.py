"""Where a command goes that names a benchmark, and no track or setting."""

import httpx
import msgspec
import pytest

from generator_service.registry import find_benchmarks
from tetrad.cli.catalogue import place_of
from tetrad.client import Client, ServiceError
from tetrad.contracts.benchmarks import BenchmarkInfo

CARDS = {one.name: one.card for one in find_benchmarks()}


@pytest.fixture
def client() -> Client:
    def reply(request: httpx.Request) -> httpx.Response:
        card = CARDS.get(request.url.path.rpartition("/")[2])
        if card is None:
            return httpx.Response(404, json={"title": "Not Found", "status": 404, "detail": "no such benchmark"})
        return httpx.Response(200, content=msgspec.json.encode(BenchmarkInfo(card=card, bank="0" * 64, bank_name="")))

    return Client("http://test", http=httpx.Client(base_url="http://test", transport=httpx.MockTransport(reply)))


@pytest.mark.parametrize(
    ("benchmark", "track", "setting", "expected"),
    [
        ("kiva", None, None, ("kiva", "full")),
        ("kiva", None, "given-classification", ("kiva", "given-classification")),
        ("kiva", "kiva-adults", None, ("kiva-adults", "full")),
        ("marvel", None, None, ("marvel", "full")),
        ("carv", None, None, (CARDS["carv"].tracks[0].name, "direct")),
        ("carv", "cardinality", None, ("cardinality", "direct")),
        ("kiva", "misspelt", None, ("misspelt", "full")),
        ("chess", "any", "all", ("any", "all")),
    ],
)
def test_what_is_not_named_is_the_card_s_first(
    client: Client, benchmark: str, track: str | None, setting: str | None, expected: tuple[str, str]
) -> None:
    assert place_of(client, benchmark, track, setting) == expected


def test_an_unknown_benchmark_is_the_service_s_own_refusal(client: Client) -> None:
    with pytest.raises(ServiceError, match="no such benchmark"):
        place_of(client, "chess", None, None)
