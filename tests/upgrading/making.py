"""Make the fixture: `python -m tests.upgrading.making WORK_FOLDER ARCHIVE`, in a checkout of commit b1a7143.

README.md beside this file says how, and what the archive holds. The script starts that commit's own instance and makes
everything through its public API and command line. It writes to the database in one place, `stop_ageing`.
"""

import hashlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tests import published
from tests.answering import answer_all, open_questions, open_submission, register, wait_scored
from tests.instance import Instance, running
from tests.upgrading.observing import CORPORA, Observer
from tetrad.contracts.answers import Answer
from tetrad.contracts.items import Choice, StateCaption
from tetrad.contracts.submissions import OpenQuestion

OPEN = ("open", "untouched")
YEAR_2099 = 4_070_908_800_000
MADE_BY = "b1a7143"
OWN_BANK = "own"
RANKED = {"benchmark": "kiva", "track": "kiva", "setting": "extrapolation-only"}
OWN = {"benchmark": "kiva", "track": "kiva-adults", "setting": "full"}
LATER = {"benchmark": "marvel", "track": "marvel", "setting": "avr-only"}
FIRST = {
    "kiva": {"benchmark": "kiva", "track": "kiva", "setting": "full"},
    "marvel": {"benchmark": "marvel", "track": "marvel", "setting": "full"},
    "carv": {"benchmark": "carv", "track": "shared-source", "setting": "direct"},
}
DESCRIBED = {"benchmark": "marvel", "track": "marvel", "setting": "described"}
SYMBOLIC = {"benchmark": "carv", "track": "shared-source", "setting": "symbolic"}
SOLVERS = {"kiva": "pixel-solver", "marvel": "random", "carv": "state-everything"}
SIZE = 12
RANKED_SIZE = 260  # some of its items share an object; a rank needs 200 that share none
CORPUS_ITEMS = {"kiva-published": 13, "marvel-published": 12}


@dataclass(frozen=True)
class Made:
    """One submission of the fixture, and what it is there for."""

    id: str
    team: str
    role: str


def guess(asked: OpenQuestion) -> str:
    """Return an answer that depends on nothing but the question's place, right by chance."""
    shape, place = asked.question.shape, hashlib.sha256(f"{asked.item} {asked.question.id}".encode()).digest()[0]
    if isinstance(shape, Choice):
        return shape.labels[place % len(shape.labels)]
    if isinstance(shape, StateCaption):
        return ", ".join(values[place % len(values)] for values in shape.properties.values())
    return str(place % 9)


def reply(asked: OpenQuestion) -> str:
    """Return the same guess as the text of a model."""
    if isinstance(asked.question.shape, StateCaption):
        return "Two red bottles are on the table."
    return f"I looked at all of it. The answer is ({guess(asked)})."


# The operator's own data: drawn here, so that nobody's pictures are in the repository.


def write_objects(folder: Path) -> Path:
    """Write a dozen pictures of six kinds: hooks that no turn and no mirror brings back to themselves."""
    folder.mkdir()
    for seed in range(12):
        picture = np.zeros((120, 120, 4), np.uint8)
        picture[10:110, 20:40] = (200, (40 * seed) % 256, 60, 255)
        picture[10:40, 40:80] = (200, (40 * seed) % 256, 60, 255)
        picture[80:110, 20:90] = ((70 * seed) % 256, 90, 160, 255)
        picture[60:80, 70:90] = (240, 230, (90 * seed) % 256, 255)
        Image.fromarray(picture).save(folder / f"hook{'abcdef'[seed // 2]}-{seed % 2}.png")
    return folder


def blocks(seed: int) -> NDArray[np.uint8]:
    """Return a picture as `published.thing` does, of 42 blocks: it takes a hundredth of the room."""
    pixels = np.zeros((64, 64, 4), np.uint8)
    small = np.random.default_rng(seed).integers(1, 255, (6, 7, 4), np.uint8)
    pixels[8:56, 4:60] = small.repeat(8, axis=0).repeat(8, axis=1)
    pixels[8:56, 4:60, 3] = 255
    return pixels


def mount(home: Path, work: Path) -> None:
    """Mount both corpora, KiVA's without one of its trials, and the operator's own objects."""
    published.thing = blocks
    kiva = published.write_kiva(work / "kiva")
    for path in sorted(kiva.rglob("*_0_train_0_input.png"))[:1]:
        for part in path.parent.glob(path.name.replace("train_0_input", "*")):
            part.unlink()
    marvel = published.write_marvel(work / "marvel", CORPUS_ITEMS["marvel-published"])
    command(home, "corpus", "add", "kiva", str(kiva), "--partial")
    command(home, "corpus", "add", "marvel", str(marvel))
    command(home, "corpus", "add", "objects", str(write_objects(work / "objects")), "--name", OWN_BANK)


def folder_of(instance: Instance) -> Path:
    """Return the instance's data directory, which commit b1a7143 calls `home`."""
    folder: Path = vars(instance)["home"].folder
    return folder


def command(home: Path, *arguments: str, **variables: str) -> str:
    """Run one command of the command line on this home, and return what it says."""
    environment = os.environ | {"TETRAD_HOME": str(home)} | variables
    done = subprocess.run(
        [sys.executable, "-m", "tetrad", *arguments], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"tetrad {' '.join(arguments)}: {done.stderr}")
    return done.stdout


# What the teams do.


class Maker:
    """The teams at work on one instance."""

    def __init__(self, instance: Instance, keys: Mapping[str, str], work: Path) -> None:
        self.instance, self.work = instance, work
        self.teams = {team: instance.client(key) for team, key in keys.items()}
        self.keys = keys
        self.made: list[Made] = []

    def solved(self, team: str, board: Mapping[str, str], solver: str) -> str:
        """Submit with a packaged solver by the command line."""
        options = [part for name in ("benchmark", "track", "setting") for part in (f"--{name}", board[name])]
        variables = {"TETRAD_URL": self.instance.url, "TETRAD_KEY": self.keys[team]}
        arguments = ("submit", *options, "--model", solver, "--size", str(SIZE), "--json")
        said = command(folder_of(self.instance), *arguments, **variables)
        return self._note(json.loads(said)["submission"], team, "scored")

    def guessed(self, team: str, board: Mapping[str, str], model: str, role: str = "scored", size: int = SIZE) -> str:
        """Answer all of a submission by guesses, and wait for its report unless it shall stay queued."""
        visibility = "private" if role == "private" else "public"
        client = self.teams[team]
        submission = open_submission(client, model, **board, size=size, visibility=visibility).id
        answer_all(client, submission, guess)
        if role != "queued":
            wait_scored(client, submission)
        return self._note(submission, team, role)

    def begun(self, team: str, board: Mapping[str, str], model: str, size: int = SIZE) -> str:
        """Answer some of a submission: a third by its option, a third by a reply; then a third of what is open now."""
        client = self.teams[team]
        submission = open_submission(client, model, **board, size=size, deadline_hours=168).id
        for answered in ((0, 1), (0,)):
            waiting = list(open_questions(client, submission))
            sealed = [_answer(one, place) for place, one in enumerate(waiting) if place % 3 in answered]
            client.seal(submission, sealed)
            list(open_questions(client, submission))
        return self._note(submission, team, "open")

    def untouched(self, team: str, board: Mapping[str, str], model: str) -> str:
        """Open a submission and ask for nothing of it."""
        opened = open_submission(self.teams[team], model, **board, size=SIZE, deadline_hours=168)
        return self._note(opened.id, team, "untouched")

    def _note(self, submission: str, team: str, role: str) -> str:
        self.made.append(Made(submission, team, role))
        return submission

    def close(self) -> None:
        for client in self.teams.values():
            client.close()


def _answer(one: OpenQuestion, place: int) -> Answer:
    if place % 3 == 0 and isinstance(one.question.shape, Choice):
        return Answer(item=one.item, question=one.question.id, answer=guess(one))
    return Answer(item=one.item, question=one.question.id, response=reply(one))


def register_teams(instance: Instance) -> dict[str, str]:
    """Register two teams, and return their keys."""
    with instance.client() as anonymous:
        keys = {team: anonymous.register_team(team, title=f"Team {team}").key for team in ("north", "south")}
    for key in keys.values():
        with instance.client(key) as client:
            register(client, "first-model")
    return keys


def first_day(maker: Maker) -> None:
    """Make what is drawn from the built-in bank, the stage and the corpora."""
    for name, board in FIRST.items():
        maker.solved("north", board, SOLVERS[name])
        maker.guessed("south", board, "guesser")
        maker.guessed("north", board, "quiet", "private")
        maker.begun("north", board, "half-way")
    for team in ("north", "south"):
        maker.guessed(team, RANKED, "ranked", size=RANKED_SIZE)
    maker.solved("north", DESCRIBED, "panel-texts")
    maker.solved("north", SYMBOLIC, "state-symbolic")
    maker.untouched("north", FIRST["kiva"], "untouched")
    for corpus, items in CORPUS_ITEMS.items():
        admin(maker, "approve", "north", corpus, "--cap", "5")
        board = {"benchmark": corpus, "track": corpus, "setting": "full"}
        maker.guessed("north", board, "corpus-guesser", size=items)
        maker.begun("north", board, "corpus-half-way", size=items)
    maker.guessed("south", FIRST["marvel"], "hidden-model")
    where = ("--benchmark", "marvel", "--setting", "full")
    admin(maker, "hide", "south/hidden-model", *where, "--reason", "its answers were published")
    void = maker.guessed("south", FIRST["carv"], "void-model", "void")
    admin(maker, "void", void, "--reason", "its pictures were broken")


def second_day(maker: Maker) -> None:
    """Make what is drawn from the operator's own bank, and leave one finished submission without its report."""
    maker.guessed("north", OWN, "own-guesser")
    maker.begun("south", OWN, "own-half-way")
    with held(maker.instance):
        maker.guessed("south", LATER, "later", "queued")


def admin(maker: Maker, *arguments: str) -> None:
    command(folder_of(maker.instance), "admin", *arguments, TETRAD_URL=maker.instance.url)


@contextmanager
def held(instance: Instance) -> Iterator[None]:
    """Stop scoring, for good: the processes are ended with the instance, and never go on."""
    for pid in instance.pids("scoring"):
        os.kill(pid, signal.SIGSTOP)
    yield


# What is written down.


def verified(maker: Maker) -> dict[str, Any]:
    """Have the first report verified, and return what the instance says of it."""
    observer = Observer(maker.instance.url, maker.keys["north"])
    report = observer.get(f"/v1/submissions/{maker.made[0].id}/report")
    started = observer.post("/v1/verifications", {"report": report})
    while (done := observer.get(f"/v1/verifications/{started['id']}"))["state"] == "queued":
        time.sleep(0.2)
    observer.close()
    return {"id": done["id"], "confirmed": done["confirmed"], "findings": done["findings"]}


def observed(instance: Instance, keys: Mapping[str, str], made: Sequence[Made]) -> dict[str, Any]:
    """Return all that must hold after an upgrade."""
    observers = {team: Observer(instance.url, key) for team, key in keys.items()}
    north = observers["north"]
    teams = {team: {"key": keys[team], "team": one.get("/v1/teams/me")["id"]} for team, one in observers.items()}
    boards = [
        {"query": query, "board": north.board(query)} for query in (*FIRST.values(), RANKED, DESCRIBED, SYMBOLIC, OWN)
    ]
    submissions = [_submission(observers[one.team], one) for one in made]
    found = {
        "made_by": MADE_BY,
        "teams": teams,
        "submissions": submissions,
        "boards": boards,
        "later_board": LATER,
        "log": north.log(),
        "corpora": north.corpora(),
        "own_bank": north.get("/v1/benchmarks/kiva")["bank"],
    }
    operator = Observer(instance.url, instance.secrets.operator_token)
    found["operator"] = {"token": instance.secrets.operator_token, "acts": operator.get("/v1/admin/acts")["acts"]}
    for observer in (*observers.values(), operator):
        observer.close()
    if found["corpora"].keys() != set(CORPORA):
        raise RuntimeError(f"the corpora are not mounted: {found['corpora']}")
    return found


def _submission(observer: Observer, one: Made) -> dict[str, Any]:
    said = observer.get(f"/v1/submissions/{one.id}")
    if one.role in OPEN:
        del said["deadline_at"]  # it is set to 2099 below
    found: dict[str, Any] = {"id": one.id, "team": one.team, "role": one.role, "submission": said}
    if one.role in {"scored", "private"}:
        found["report"] = observer.get(f"/v1/submissions/{one.id}/report")
    if one.role == "open":
        found["open"] = observer.open_questions(one.id)
    return found


def stop_ageing(home: Path) -> None:
    """Set the deadlines of open submissions, and the end of the verification, to the year 2099."""
    with closing(sqlite3.connect(home / "tetrad.sqlite", isolation_level=None)) as connection:
        connection.execute("UPDATE submissions SET deadline_at = ? WHERE state = 'open'", (YEAR_2099,))
        connection.execute("UPDATE verifications SET finished_at = ?", (YEAR_2099,))
    for name in ("tetrad.sqlite", "generator.sqlite"):
        with closing(sqlite3.connect(home / name, isolation_level=None)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.execute("PRAGMA journal_mode=DELETE")
            connection.execute("VACUUM")


def look_ahead(home: Path, bank: Path, copy: Path, expected: dict[str, Any]) -> None:
    """Ask a copy of the home for the questions of what is untouched, and write them down as expected."""
    shutil.copytree(home, copy)
    with running(copy, bank) as instance:
        for one in expected["submissions"]:
            if one["role"] == "untouched":
                observer = Observer(instance.url, expected["teams"][one["team"]]["key"])
                one["open"] = observer.open_questions(one["id"])
                observer.close()


KEPT = ("secrets.json", "tetrad.sqlite", "generator.sqlite", "objects", "corpora", "bank")
DRAWN_AGAIN = ("builtin-", "stage-", "bank.lock")


def pack(home: Path, expected: dict[str, Any], archive: Path) -> None:
    """Pack what an upgrade needs: without what code draws again, logs, Valkey's file and lock files."""
    written = home / "expected.json"
    written.write_text(json.dumps(expected, indent=1, sort_keys=True, ensure_ascii=False))
    paths = [path for name in KEPT for path in sorted([home / name, *(home / name).rglob("*")]) if path.is_file()]
    paths = [path for path in paths if not path.name.startswith(DRAWN_AGAIN)]
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive, "w:xz", format=tarfile.PAX_FORMAT, preset=9) as packed:
        _add(packed, written, "expected.json")
        for path in paths:
            _add(packed, path, f"home/{path.relative_to(home).as_posix()}")


def _add(packed: tarfile.TarFile, path: Path, name: str) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = path.stat().st_size, path.stat().st_mode & 0o777
    with path.open("rb") as file:
        packed.addfile(entry, file)


def main(work: Path, archive: Path) -> None:
    """Make the data directory in an empty folder and pack it."""
    home, bank = work / "home", Path("var/bank")
    home.mkdir(parents=True)
    (home / "bank").mkdir()
    for path in bank.iterdir():
        if path.name != "bank.lock":
            shutil.copy(path, home / "bank")
    mount(home, work)
    with running(home, bank) as instance:
        keys = register_teams(instance)
        maker = Maker(instance, keys, work)
        first_day(maker)
        verification = verified(maker)
        maker.close()
    made = maker.made
    with running(home, bank, bank_name=OWN_BANK) as instance:
        maker = Maker(instance, keys, work)
        second_day(maker)
        made += maker.made
        expected = observed(instance, keys, made) | {"verification": verification}
        maker.close()
    stop_ageing(home)
    look_ahead(home, bank, work / "copy", expected)
    pack(home, expected, archive)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
