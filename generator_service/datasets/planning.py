"""Plan a data set: what its bytes follow from, and about how many they are, before anything is made."""

from pathlib import Path
from tempfile import TemporaryDirectory

from generator_service.datasets.shards import make_shard, writer_version
from generator_service.items import make_item, picture_names
from generator_service.practice import Practice
from tetrad.contracts.datasets import DatasetPlan
from tetrad.internal.practice import PlannedDataset, PlanRequest

SAMPLED = 4  # items: a tenth of a second with their pictures


def plan_dataset(practice: Practice, request: PlanRequest) -> PlannedDataset:
    """Return the plan of a data set, and the mean size of its first items in its form.

    Raises:
        IdentityError: something asked for is not on the card, or is of a sealed part.
        TrackUnreadyError: the sources of the track lack something.
        SeedError: the seed is not one.
        CorpusClosedError: the benchmark is a fixed corpus.
        WriterError: this process can't write the form.
    """
    draw = practice.choose(request.items).draw
    plan = DatasetPlan(
        identity=draw.identity,
        seed=draw.seed,
        count=request.count,
        form=request.form,
        shard_items=request.shard_items,
        writer=writer_version(request.form),
    )
    pictures = _count_pictures(practice, plan)
    return PlannedDataset(plan=plan, item_bytes=_measure_item(practice, plan), item_pictures=pictures)


def _measure_item(practice: Practice, plan: DatasetPlan) -> float:
    """Return the mean bytes of an item; 0 of a recipe, which has no shards."""
    if plan.form == "recipe":
        return 0.0
    small = min(SAMPLED, plan.count)
    sample = DatasetPlan(
        identity=plan.identity, seed=plan.seed, count=small, form=plan.form, shard_items=small, writer=plan.writer
    )
    with TemporaryDirectory() as folder:
        return make_shard(sample, 0, Path(folder), practice).bytes / small


def _count_pictures(practice: Practice, plan: DatasetPlan) -> float:
    mounted, draw = practice.open_draw(plan.identity, plan.seed)
    items = [make_item(mounted, draw, index) for index in range(min(SAMPLED, plan.count))]
    return sum(len(picture_names(item)) for item in items) / len(items)
