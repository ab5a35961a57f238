"""Every row of the bench that needs an instance runs, at tiny sizes: what is measured is never asserted here."""

import pytest

from bench.measuring import Scale
from tests.instance import Instance

# Counting lines would take as long again; what the bench runs is covered by the tests of it.
pytestmark = pytest.mark.no_cover
TINY = Scale(
    rounds=1, trials=1, submission=3, idle_seconds=0, fetched=2, step=2, staged=2, latency_seconds=0.01, large=8
)


def test_every_row_of_an_instance_gives_lines_and_the_table_shows_them(
    instance: Instance, capsys: pytest.CaptureFixture[str]
) -> None:
    # At the top, every worker of pytest-xdist would import all that the bench measures for a second.
    from bench.__main__ import OF_INSTANCE, measure, show  # noqa: PLC0415 -- see above

    lines = list(measure(list(OF_INSTANCE), TINY, instance))
    assert len(lines) >= len(OF_INSTANCE)
    assert instance.process.poll() is None, "it is not the bench's own, and goes on"
    show(lines)
    shown = capsys.readouterr().out
    for words in (
        "idle",
        "a picture from cache",
        "a page of an item of kiva",
        "a trial of a submission",
        "a training step of 2 items",
        "a training step in two requests: 2 inline rows",
        "marvel full answered",
        "beside 8 CARV items",
        "in slices of 1 s",
    ):
        assert words in shown
