"""SIGSTOP: what hangs without ending is restarted, and what waited for it is scored."""

import os
import signal
import time

from tests.answering import answer_all, open_submission, wait_scored
from tests.instance import PATIENCE_SECONDS, Instance

RESTART_SECONDS = 60  # a start on a machine that has other things to do


def stop(instance: Instance, program: str) -> list[int]:
    """Stop every process of the program; return their ids."""
    pids = instance.pids(program)
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    return pids


def wait_replaced(instance: Instance, program: str, stopped: list[int]) -> bool:
    end = time.monotonic() + PATIENCE_SECONDS + RESTART_SECONDS
    while time.monotonic() < end:
        pids = instance.pids(program)
        if pids and not set(pids) & set(stopped):
            return True
        time.sleep(0.2)
    return False


def test_workers_valkey_and_the_generator_s_processes_are_restarted_when_they_hang(
    instance: Instance,
) -> None:
    with instance.team("patient") as client:
        submission = open_submission(client, "hung", size=4).id
        answer_all(client, submission)
        stopped = {program: stop(instance, program) for program in ("scoring", "valkey", "bulk-1")}
        workers = instance.pids("generator")[1:]
        for pid in workers:
            os.kill(pid, signal.SIGSTOP)
        assert [name for name, pids in stopped.items() if not wait_replaced(instance, name, pids)] == []
        assert wait_replaced(instance, "generator", workers)
        instance.wait_ready()
        assert wait_scored(client, submission).missing == 0
    log = (instance.data_directory.logs / "watchdog.log").read_text()
    assert all(f'"program":"{name}' in log for name in ("scoring", "valkey", "bulk-1", "generator")), log
