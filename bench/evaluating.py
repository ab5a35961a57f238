"""Row of evaluations: the service answers with a slow model, against the ideal schedule of the same questions."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.measuring import Bench, Line
from tests.evaluating import answering_after, models_file
from tests.instance import running
from tests.integration.inference_gateway.upstream import Upstream
from tests.integration.inference_gateway.upstream import running as running_upstream
from tetrad.client import Client
from tetrad.contracts.evaluations import EvaluationRequest

PLACES = (("carv", "single", "direct"), ("kiva", "kiva", "full"))
"""One question an item, and up to three in stages."""
LOADS = ((0.1, 4), (1.0, 32))
"""Seconds of a call, and questions in flight."""
MOST_RATIO = 1.25


def evaluations(bench: Bench) -> Iterator[Line]:
    """Evaluate each place under each load, in an instance of its own whose gateway knows the slow server.

    In the ideal schedule nobody waits: it takes as long as all calls one after the other, divided by how many are in
    flight, or as long as the longest item. The time is from the first question open to the last answer sealed.
    """
    with running_upstream() as upstream, TemporaryDirectory(prefix="tetrad-bench-") as folder:
        models = models_file(Path(folder), upstream)
        with (
            running(Path(folder) / "home", bench.bank, models_file=models) as instance,
            instance.team("bench-evaluations") as team,
        ):
            for latency, concurrency in LOADS:
                for place in PLACES:
                    yield _line(bench, team, upstream, place, latency, concurrency)


def _line(  # noqa: PLR0917 - a place and a load
    bench: Bench, team: Client, upstream: Upstream, place: tuple[str, str, str], latency: float, concurrency: int
) -> Line:
    benchmark, track, setting = place
    upstream.otherwise = answering_after(latency)
    request = EvaluationRequest(
        benchmark=benchmark,
        models=["dear"],
        track=track,
        setting=setting,
        size=bench.scale.evaluated,
        concurrency=concurrency,
    )
    opened = team.evaluate(request)
    *_, shown = team.follow_evaluation(opened.id, every_seconds=0.5)
    (run,) = team.evaluation_result(opened.id).runs
    taken = run.seconds or 0.0
    report = team.report(run.submission)
    longest = max(Counter(question.item for question in report.questions).values())
    ideal = max(run.total.calls * latency / concurrency, longest * latency)
    waited = _seconds(shown.created_at, shown.begun_at or shown.created_at)
    return Line(
        name=f"{benchmark} {setting}, {request.size} items, a model of {latency:g} s, {concurrency} at a time",
        value=f"{taken:.1f} s, begun after {waited:.1f} s",
        ratio=f"{taken / ideal:.2f} x the ideal schedule of {run.total.calls} calls",
        aim=f"{MOST_RATIO} x or less",
        met=taken / ideal <= MOST_RATIO,
    )


def _seconds(first: str, second: str) -> float:
    return (datetime.fromisoformat(second) - datetime.fromisoformat(first)).total_seconds()
