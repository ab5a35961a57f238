"""A small submission beside the largest legal load: it waits less than 10 s on two cores.

What the attacker of issue 14 did: 6,000 CARV items with replies of 4 kB beside a submission of 4 items, verifications
of 1,000 items beside two small ones, and many small teams beside a large job. TETRAD_SOAK_ITEMS makes it smaller.
"""

import logging
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.answering import answer_all, open_submission, wait_scored
from tests.instance import Instance, running
from tests.largest_load import finished_large, verifying_all_the_time
from tetrad.client import Client
from tetrad.contracts.reports import Report, Verification

TOYS = Path(__file__).parents[1] / "toy_benchmarks"
ITEMS = int(os.environ.get("TETRAD_SOAK_ITEMS", "6000"))
LONGEST_WAIT = 10.0

log = logging.getLogger(__name__)


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory, bank_folder: Path) -> Iterator[Instance]:
    with running(tmp_path_factory.mktemp("fair") / "home", bank_folder, str(TOYS)) as instance:
        yield instance


def finished_small(client: Client, model: str = "small") -> str:
    """Answer a submission of 4 items and return it: from now on it waits."""
    submission = open_submission(client, model, size=4, setting="shade-only").id
    answer_all(client, submission)
    return submission


def wait_of_small(client: Client, model: str = "small") -> float:
    submission = finished_small(client, model)
    begun = time.monotonic()
    wait_scored(client, submission, 600)
    return time.monotonic() - begun


def test_four_items_beside_six_thousand_with_long_replies(instance: Instance) -> None:
    with instance.team("attacker") as attacker, instance.team("small-team") as small:
        large = finished_large(attacker, ITEMS)
        waits: list[float] = []
        while attacker.submission(large).state == "queued" and len(waits) < 20:
            waits.append(wait_of_small(small))
        assert waits, "the large one was done before a small one could be opened: make it larger"
        log.warning("waits beside %d CARV items: %s", ITEMS, [round(wait, 1) for wait in waits])
        report = wait_scored(attacker, large, 1200)
    assert report.questions_asked == ITEMS
    assert max(waits) < LONGEST_WAIT


def test_a_killed_worker_loses_a_slice_of_a_large_job(instance: Instance) -> None:
    """Killed after a few seconds of work: were the job begun anew each time, it would never end."""
    items = ITEMS // 4
    with instance.team("killed-team") as team:
        begun = time.monotonic()
        wait_scored(team, finished_large(team, items), 1200)
        undisturbed = time.monotonic() - begun
        large = finished_large(team, items)
        kills = 0
        while team.submission(large).state == "queued":
            time.sleep(max(3.0, undisturbed / 5))
            killed_at = time.time()
            instance.kill("scoring")
            kills += 1
            wait_for_beat(instance, killed_at)
            assert kills < 100
        assert wait_scored(team, large).questions_asked == items


def wait_for_beat(instance: Instance, since: float) -> None:
    """Wait until the worker that was killed is back: a job whose workers die as they start is given up, and rightly."""
    heart, end = instance.data_directory.run / "scoring.heartbeat", time.monotonic() + 120
    while heart.stat().st_mtime <= since:
        assert time.monotonic() < end
        time.sleep(0.1)


def known_report(client: Client, items: int) -> Report:
    return wait_scored(client, finished_large(client, items, "a mug"), 600)


def wait_verified(client: Client, verification: str) -> Verification:
    end = time.monotonic() + 300
    while (found := client.verification(verification)).state == "queued":
        assert time.monotonic() < end
        time.sleep(0.2)
    return found


def test_small_ones_beside_verifications_of_a_thousand_items(instance: Instance) -> None:
    with ExitStack() as stack:
        teams = [stack.enter_context(instance.team(f"beside-{number}")) for number in range(2)]
        report = known_report(teams[0], 1000)
        taken = stack.enter_context(verifying_all_the_time(instance, report))
        time.sleep(3)
        with ThreadPoolExecutor(2) as together:
            waits = [wait for _ in range(5) for wait in together.map(wait_of_small, teams)]
        log.warning("waits beside %d verifications: %s", len(taken), [round(wait, 1) for wait in waits])
        assert taken
        with instance.client() as anyone:
            assert wait_verified(anyone, taken[0]).confirmed
    assert max(waits) < LONGEST_WAIT


def test_many_small_teams_beside_a_large_job(instance: Instance) -> None:
    """New teams come without end. The large job gets a slice now and then, and each small one does not wait long."""
    with instance.team("large-team") as large_team:
        alone = finished_large(large_team, ITEMS // 8)
        begun = time.monotonic()
        wait_scored(large_team, alone, 1200)
        alone_seconds = time.monotonic() - begun
        large = finished_large(large_team, ITEMS // 8)
        waits: list[float] = []
        begun = time.monotonic()
        for number in range(60):
            with instance.team(f"many-{number}") as team:
                waits.append(wait_of_small(team))
            if large_team.submission(large).state != "queued":
                break
        took = time.monotonic() - begun
        assert large_team.submission(large).state == "scored" or took < 10 * alone_seconds
        wait_scored(large_team, large, 1200)
    log.warning("many teams: longest wait %.1f s; large job %.1f s, alone %.1f s", max(waits), took, alone_seconds)
    assert max(waits) < LONGEST_WAIT
