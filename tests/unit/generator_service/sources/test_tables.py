"""Derived tables and the jobs that make them: pure, counted, read by row, gone on with after a kill."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from generator_service.commands.__main__ import main
from generator_service.mining import jobs
from generator_service.mining.jobs import Job, Row, Stage, mine
from generator_service.mining.measures import JOB
from generator_service.sources.store import Head, SourceDamagedError, SourceError, SourceStore, of_folder
from generator_service.sources.tables import Table, find_table, table_name, write_files, write_table
from tests.photographs import jpeg, write_photographs
from tests.unit.generator_service.sources.pictures import add, at

DIGEST = "a" * 64


@pytest.fixture
def head(store: SourceStore, tmp_path: Path) -> Head:
    folder = write_photographs(tmp_path / "p", 20)
    (folder / "small.jpg").write_bytes(jpeg(99, side=32))
    (folder / "notes.txt").write_text("words")
    return add(store, "photographs", folder, "p").head


def silent(_stage: str, _done: int, _of: int) -> None:
    """Show nothing."""


def test_a_table_is_read_by_row_and_its_digest_is_of_keys_and_rows(store: SourceStore) -> None:
    rows = [(f"key-{number:04d}", {"square": number * number}) for number in range(1000)]
    table = write_table(store, DIGEST, "squares-1", reversed(rows))
    assert table.row("key-0000") == {"square": 0}
    assert table.row("key-0777") == {"square": 777 * 777}
    assert dict(table.rows()) == dict(rows)
    for missing in ("key-9999", "a", "key-0777x"):
        with pytest.raises(KeyError):
            table.row(missing)
    again = find_table(of_folder(Path(store.folder or "")), DIGEST, "squares-1")
    assert again is not None
    assert again.digest == table.digest
    assert write_table(store, DIGEST, "other-1", rows).digest != table.digest, "the name is part of it"
    assert write_table(store, "b" * 64, "squares-1", rows).digest != table.digest, "the source is, too"
    changed = [*rows[:-1], ("key-0999", {"square": 0})]
    assert write_table(store, DIGEST, "squares-1", changed).digest != table.digest
    assert find_table(store, "c" * 64, "squares-1") is None
    with pytest.raises(ValueError, match="two rows have the key 'key-0001'"):
        write_table(store, DIGEST, "double-1", [rows[1], rows[1]])


def test_a_table_of_files_is_read_by_file_and_its_digest_is_of_keys_and_bytes(store: SourceStore) -> None:
    files = [(f"key-{number}", b"\x00%d" % number) for number in (2, 0, 1)]
    table = write_files(store, DIGEST, "drawn-1", iter(files))
    assert {key: bytes(table.file(key)) for key in table.keys()} == dict(files)  # noqa: SIM118 - a Table is no dict
    assert (table.keys(), table.count) == (["key-0", "key-1", "key-2"], 3)
    with pytest.raises(KeyError):
        table.file("key-3")
    assert write_files(store, DIGEST, "other-1", files).digest != table.digest
    assert write_files(store, DIGEST, "drawn-1", [*files[:2], ("key-1", b"\x002")]).digest != table.digest


def test_a_table_s_name_holds_version_and_inputs() -> None:
    names = {table_name("t", 1), table_name("t", 2), table_name("t", 1, {"a": 1}), table_name("t", 1, {"a": 2})}
    assert len(names) == 4


def test_a_changed_row_is_found(store: SourceStore, tmp_path: Path) -> None:
    write_table(store, DIGEST, "squares-1", [("one", {"square": 1})])
    (pack,) = (path for path in (tmp_path / "sources" / "packs").rglob("*") if path.is_file())
    pack.write_bytes(pack.read_bytes().replace(b'"square":1', b'"square":2'))
    table = find_table(of_folder(tmp_path / "sources"), DIGEST, "squares-1")
    assert table is not None
    with pytest.raises(SourceDamagedError):
        table.row("one")


def test_a_job_runs_its_stages_once_and_counts_rows(store: SourceStore, head: Head) -> None:
    told: list[tuple[str, int, int]] = []
    first = mine(store, head, JOB, lambda *counts: told.append(counts))
    assert [(report.stage, report.rows_in, report.rows_out, report.done_before) for report in first] == [
        ("pictures", 21, 21, False),
        ("usable", 21, 20, False),
    ]
    assert told == [("pictures", 21, 21), ("usable", 21, 21)]
    table = find_table(store, head.digest, first[0].table)
    assert table is not None
    row = table.row("jumping_3.jpg")
    assert (row["width"], row["height"], len(row["pixels"])) == (64, 64, 64)
    again = mine(store, head, JOB, silent)
    assert [report.done_before for report in again] == [True, True]
    assert [report.digest for report in again] == [report.digest for report in first]


def numbered(given: tuple[str, Any]) -> Row:
    return {"bytes": len(given[1])}


def summed(rows: Iterator[tuple[str, Row]]) -> Iterator[tuple[str, Row]]:
    yield "all", {"bytes": sum(row["bytes"] for _, row in rows)}


def job(version: int = 1, limit: int = 1) -> Job:
    return Job(
        name="bytes",
        kinds=("photographs",),
        help="",
        stages=(
            Stage(name="each", help="", version=version, each=numbered),
            Stage(name="sum", help="", version=1, reads="each", whole=summed, inputs={"limit": limit}),
        ),
    )


def test_a_job_that_is_broken_off_goes_on_after_its_last_batch(
    store: SourceStore, head: Head, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "BATCH", 4)

    def broken(_stage: str, done: int, _of: int) -> None:
        if done == 12:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mine(store, head, job(), broken)
    monkeypatch.setattr(jobs, "FEW", 3)  # in processes of their own
    first, last = mine(store, head, job(), silent)
    assert (first.rows_in, first.rows_out, first.resumed) == (22, 22, 12)
    assert (last.rows_in, last.rows_out) == (22, 1)
    assert list(store.objects.names("mining")) == []
    monkeypatch.setattr(jobs, "FEW", 300)
    whole = of_folder(Path(store.folder or "").with_name("whole"))
    folder = Path(store.folder or "").with_name("p")
    same = add(whole, "photographs", folder, "p").head
    assert mine(whole, same, job(), silent)[1].digest == last.digest, "as if it had not been broken off"


def reversed_bytes(given: tuple[str, Any]) -> bytes:
    return bytes(given[1])[::-1]


def test_pictures_that_are_drawn_go_on_after_their_last_batch_and_are_files_of_the_table(
    store: SourceStore, head: Head, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "PICTURES_A_BATCH", 4)
    drawing = Job(
        name="drawing",
        kinds=("photographs",),
        help="",
        stages=(Stage(name="drawn", help="", version=1, draw=reversed_bytes, wants=lambda name: name != "notes.txt"),),
    )

    def broken(_stage: str, done: int, _of: int) -> None:
        if done == 12:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mine(store, head, drawing, broken)
    (report,) = mine(store, head, drawing, silent)
    assert (report.rows_in, report.rows_out, report.resumed, report.done_before) == (21, 21, 12, False)
    assert mine(store, head, drawing, silent)[0].done_before
    assert list(store.objects.names("mining")) == []
    table, source = find_table(store, head.digest, report.table), store.open(head)
    assert table is not None
    for name in table.keys():  # noqa: SIM118 - a Table is no dict
        assert bytes(table.file(name)) == bytes(source.read(name))[::-1]


def test_another_version_or_input_is_another_table(store: SourceStore, head: Head) -> None:
    names = {mine(store, head, variant, silent)[1].table for variant in (job(), job(version=2), job(limit=2))}
    assert len(names) == 3, "what a stage reads is one of its inputs"
    assert mine(store, head, job(version=2), silent)[1].done_before


def test_a_job_is_for_its_kinds(store: SourceStore, head: Head) -> None:
    with pytest.raises(SourceError, match="measures mines photographs, situations"):
        mine(store, msgspec.structs.replace(head, kind="objects"), JOB, silent)


def test_the_command_mines_and_reports(store: SourceStore, head: Head, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mine", head.title, "measures", *at(store)]) == 0
    stages = msgspec.json.decode(capsys.readouterr().out)
    assert [(stage["stage"], stage["rows_out"]) for stage in stages] == [("pictures", 21), ("usable", 20)]
    assert main(["mine", head.title, "nothing", *at(store)]) == 1
    assert "'nothing' is not a job; use one of measures" in capsys.readouterr().err


def test_tables_go_with_their_source(store: SourceStore, head: Head) -> None:
    mine(store, head, JOB, silent)
    store.remove([head])
    assert [name for place in ("heads", "tables", "manifests", "packs") for name in store.objects.names(place)] == []
    assert isinstance(write_table(store, DIGEST, "squares-1", []), Table)
