"""What `tetrad admin rescore` shows and does of a batch that takes more than a page, and of which some failed."""

import httpx
import msgspec
import pytest

from tetrad.cli.operator import rescore
from tetrad.client.operator import OperatorClient
from tetrad.contracts.rescoring import Rescoring, RescoringBatch


def page(names: str, following: str | None) -> RescoringBatch:
    shown = [Rescoring(id=f"rsc_{name}", submission=f"sub_{name}", state="failed") for name in names]
    return RescoringBatch(
        id="rsb_1",
        reason="r",
        created_at="now",
        counts={"failed": 5, "proposed": 1},
        rescorings=shown,
        ranks=[],
        next=following,
    )


def test_every_page_is_shown_and_where_some_failed_nothing_is_applied(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = {"": page("ab", "2"), "2": page("cd", "3"), "3": page("e", None)}

    def answer(request: httpx.Request) -> httpx.Response:
        cursor = request.url.params.get("cursor", "")
        assert request.url.path == f"/v1/admin/rescorings{'/rsb_1' if cursor else ''}"
        return httpx.Response(200, content=msgspec.json.encode(pages[cursor]))

    http = httpx.Client(base_url="http://service", transport=httpx.MockTransport(answer))
    monkeypatch.setattr(rescore, "operate", lambda _: OperatorClient("", "k", http=http))
    with pytest.raises(rescore.RescoringError, match="5 of rsb_1 failed; nothing is applied"):
        rescore.rescore("sub_a", reason="r", yes=True)
    assert capsys.readouterr().out.split("\n") == [f"sub_{name}: failed" for name in "abcde"] + [""]
