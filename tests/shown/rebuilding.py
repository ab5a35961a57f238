"""Makes the sealed items again with the instance's secret, and answers from their scenes."""

from collections.abc import Callable
from functools import cache

from generator_service.draws import Draw, sealed_seed
from generator_service.items import Item, make_item
from generator_service.mounting import Mounted
from generator_service.proving.cases import Case
from tetrad.contracts.submissions import OpenQuestion, Submission

ANY_NUMBER = "4"


def item_of(mounted: Mounted, secret: str, submission: Submission) -> Callable[[int], Item]:
    """Return what makes the submission's items again, each once."""
    seed = sealed_seed(secret.encode(), submission.id, submission.nonce)
    draw = Draw(mounted.benchmark, submission.identity, seed)
    return cache(lambda index: make_item(mounted, draw, index))


def case_of(item: Item, asked: OpenQuestion) -> Case:
    keyed = next(one for one in item.questions if one.question.id == asked.question.id)
    return Case(scene=item.scene, index=asked.item, keyed=keyed, previous="")
