"""What makes items gives way to api and gateway: an evaluation draws ahead of a model while others wait for answers."""

import os
import sys
from pathlib import Path

import pytest

from generator_service.app import NICENESS, PRACTICE_NICENESS
from tests.answering import open_submission
from tests.instance import Instance


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a priority for each thread")
def test_threads_that_make_items_give_way_practice_most_of_all_and_no_others_do(instance: Instance) -> None:
    with instance.team("giving-way") as team:
        team.practice("toy", track="toy", setting="full", seed=5, limit=1)
        open_submission(team, "giving-way", size=1)
    usual = os.getpriority(os.PRIO_PROCESS, instance.process.pid)
    assert _priorities(instance, "practice") - {usual} == {usual + PRACTICE_NICENESS}
    making = _priorities(instance, "generator")
    assert usual in making  # its server: a request's head is read, and its health told, as before
    assert making - {usual} == {usual + NICENESS}
    assert _priorities(instance, "api") | _priorities(instance, "gateway") == {usual}


def _priorities(instance: Instance, program: str) -> set[int]:
    """Return the priorities of all threads of a program's processes."""
    threads = [thread.name for pid in instance.pids(program) for thread in Path(f"/proc/{pid}/task").iterdir()]
    return {os.getpriority(os.PRIO_PROCESS, int(thread)) for thread in threads}
