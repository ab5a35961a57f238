"""kill -9 at any moment of a process's life, TETRAD_SOAK_KILLS times (100): main processes and the supervisor.

Each is killed 0.5 to 8 s after its start, while submissions are answered. No process stays behind, every start works,
every submission that was finished is scored within 60 s of the service's being ready again, and no answer that was
acknowledged is lost.
"""

import os
import random
import time
from math import ceil
from pathlib import Path

from tests.answering import first, open_questions, open_submission, wait_scored
from tests.instance import Instance, running, starting
from tests.ports import free_port
from tetrad.client import Client, ServiceError, TetradError
from tetrad.contracts.answers import Answer

TOYS = Path(__file__).parents[1] / "toy_benchmarks"
KILLS = int(os.environ.get("TETRAD_SOAK_KILLS", "100"))
SEED = int(os.environ.get("TETRAD_SOAK_SEED", "1"))
PROGRAMS = ("generator", "practice", "api", "scoring", "valkey", "gateway")
SECONDS = (0.5, 8.0)
GONE_SECONDS = 5
SIZE = 4


def finish_some(client: Client) -> str:
    """Answer and finish a small submission, as often as it takes, and return it: all its answers were acknowledged."""
    end = time.monotonic() + 180
    submission = ""
    while time.monotonic() < end:
        try:
            submission = submission or open_submission(client, "soak", size=SIZE, setting="shade-only").id
            waiting = list(open_questions(client, submission))
            answers = [Answer(item=one.item, question=one.question.id, answer=first(one)) for one in waiting]
            client.seal(submission, answers)
            client.finish(submission)
        except ServiceError as error:
            if error.problem.status == 409 and submission:
                return submission  # it was finished, and the reply was lost
            if error.problem.status < 500:
                raise
        except TetradError:
            pass
        else:
            return submission
        time.sleep(0.2)
    raise AssertionError("nothing could be finished in 180 s")


def kill_starting_supervisor(folder: Path, bank: Path, port: int, seconds: float) -> None:
    with starting(folder, bank, str(TOYS), port) as instance:
        time.sleep(seconds)
        instance.process.kill()
        instance.process.wait()
        assert instance.wait_no_strays(GONE_SECONDS) == [], f"the supervisor was killed {seconds:.1f} s after its start"


def test_nobody_stays_behind_and_nothing_is_lost(tmp_path: Path, bank_folder: Path) -> None:
    """In each round one kill of a supervisor that starts, then one of each program, each at a moment of its own."""
    rng = random.Random(SEED)
    port, key = free_port(), ""
    for _ in range(ceil(KILLS / (1 + len(PROGRAMS)))):
        kill_starting_supervisor(tmp_path / "home", bank_folder, port, rng.uniform(*SECONDS))
        with running(tmp_path / "home", bank_folder, str(TOYS), port) as instance:
            key = key or new_key(instance)
            with instance.client(key) as client:
                kill_each(instance, client, rng)


def new_key(instance: Instance) -> str:
    with instance.client() as anonymous:
        return anonymous.register_team("soak").key


def kill_each(instance: Instance, client: Client, rng: random.Random) -> None:
    """Kill the main process of each program in turn, and see every submission of the round scored in time."""
    programs = list(PROGRAMS)
    rng.shuffle(programs)
    for program in programs:
        finished = finish_some(client)
        seconds = rng.uniform(*SECONDS)
        instance.kill_main(program, seconds)
        assert instance.wait_no_strays(GONE_SECONDS) == [], f"{program} was killed {seconds:.1f} s after its start"
        instance.wait_ready()
        report = wait_scored(client, finished)
        assert (report.questions_asked, report.missing) == (SIZE, 0), program
