"""Draw an item of photographs: a role that changes, one of its analogies, the distractors, and their places.

Difficult distractors are those that mining found, the most similar first: two of one sort and one of the other; of
seven four and three. Random ones are any other photographs that don't solve the analogy.
"""

import hashlib
from collections.abc import Iterator
from itertools import islice

from generator_service.benchmark import Parameters, Streams
from generator_service.benchmarks.vasr.photographs.bank import Analogy, AnalogyBank, shares_of
from generator_service.benchmarks.vasr.spec import DIFFICULT, Offered, Photograph, Scene
from tetrad.streams import Stream

_MOST_DRAWS = 2000


class NoDistractorError(RuntimeError):
    """Too few photographs can be random distractors: the bank let too small a corpus through."""


def sample_photographs(bank: AnalogyBank, setting: str, parameters: Parameters, streams: Streams) -> Scene:
    """Draw an item.

    Raises:
        NoDistractorError: too few photographs read otherwise than the answer.
    """
    kind, count = str(parameters["distractors"]), int(str(parameters["candidates"]))
    stream = streams("states")
    analogy = bank.analogy(stream.choice(bank.keys(stream.choice(bank.roles(count)), count)))
    a, changed, b, right = (
        bank.photograph(image, frame) for image, frame in zip(analogy.images, analogy.frames, strict=True)
    )
    found = _difficult(bank, analogy, stream, count) if kind == DIFFICULT else _random(bank, analogy, right, stream)
    wrong = tuple(islice(found, count - 1))
    options = streams("order").shuffle((Offered(right, ""), *wrong))
    return Scene(
        item=hashlib.sha256(analogy.key.encode()).hexdigest()[:16],
        setting=setting,
        role=analogy.role,
        kind=kind,
        sort="",
        presentation=str(parameters["presentation"]),
        given=(a, changed, b),
        options=options,
        looks={},
    )


def _difficult(bank: AnalogyBank, analogy: Analogy, stream: Stream, count: int) -> Iterator[Offered]:
    """Yield distractors of both sorts, more of one of them."""
    few, many = shares_of(count)
    ways = [
        (of_other, of_near)
        for of_other, of_near in ((many, few), (few, many))
        if len(analogy.other) >= of_other and len(analogy.near) >= of_near
    ]
    of_other, of_near = stream.choice(ways)
    yield from (Offered(bank.photograph(*candidate), "wrong situation") for candidate in analogy.other[:of_other])
    yield from (Offered(bank.photograph(*candidate), "lacks the change") for candidate in analogy.near[:of_near])


def _random(bank: AnalogyBank, analogy: Analogy, right: Photograph, stream: Stream) -> Iterator[Offered]:
    """Yield photographs that have nothing to do with the analogy, each of its own words."""
    told = {(right.verb, right.values)}
    for _ in range(_MOST_DRAWS):
        image = stream.choice(bank.images)
        one = bank.photograph(image)
        if image not in analogy.images and (one.verb, one.values) not in told and not bank.solves(analogy, image):
            told.add((one.verb, one.values))
            yield Offered(one, "unrelated")
    raise NoDistractorError(f"{len(told) - 1} of {_MOST_DRAWS} photographs can stand beside {right.name}")
