"""A judge of captions beside scoring in slices: the same report, one stretch of time, and all or nothing."""

import time
from collections.abc import Callable, Sequence

import msgspec
import pytest

from scoring_service.generator import KeyedRanges, RevealedDraw, split_answers
from scoring_service.jobs import report_work
from scoring_service.jobs.report_work import CAPTIONS_AT_ONCE, JudgedSlice, ReportWork, TimedJudge
from scoring_service.judge import JUDGE, GatewayJudge, JudgedCaption, JudgeRefusalError
from scoring_service.scoring import score
from tests.unit.scoring_service.test_caption_judge import CARD, RIGHT, answering, answers, gateway, judge, keys
from tetrad.contracts.reports import Report

__all__ = ["answering", "gateway", "judge"]

SIZE = 100


def in_slices(judge: TimedJudge | None, steps: int) -> Report:
    """Score with a worker of its own for every slice of so many steps."""
    whole = keys()
    given = answers()[:SIZE]
    ranges = KeyedRanges(
        whole.size, split_answers(whole.size, given), lambda items, _: whole.items[items.start : items.stop]
    )
    draw = RevealedDraw(identity=whole.identity, size=whole.size, seed=whole.seed, commitment=whole.commitment)
    slices: list[JudgedSlice] = []
    while True:
        last = slices[-1] if slices else None
        work = ReportWork("sub", draw, CARD, ranges, judge=judge, last=last, number=len(slices))
        for _ in range(steps):
            work.step()
        if work.is_done:
            report = work.report(slices, "now")
            work.close()
            return report
        slices.append(msgspec.msgpack.decode(msgspec.msgpack.encode(work.end_slice()), type=JudgedSlice))
        work.close()


def test_a_judge_says_the_same_of_slices(judge: Callable[..., GatewayJudge]) -> None:
    asked = judge("erring")
    one_go = score("sub", keys(), answers()[:SIZE], CARD, scored_at="now", caption_judge=asked)
    assert in_slices(asked, 3) == one_go
    assert {result.outcome[JUDGE] for result in one_go.questions if result.outcome} == {"correct", "incorrect"}


def test_a_judge_is_asked_for_a_few_captions_and_then_others_have_their_turn() -> None:
    rounds: list[int] = []

    def count(captions: Sequence[JudgedCaption], seconds: float) -> list[str]:
        rounds.append(len(captions))
        return ["correct"] * len(captions)

    in_slices(count, 1)
    assert max(rounds) == CAPTIONS_AT_ONCE
    assert sum(rounds) == SIZE


def test_a_judge_that_refuses_after_some_slices_leaves_no_opinion_in_the_report() -> None:
    rounds: list[int] = []

    def refuse_later(captions: Sequence[JudgedCaption], seconds: float) -> list[str]:
        rounds.append(len(captions))
        if len(rounds) > 3:
            raise JudgeRefusalError("no such model")
        return ["correct"] * len(captions)

    assert in_slices(refuse_later, 2) == score("sub", keys(), answers()[:SIZE], CARD, scored_at="now")
    assert len(rounds) == 4, "it is not asked again"


def test_all_slices_share_the_judge_s_time(
    answering: Callable[..., GatewayJudge], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_work, "JUDGING_SECONDS", 4.0)  # a busy machine takes a second for a round's calls alone
    begun = time.monotonic()
    report = in_slices(answering(RIGHT, delay=1.2), 1)
    assert time.monotonic() - begun < 14, "13 rounds of 1.2 s each would be 16 s, the bound is 4 s"
    opinions = [result.outcome[JUDGE] for result in report.questions if result.outcome]
    assert opinions[:CAPTIONS_AT_ONCE] == ["correct"] * CAPTIONS_AT_ONCE
    assert opinions[-CAPTIONS_AT_ONCE:] == ["unread"] * CAPTIONS_AT_ONCE
    # The captions of one round are asked for together, and the last round's come back in any order.
    last = opinions.index("unread") // CAPTIONS_AT_ONCE
    assert "correct" not in opinions[(last + 1) * CAPTIONS_AT_ONCE :], "none is judged after the time is over"
