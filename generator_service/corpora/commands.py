"""Corpora from the command line: `python -m generator_service.corpora COMMAND ...`, what `tetrad corpus` calls.

Answers stand on standard output as one JSON document, reasons for a refusal on standard error.
"""

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from generator_service.corpora.corpus import Corpus
from generator_service.corpora.faults import CorpusError
from generator_service.corpora.layouts import LAYOUTS
from generator_service.corpora.store import CorpusStore
from generator_service.sealing.record import CLOSING, open_draws_of


class CorpusLine(msgspec.Struct, frozen=True, kw_only=True):
    """One corpus as the commands tell of it."""

    name: str
    layout: str
    items: int
    digest: str


def main(arguments: list[str]) -> int:
    """Run one command: 0 done, 1 refused with the reasons on standard error, 2 no such command."""
    given = _parser().parse_args(arguments)
    try:
        answer = COMMANDS[given.command](CorpusStore(given.folder, LAYOUTS), given)
    except CorpusError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(msgspec.json.encode(answer).decode() + "\n")
    return 0


def _add(store: CorpusStore, given: argparse.Namespace) -> CorpusLine:
    return _line(store.add(LAYOUTS[given.layout], given.path, partial=given.partial))


def _list(store: CorpusStore, _given: argparse.Namespace) -> list[CorpusLine]:
    return [_line(corpus) for corpus in store.load_all()]


def _check(store: CorpusStore, given: argparse.Namespace) -> CorpusLine:
    return _line(store.check(given.name))


def _remove(store: CorpusStore, given: argparse.Namespace) -> dict[str, str]:
    needed = open_draws_of(given.record, {store.digest(given.name)})
    if needed:
        raise CorpusError(f"{needed} open draws need {given.name}; {CLOSING}")
    return {"name": given.name, "digest": store.remove(given.name)}


COMMANDS: Mapping[str, Callable[[CorpusStore, argparse.Namespace], object]] = {
    "add": _add,
    "list": _list,
    "check": _check,
    "remove": _remove,
}
HELP = {
    "add": "check a folder or archive whole, and mount it: "
    + "; ".join(f"{one.name}: {one.help}" for one in LAYOUTS.values()),
    "list": "say which corpora are mounted, each compared with its digest",
    "check": "compare every file of a corpus with its digest and decode every picture",
    "remove": "take a corpus away",
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m generator_service.corpora", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, purpose in HELP.items():
        command = commands.add_parser(name, help=purpose, description=purpose)
        if name == "add":
            command.add_argument("layout", choices=sorted(LAYOUTS), help="how it was published")
            command.add_argument("path", type=Path, help="a folder, a .zip or a .tar, as it was published")
            command.add_argument("--partial", action="store_true", help="leave out items without any picture")
        if name in {"check", "remove"}:
            command.add_argument("name", help="as listed, for example kiva-published")
        if name == "remove":
            command.add_argument("--record", help="URL of the generator's database: open draws keep their corpus")
        where = "the generator's folder of corpora (default: %(default)s)"
        command.add_argument("--folder", type=Path, default=Path("var/corpora"), help=where)
    return parser


def _line(corpus: Corpus) -> CorpusLine:
    return CorpusLine(name=corpus.name, layout=corpus.layout, items=len(corpus.items), digest=corpus.digest)
