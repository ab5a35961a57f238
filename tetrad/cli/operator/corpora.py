"""The papers' original items in an embedded instance's home. They hold answers, so only the generator opens them."""

from pathlib import Path

import msgspec

from tetrad.cli.modules import run_module
from tetrad.cli.output import print_json, say
from tetrad.server.embedded.data_directory import Home

CORPORA = "generator_service.corpora"


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
    arguments = ["add", layout, str(path.resolve()), *["--partial"] * partial, *_where(home)]
    corpus = msgspec.convert(run_module(CORPORA, arguments), type=MountedCorpus)
    if json:
        print_json(corpus)
        return
    say(
        f"Corpus {corpus.name}: {corpus.items} items, digest {corpus.digest}",
        "It is served from the next start on, to the teams you approve; its answers are never shown.",
    )


def mounted_corpora(home: Home) -> list[MountedCorpus]:
    """List what is mounted, every file compared with its digest."""
    return msgspec.convert(run_module(CORPORA, ["list", *_where(home)]), type=list[MountedCorpus])


def check_corpus(home: Home, name: str) -> MountedCorpus:
    """Compare every file of a corpus with its digest and decode every picture."""
    return msgspec.convert(run_module(CORPORA, ["check", name, *_where(home)]), type=MountedCorpus)


def remove_corpus(home: Home, name: str, record: list[str]) -> None:
    """Take a corpus away; refused while open draws of the generator's record need it."""
    run_module(CORPORA, ["remove", name, *record, *_where(home)])


def _where(home: Home) -> list[str]:
    return ["--folder", str(home.corpora)]
