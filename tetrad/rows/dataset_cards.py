"""What stands beside the shards of a fetched data set: the same files as beside those of an export."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from tetrad.contracts.benchmarks import BenchmarkInfo
from tetrad.contracts.datasets import DatasetForm, DatasetManifest, DatasetPlan
from tetrad.contracts.wire import ParameterValue
from tetrad.rows.cards import write_cards, write_licences
from tetrad.rows.dataset_plans import ENDINGS
from tetrad.rows.licences import OURS, Licence, licences_of
from tetrad.rows.plan import DATA, ExportForm, Manifest, Plan, Shard, Split

TRAIN = "train"
EXPORT_FORMS: dict[DatasetForm, ExportForm] = {"rows": "jsonl", "parquet": "hf", "webdataset": "webdataset"}


class DatasetExport(Plan, frozen=True, kw_only=True):
    """The plan of a data set as that of an export: one split, in files of other names."""

    ending: str

    def file_of(self, split: Split, number: int) -> str:  # noqa: ARG002 -- there is one
        return f"{DATA}/{self.benchmark}-{number:05d}.{self.ending}"


def write_dataset_cards(folder: Path, info: BenchmarkInfo, manifest: DatasetManifest) -> None:
    """Write the licences of a data set's sources and, once its shards are there, README.md and croissant.json."""
    plan = manifest.plan
    named = find_named(info, plan)
    track = plan.identity.track
    if named is None:
        unknown = f"the sources with the digest {plan.identity.bank}"
        stated = Licence(
            source=unknown, spdx="LicenseRef-not-stated", credit=(), may_train=False, may_redistribute=False
        )
        licences: tuple[Licence, ...] = (OURS, stated)
    else:
        licences = licences_of(info, track, named)
    write_licences(folder, track, licences)
    if manifest.is_complete and manifest.shards:
        write_cards(folder, info, as_export(manifest, named or []), command_of(plan, named or []), licences)


def find_named(info: BenchmarkInfo, plan: DatasetPlan) -> list[str] | None:
    """Return the sources that an order named, none if it has the default ones; None if this service has others now."""
    identity = plan.identity
    if info.bank_of(identity.track) == identity.bank:
        return []
    found = [
        source.title for source in info.sources if source.digest == identity.bank and identity.track in source.tracks
    ]
    return found[:1] or None


def as_export(manifest: DatasetManifest, named: Sequence[str]) -> Manifest:
    """Return the manifest of a data set in the words of an export's."""
    plan, identity = manifest.plan, manifest.plan.identity
    told = DatasetExport(
        benchmark=identity.benchmark,
        version=identity.version,
        track=identity.track,
        setting=identity.setting,
        parameters=identity.parameters,
        filters={},
        digest=identity.bank,
        named_sources=list(named),
        form=EXPORT_FORMS[plan.form],
        questions="all",
        splits=[Split(name=TRAIN, seed=plan.seed, offset=0, count=plan.count)],
        shard_items=plan.shard_items,
        ending=ENDINGS[plan.form],
    )
    shards = [
        Shard(
            split=TRAIN,
            file=f"{DATA}/{shard.file}",
            items=shard.items,
            rows=shard.rows,
            bytes=shard.bytes,
            sha256=shard.sha256,
            next_offset=min((shard.number + 1) * plan.shard_items, plan.count),
        )
        for shard in manifest.shards
    ]
    return Manifest(plan=told, shards=shards, is_complete=manifest.is_complete)


def command_of(plan: DatasetPlan, named: Sequence[str]) -> list[str]:
    """Return the command line that orders the data set again, with what was left to defaults written out."""
    identity = plan.identity
    words = f"tetrad datasets make {identity.benchmark} --track {identity.track} --setting {identity.setting}"
    words += f" --seed {plan.seed} --count {plan.count} --form {plan.form} --shard-items {plan.shard_items}"
    parameters = [f"--parameter={name}={in_words(value)}" for name, value in sorted(identity.parameters.items())]
    return [*shlex.split(words), *parameters, *(f"--source={title}" for title in named)]


def in_words(value: ParameterValue) -> str:
    """Return the value of a parameter as the command line takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
