"""What stands beside the shards of an export: a README, croissant.json, and licences.json.

Croissant is that of MLCommons, version 1.1, with terms of its vocabulary for responsible AI. One reader's description
of the columns is the other's: both come from `columns`.
"""

import json
import shlex
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import msgspec

from tetrad.contracts.benchmarks import BenchmarkInfo
from tetrad.rows.columns import COLUMNS, Column, column_table
from tetrad.rows.licences import Licence, joint_spdx, licences_of
from tetrad.rows.plan import MANIFEST, Manifest, Plan, Split
from tetrad.versions import find_version

README, CROISSANT, LICENCES = "README.md", "croissant.json", "licences.json"
MEDIA_TYPES = {"jsonl": "application/jsonlines", "hf": "application/x-parquet", "webdataset": "application/x-tar"}
LIMITATIONS = (
    "Practice items: their answers are public, and scores on them are no scores of the board. They follow rules: what "
    "their generator does not vary, they don't teach."
)
USE = "Training and evaluation of models that reason about pictures by analogy."


def write_cards(
    folder: Path,
    info: BenchmarkInfo,
    manifest: Manifest,
    command: Sequence[str],
    licences: Sequence[Licence] | None = None,
) -> None:
    """Write the files that tell what an export is. Without `licences` they are those of its track's sources."""
    if licences is None:
        licences = licences_of(info, manifest.plan.track, manifest.plan.named_sources)
    (folder / README).write_text(readme(info, manifest, licences, command))
    (folder / CROISSANT).write_text(json.dumps(croissant(info, manifest, licences, command), indent=1) + "\n")
    write_licences(folder, manifest.plan.track, licences)


def write_licences(folder: Path, track: str, licences: Sequence[Licence]) -> None:
    """Write the licences of what a track is drawn from."""
    body = msgspec.json.encode({track: licences})
    (folder / LICENCES).write_bytes(msgspec.json.format(body, indent=1) + b"\n")


def readme(info: BenchmarkInfo, manifest: Manifest, licences: Sequence[Licence], command: Sequence[str]) -> str:
    """Return the README of an export, with the head that the Hugging Face Hub reads."""
    card, plan = info.card, manifest.plan
    parameters = ", ".join(f"{name}={value}" for name, value in sorted(plan.parameters.items())) or "none"
    filters = ", ".join(f"{name}={value}" for name, value in sorted(plan.filters.items()))
    credit = f"{card.credit.authors}, {card.credit.title} ({card.credit.venue}), <{card.credit.url}>"
    told = {"open": "each that is open at once", "all": "every question of an item"}[plan.questions]
    return "\n".join(
        [
            *_head(info, plan, licences),
            f"# {card.title}",
            "",
            f"Practice items of {card.name} {card.version} with their solutions, made by Tetrad {find_version()}.",
            f"One row is one question ({told}). All benchmarks have the same columns, so data sets can be joined.",
            "",
            f"- track {plan.track}, setting {plan.setting}, parameters: {parameters}",
            *([f"- only items with {filters}"] if filters else []),
            f"- sources `{plan.digest}`",
            *(f"- split `{split.name}`: {_describe_split(split)}" for split in plan.splits),
            f"- shards with their digests: `{MANIFEST}`",
            "",
            "The same command on any instance with this version and these sources makes the same items again:",
            "",
            "```sh",
            shlex.join(command),
            "```",
            "",
            "## Columns",
            "",
            column_table(),
            "",
            "## Licences",
            "",
            "| source | licence (SPDX) | may train | may redistribute | credit |",
            "| --- | --- | --- | --- | --- |",
            *(_licence_line(licence) for licence in licences),
            "",
            LIMITATIONS,
            "",
            f"The benchmark is that of {credit}. Cite it if you report a score.",
            "",
        ]
    )


def _head(info: BenchmarkInfo, plan: Plan, licences: Sequence[Licence]) -> list[str]:
    lines = ["---", f"pretty_name: {json.dumps(info.card.title)}", "license: other"]
    lines += [f"license_name: {json.dumps(joint_spdx(licences))}", f"license_link: {LICENCES}"]
    if plan.form != "webdataset":
        lines += ["configs:", "- config_name: default", "  data_files:"]
        for split in plan.splits:
            lines += [f"  - split: {split.name}", f"    path: {_pattern(plan, split)}"]
    return [*lines, "---"]


def _pattern(plan: Plan, split: Split) -> str:
    return plan.file_of(split, 0).replace("00000", "*")


def _describe_split(split: Split) -> str:
    return f"{split.count} items of seed `{split.seed}` from {split.offset} on"


def _licence_line(licence: Licence) -> str:
    words = {True: "yes", False: "no"}
    credit = "; ".join(licence.credit) or "none is asked for"
    return (
        f"| {licence.source} | {licence.spdx} | {words[licence.may_train]} | {words[licence.may_redistribute]} "
        f"| {credit.replace('|', ' ')} |"
    )


def croissant(
    info: BenchmarkInfo, manifest: Manifest, licences: Sequence[Licence], command: Sequence[str]
) -> dict[str, Any]:
    """Return the description of an export in Croissant."""
    card, plan = info.card, manifest.plan
    seeds = "; ".join(f"{split.name}: {_describe_split(split)}" for split in plan.splits)
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"],
        "name": f"{card.name}-{plan.track}-{plan.setting}-{plan.splits[0].seed[:16]}",
        "description": f"Practice items of {card.title}, track {plan.track}, setting {plan.setting}. {card.summary}",
        "license": joint_spdx(licences),
        "url": card.credit.url,
        "version": f"{card.version}.0.0",
        "datePublished": date.today().isoformat(),  # noqa: DTZ011 -- the day of whoever made it
        "creator": {"@type": "sc:Organization", "name": "The Tetrad authors"},
        "citeAs": f"{card.credit.authors}. {card.credit.title}. {card.credit.venue}. {card.credit.url}",
        "rai:dataCollection": f"Generated by Tetrad {find_version()}: {seeds}. Command: {shlex.join(command)}",
        "rai:dataLimitations": LIMITATIONS,
        "rai:dataUseCases": USE,
        "rai:personalSensitiveInformation": "None: people in pictures are drawn, or are of the sources that are named.",
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": shard.file,
                "name": shard.file,
                "contentUrl": shard.file,
                "contentSize": f"{shard.bytes} B",
                "encodingFormat": MEDIA_TYPES[plan.form],
                "sha256": shard.sha256,
            }
            for shard in manifest.shards
        ]
        + [
            {
                "@type": "cr:FileSet",
                "@id": f"files-{split.name}",
                "name": f"files-{split.name}",
                "containedIn": [{"@id": shard.file} for shard in manifest.of(split)],
                "encodingFormat": MEDIA_TYPES[plan.form],
                "includes": _pattern(plan, split),
            }
            for split in plan.splits
        ],
        "recordSet": [_record_set(plan, split) for split in plan.splits],
    }


def _record_set(plan: Plan, split: Split) -> dict[str, Any]:
    """Return the rows of a split. In tar files the rows are JSON beside pictures, which Croissant reads as content."""
    return {
        "@type": "cr:RecordSet",
        "@id": split.name,
        "name": split.name,
        "description": f"One row a question: {_describe_split(split)}.",
        "field": [_field(plan, split, column) for column in COLUMNS],
    }


def _field(plan: Plan, split: Split, column: Column) -> dict[str, Any]:
    """Return a column. The fields of a record are found within the column's value."""
    name = f"{split.name}/{column.name}"
    described = {"@type": "cr:Field", "@id": name, "name": name, "description": column.description}
    source = {"fileSet": {"@id": f"files-{split.name}"}, "extract": _extract(plan, column.name)}
    repeated = {"repeated": True} if column.many else {}
    if not column.fields:
        return {**described, **repeated, "dataType": _data_type(plan, column), "source": source}
    below = [
        {
            "@type": "cr:Field",
            "@id": f"{name}/{field.name}",
            "name": f"{name}/{field.name}",
            "description": field.description,
            "dataType": _data_type(plan, field),
            "source": {**source, "transform": {"jsonPath": field.name}},
        }
        for field in column.fields
    ]
    return {**described, **repeated, "subField": below}


def _data_type(plan: Plan, column: Column) -> str:
    """Return the type of a column; beside lines of JSON a picture is the name of its file."""
    if column.kind == "image" and plan.form == "hf":
        return "sc:ImageObject"
    return "sc:Integer" if column.kind == "number" else "sc:Text"


def _extract(plan: Plan, name: str) -> dict[str, str]:
    return {"jsonPath": f"$.{name}"} if plan.form == "webdataset" else {"column": name}


CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
