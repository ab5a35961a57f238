"""`tetrad corpus`: mount an operator's own data into an embedded instance's home, list, check and remove it.

What is mounted belongs to the generator: its own modules do the work, in processes of their own.
"""

import os
from pathlib import Path

import cyclopts

from tetrad.cli.operator.banks import add_bank, mounted_banks, remove_bank
from tetrad.cli.operator.corpora import add_corpus, check_corpus, mounted_corpora, remove_corpus
from tetrad.cli.output import print_json, say, table
from tetrad.server.embedded.data_directory import EmbeddedError, Home, open_home

app = cyclopts.App(name="corpus", help="Mount object pictures and published items; list, check, remove them.")
OBJECTS = "objects"
LAYOUTS = ("kiva", "marvel")
PUBLISHED = tuple(f"{layout}-published" for layout in LAYOUTS)  # corpora's names; all others are banks'


@app.command
def add(kind: str, path: Path, *, name: str | None = None, partial: bool = False, json: bool = False) -> None:
    """Mount the data at PATH, whole or not at all; every fault is named, the first hundred of them.

    Args:
        kind: objects (pictures with transparency; folders are groups), or a paper's published layout: kiva, marvel.
        path: a folder, a .zip or a .tar.
        name: what to call a bank of objects; by default after the path.
        partial: leave out refused pictures of objects, and published items of which there is no picture.
        json: print JSON.
    """
    home = _home()
    if kind == OBJECTS:
        add_bank(home, path, name=name, partial=partial, json=json)
        return
    if kind not in LAYOUTS:
        raise EmbeddedError(f"{kind!r} is nothing that can be mounted; use one of {', '.join((OBJECTS, *LAYOUTS))}")
    if name is not None:
        raise EmbeddedError(f"a published set keeps its name, {kind}-published; leave out --name")
    add_corpus(home, kind, path, partial=partial, json=json)


@app.command(name="list")
def list_mounted(*, credit: bool = False, json: bool = False) -> None:
    """List the object banks and the corpora of this home.

    Args:
        credit: print what the pictures' licences ask to show.
        json: print JSON.
    """
    home = _home()
    banks, corpora = mounted_banks(home), mounted_corpora(home)
    if json:
        print_json({"banks": banks, "corpora": corpora})
    elif credit:
        say(*(f"{bank.name}: {line}" for bank in banks for line in bank.credits))
    else:
        of_banks = [[bank.name, str(bank.objects), str(bank.kinds), bank.digest[:12]] for bank in banks]
        table(f"Object banks ({home.bank})", ["bank", "objects", "kinds", "digest"], of_banks)
        of_corpora = [[corpus.name, str(corpus.items), corpus.digest[:12]] for corpus in corpora]
        table(f"Corpora ({home.corpora})", ["corpus", "items", "digest"], of_corpora)


@app.command
def check(name: str) -> None:
    """Compare every file of a corpus with its digest and decode every picture."""
    corpus = check_corpus(_home(), name)
    say(f"{corpus.name} is whole: {corpus.items} items, digest {corpus.digest}")


@app.command
def remove(name: str) -> None:
    """Take a bank or a corpus away; refused while open draws need it."""
    home = _home()
    record = home.folder / "generator.sqlite"
    known = ["--record", f"sqlite:///{record}"] if record.exists() else []
    take = remove_corpus if name in PUBLISHED else remove_bank
    take(home, name, known)
    say(f"{name} is removed.")


def _home() -> Home:
    return open_home(dict(os.environ))
