"""Sources from the command line: `python -m generator_service.commands COMMAND ...`, what `tetrad source` calls.

The answer goes to standard output as one JSON document. Progress and notes for people go to standard error.
"""

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from generator_service.commands import sources
from generator_service.commands.sources import remove_source
from generator_service.finding import RegistryError, benchmark_folders, find_benchmarks
from generator_service.mining.image_text import ImageText
from generator_service.sources.adding import Wanted
from generator_service.sources.catalogue import kinds
from generator_service.sources.fetching import PackageUnavailable
from generator_service.sources.kinds import PUBLISHED
from generator_service.sources.objects import OBJECTS
from generator_service.sources.packaged import PHOTOGRAPHS, is_wanted
from generator_service.sources.people.bank import PEOPLE
from generator_service.sources.people.building import find_people
from generator_service.sources.reader import MIB, Limits
from generator_service.sources.serving import split_title
from generator_service.sources.stage import STAGE
from generator_service.sources.store import SourceError, SourceStore, open_sources
from tetrad.server.logs import configure_logs
from tetrad.solvers.embedded.asking import Embedder

URL = "TETRAD_GENERATOR_SOURCES_URL"
FOLDER_HELP = "a further folder of benchmarks; repeatable ($TETRAD_BENCHMARK_FOLDERS, joined by colons)"
INTERRUPTED = 130  # the exit status of shells for a program that Ctrl-C ended
EVERY = 10_000  # files between two lines of progress where there is no terminal


def _add(store: SourceStore, given: Namespace) -> object:
    kind = kinds().get(given.kind)
    limits = None
    if kind is not None and (given.most_files or given.most_mib):
        total = given.most_mib * MIB if given.most_mib else kind.limits.total_bytes
        limits = Limits(given.most_files or kind.limits.files, kind.limits.file_bytes, total)
    wanted = Wanted(
        name=given.name,
        leave_out=given.partial,
        licence=given.licence,
        credits=tuple(given.credit),
        access=given.access,
        labels_public=given.labels_public,
        practice_permille=None if given.practice_share is None else round(1000 * given.practice_share),
        limits=limits,
        may_train=given.may_train,
        may_redistribute=given.may_redistribute,
    )
    with _counting("files") as told:
        if given.kind == PUBLISHED:
            return sources.add_layout(store, given.layout, given.path, partial=given.partial)
        return sources.add(store, given.kind, given.path, wanted, lambda files, _bytes: told("adding", files, None))


def _list(store: SourceStore, _given: Namespace) -> object:
    return sources.list_sources(store)


def _check(store: SourceStore, given: Namespace) -> object:
    with _counting("files") as told:
        return sources.check(store, given.source, lambda done, total: told("checking", done, total))


def _mine(store: SourceStore, given: Namespace) -> object:
    if bool(given.embeddings) != bool(given.model):
        raise SourceError("--embeddings and --model belong together: give the address and the model's name there")
    model = ImageText(Embedder(given.embeddings, given.model)) if given.model else None
    with _counting("rows") as told:
        return sources.mine_source(store, given.source, given.job, told, model)


def _remove(store: SourceStore, given: Namespace) -> object:
    kind, name = split_title(given.source)
    removed = remove_source(
        store,
        kind,
        name,
        record=given.record,
        retire=given.retire,
        with_reports=given.with_reports,
        folders=benchmark_folders(os.environ, given.folder),
    )
    return [sources.line_of(head) for head in removed]


def _prepare(store: SourceStore, given: Namespace) -> object:
    kinds_drawn = {
        kind
        for benchmark in find_benchmarks()
        for track in benchmark.card.tracks
        for kind in benchmark.kinds_of(track.name)
    }
    beside = tuple(kind for kind, is_lacking in BESIDE.items() if kind in kinds_drawn and is_lacking(store))
    if OBJECTS not in kinds_drawn and not given.wanted:
        return msgspec.structs.replace(sources.NOTHING_DRAWN, beside=beside)
    prepared = sources.prepare(store, given.wanted, given.household)
    if STAGE in kinds_drawn:  # here, where progress is shown: the generator would draw it silently when it starts
        sources.build(store, STAGE, None)
    return msgspec.structs.replace(prepared, beside=beside)


def _build(store: SourceStore, given: Namespace) -> object:
    return sources.line_of(sources.build(store, given.name, given.given, quietly=given.quietly))


BESIDE: Mapping[str, Callable[[SourceStore], bool]] = {
    PHOTOGRAPHS: lambda store: is_wanted(store, sources.needed_tables(PHOTOGRAPHS)),
    PEOPLE: lambda store: find_people(store) is None,
}
"""Sources that are made while the service is up, where a benchmark draws from them and they are lacking."""

COMMANDS: Mapping[str, tuple[str, Callable[[SourceStore, Namespace], object]]] = {
    "add": ("check files and add them as a source; an interrupted addition continues", _add),
    "list": ("list the sources and the unfinished additions", _list),
    "check": ("compare every file of a source with its digest", _check),
    "mine": ("derive the tables of a job from a source, in stages; finished stages are kept", _mine),
    "remove": ("remove a source, or keep it from new draws", _remove),
    "prepare": ("make the objects that benchmarks draw from, if they are missing", _prepare),
    "build": (
        "make one of our own: builtin, household, household-by, stage, people, composed; or add wordnet, photographs",
        _build,
    ),
}


def main(arguments: list[str]) -> int:
    """Run one command. Return 0 if done, 1 if refused with the reasons on standard error, 2 for an unknown command."""
    given = _parser().parse_args(arguments)
    try:
        list(find_benchmarks(benchmark_folders(os.environ, given.folder)))  # makes their layouts and jobs known
        answer = COMMANDS[given.command][1](open_sources(given.store), given)
    except (SourceError, RegistryError, PackageUnavailable) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(msgspec.json.encode(answer).decode() + "\n")
    return 0


def _parser() -> ArgumentParser:
    parser = ArgumentParser(prog="python -m generator_service.commands", description=__doc__)
    chosen = parser.add_subparsers(dest="command", required=True)
    for name, (purpose, _) in COMMANDS.items():
        command = chosen.add_parser(name, help=purpose, description=purpose)
        default = os.environ.get(URL, f"file://{Path('var/sources').absolute()}")
        command.add_argument("--store", default=default, help=f"file:///FOLDER or s3://BUCKET/PREFIX (${URL})")
        command.add_argument("--folder", type=Path, action="append", default=[], help=FOLDER_HELP)
        if name == "add":
            _add_arguments(command)
        if name in {"check", "mine", "remove"}:
            command.add_argument("source", help="KIND:NAME, as listed")
        if name == "mine":
            command.add_argument("job", help="the job to run")
            command.add_argument(
                "--embeddings",
                default="",
                help="address, ending in /v1, of a server whose model embeds pictures and texts (key: $OPENAI_API_KEY)",
            )
            command.add_argument("--model", default="", help="the image-text model there")
        if name == "remove":
            command.add_argument(
                "--record", help="URL of the generator's database; sources that its draws need are kept"
            )
            command.add_argument(
                "--retire", action="store_true", help="keep it for open draws and reports, but not for new draws"
            )
            command.add_argument(
                "--with-reports",
                action="store_true",
                help="remove it although reports can then not be verified or scored again",
            )
        if name == "build":
            command.add_argument("name", help="builtin, household, stage, people, wordnet, photographs ...")
            command.add_argument(
                "--given", "--household", type=Path, help="a folder with the packages, instead of fetching them"
            )
            command.add_argument("--quietly", action="store_true", help="run at low priority")
        if name == "prepare":
            command.add_argument("--household", type=Path, help="a .deb, a .sh3f or a folder of them, instead of apt")
            command.add_argument("--wanted", default="", help="the name of the objects to serve")
    return parser


def _add_arguments(command: ArgumentParser) -> None:
    command.add_argument("kind", help="; ".join(f"{kind.name}: {kind.help}" for kind in kinds().values()))
    command.add_argument("path", help="a folder, a .zip, a .tar or an s3:// prefix")
    command.add_argument("--name", default="", help="the name of the source")
    command.add_argument("--layout", default="", help="of published items: their layout")
    command.add_argument("--partial", action="store_true", help="leave out refused files, and items that lack pictures")
    command.add_argument("--licence", default="", help="the licence of its pictures, an SPDX expression")
    command.add_argument("--may-train", action="store_true", help="the licence lets models be trained on its pictures")
    command.add_argument("--may-redistribute", action="store_true", help="the licence lets its pictures be passed on")
    command.add_argument("--credit", action="append", default=[], help="a line to show with its pictures; repeatable")
    command.add_argument("--access", choices=("public", "teams", "approved"), help="who may draw from it")
    command.add_argument("--labels-public", action="store_true", help="its labels are public")
    command.add_argument("--practice-share", type=float, help="the share of pictures that practice may show, 0 to 1")
    command.add_argument("--most-files", type=int, default=0, help="instead of the kind's limit")
    command.add_argument("--most-mib", type=int, default=0, help="instead of the kind's limit")


@contextmanager
def _counting(what: str) -> Iterator[Callable[[str, int, int | None], None]]:
    """Show a progress bar on a terminal; elsewhere write a line from time to time."""
    console = Console(stderr=True)
    if not console.is_terminal:
        last: dict[str, int] = {}

        def line(stage: str, done: int, total: int | None) -> None:
            if done == total or done // EVERY > last.get(stage, 0) // EVERY:
                sys.stderr.write(f"{stage}: {done} {what}{'' if total is None else f' of {total}'}\n")
                sys.stderr.flush()
            last[stage] = done

        yield line
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as bars:
        tasks = {}

        def bar(stage: str, done: int, total: int | None) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield bar


if __name__ == "__main__":
    configure_logs("sources")  # on standard error: standard output is for the answer
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
