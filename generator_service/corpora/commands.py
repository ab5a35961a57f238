"""`python -m generator_service.corpora`: add, list, check and remove corpora in the generator's folder."""

import argparse
import sys
from pathlib import Path

from generator_service.corpora.corpus import Corpus
from generator_service.corpora.faults import CorpusError
from generator_service.corpora.layouts import LAYOUTS
from generator_service.corpora.store import CorpusStore

RESTART = "It is served from the generator's next start on."


def main(arguments: list[str]) -> int:
    """Run one command; 0 when done, 1 with the reason where it fails, 2 where it is none."""
    given = _parser().parse_args(arguments)
    store = CorpusStore(given.folder, LAYOUTS)
    try:
        given.run(store, given)
    except CorpusError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m generator_service.corpora", description=__doc__)
    where = "the generator's folder of corpora (default: var/corpora)"
    parser.add_argument("--folder", type=Path, default=Path("var/corpora"), help=where)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    add = commands.add_parser("add", help="check a folder or archive whole, and mount it")
    layouts = add.add_subparsers(required=True, metavar="LAYOUT")
    for layout in LAYOUTS.values():
        one = layouts.add_parser(layout.name, help=layout.help)
        one.add_argument("path", type=Path, help="a folder, a .zip or a .tar as its authors published it")
        one.add_argument(
            "--partial", action="store_true", help="mount the items there are pictures of, and leave out others"
        )
        one.set_defaults(run=_add, layout=layout)
    commands.add_parser("list", help="list what is mounted").set_defaults(run=_list)
    for name, run, text in (
        ("check", _check, "compare every file with its digest and decode every picture"),
        ("remove", _remove, "take a corpus away"),
    ):
        command = commands.add_parser(name, help=text)
        command.add_argument("name", help="as listed, for example kiva-published")
        command.set_defaults(run=run)
    return parser


def _add(store: CorpusStore, given: argparse.Namespace) -> None:
    corpus = store.add(given.layout, given.path, partial=given.partial)
    _say(f"mounted {_line(corpus)}", RESTART)


def _list(store: CorpusStore, _given: argparse.Namespace) -> None:
    _say(*[_line(corpus) for corpus in store.load_all()] or ["no corpus is mounted"])


def _check(store: CorpusStore, given: argparse.Namespace) -> None:
    _say(f"whole: {_line(store.check(given.name))}")


def _remove(store: CorpusStore, given: argparse.Namespace) -> None:
    digest = store.remove(given.name)
    _say(
        f"removed {given.name}, digest {digest}",
        "The generator does not start while draws of it are open: mount it again until they close.",
    )


def _line(corpus: Corpus) -> str:
    return f"{corpus.name}: {len(corpus.items)} items, digest {corpus.digest}"


def _say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
