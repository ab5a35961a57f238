"""`tetrad corpus`: mount the papers' original items into an embedded instance's home, list, check and remove them.

What is mounted holds answers and belongs to the generator: its own module does the work, in a process of its own.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import cyclopts
import msgspec

from tetrad.cli.output import print_json, say, table
from tetrad.embedded.home import EmbeddedError, Home, open_home
from tetrad.embedded.programs import neutral_environment

app = cyclopts.App(name="corpus", help="Mount the papers' original items, list them, check them, remove them.")
CORPORA = "generator_service.corpora"
LAYOUTS = ("kiva", "marvel")


class MountedCorpus(msgspec.Struct, frozen=True, kw_only=True):
    """A corpus as the generator's module tells of it."""

    name: str
    layout: str
    items: int
    digest: str


def add_corpus(home: Home, layout: str, path: Path, *, partial: bool, json: bool) -> None:
    """Mount a corpus and say what it is.

    Raises:
        EmbeddedError: it breaks its layout's rules; each fault stands on standard error, the first hundred of them.
    """
    arguments = ["add", layout, str(path.resolve()), *["--partial"] * partial]
    corpus = msgspec.convert(_run(home, arguments), type=MountedCorpus)
    if json:
        print_json(corpus)
        return
    say(
        f"Corpus {corpus.name}: {corpus.items} items, digest {corpus.digest}",
        "It is served from the next start on, to the teams you approve; its answers are never shown.",
    )


@app.command
def add(layout: str, path: Path, *, partial: bool = False, json: bool = False) -> None:
    """Mount the corpus at PATH, whole or not at all; every fault is named, the first hundred of them.

    Args:
        layout: how it was published: kiva or marvel.
        path: a folder, a .zip or a .tar, as its authors published it.
        partial: leave out items of which there is no picture; nothing else is forgiven.
        json: print JSON.
    """
    if layout not in LAYOUTS:
        raise EmbeddedError(f"{layout!r} is no layout that can be mounted; use one of {', '.join(LAYOUTS)}")
    add_corpus(_home(), layout, path, partial=partial, json=json)


@app.command(name="list")
def list_corpora(*, json: bool = False) -> None:
    """List what is mounted, every file compared with its digest."""
    corpora = mounted_corpora(home := _home())
    if json:
        print_json(corpora)
        return
    rows = [[corpus.name, str(corpus.items), corpus.digest] for corpus in corpora]
    table(f"Corpora ({home.corpora})", ["corpus", "items", "digest"], rows)


def mounted_corpora(home: Home) -> list[MountedCorpus]:
    return msgspec.convert(_run(home, ["list"]), type=list[MountedCorpus])


@app.command
def check(name: str) -> None:
    """Compare every file of a corpus with its digest and decode every picture."""
    corpus = msgspec.convert(_run(_home(), ["check", name]), type=MountedCorpus)
    say(f"{corpus.name} is whole: {corpus.items} items, digest {corpus.digest}")


@app.command
def remove(name: str) -> None:
    """Take a corpus away; refused while open draws need it."""
    home = _home()
    record = home.folder / "generator.sqlite"
    known = ["--record", f"sqlite:///{record}"] if record.exists() else []
    _run(home, ["remove", name, *known])
    say(f"{name} is removed.")


def _home() -> Home:
    return open_home(dict(os.environ))


def _run(home: Home, arguments: list[str]) -> Any:
    """Run the generator's module and return its JSON answer.

    Raises:
        EmbeddedError: it refused; its reasons stand on standard error.
    """
    command = [sys.executable, "-m", CORPORA, *arguments, "--folder", str(home.corpora)]
    done = subprocess.run(  # noqa: S603 -- our own module
        command, env=neutral_environment(dict(os.environ)), stdout=subprocess.PIPE, check=False
    )
    if done.returncode != 0:
        raise EmbeddedError(f"nothing was changed (status {done.returncode}), see above")
    return msgspec.json.decode(done.stdout)
