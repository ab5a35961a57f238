"""The plan of a data set: its id, and the shards that it is divided into."""

from tetrad.canonical import hexdigest
from tetrad.commitments import identity_fields
from tetrad.contracts.datasets import DatasetForm, DatasetPlan

PREFIX = "dst_"
ID_DIGITS = 40
ENDINGS: dict[DatasetForm, str] = {"rows": "jsonl", "parquet": "parquet", "webdataset": "tar"}


def id_of(plan: DatasetPlan) -> str:
    """Return the id of the data set of this plan: what it says of every byte, digested."""
    told = (plan.seed, plan.count, plan.form, plan.shard_items, plan.writer)
    return PREFIX + hexdigest("tetrad/dataset/1", *identity_fields(plan.identity), *told)[:ID_DIGITS]


def count_shards(plan: DatasetPlan) -> int:
    return 0 if plan.form == "recipe" else -(-plan.count // plan.shard_items)


def items_of(plan: DatasetPlan, number: int) -> range:
    """Return the indexes of the items of a shard.

    Raises:
        ValueError: the plan has no shard of this number.
    """
    if not 0 <= number < count_shards(plan):
        raise ValueError(f"there is no shard {number}: the plan has {count_shards(plan)}, from 0 on")
    first = number * plan.shard_items
    return range(first, min(first + plan.shard_items, plan.count))


def file_of(plan: DatasetPlan, number: int) -> str:
    """Return the name of the file of a shard."""
    return f"{plan.identity.benchmark}-{number:05d}.{ENDINGS[plan.form]}"
