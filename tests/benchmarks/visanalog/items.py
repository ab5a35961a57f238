"""Items to test, without pictures: a bank that only says which kinds there are."""

from collections.abc import Iterator
from functools import cache

from generator_service.benchmark import Streams
from generator_service.benchmarks.visanalog import BENCHMARK
from generator_service.benchmarks.visanalog.bank import VisAnalogBank
from generator_service.benchmarks.visanalog.spec import (
    COMPOSED,
    END_TO_END,
    SCENES,
    SEARCH_SPACE,
    Photograph,
    Scene,
    Shown,
    Stander,
    Thing,
)
from generator_service.draws import balanced_unit
from tetrad.contracts.wire import ParameterValue
from tetrad.streams import StreamFamily

NAMES = tuple(f"piece-{name}" for name in "abcdefghijklmn")
DRAWN = (COMPOSED, SCENES)
"""Tracks whose pictures are drawn."""
BANK = VisAnalogBank(objects=None, kinds={name: (f"{name}-0", f"{name}-1") for name in NAMES})


def items(
    count: int, *, track: str = COMPOSED, setting: str = END_TO_END, steps: int = 0, space: str = SEARCH_SPACE[0]
) -> Iterator[Scene]:
    """Yield items of a balanced block's strata, spread over the block."""
    parameters: dict[str, ParameterValue] = {"steps": steps, "search_space": space}
    unit = balanced_unit(BENCHMARK.strata(track, setting, parameters))
    for index in range(count):
        streams = Streams(StreamFamily(b"a test's identity, of 32 bytes..", steps, index))
        yield BENCHMARK.sample(BANK, track, setting, parameters, unit[index * len(unit) // count], streams)


def things_of(picture: Shown) -> tuple[Thing | Stander, ...]:
    """Return what lies or stands in a picture that is drawn."""
    assert not isinstance(picture, Photograph)
    return picture.things


@cache
def many(track: str, steps: int) -> tuple[Scene, ...]:
    """Return 60 items of one number of steps."""
    return tuple(items(60, track=track, steps=steps))
