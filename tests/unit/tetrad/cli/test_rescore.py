"""What `tetrad admin rescore` shows of a batch that takes more than a page."""

import httpx
import msgspec

from tetrad.cli.operator import rescore
from tetrad.client.operator import OperatorClient
from tetrad.contracts.rescoring import Rescoring, RescoringBatch


def page(names: str, following: str | None) -> RescoringBatch:
    shown = [Rescoring(id=f"rsc_{name}", submission=f"sub_{name}", state="failed") for name in names]
    return RescoringBatch(
        id="rsb_1", reason="r", created_at="now", counts={"failed": 5}, rescorings=shown, ranks=[], next=following
    )


def test_every_page_is_followed() -> None:
    later = {"2": page("cd", "3"), "3": page("e", None)}

    def answer(request: httpx.Request) -> httpx.Response:
        assert request.url.path == "/v1/admin/rescorings/rsb_1"
        return httpx.Response(200, content=msgspec.json.encode(later[request.url.params["cursor"]]))

    http = httpx.Client(base_url="http://service", transport=httpx.MockTransport(answer))
    with OperatorClient("", "k", http=http) as client:
        found = [one.submission for one in rescore._all(client, page("ab", "2"))]
    assert found == ["sub_a", "sub_b", "sub_c", "sub_d", "sub_e"]
