"""The toy's draws as the real generator seals them with a known secret, so that tests can be right on purpose."""

from functools import cache

from generator_service.draws import Draw
from generator_service.items import make_item
from generator_service.mounting import NO_BANK, Mounted
from tests.integration import real_generator
from tests.integration.scoring.benchmarks.toy import BENCHMARK
from tetrad.contracts.answers import SealedAnswer

NONCE = "n"
MOUNTED = Mounted(BENCHMARK, None, NO_BANK)
IDENTITY = MOUNTED.identity("toy", "full", {})


def seed_of(submission: str) -> str:
    return real_generator.seed_of(submission, NONCE)


def commitment(submission: str, size: int) -> str:
    return Draw(BENCHMARK, IDENTITY, seed_of(submission)).commitment(size)


@cache
def right_answers(submission: str, size: int) -> tuple[SealedAnswer, ...]:
    draw = Draw(BENCHMARK, IDENTITY, seed_of(submission))
    return tuple(
        SealedAnswer(item=item, question=keyed.question.id, answer=keyed.key.label)
        for item in range(size)
        for keyed in make_item(MOUNTED, draw, item).questions
    )
