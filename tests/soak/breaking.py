"""Breaks parts of an instance for real, one at a time. Each context manager mends at its end what can be mended."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from tests.answering import answer_all, open_submission, wait_scored
from tests.damaging import zero_pages
from tests.instance import Instance
from tests.soak.watching import again_and_again
from tetrad.cli.main import main
from tetrad.client import Client

DISK_MIB = 4096  # an hour's submissions fill 600
LEFT_MIB = 100  # of a full disk: less than the alert's bound, more than the api needs


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """Give a folder on a disk of its own, if this user may mount one."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK_MIB}m", "tmpfs", str(folder)], capture_output=True, check=False
    )
    try:
        yield folder
    finally:
        if mounted.returncode == 0:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


def backup(instance: Instance, folder: Path) -> None:
    """Run `tetrad admin backup` on the instance."""
    os.environ["TETRAD_HOME"] = str(instance.data_directory.folder)
    try:
        with suppress(SystemExit):
            main(["admin", "backup", str(folder)])
    finally:
        del os.environ["TETRAD_HOME"]


def score_one(team: Client) -> str:
    """Answer a submission, wait until it is scored, and return its id."""
    opened = open_submission(team, "model-one").id
    answer_all(team, opened)
    wait_scored(team, opened)
    return opened


@contextmanager
def with_a_hanging_gateway(instance: Instance) -> Iterator[None]:
    with again_and_again(lambda: _stop(instance, "gateway")):
        yield


@contextmanager
def without_redis(instance: Instance) -> Iterator[None]:
    with again_and_again(lambda: instance.kill("valkey")):
        yield


@contextmanager
def without_scoring(instance: Instance, team: Client) -> Iterator[None]:
    with again_and_again(lambda: instance.kill("scoring")):
        answer_all(team, open_submission(team, "model-one").id)
        yield


@contextmanager
def without_generator(instance: Instance, team: Client) -> Iterator[None]:
    opened = open_submission(team, "model-one").id
    with again_and_again(lambda: instance.kill("generator")), again_and_again(lambda: team.questions(opened), 0.05):
        yield


@contextmanager
def with_slow_questions(instance: Instance, team: Client) -> Iterator[None]:
    """Let the generator pause for longer than a second again and again."""

    def pause() -> None:
        pids = _stop(instance, "generator")
        time.sleep(1.6)
        for pid in pids:
            os.kill(pid, signal.SIGCONT)

    opened = open_submission(team, "model-one", size=50).id
    with again_and_again(pause, 0.1), again_and_again(lambda: team.questions(opened), 0.05):
        yield


@contextmanager
def with_a_spent_day(instance: Instance) -> Iterator[None]:
    """Ask a model with a price until the day's budget refuses."""
    token = instance.secrets.judge_token
    url = f"{instance.gateway_url}/v1/chat/completions"
    body = {"model": "dear", "messages": [{"role": "user", "content": "x" * 4000}], "max_tokens": 64}
    headers = {"Authorization": f"Bearer {token}"}
    with again_and_again(lambda: httpx.post(url, json=body, headers=headers, timeout=20), 0.05):
        yield


@contextmanager
def with_a_full_disk(instance: Instance) -> Iterator[None]:
    """Fill the disk that the data directory is on, which is a small one of its own."""
    folder = instance.data_directory.folder
    free = shutil.disk_usage(folder).free
    if free > DISK_MIB * 2**20:
        pytest.skip("*** NOT RUN: the disk can't be filled, because this user may mount none; run it as root")
    filler = folder.parent / "filler"
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, free - LEFT_MIB * 2**20)
    yield
    filler.unlink()


def damage_database(instance: Instance) -> None:
    """Fill pages of the open SQLite file with zeros, as a broken disk does; then somebody writes, and all read anew."""
    zero_pages(instance.data_directory.database, "commitments")
    instance.team("written-after").close()


@contextmanager
def with_another_key(instance: Instance, team: Client, scored: str, benchmark: Path) -> Iterator[None]:
    """Change what the toy benchmark says is right, and not its version; then have a report of before verified."""
    report = team.report(scored)
    text = benchmark.read_text()
    changed = text.replace("HALVES[SHADES[shade] > 128]", "HALVES[SHADES[shade] < 128]")
    assert changed != text
    _serve_benchmark(instance, benchmark, changed)
    verification = team.verify(report)
    while verification.state == "queued":
        time.sleep(0.2)
        verification = team.verification(verification.id)
    assert not verification.confirmed
    yield
    _serve_benchmark(instance, benchmark, text)


def damage_report(instance: Instance, team: Client, scored: str) -> None:
    """Change a byte of a report, and ask for it."""
    report = next((instance.data_directory.objects / "reports" / scored).rglob("*.json"))
    body = bytearray(report.read_bytes())
    body[len(body) // 2] ^= 1
    report.chmod(0o600)
    report.write_bytes(body)
    with suppress(Exception):
        team.report(scored)


def damage_pictures(sources: Path, team: Client) -> None:
    """Change every picture of the photographs in a store, and ask for some."""
    for pack in (sources / "packs").rglob("*"):
        if pack.is_file():
            pack.chmod(0o600)
            pack.write_bytes(b"\0" * pack.stat().st_size)
    shown = team.practice("glimpse", seed=3, limit=1).items[0]
    with suppress(Exception):
        team.practice_pictures(shown.id, ["1"])


def _serve_benchmark(instance: Instance, benchmark: Path, text: str) -> None:
    """Write a benchmark, and have all that make its items read it."""
    benchmark.write_text(text)
    old = {pid for part in ("generator", "practice") for pid in instance.pids(part)}
    instance.kill("generator", "practice")
    while old & {pid for part in ("generator", "practice") for pid in instance.pids(part)}:
        time.sleep(0.1)
    instance.wait_ready(240)


def _stop(instance: Instance, program: str) -> list[int]:
    """Stop every process of a program, and return those that are stopped."""
    stopped = []
    for pid in instance.pids(program):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
            stopped.append(pid)
    return stopped
