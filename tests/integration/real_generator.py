"""The real generator as a process, for tests that know its secret and tokens, and what their benchmarks leave out."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from generator_service.benchmark import Benchmark, Parts, View
from generator_service.draws import sealed_seed
from generator_service.settings import PREFIX, GeneratorSettings
from tests.serving import NOTHING, Served, served, variables

SECRET = "a-seed-secret-of-the-tests-00000000000"
PRACTICE_TOKEN = "practice-token-of-the-tests-0000000000"
SEALED_TOKEN = "sealed-token-of-the-tests-000000000000"
KEYS_TOKEN = "keys-token-of-the-tests-00000000000000"


@contextmanager
def generator_served(
    folder: Path,
    app: str = "generator_service.app:create_app",
    environment: Mapping[str, str] = NOTHING,
    **more: str,
) -> Iterator[Served]:
    """Run a generator with its record and its sources in this folder."""
    settings = GeneratorSettings(
        seed_secret=SECRET,
        practice_token=PRACTICE_TOKEN,
        sealed_token=SEALED_TOKEN,
        keys_token=KEYS_TOKEN,
        database_url=record_url(folder),
        log_level="ERROR",
        **{"sources_url": f"file://{folder}/sources"} | more,  # type: ignore[arg-type]
    )
    with served(app, {**variables(PREFIX, settings), **environment}) as generator:
        yield generator


def record_url(folder: Path) -> str:
    return f"sqlite:///{folder}/generator.sqlite"


def seed_of(submission: str, nonce: str) -> str:
    return sealed_seed(SECRET.encode(), submission, nonce)


def _holds(_scene: object, name: str) -> Parts:
    raise KeyError(name)


def _solve(_view: View) -> str | None:
    return None


ServedBenchmark = partial(Benchmark, holds=_holds, solve=_solve, clues={})
"""A benchmark that is served and never proved: nobody solves it, and its pictures hold no parts."""
