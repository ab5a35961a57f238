"""A backup under load, processes killed, another home: what was answered 2xx before the backup is there."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.answering import answer_all, first, open_questions, open_submission, wait_scored
from tests.instance import Instance, running
from tests.operating import admin, log_of
from tetrad.client import Client, ServiceError, UnreachableError
from tetrad.commitments import first_broken
from tetrad.contracts.answers import Answer

TOYS = Path(__file__).parents[1] / "toy_benchmarks"
PROGRAMS = ("api", "generator", "scoring", "valkey")


@dataclass
class Load:
    """Answers that were sealed with a 2xx, by submission; grows while it runs."""

    sealed: dict[str, int] = field(default_factory=dict)

    def copy(self) -> dict[str, int]:
        return dict(self.sealed)


@contextmanager
def load_on(client: Client) -> Iterator[Load]:
    """Open submissions and answer half of each, on and on, in a thread."""
    load, done = Load(), threading.Event()

    def work() -> None:
        while not done.is_set():
            submission = open_submission(client, "busy", size=12).id
            load.sealed[submission] = 0
            for _ in range(2):
                waiting = list(open_questions(client, submission))[:6]
                answers = [Answer(item=one.item, question=one.question.id, answer=first(one)) for one in waiting]
                load.sealed[submission] += client.seal(submission, answers).accepted

    worker = threading.Thread(target=work)
    worker.start()
    try:
        yield load
    finally:
        done.set()
        worker.join()


def key_of(client: Client) -> str:
    return client._authorization["Authorization"].removeprefix("Bearer ")


def test_a_backup_under_load_brings_back_all_that_was_acknowledged(
    instance: Instance, bank_folder: Path, tmp_path: Path
) -> None:
    home = tmp_path / "restored"
    open_before = count_needing(instance.data_directory.folder, instance.url, 0)
    with instance.team("keepers") as client:
        finished = open_submission(client, "steady", setting="shade-only", size=20).id
        answer_all(client, finished)
        report = wait_scored(client, finished)
        with load_on(client) as load:
            end = time.monotonic() + 30
            while len(load.sealed) < 4 and time.monotonic() < end:
                time.sleep(0.05)
            acknowledged, log = load.copy(), log_of(client)
            board = client.leaderboard("toy", track="toy", setting="shade-only")
            admin(instance.data_directory.folder, "backup", str(tmp_path / "backup"), "--with-secrets")
        assert len(load.sealed) > len(acknowledged), "there was no load while the backup was made"
        key = key_of(client)
    for program in PROGRAMS:
        instance.kill(program)

    admin(home, "restore", str(tmp_path / "backup"))
    admin(home, "rotate-secret", "--reason", "the old machine is gone")
    with running(home, bank_folder, str(TOYS)) as again, again.client(key) as client:
        restored = log_of(client)
        assert first_broken(restored) is None
        assert restored[: len(log)] == log
        assert client.leaderboard("toy", track="toy", setting="shade-only") == board
        assert client.report(finished) == report
        for submission, sealed in acknowledged.items():
            assert client.submission(submission).progress.questions_answered >= sealed
        opened = [entry.submission for entry in restored if is_open(client, entry.submission)]
        assert set(acknowledged) <= set(opened)
        score_all(client, opened)
        check_old_secret_goes(home, again.url, open_before)


def score_all(client: Client, opened: list[str]) -> None:
    """Answer what was open, under the old secret, and something new, under the new one."""
    fresh = open_submission(client, "steady", size=2).id
    for submission in [fresh, *opened[:3]]:
        answer_all(client, submission)
        wait_scored(client, submission)
    for submission in opened[3:]:
        client.questions(submission)  # of one just opened nothing was fetched, and it would lapse without a trace
        client.finish(submission)
        wait_scored(client, submission)


def count_needing(home: Path, address: str, place: int) -> int:
    """Return how many open draws need a secret of an instance: the current one, or an older one."""
    secret = json.loads(admin(home, "secrets", "--json", "--url", address))["secrets"][place]
    return int(secret["needed_by"])


def check_old_secret_goes(home: Path, address: str, open_before: int) -> None:
    """Drop what is not needed; `open_before` draws were open before the backup, by teams of other tests."""
    url = ("--url", address)
    open_draws = count_needing(home, address, 1)
    assert open_draws <= open_before + 1, "at most a draw more, which was being opened in that moment"
    needed = int(open_draws > 0)
    said = f"{1 - needed} seed secrets are dropped, {needed} older ones are still needed"
    assert said in admin(home, "drop-secrets", *url)
    acts = [act["act"] for act in json.loads(admin(home, "log", "--json", *url))]
    assert acts[-2:] == ["rotate secret", "restore"], "the backup is in the log of the home it was made of"
    assert acts[0] == "drop secrets"


def is_open(client: Client, submission: str) -> bool:
    try:
        return client.submission(submission).state == "open"
    except ServiceError:
        return False  # another team's
    except UnreachableError as error:
        raise AssertionError("the restored instance went away") from error
