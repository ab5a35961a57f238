"""20 kills (TETRAD_SOAK_EVALUATION_KILLS) of worker, gateway, api and Valkey during evaluations, at random moments.

All evaluations end complete, a model is asked again only for what was in flight at a kill, and no budget is passed.
"""

import os
import random
from math import ceil
from pathlib import Path

from tests.evaluating import KilledEvaluation, answering_after, models_file
from tests.instance import running
from tests.integration.inference_gateway.upstream import running as running_upstream

TOYS = Path(__file__).parents[1] / "toy_benchmarks"
KILLS = int(os.environ.get("TETRAD_SOAK_EVALUATION_KILLS", "20"))
SEED = int(os.environ.get("TETRAD_SOAK_SEED", "1"))
PROGRAMS = ("evaluations", "gateway", "api", "valkey")
SIZE, CONCURRENCY, SECONDS = 120, 4, 0.2


def test_every_evaluation_ends_and_asks_little_twice(tmp_path: Path, bank_folder: Path) -> None:
    rng = random.Random(SEED)
    with running_upstream() as upstream:
        upstream.otherwise = answering_after(SECONDS)
        models = models_file(tmp_path, upstream)
        with (
            running(tmp_path / "home", bank_folder, str(TOYS), models_file=models) as instance,
            instance.team("soak-evaluations") as team,
        ):
            for _ in range(ceil(KILLS / len(PROGRAMS))):
                killed = KilledEvaluation(instance, team, upstream, size=SIZE, concurrency=CONCURRENCY)
                moments = sorted(rng.sample(range(2, SIZE - 15), len(PROGRAMS)))
                for program, after in zip(rng.sample(PROGRAMS, len(PROGRAMS)), moments, strict=True):
                    killed.kill(program, after)
                killed.check_end()
