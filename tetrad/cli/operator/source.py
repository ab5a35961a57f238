"""`tetrad source`: add sources to an embedded instance's data directory, list, check, mine and remove them.

What is added belongs to the generator: its own module does the work, in a process of its own.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import cyclopts
import msgspec

from tetrad.cli.output import JsonOption, print_json, say, table
from tetrad.server.embedded.checkout import run_service_module
from tetrad.server.embedded.data_directory import (
    DataDirectory,
    EmbeddedError,
    make_private_files,
    open_data_directory,
)
from tetrad.server.embedded.programs import folder_options

app = cyclopts.App(
    name="source", help="Add pictures, annotations and published items; list, check, mine and remove them."
)
MODULE = "generator_service.commands"
OWN = frozenset({"builtin", "household", "household-by", "stage", "people", "composed"})
"""The names that `tetrad source build` makes."""
MIB = 2**20
KEY = "OPENAI_API_KEY"  # of the server that embeds pictures and texts


class AddedSource(msgspec.Struct, frozen=True, kw_only=True):
    """A source as the generator's module tells of it."""

    kind: str
    name: str
    digest: str
    files: int
    bytes: int
    access: str
    labels_public: bool
    licence: str
    credits: list[str]
    retired: bool
    practice_permille: int | None
    left_out: list[str]
    resumed: int
    by_heart: list[str] = []

    @property
    def title(self) -> str:
        return f"{self.kind}:{self.name}"


class UnfinishedSource(msgspec.Struct, frozen=True, kw_only=True):
    """An addition that was interrupted."""

    kind: str
    name: str
    files: int


class SourceListing(msgspec.Struct, frozen=True, kw_only=True):
    sources: list[AddedSource]
    unfinished: list[UnfinishedSource]


class StageCounts(msgspec.Struct, frozen=True, kw_only=True):
    """The counts of a stage: kept by role, dropped by reason and role, with examples; notes are warnings."""

    kept: dict[str, int]
    dropped: dict[str, dict[str, int]] = {}
    examples: dict[str, list[str]] = {}
    notes: list[str] = []


class MinedStage(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a stage."""

    stage: str
    table: str
    digest: str
    rows_in: int
    rows_out: int
    done_before: bool
    resumed: int
    told: str = ""
    counts: StageCounts | None = None

    @property
    def state(self) -> str:
        if self.done_before:
            return "done before"
        if not self.digest:
            return "not done"
        return f"went on after {self.resumed}" if self.resumed else "done now"


@app.command
def add(
    kind: str,
    path: str,
    *,
    name: str | None = None,
    layout: str | None = None,
    partial: bool = False,
    licence: str | None = None,
    may_train: Annotated[bool, cyclopts.Parameter(negative="")] = False,
    may_redistribute: Annotated[bool, cyclopts.Parameter(negative="")] = False,
    credit: list[str] | None = None,
    access: Literal["public", "teams", "approved"] | None = None,
    labels_public: bool = False,
    practice_share: float | None = None,
    most_files: int | None = None,
    most_mib: int | None = None,
    json: JsonOption = False,
) -> None:
    """Add the files at PATH, whole or not at all; every fault is named, the first hundred of them.

    An addition that is interrupted goes on where it was when the same command is given again.

    Args:
        kind: objects (cut-out pictures; folders are groups), photographs, situations, or published (with --layout).
        path: a folder, a .zip, a .tar (compressed or not) or an s3:// prefix.
        name: what to call it; by default after the path.
        layout: whose published items they are: kiva, kiva-adults, marvel, vasr or visanalog.
        partial: leave out files that are refused, and published items that lack pictures; the output names them.
        licence: the licence of the pictures, as an SPDX expression such as CC-BY-4.0.
        may_train: say that the licence lets models be trained on them; otherwise exports and cards say no.
        may_redistribute: say that the licence lets them be passed on; otherwise exports and cards say no.
        credit: a line to show with them; repeatable.
        access: who may draw from it: everybody, teams, or teams that are approved for it; objects are public by
            default, all else is for approved teams.
        labels_public: say that its labels are published anyway.
        practice_share: the share of pictures, 0 to 1, that practice may show; submissions get the others. Without it
            both show all.
        most_files: the most files that are taken, instead of the kind's limit.
        most_mib: the most MiB of files that are taken, instead of the kind's limit.
    """
    data = _data()
    if kind == "published" and name is not None:
        raise EmbeddedError("published items keep their name, LAYOUT-published; leave out --name")
    options = {
        "--name": name or _name_of(Path(path)),
        "--layout": layout,
        "--licence": licence,
        "--access": access,
        "--practice-share": practice_share,
        "--most-files": most_files,
        "--most-mib": most_mib,
    }
    words = [word for option, value in options.items() if value is not None for word in (option, str(value))]
    words += [word for line in credit or () for word in ("--credit", line)]
    words += ["--partial"] * partial + ["--labels-public"] * labels_public
    words += ["--may-train"] * may_train + ["--may-redistribute"] * may_redistribute
    whole = path if path.startswith("s3://") else str(Path(path).resolve())
    added = msgspec.convert(_run(data, "add", kind, whole, *words), type=AddedSource)
    if json:
        print_json(added)
        return
    say(*added.left_out)
    if added.resumed:
        say(f"Went on after {added.resumed} files that were done before.")
    say(*(f"By heart: {fact}" for fact in added.by_heart))
    say(f"Source {added.title}: {added.files} files, {added.bytes / MIB:.1f} MiB, digest {added.digest}", _next(added))


@app.command(name="list")
def list_sources(*, credit: bool = False, json: JsonOption = False) -> None:
    """List the sources of this data directory, and the additions that are unfinished.

    Args:
        credit: print what the pictures' licences ask to show.
    """
    data = _data()
    listing = msgspec.convert(_run(data, "list"), type=SourceListing)
    if json:
        print_json(listing)
        return
    if credit:
        say(*(f"{source.title}: {line}" for source in listing.sources for line in source.credits))
        return
    rows = [
        [
            source.title,
            str(source.files),
            f"{source.bytes / MIB:.1f} MiB",
            "retired" if source.retired else source.access,
            source.digest[:12],
        ]
        for source in listing.sources
    ]
    table(f"Sources ({data.sources})", ["source", "files", "size", "who may draw from it", "digest"], rows)
    for upload in listing.unfinished:
        again = f"`tetrad source build {upload.name}`" if upload.name in OWN else "the same `tetrad source add`"
        say(f"Unfinished: {upload.kind}:{upload.name}, {upload.files} files done; {again} goes on with it.")


@app.command
def check(source: str) -> None:
    """Compare every file of a source with its digest; decode the pictures of published items.

    Args:
        source: KIND:NAME, as listed.
    """
    found = msgspec.convert(_run(_data(), "check", source), type=AddedSource)
    say(f"{found.title} is whole: {found.files} files, digest {found.digest}")


@app.command
def build(name: str, *, given: Path | None = None) -> None:
    """Make a source of our own: builtin, household, household-by, stage, people, composed; or add wordnet, photographs.

    Args:
        name: what to make.
        given: a .deb, a .sh3f or a folder of files to make it from, instead of Debian's package.
    """
    options = [] if given is None else ["--household", str(given.absolute())]
    made = msgspec.convert(_run(_data(), "build", name, *options), type=AddedSource)
    say(f"Source {made.title}: {made.files} files, {made.bytes / MIB:.1f} MiB, digest {made.digest}")


@app.command
def mine(
    source: str, job: str, *, embeddings: str | None = None, model: str | None = None, json: JsonOption = False
) -> None:
    """Derive the tables of a job from a source, in stages; a stage that is done is not done again.

    Args:
        source: KIND:NAME, as listed.
        job: what to derive, for example measures.
        embeddings: address, ending in /v1, of a server whose model embeds pictures and texts; key from $OPENAI_API_KEY.
        model: the image-text model there.
    """
    options = {"--embeddings": embeddings, "--model": model}
    words = [word for option, value in options.items() if value is not None for word in (option, value)]
    stages = msgspec.convert(_run(_data(), "mine", source, job, *words, variables=(KEY,)), type=list[MinedStage])
    if json:
        print_json(stages)
        return
    rows = [
        [
            stage.stage,
            str(stage.rows_in),
            str(stage.rows_out),
            stage.state,
            stage.table,
            stage.digest[:12],
        ]
        for stage in stages
    ]
    table(f"{job} of {source}", ["stage", "rows in", "rows out", "", "table", "digest"], rows)
    for stage in stages:
        if stage.counts is not None and stage.counts.dropped:
            table(f"{stage.stage}: kept and dropped", ["", "number", "by role", "examples"], _list_counts(stage.counts))
    say(*(f"{stage.stage.capitalize()}: {stage.told}" for stage in stages if stage.told))
    say(
        *(
            f"{stage.stage.capitalize()}: {note}"
            for stage in stages
            if stage.counts is not None
            for note in stage.counts.notes
        )
    )


def _list_counts(counts: StageCounts) -> list[list[str]]:
    every = {"kept": counts.kept, **counts.dropped}
    return [
        [
            reason,
            str(sum(by_role.values())),
            ", ".join(f"{role} {number}" for role, number in list(by_role.items())[:6]),
            "; ".join(counts.examples.get(reason, ())),
        ]
        for reason, by_role in every.items()
    ]


@app.command
def remove(source: str, *, retire: bool = False, with_reports: bool = False) -> None:
    """Take a source away; refused while open draws or reports need it.

    Args:
        source: KIND:NAME, as listed.
        retire: keep it for what needs it, and offer it to no new draw.
        with_reports: give up the reports that can be verified and scored again with it only.
    """
    data = _data()
    known = ["--record", f"sqlite:///{data.record}"] if data.record.exists() else []
    flags = ["--retire"] * retire + ["--with-reports"] * with_reports
    _run(data, "remove", source, *known, *flags)
    say(f"{source} is no longer offered." if retire else f"{source} is removed.")


def _run(data: DataDirectory, command: str, *words: str, variables: Sequence[str] = ()) -> object:
    store = ["--store", f"file://{data.sources}"]
    return run_service_module(MODULE, [command, *words, *store, *folder_options(os.environ)], variables=variables)


def _next(added: AddedSource) -> str:
    if added.kind == "objects":
        return f"Draw from it: source={added.title}, or make it the default: TETRAD_BANK={added.name} make up"
    if added.kind == "published":
        return "It is served from the next start on, to the teams you approve; its answers are never shown."
    who = {"public": "everybody", "teams": "every team", "approved": f"teams you approve for {added.title}"}
    return f"It is served from the next start on, to {who[added.access]}: source={added.title}"


def _name_of(path: Path) -> str:
    """Make a name out of a path's: lowercase letters, digits and dashes, a letter first."""
    words = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in path.name.lower())
    return "-".join(word for word in words.split("-") if word).lstrip("0123456789-")[:32] or "objects"


def _data() -> DataDirectory:
    make_private_files()
    return open_data_directory(dict(os.environ))
