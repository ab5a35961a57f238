"""Rows of a toy, and exports of them, for tests of what is written."""

import io
from collections.abc import Iterator
from pathlib import Path

from PIL import Image

from tetrad.cli.team.exports import write_shard
from tetrad.contracts.benchmarks import BenchmarkInfo, Card, Credit, Headline, Setting, SourceInfo, Track
from tetrad.contracts.items import (
    Choice,
    ChoiceKey,
    DrawIdentity,
    Key,
    KeyedQuestion,
    Number,
    NumberKey,
    Option,
    Picture,
    Question,
)
from tetrad.contracts.rows import Row
from tetrad.prompting import picture_address
from tetrad.rows.cards import write_cards
from tetrad.rows.making import Told, make_row
from tetrad.rows.plan import ExportForm, Manifest, Plan, Split

TOLD = Told("It is lighter.", {"shade": 90})


def picture(shade: int) -> bytes:
    body = io.BytesIO()
    Image.new("RGB", (9, 6), (shade, shade, shade)).save(body, "PNG")
    return body.getvalue()


def row(index: int, kind: str = "which", benchmark: str = "toy") -> Row:
    """Return a row: a choice among a text and a picture, or a number."""
    named = {name: Picture(name=name, caption=f"picture {name}") for name in ("given", "candidate")}
    options = (Option(label="A", text="lighter"), Option(label="B", picture="candidate"))
    found: dict[str, tuple[Question, Key]] = {
        "which": (
            Question(
                id="which",
                kind="which",
                text="Which?",
                shape=Choice(labels=("A", "B")),
                options=options,
                pictures=(named["given"], named["candidate"]),
            ),
            ChoiceKey(label="B", outcomes={"A": "too light"}),
        ),
        "count": (
            Question(id="count", kind="count", text="How many?", shape=Number(), pictures=(named["given"],)),
            NumberKey(number=index),
        ),
    }
    question, key = found[kind]
    identity = DrawIdentity(benchmark=benchmark, version=1, bank="d", track="toy", setting="full", parameters={"n": 1})
    keyed = KeyedQuestion(question=question, key=key, facets={"shade": "dark"}, cluster=f"c{index}")
    images = {"given": picture_address(picture(40)), "candidate": picture_address(picture(90 + index % 100))}
    return make_row(f"itm_{benchmark}_{index}", identity, "1", index, keyed, 0, TOLD, images)


def rows(first: int, count: int, benchmark: str = "toy") -> Iterator[list[Row]]:
    """Yield the rows of items, each with a choice and a number."""
    for index in range(first, first + count):
        yield [row(index, "which", benchmark), row(index, "count", benchmark)]


def info(*sources: SourceInfo) -> BenchmarkInfo:
    credit = Credit(title="Toy", authors="Ann", venue="tests 2026", url="https://example.org", licence="Apache-2.0")
    card = Card(
        name="toy",
        version=1,
        title="A toy",
        summary="Which is lighter?",
        tracks=(Track(name="toy", help="", settings=("full",)), Track(name="other", help="", settings=("full",))),
        settings=(Setting(name="full", help="", questions=("which", "count")),),
        parameters=(),
        metrics=(),
        headline=Headline(metric="all", least_items=10),
        chance=(),
        credit=credit,
    )
    return BenchmarkInfo(card=card, bank="d", sources=sources)


def export(  # noqa: PLR0917 -- what an export is of
    folder: Path,
    form: ExportForm,
    splits: dict[str, int],
    shard_items: int = 1000,
    benchmark: str = "toy",
    items: Iterator[list[Row]] | None = None,
) -> Manifest:
    """Write an export of these splits, each with so many items, or of other items than the toy's."""
    found = [
        Split(name=name, seed=str(seed), offset=0, count=count) for seed, (name, count) in enumerate(splits.items(), 1)
    ]
    plan = Plan(
        benchmark=benchmark,
        version=1,
        track="toy",
        setting="full",
        parameters={"n": 1},
        filters={},
        digest="d",
        named_sources=[],
        form=form,
        questions="all",
        splits=found,
        shard_items=shard_items,
    )
    manifest = Manifest(plan=plan, shards=[])
    for split in found:
        for number, first in enumerate(range(0, split.count, shard_items)):
            of_shard = items or rows(first, min(shard_items, split.count - first), benchmark)
            shard = write_shard(folder, plan, split, number, of_shard, lambda _row, _path: None)
            assert shard is not None
            manifest.shards.append(shard)
    manifest.keep(folder)
    write_cards(folder, info(), manifest, ["tetrad", "items", "toy"])
    return manifest
