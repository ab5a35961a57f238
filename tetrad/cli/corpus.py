"""`tetrad corpus`: mount an operator's own data into an embedded instance's home, list it, take it away.

What is mounted belongs to the generator: its own module does the work, in a process of its own, as the supervisor
starts it. A kind of data is one entry of KINDS: the words that `add` takes, and the module that mounts it.
"""

import json as json_text
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import cyclopts
import msgspec

from tetrad.cli.output import print_json, say, table
from tetrad.embedded.home import EmbeddedError, Home, open_home
from tetrad.embedded.programs import neutral_environment

app = cyclopts.App(name="corpus", help="Mount object pictures and corpora, list them, remove them.")
BANKS = "generator_service.banks"


class MountedBank(msgspec.Struct, frozen=True, kw_only=True):
    """A bank as the generator's module tells of it."""

    name: str
    digest: str
    objects: int
    kinds: int
    credits: list[str] = []
    left_out: list[str] = []


def _add_objects(home: Home, path: Path, name: str | None, *, leave_out_refused: bool, json: bool) -> None:
    arguments = ["add", str(home.bank), str(path.resolve()), "--name", name or _name_of(path)]
    bank = msgspec.convert(run_module(BANKS, arguments + ["--leave-out-refused"] * leave_out_refused), type=MountedBank)
    if json:
        print_json(bank)
        return
    say(*bank.left_out)
    say(
        f"Bank {bank.name}: {bank.objects} objects of {bank.kinds} kinds, digest {bank.digest}",
        f"Serve it: TETRAD_BANK={bank.name} make up",
    )


# What `tetrad corpus add KIND PATH` can mount: (home, path, name, options) -> prints what was mounted.
KINDS: Mapping[str, Callable[..., None]] = {"objects": _add_objects}


@app.command
def add(kind: str, path: Path, *, name: str | None = None, leave_out_refused: bool = False, json: bool = False) -> None:
    """Mount the data at PATH, whole or not at all; every fault is named, the first hundred of them.

    Args:
        kind: what it is: objects (a folder, zip or tar of pictures with transparency; folders are groups).
        path: where it is.
        name: what to call it; by default after the path.
        leave_out_refused: mount the rest where some pictures are refused.
        json: print JSON.
    """
    if kind not in KINDS:
        raise EmbeddedError(f"{kind!r} is nothing that can be mounted; use one of {', '.join(KINDS)}")
    home = open_home(dict(os.environ))
    KINDS[kind](home, path, name, leave_out_refused=leave_out_refused, json=json)


@app.command(name="list")
def list_mounted(*, credit: bool = False, json: bool = False) -> None:
    """List the object banks of this home.

    Args:
        credit: print what the pictures' licences ask to show.
        json: print JSON.
    """
    home = open_home(dict(os.environ))
    banks = msgspec.convert(run_module(BANKS, ["list", str(home.bank)]), type=list[MountedBank])
    if json:
        print_json(banks)
    elif credit:
        say(*(f"{bank.name}: {line}" for bank in banks for line in bank.credits))
    else:
        rows = [[bank.name, str(bank.objects), str(bank.kinds), bank.digest[:12]] for bank in banks]
        table(f"Object banks ({home.bank})", ["bank", "objects", "kinds", "digest"], rows)


@app.command
def remove(name: str) -> None:
    """Take a mounted bank away; refused while open draws need it."""
    home = open_home(dict(os.environ))
    record = home.folder / "generator.sqlite"
    known = ["--record", f"sqlite:///{record}"] if record.exists() else []
    run_module(BANKS, ["remove", str(home.bank), name, *known])
    say(f"{name} is removed.")


def run_module(module: str, arguments: list[str]) -> Any:
    """Run a service's own module and return its JSON answer.

    Raises:
        EmbeddedError: it refused; its reasons stand on standard error.
    """
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(  # noqa: S603 -- our own module
        command, env=neutral_environment(dict(os.environ)), stdout=subprocess.PIPE, check=False
    )
    if done.returncode != 0:
        raise EmbeddedError(f"nothing was changed (status {done.returncode}), see above")
    return json_text.loads(done.stdout)


def _name_of(path: Path) -> str:
    """Make a bank's name out of a path's: lowercase letters, digits and dashes, a letter first."""
    words = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in path.name.lower())
    return "-".join(word for word in words.split("-") if word).lstrip("0123456789-")[:32] or "objects"
