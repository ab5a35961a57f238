"""Published figures: as they were read from the papers and checked, and of what their card has."""

import hashlib

import msgspec
import pytest

from generator_service.benchmark import Benchmark
from generator_service.finding import find_benchmarks
from generator_service.parameters import resolve

# The first digits of SHA-256 over all rows. When they were written down, groups gave the whole, rates were whole
# numbers of right answers, and differences were those of their tables.
READ = {
    "carv": "709f6c349749dbbc",
    "kiva": "c498baec01b083f5",
    "marvel": "a40cb081460fd4fa",
    "vasr": "858ffa8c47c21090",
    "visanalog": "172f89a21d604d25",
}
FOUND = [benchmark for benchmark in find_benchmarks() if benchmark.card.reference]


def test_figures_stay_as_they_were_read() -> None:
    rows = {one.name: msgspec.json.encode(one.card.reference, order="deterministic") for one in FOUND}
    assert {name: hashlib.sha256(body).hexdigest()[:16] for name, body in rows.items()} == READ


@pytest.mark.parametrize("benchmark", FOUND, ids=lambda one: one.name)
def test_a_figure_is_of_a_metric_and_of_facets_and_parameters_that_the_card_has(benchmark: Benchmark) -> None:
    card = benchmark.card
    by_metric = {metric.name: {*getattr(metric, "by", ()), *getattr(metric, "where", ())} for metric in card.metrics}
    facets = set(card.filters).union(*by_metric.values())
    for row in card.reference:
        assert row.metric in by_metric
        assert row.value is not None or row.words
        assert row.where.keys() <= {"track", "setting", *facets}
        tracks = [track for track in card.tracks if track.name in row.where.get("track", (track.name,))]
        for setting in row.where.get("setting", tracks[0].settings[:1]):
            places = [one.name for one in tracks if setting in one.settings]
            assert places
            assert all(
                resolve(card, place, setting, row.parameters).keys() >= row.parameters.keys() for place in places
            )
