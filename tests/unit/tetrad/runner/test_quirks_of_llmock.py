"""The quirks that llmock plays, at the loop of `tetrad submit --openai`: what is sealed, and how often it was asked."""

from collections.abc import Sequence
from typing import Any

import pytest
from llmock.scenarios import Behavior, Delay, Fail, Reply, ToolCall

from generator_service.benchmarks.kiva.eligible import KivaBank
from tests.unit.tetrad.runner.draw import KivaDraw
from tetrad.contracts.answers import Answer, SealReceipt
from tetrad.runner import Attempts, Plan, RunError, answer_submission, http_responder

TEXT = "The answer is (1)."
PLAN = Plan(concurrency=1, attempts=Attempts(most=3, pause_seconds=0.0))


class Told(KivaDraw):
    """A draw that keeps why each reply ended."""

    def __init__(self, bank: KivaBank) -> None:
        super().__init__(bank, items=1)
        self.stops: set[str | None] = set()

    def seal(self, answers: Sequence[Answer]) -> SealReceipt:
        self.stops |= {answer.stop for answer in answers}
        return super().seal(answers)


@pytest.mark.parametrize(
    ("quirk", "kept", "repeated"),
    [
        (Reply(TEXT, finish_reason="stop", times=None), ("complete", TEXT), 0),
        (Reply(TEXT, finish_reason="length", times=None), ("length", TEXT), 0),
        (Reply(TEXT, finish_reason="content_filter", times=None), ("blocked", TEXT), 0),
        (Reply(TEXT, finish_reason="model_length", times=None), ("length", TEXT), 0),
        (Reply(TEXT, finish_reason="network_error", times=None), ("cut", TEXT), 0),
        (Reply(TEXT, finish_reason="made_up", times=None), ("unknown", TEXT), 0),
        (Reply("", times=None), ("empty", ""), 0),
        (Reply(None, (ToolCall("look"),), times=None), ("cut", ""), 0),
        (Fail(429, retry_after=0.01), ("complete", None), 1),
        (Fail(429, retry_after=0.01, times=2), ("complete", None), 2),
        (Fail(500), ("complete", None), 1),
        (Fail(503), ("complete", None), 1),
        (Delay(0.05), ("complete", None), 0),
    ],
)
def test_a_quirk_that_a_run_survives_is_told_by_its_stop_and_its_calls(
    kiva_bank: KivaBank, llmock: Any, quirk: Behavior, kept: tuple[str, str | None], repeated: int
) -> None:
    stop, text = kept
    draw = Told(kiva_bank)
    llmock.add(quirk)
    done = answer_submission(draw, http_responder(llmock.base_url(), "gpt-4o"), PLAN)
    assert (draw.stops, done.failed_attempts) == ({stop}, repeated)
    assert len(llmock.requests) == done.sealed + repeated
    if text is not None:
        assert set(draw.sealed.values()) == {text}


@pytest.mark.parametrize(
    ("quirk", "calls"),
    [
        (Fail(400, times=None), 1),
        (Fail(401, times=None), 1),
        (Fail(404, times=None), 1),
        (Fail(429, code="insufficient_quota", times=None), 1),
        (Fail(503, times=None), 3),
    ],
)
def test_a_quirk_that_no_run_survives_seals_nothing(
    kiva_bank: KivaBank, llmock: Any, quirk: Behavior, calls: int
) -> None:
    draw = Told(kiva_bank)
    llmock.add(quirk)
    with pytest.raises(RunError):
        answer_submission(draw, http_responder(llmock.base_url(), "gpt-4o"), PLAN)
    assert (len(llmock.requests), draw.sealed) == (calls, {})
