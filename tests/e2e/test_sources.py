"""Sources through the public api: named, restricted, divided, each with a board of its own."""

import time
from collections.abc import Iterator
from io import BytesIO

import httpx
import numpy as np
import pytest
from PIL import Image

from tests.answering import answer_all, open_submission, wait_scored
from tests.e2e.conftest import TWO
from tests.instance import Instance
from tests.png_contents import contents_of
from tests.waiting import REPLY_SECONDS
from tetrad.client import Client, ServiceError
from tetrad.client.operator import OperatorClient
from tetrad.contracts.operator import ApprovalRequest

pytestmark = pytest.mark.xdist_group("e2e instance")  # the instance of these is used beside the first, too
PLACE = {"benchmark": "glimpse", "track": "photographs"}


@pytest.fixture(scope="module")
def team(source_instance: Instance) -> Iterator[Client]:
    token = source_instance.secrets.operator_token
    with source_instance.team("north") as client, OperatorClient(source_instance.url, token) as operator:
        operator.approve_corpus("north", TWO, ApprovalRequest(submissions_cap=1))
        yield client


def test_sources_are_listed_and_the_first_is_the_default(source_instance: Instance) -> None:
    with source_instance.client() as anyone:
        (info,) = (one for one in anyone.benchmarks().benchmarks if one.card.name == "glimpse")
    told = {source.title: (source.default, source.access) for source in info.sources}
    assert told["photographs:one"] == (True, "public")
    assert told["photographs:two"] == (False, "approved")
    assert told["photographs:three"] == (False, "teams")
    assert told["objects:builtin"] == (True, "public")


def test_practice_items_are_drawn_from_the_source_that_is_named(source_instance: Instance, team: Client) -> None:
    with source_instance.client() as anyone:
        default = anyone.practice("glimpse", seed="1", limit=3)
        for wanted in (TWO, "photographs:three"):
            with pytest.raises(ServiceError, match=wanted) as refused:
                anyone.practice("glimpse", source=wanted)
            assert refused.value.problem.status == 422
        restricted = team.practice("glimpse", seed="1", limit=3, source=TWO)
        assert restricted.items[0].identity.bank != default.items[0].identity.bank
        assert team.practice("glimpse", source="photographs:three").items
        item = restricted.items[0]
        address = f"{source_instance.url}{item.questions[0].pictures[0].url}"
        body = team.picture(address)
        picture = np.asarray(Image.open(BytesIO(body)))
        assert (body[:4], picture.shape[:2]) == (b"\x89PNG", (64, 64))
        assert httpx.get(address, timeout=REPLY_SECONDS).status_code == 404, "an address alone opens nothing"
        name = item.questions[0].pictures[0].name
        assert contents_of(team.practice_pictures(item.id, [name])) == contents_of({name: body})
        with pytest.raises(ServiceError, match="404"):
            anyone.practice_pictures(item.id, [name])
        with pytest.raises(ServiceError):
            anyone.solution(item.id)
        assert team.solution(item.id).keys
    page = httpx.get(
        f"{source_instance.url}/v1/benchmarks/glimpse/items?source=photographs:four", timeout=REPLY_SECONDS
    )
    assert (page.status_code, page.json()["faults"][0]["field"]) == (422, "source")


def test_each_source_has_a_board_of_its_own(source_instance: Instance, team: Client) -> None:
    found = {}
    for name, source in (("on-one", []), ("on-two", [TWO]), ("on-three", ["photographs:three"])):
        submission = open_submission(team, name, **PLACE, size=20, source=source)
        answer_all(team, submission.id)
        found[name] = wait_scored(team, submission.id).identity.bank
    assert len(set(found.values())) == 3
    with source_instance.client() as anyone:
        boards = {
            "on-one": anyone.leaderboard("glimpse", track="photographs"),
            "on-two": anyone.leaderboard("glimpse", track="photographs", source=TWO),
            "on-three": anyone.leaderboard("glimpse", track="photographs", source="photographs:three"),
        }
        assert {name: [row.model for row in board.rows] for name, board in boards.items()} == {
            name: [name] for name in found
        }
        assert {name: board.bank for name, board in boards.items()} == found
        again = anyone.leaderboard("glimpse", track="photographs", source=found["on-two"])
        assert [row.model for row in again.rows] == ["on-two"]


def test_a_team_that_is_not_approved_opens_nothing_on_a_restricted_source(source_instance: Instance) -> None:
    with source_instance.team("south") as south:
        with pytest.raises(ServiceError, match="approved teams"):
            open_submission(south, "m", **PLACE, size=20, source=[TWO])
        assert open_submission(south, "m", **PLACE, size=20, source=["photographs:three"]).id


def test_a_report_on_a_source_that_is_not_the_default_is_verified(team: Client) -> None:
    submission = open_submission(team, "verified", **PLACE, size=20, source=[TWO])
    answer_all(team, submission.id)
    report = wait_scored(team, submission.id)
    item = team.revealed_items(submission.id).items[0]
    assert team.picture(str(item.questions[0].question.pictures[0].url))
    started = team.verify(report)
    end = time.monotonic() + 60
    while (found := team.verification(started.id)).state == "queued":
        assert time.monotonic() < end
        time.sleep(0.1)
    assert found.findings
    assert [finding for finding in found.findings if not finding.ok] == []
