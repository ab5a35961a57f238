"""Run jobs that derive tables from sources. A job is a list of stages, each a pure function from rows to rows.

A finished stage is a table of the source and does not run again. An interrupted stage continues after the last batch
that it had stored. The report counts the rows that went into each stage and came out of it.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any

import msgspec

from generator_service import benchmarks
from generator_service.drawing.parallel import workers
from generator_service.mining import wordnet
from generator_service.mining.counting import Counting, Counts
from generator_service.mining.image_text import ImageText, Kept
from generator_service.mining.wordnet import NO_WORDNET, WordNet, open_wordnet
from generator_service.sources.parts import Part, part_of
from generator_service.sources.store import Head, Source, SourceError, SourceStore
from generator_service.sources.tables import Table, find_table, table_name, write_files, write_table
from tetrad.canonical import Field, hexdigest
from tetrad.server.garbage_collection import collector_paused

BATCH = 256
PICTURES_A_BATCH = 16  # each has up to a MiB
FEW = 8
_LEFT_OUT = b"null"
COUNTS = "-counts"
"""The suffix of the name of a second table, which says what the stage kept and dropped."""
Row = dict[str, Any]
Progress = Callable[[str, int, int], None]
"""Called with the stage, the number of its rows that are done, and the number of all."""


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One step of a job.

    reads: the stage whose rows it takes; "" takes the files of the source, by name, as bytes.
    each: (key, row or bytes) -> the new row, or None to leave it out; pure, and run on all cores.
    draw: the same for rows that are pictures: (key, row or bytes) -> a PNG. They are files of the table.
    whole: every (key, row) of the stage that it reads -> new keys and rows; instead of `each`, if rows depend on each
    other. derive: the same for a stage that reads further stages (`also`), needs WordNet, or counts by reason and role.
    describes: it compares pictures with words by an image-text model, where one is given.
    version goes up when the function changes what it returns. inputs: everything else that it depends on.
    """

    name: str
    help: str
    version: int
    reads: str = ""
    each: Callable[[tuple[str, Any]], Row | None] | None = None
    draw: Callable[[tuple[str, Any]], bytes] | None = None
    whole: Callable[[Iterator[tuple[str, Row]]], Iterator[tuple[str, Row]]] | None = None
    derive: Callable[["Given", Counting], Iterator[tuple[str, Row]]] | None = None
    also: tuple[str, ...] = ()
    wordnet: bool = False
    describes: bool = False
    wants: Callable[[str], bool] = lambda _name: True
    inputs: Mapping[str, Field] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Job:
    """The stages that `tetrad source mine KIND:NAME JOB` runs."""

    name: str
    kinds: tuple[str, ...]
    help: str
    stages: Sequence[Stage]

    def table(self, stage: str) -> str:
        """Return the name of the table that a stage makes, of whatever source: it holds all that the stage reads."""
        declared = next(candidate for candidate in self.stages if candidate.name == stage)
        inputs = dict(declared.inputs) | ({"reads": self.table(declared.reads)} if declared.reads else {})
        inputs |= {"also": [self.table(other) for other in declared.also]} if declared.also else {}
        inputs |= {"wordnet": wordnet.VERSION} if declared.wordnet else {}
        return table_name(f"{self.name}/{declared.name}", declared.version, inputs)


@dataclass(frozen=True, kw_only=True)
class Describing:
    """An image-text model for one stage. read: a file of the source by name. kept: vectors of an interrupted run."""

    model: ImageText
    read: Callable[[str], bytes]
    kept: Kept
    progress: Progress


@dataclass(frozen=True)
class _KeptUnder:
    """Bytes by name below a place of the store."""

    store: SourceStore
    place: str

    def get(self, name: str) -> bytes | None:
        return self.store.objects.get(f"{self.place}/{name}")

    def put(self, name: str, body: bytes) -> None:
        self.store.objects.put(f"{self.place}/{name}", body)


@dataclass(frozen=True, kw_only=True)
class Given:
    """The input of a stage: the rows of the stage that it reads, tables by stage, and WordNet where it needs it.

    names: those of all files of the source. practice_permille: how the source is divided, None where it is not.
    described: what an image-text model is asked through; None where there is none, and in stages that use none.
    """

    rows: Iterator[tuple[str, Any]]
    tables: Mapping[str, Table]
    names: Collection[str]
    wordnet: WordNet | None
    digest: str = ""
    practice_permille: int | None = None
    described: "Describing | None" = None

    @property
    def lexicon(self) -> WordNet:
        """WordNet; LookupError in a stage that does not say that it needs it."""
        if self.wordnet is None:
            raise LookupError("this stage gets no WordNet: set `wordnet` where the stage is declared")
        return self.wordnet

    def part(self, picture: str) -> Part | None:
        """Return the part of a divided source that a picture belongs to, by its name; None where it is not divided."""
        return None if self.practice_permille is None else part_of(self.digest, picture, self.practice_permille)


class StageReport(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a stage. `done_before`: its table existed. `resumed`: rows that an earlier try had done.

    `told`: its finding, where that is one line, or why it can't be done. `counts`: what it kept and dropped.
    """

    stage: str
    table: str
    digest: str
    rows_in: int
    rows_out: int
    done_before: bool = False
    resumed: int = 0
    told: str = ""
    counts: Counts | None = None


class _Batch(msgspec.Struct, frozen=True):
    """The rows of one batch of an unfinished stage, encoded; null where a row was left out."""

    rows: list[tuple[str, msgspec.Raw]]


def scored_by(model: ImageText) -> str:
    """Return the note of a stage that this model scored."""
    return f"scored by the image-text model {model.name}"


def _search(folders: Sequence[str]) -> None:
    """Let a worker find the jobs of benchmarks that lie in further folders."""
    benchmarks.__path__[:] = folders


def mine(
    store: SourceStore, head: Head, job: Job, progress: Progress, model: ImageText | None = None
) -> list[StageReport]:
    """Run the stages of a job that are not done yet, in order, and report all of them.

    model: compares pictures with words, in stages that do so.

    Raises:
        SourceError: the job is not for this kind, the source is damaged, the model gives nothing, or the stage that
            uses it was done with another one.
    """
    if head.kind not in job.kinds:
        raise SourceError(f"{job.name} mines {', '.join(job.kinds)}; {head.title} is of another kind")
    if model is not None and not any(stage.describes for stage in job.stages):
        raise SourceError(f"{job.name} asks no image-text model; leave out --embeddings and --model")
    run = _Run(store, store.open(head), job, progress, model)
    return [run.stage(stage) for stage in job.stages]


class _Run:
    """A job at work on one source: the tables of its stages so far."""

    def __init__(
        self, store: SourceStore, source: Source, job: Job, progress: Progress, model: ImageText | None
    ) -> None:
        self._model = model
        self._store = store
        self._source = source
        self._job = job
        self._progress = progress
        self._tables: dict[str, Table] = {}
        self._wordnet = open_wordnet(store)

    def stage(self, stage: Stage) -> StageReport:
        """Run a stage, or find its table, and report it. A stage that can't be done is reported with the reason."""
        name = self._job.table(stage.name)
        lacking = self._lacking(stage, name)
        if lacking:
            return StageReport(stage=stage.name, table=name, digest="", rows_in=0, rows_out=0, told=lacking)
        given = self._input_keys(stage)
        table, resumed = find_table(self._store, self._source.head.digest, name), 0
        was_there = table is not None
        if was_there and stage.describes:
            self._check_model(name)
        if table is None:
            place = f"mining/{hexdigest(self._source.head.digest, name)}"
            table, resumed = self._make_table(stage, given, name, place)
        self._tables[stage.name] = table
        return StageReport(
            stage=stage.name,
            table=name,
            digest=table.digest,
            rows_in=len(given),
            rows_out=table.count,
            done_before=was_there,
            resumed=resumed,
            counts=self._counts(name) if stage.derive is not None else None,
        )

    def _make_table(self, stage: Stage, given: list[str], name: str, place: str) -> tuple[Table, int]:
        """Run a stage, store its table, and return it with the number of rows that an earlier try had done."""
        digest, resumed = self._source.head.digest, 0
        if stage.draw is not None:
            resumed = self._draw(stage.draw, stage, given, place)
            write = partial(write_files, self._store, digest, name, self._read_pictures(place))
        else:
            if stage.derive is not None:
                with collector_paused():
                    out = self._derive_rows(stage, given, name, place)
                self._progress(stage.name, len(given), len(given))
            elif stage.whole is not None:
                out = list(stage.whole(self._rows(stage, given)))
                self._progress(stage.name, len(given), len(given))
            else:
                out, resumed = self._each(stage, given, place)
            write = partial(write_table, self._store, digest, name, out)
        with self._store.lock():
            table = write()
            for batch in list(self._store.objects.names(place)):
                self._store.objects.delete(batch)
        return table, resumed

    def _draw(self, draw: Callable[[tuple[str, Any]], bytes], stage: Stage, given: list[str], place: str) -> int:
        """Draw the pictures of a stage in batches, each written down when it is done; return how many were there."""
        done = resumed = 0
        given_rows = self._rows(stage, given)
        with workers(FEW, partial(_search, tuple(benchmarks.__path__))) as mapped:
            for number, batch in enumerate(iter(lambda: list(islice(given_rows, PICTURES_A_BATCH)), [])):
                name = f"{place}/{number:06d}"
                if self._store.objects.get(name) is None:
                    drawn = [(key, body) for (key, _), body in zip(batch, mapped(draw, batch), strict=True)]
                    self._store.objects.put(name, msgspec.msgpack.encode(drawn))
                else:
                    resumed += len(batch)
                done += len(batch)
                self._progress(stage.name, done, len(given))
        return resumed

    def _read_pictures(self, place: str) -> Iterator[tuple[str, bytes]]:
        for name in sorted(self._store.objects.names(place)):
            yield from msgspec.msgpack.decode(self._store.objects.get(name) or b"", type=list[tuple[str, bytes]])

    def _lacking(self, stage: Stage, name: str) -> str:
        """Return why a stage can't be done here, or ""; one that was done before needs nothing."""
        if find_table(self._store, self._source.head.digest, name) is not None:
            return ""
        if stage.wordnet and self._wordnet is None:
            return f"not done: {NO_WORDNET}"
        missing = [read for read in (stage.reads, *stage.also) if read and read not in self._tables]
        return f"not done: it reads {', '.join(missing)}, which is not done" if missing else ""

    def _check_model(self, name: str) -> None:
        """Check that what is done was done with the model that is given now: open draws may stand on it."""
        counts = self._counts(name)
        if self._model is not None and (counts is None or scored_by(self._model) not in counts.notes):
            title = self._source.head.title
            raise SourceError(
                f"{title} was mined without {self._model.name}, and draws may stand on that; add the source under "
                f"another name, or remove it first (tetrad source remove {title}), and mine it with the model from the "
                "start"
            )

    def _derive_rows(self, stage: Stage, given: list[str], name: str, place: str) -> list[tuple[str, Any]]:
        """Run a stage that derives its rows from several tables; its counts are a table of their own.

        Rows are kept encoded: those of a large corpus take a fraction of the memory.
        """
        if stage.derive is None:
            raise SourceError(f"stage {stage.name} has no `derive`; give it one")
        counting = Counting()
        seen = Given(
            rows=self._rows(stage, given),
            tables=self._tables,
            names=self._source.by_name.keys(),
            wordnet=self._wordnet if stage.wordnet else None,
            digest=self._source.head.digest,
            practice_permille=self._source.head.practice_permille,
            described=self._describing(place) if stage.describes else None,
        )
        encoder = msgspec.json.Encoder(order="deterministic")
        out = [(key, msgspec.Raw(encoder.encode(row))) for key, row in stage.derive(seen, counting)]
        with self._store.lock():
            write_table(self._store, self._source.head.digest, name + COUNTS, [("counts", counting.counts())])
        return out

    def _describing(self, place: str) -> Describing | None:
        if self._model is None:
            return None
        kept = _KeptUnder(self._store, place)
        return Describing(
            model=self._model,
            read=lambda name: bytes(self._source.read(name)),
            kept=kept,
            progress=self._progress,
        )

    def _counts(self, name: str) -> Counts | None:
        table = find_table(self._store, self._source.head.digest, name + COUNTS)
        return None if table is None else msgspec.convert(table.row("counts"), type=Counts)

    def _input_keys(self, stage: Stage) -> list[str]:
        """Return the keys of the rows that a stage takes."""
        if stage.reads:
            return self._tables[stage.reads].keys()
        return [name for name in self._source.by_name if stage.wants(name)]

    def _rows(self, stage: Stage, given: list[str]) -> Iterator[tuple[str, Any]]:
        if stage.reads:
            return self._tables[stage.reads].rows()
        return ((name, bytes(self._source.read(name))) for name in given)

    def _each(self, stage: Stage, given: list[str], place: str) -> tuple[list[tuple[str, Any]], int]:
        """Run a stage row by row in batches, each written down when it is done; skip those that are there.

        Rows are kept encoded: those of many photographs take a fraction of the memory.
        """
        if stage.each is None:
            raise SourceError(f"stage {stage.name} has neither `each` nor `whole`; give it one")
        out: list[tuple[str, Any]] = []
        done = resumed = 0
        given_rows = self._rows(stage, given)
        encoder = msgspec.json.Encoder(order="deterministic")
        with workers(FEW, partial(_search, tuple(benchmarks.__path__))) as mapped:
            for number, batch in enumerate(iter(lambda: list(islice(given_rows, BATCH)), [])):
                name = f"{place}/{number:06d}"
                body = self._store.objects.get(name)
                known = None if body is None else msgspec.json.decode(body, type=_Batch)
                if known is None:
                    made = mapped(stage.each, batch)
                    rows = [(key, msgspec.Raw(encoder.encode(row))) for (key, _), row in zip(batch, made, strict=True)]
                    known = _Batch(rows=rows)
                    self._store.objects.put(name, msgspec.json.encode(known))
                else:
                    resumed += len(batch)
                out += [(key, row) for key, row in known.rows if bytes(row) != _LEFT_OUT]
                done += len(batch)
                self._progress(stage.name, done, len(given))
        return out, resumed
