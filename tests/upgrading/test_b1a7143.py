"""A data directory of commit b1a7143 under the present code: what was promised then still holds.

README.md beside this file says what the data directory holds. Whatever an upgrade may change (a field more in a reply)
is let pass; everything that commit said is compared.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.answering import answer_all, wait_scored
from tests.instance import ROOT, Instance
from tests.upgrading.conftest import Upgraded
from tests.upgrading.observing import Observer, differences
from tetrad.contracts.items import Choice
from tetrad.contracts.submissions import OpenQuestion

VERIFYING_SECONDS = 60
SHOWN = 50
FIXED_CORPUS = ["corpus"]
"""What a verification of a fixed corpus fails by: its items are never made again."""


@pytest.fixture(scope="module")
def north(instance: Instance, upgraded: Upgraded) -> Iterator[Observer]:
    observer = Observer(instance.url, upgraded.key("north"))
    yield observer
    observer.close()


@pytest.fixture(scope="module")
def south(instance: Instance, upgraded: Upgraded) -> Iterator[Observer]:
    observer = Observer(instance.url, upgraded.key("south"))
    yield observer
    observer.close()


def test_keys_open_what_they_opened(upgraded: Upgraded, north: Observer, south: Observer, instance: Instance) -> None:
    assert north.get("/v1/teams/me")["id"] == upgraded.expected["teams"]["north"]["team"]
    assert south.get("/v1/teams/me")["id"] == upgraded.expected["teams"]["south"]["team"]
    operator = Observer(instance.url, upgraded.expected["operator"]["token"])
    assert differences(upgraded.expected["operator"]["acts"], operator.get("/v1/admin/acts")["acts"]) == []
    operator.close()


def test_every_report_says_what_it_said(upgraded: Upgraded) -> None:
    expected = upgraded.of_role("scored", "private")
    assert len(expected) >= 16
    faults = {one["id"]: differences(one["report"], upgraded.reports[one["id"]]) for one in expected}
    assert {name: found for name, found in faults.items() if found} == {}


def test_every_submission_is_as_it_was(upgraded: Upgraded) -> None:
    """State, identity, commitment, progress, reasons; but for what was queued, which is scored at once."""
    expected = upgraded.of_role("scored", "private", "open", "untouched", "void")
    faults = {one["id"]: differences(one["submission"], upgraded.submissions[one["id"]]) for one in expected}
    assert {name: found for name, found in faults.items() if found} == {}


def test_every_board_has_its_rows_scores_and_ranks(upgraded: Upgraded) -> None:
    expected = [board["board"] for board in upgraded.expected["boards"]]
    assert sum(row["rank_best"] is not None for board in expected for row in board["rows"]) == 2
    assert sum(len(board["hidden"]) for board in expected) == sum(len(board["void"]) for board in expected) == 1
    assert differences(expected, upgraded.boards) == []


def test_what_was_asked_in_fresh_contexts_is_not_on_a_board_of_conversations(
    upgraded: Upgraded, north: Observer
) -> None:
    """The card of kiva says since then that a trial of `full` is a conversation, so that its first board is another."""
    query = upgraded.expected["boards"][0]["query"]
    assert (query["benchmark"], query["setting"]) == ("kiva", "full")
    assert north.get("/v1/leaderboards/kiva", track=query["track"], setting="full")["conversation"] == "joined"
    assert north.board(query)["rows"] == []
    assert {one["conversation"] for one in upgraded.submissions.values()} == {"fresh"}


def test_the_log_goes_on_from_the_same_entries(upgraded: Upgraded) -> None:
    assert len(upgraded.expected["log"]) == len(upgraded.expected["submissions"])
    assert differences(upgraded.expected["log"], upgraded.log[: len(upgraded.expected["log"])]) == []


def test_mounted_corpora_are_the_same(upgraded: Upgraded) -> None:
    assert upgraded.corpora == upgraded.expected["corpora"]


def test_every_report_of_then_is_verified(upgraded: Upgraded, north: Observer) -> None:
    """The report as its team kept it, not as the upgraded instance would say it now."""
    claimed = upgraded.of_role("scored", "private")
    started = {one["id"]: north.post("/v1/verifications", {"report": one["report"]})["id"] for one in claimed}
    failed = {one["id"]: failed_checks(north, started[one["id"]]) for one in claimed}
    wrong = {one["id"]: failed[one["id"]] for one in claimed if failed[one["id"]] != fails_by(one)}
    assert wrong == {}


def fails_by(one: dict[str, Any]) -> list[str]:
    return FIXED_CORPUS if one["report"]["aggregates_only"] else []


def failed_checks(observer: Observer, verification: str) -> list[str]:
    """Wait for a verification, and name the checks that found something wrong."""
    end = time.monotonic() + VERIFYING_SECONDS
    while (said := observer.get(f"/v1/verifications/{verification}"))["state"] == "queued":
        assert time.monotonic() < end, f"{verification} is still queued"
        time.sleep(0.1)
    assert said["state"] == "done", said["failure"]
    assert said["findings"], "a verification that checked nothing"
    return [finding["check"] for finding in said["findings"] if not finding["ok"]]


def test_a_verification_of_then_can_be_read(upgraded: Upgraded, north: Observer) -> None:
    expected = upgraded.expected["verification"]
    assert differences(expected, north.get(f"/v1/verifications/{expected['id']}")) == []


def test_tetrad_verify_confirms_a_report_and_the_chain_of_the_log(upgraded: Upgraded, instance: Instance) -> None:
    submission = upgraded.of_role("scored")[0]["id"]
    environment = os.environ | {"TETRAD_URL": instance.url, "TETRAD_KEY": upgraded.key("north")}
    command = [sys.executable, "-m", "tetrad", "verify", submission, "--json"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["confirmed"] is True
    assert {"log is hash-chained", "commitment in the log"} <= {finding["check"] for finding in found["findings"]}


def test_the_items_of_a_report_are_made_again_with_the_same_keys(upgraded: Upgraded, instance: Instance) -> None:
    scored = [one for one in upgraded.of_role("scored", "private") if not one["report"]["aggregates_only"]]
    compared = 0
    for one in scored:
        observer = Observer(instance.url, upgraded.key(one["team"]))
        items = observer.get(f"/v1/submissions/{one['id']}/items", limit=SHOWN)["items"]
        observer.close()
        made = {(item["item"], asked["question"]["id"]): asked for item in items for asked in item["questions"]}
        told = {(result["item"], result["question"]): result for result in one["report"]["questions"]}
        assert len(items) == min(SHOWN, one["report"]["size"])
        assert {place for place in told if place[0] < SHOWN} == made.keys()
        for place, asked in made.items():
            assert (asked["verdict"], asked["facets"]) == (told[place]["verdict"], told[place]["facets"])
            if short := asked["key"].get("label", asked["key"].get("number")):
                assert str(short) == told[place]["key"]
                compared += 1
    assert compared > 300


def test_private_submissions_stay_private(upgraded: Upgraded, south: Observer) -> None:
    private = upgraded.of_role("private")
    assert {one["team"] for one in private} == {"north"}
    addresses = [f"/v1/submissions/{one['id']}{part}" for one in private for part in ("", "/report", "/questions")]
    assert {south.status(address) for address in addresses} == {404}
    models = {row["model"] for board in upgraded.boards for row in board["rows"]}
    assert not models & {one["submission"]["model"] for one in private}


def test_what_was_queued_is_scored_and_gets_its_row(upgraded: Upgraded, instance: Instance, north: Observer) -> None:
    (queued,) = upgraded.of_role("queued")
    with instance.client(upgraded.key(queued["team"])) as client:
        report = wait_scored(client, queued["id"])
    board = {**upgraded.expected["later_board"], "version": queued["submission"]["identity"]["version"]}
    rows = {row["model"]: row for row in north.board(board)["rows"]}
    assert rows[queued["submission"]["model"]]["score"] == report.headline.value
    assert report.questions_asked == queued["submission"]["progress"]["questions_answered"]
    assert report.missing == 0


def test_every_open_submission_shows_the_same_questions_and_pictures(upgraded: Upgraded) -> None:
    expected = {one["id"]: one["open"] for one in upgraded.of_role("open", "untouched")}
    assert all(expected.values())
    assert differences(expected, upgraded.open) == []


def test_every_open_submission_is_answered_to_its_end_and_scored(upgraded: Upgraded, instance: Instance) -> None:
    """Answers sealed before the upgrade stay sealed and count; `missing` is 0 only if none of them was lost."""
    expected = upgraded.of_role("open", "untouched")
    for one in expected:
        with instance.client(upgraded.key(one["team"])) as client:
            answer_all(client, one["id"], first_or_a_caption)
    for one in expected:
        with instance.client(upgraded.key(one["team"])) as client:
            report = wait_scored(client, one["id"])
        assert (report.missing, report.commitment) == (0, one["submission"]["commitment"])
        sealed = one["submission"]["progress"]["questions_answered"]
        assert report.questions_asked >= sealed + len(one["open"])


def first_or_a_caption(asked: OpenQuestion) -> str:
    """Return the first option, a number, or the first value of every property."""
    shape: Any = asked.question.shape
    if isinstance(shape, Choice):
        return shape.labels[0]
    return ", ".join(values[0] for values in shape.properties.values()) if hasattr(shape, "properties") else "4"
