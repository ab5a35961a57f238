"""The runner's loop over real items: all is answered, nothing twice, failures are bounded and lose nothing."""

import threading
import time
from collections.abc import Iterator, Sequence

import pytest

from generator_service.benchmarks.kiva.eligible import KivaBank
from tests.unit.tetrad.runner.draw import KivaDraw
from tetrad.contracts.answers import Answer, SealReceipt
from tetrad.contracts.submissions import OpenQuestion
from tetrad.prompting import UnknownStrategyError
from tetrad.runner import (
    Attempts,
    Plan,
    Prompt,
    RefusedError,
    ReplyError,
    RunError,
    RunProgress,
    StalledError,
    answer_submission,
    loop,
    solver_responder,
)
from tetrad.runner.loop import picture_names

ITEMS = 12
HASTY = Attempts(most=3, pause_seconds=0.0)


@pytest.fixture
def draw(kiva_bank: KivaBank) -> KivaDraw:
    return KivaDraw(kiva_bank, ITEMS)


def test_the_pixel_solver_answers_every_question_of_every_stage(draw: KivaDraw) -> None:
    told: list[RunProgress] = []
    progress = answer_submission(draw, solver_responder("pixel-solver"), Plan(batch=5), report=told.append)
    assert (progress.sealed, progress.state, progress.failed_attempts) == (3 * ITEMS, "queued", 0)
    assert draw.right() == 1.0
    assert told[-1] == progress
    assert [one.sealed for one in told] == sorted(one.sealed for one in told)


def test_wrong_answers_close_the_question_that_depends_on_them(draw: KivaDraw) -> None:
    progress = answer_submission(draw, lambda _: "no idea")
    assert progress.sealed == len(draw.sealed) == 2 * ITEMS
    assert draw.right() == 0.0


def test_a_draw_with_nothing_open_is_done_at_once(draw: KivaDraw) -> None:
    answer_submission(draw, lambda _: "no idea")
    assert answer_submission(draw, lambda _: "never asked") == RunProgress(rounds=1)


def test_answers_are_sealed_in_batches_and_each_picture_is_fetched_once(draw: KivaDraw) -> None:
    answer_submission(draw, lambda _: "no idea", Plan(batch=4, concurrency=1))
    assert max(draw.batches) <= 4 + loop.LEAST_AHEAD, "a full batch is sealed with all that has come"
    assert sum(draw.batches) == 2 * ITEMS
    assert len(draw.fetched) == len(set(draw.fetched)) == ITEMS * 4


class Together(KivaDraw):
    """A draw that gives the pictures of an item in one request."""

    def pictures(self, asked: OpenQuestion, names: Sequence[str]) -> dict[str, bytes]:
        self.requests.append((asked.item, *names))
        return {name: self.picture(asked, name) for name in names}


def test_an_item_s_pictures_come_in_one_request_where_the_port_gives_them_so(kiva_bank: KivaBank) -> None:
    draw = Together(kiva_bank, ITEMS)
    answer_submission(draw, solver_responder("pixel-solver"))
    assert draw.right() == 1.0
    assert len(draw.fetched) == len(set(draw.fetched)) == ITEMS * 4
    assert [names for item, *names in draw.requests if item == 0] == [["1"], ["2", "3", "4"]]
    assert len(draw.requests) == 2 * ITEMS


def test_pictures_that_are_too_many_to_keep_are_fetched_again(draw: KivaDraw, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "MOST_KEPT", 0)
    answer_submission(draw, solver_responder("pixel-solver"), Plan(concurrency=1))
    assert draw.right() == 1.0
    assert len(draw.fetched) > len(set(draw.fetched)) == ITEMS * 4


def test_no_more_questions_are_in_flight_than_asked_for(draw: KivaDraw) -> None:
    now, most, lock, three = [0], [0], threading.Lock(), threading.Event()

    def slow(_: Prompt) -> str:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
            if now[0] == 3:
                three.set()
        three.wait(30)  # the first waits for two more, whose pictures may take long
        time.sleep(0.01)
        with lock:
            now[0] -= 1
        return "no idea"

    answer_submission(draw, slow, Plan(concurrency=3))
    assert most[0] == 3


def test_pictures_of_further_questions_are_fetched_while_the_first_is_answered(kiva_bank: KivaBank) -> None:
    draw = KivaDraw(kiva_bank, 20)
    fetch, items, all_there = draw.picture, set[int](), threading.Event()

    def picture(asked: OpenQuestion, name: str) -> bytes:
        items.add(asked.item)
        if len(items) > loop.LEAST_AHEAD:
            all_there.set()
        return fetch(asked, name)

    def respond(_: Prompt) -> str:
        assert all_there.wait(60), f"{len(items)} items' pictures are asked for before the first answer"
        return "no idea"

    draw.picture = picture  # type: ignore[method-assign]
    assert answer_submission(draw, respond, Plan(concurrency=1)).sealed == 40


@pytest.mark.parametrize("joined", [False, True], ids=["fresh", "joined"])
@pytest.mark.parametrize("slow", [0, ITEMS - 1], ids=["first", "last"])
def test_a_slow_answer_holds_up_its_own_item_alone(kiva_bank: KivaBank, slow: int, *, joined: bool) -> None:
    draw = KivaDraw(kiva_bank, ITEMS, joined=joined)
    waited_for = next(asked for asked in draw.questions() if asked.item == slow)
    pictures = {name: draw.picture(waited_for, name) for name in picture_names(waited_for)}
    others_are_done, solve = threading.Event(), solver_responder("pixel-solver")
    replies: list[str] = []

    def respond(prompt: Prompt) -> str:
        if prompt.pictures == pictures and not prompt.earlier:
            assert others_are_done.wait(60), "questions that have opened wait for an answer to another item"
        replies.append(solve(prompt))
        if len(replies) == 3 * (ITEMS - 1):
            others_are_done.set()
        return replies[-1]

    progress = answer_submission(draw, respond, Plan(concurrency=3, batch=7))
    assert (progress.sealed, progress.rounds, draw.right()) == (3 * ITEMS, 1, 1.0)


def test_pictures_of_questions_that_are_not_asked_any_more_are_not_waited_for(draw: KivaDraw) -> None:
    refused = threading.Event()
    fetch = draw.picture

    def picture(asked: OpenQuestion, name: str) -> bytes:
        if asked.item > 0:
            assert refused.wait(60)
        return fetch(asked, name)

    def refuses(_: Prompt) -> str:
        refused.set()
        raise RefusedError("no such model")

    draw.picture = picture  # type: ignore[method-assign]
    with pytest.raises(RunError):
        answer_submission(draw, refuses, Plan(concurrency=8))
    assert len(draw.fetched) <= 1 + 16


def test_items_under_way_are_bounded(kiva_bank: KivaBank, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "LEAST_ITEMS", 4)
    draw = KivaDraw(kiva_bank, ITEMS)
    begun: set[int] = set()
    most = [0]
    fetch, solve = draw.picture, solver_responder("pixel-solver")

    def picture(asked: OpenQuestion, name: str) -> bytes:
        begun.add(asked.item)
        done = {item for item in list(begun) if sum(at == item for at, _ in list(draw.sealed)) == 3}
        most[0] = max(most[0], len(begun) - len(done))
        return fetch(asked, name)

    draw.picture = picture  # type: ignore[method-assign]
    answer_submission(draw, solve, Plan(concurrency=1, batch=1))
    assert draw.right() == 1.0
    assert 1 < most[0] <= 4


def test_an_overlong_reply_keeps_its_end(draw: KivaDraw) -> None:
    progress = answer_submission(draw, lambda _: "x" * 40_000 + " (1)")
    assert all(reply.endswith("x (1)") and "characters left out" in reply for reply in draw.sealed.values())
    assert progress.altered == len(draw.sealed)


class Flaky:
    """Replies only at the n-th attempt of each question."""

    def __init__(self, attempt: int) -> None:
        self.attempt = attempt
        self.asked: dict[str, int] = {}
        self._lock = threading.Lock()

    def __call__(self, prompt: Prompt) -> str:
        identity = repr(prompt)
        with self._lock:
            self.asked[identity] = self.asked.get(identity, 0) + 1
            if self.asked[identity] < self.attempt:
                raise ReplyError("busy", wait_seconds=0.0)
        return "no idea"


def test_a_failing_model_is_asked_again(draw: KivaDraw) -> None:
    progress = answer_submission(draw, Flaky(2), Plan(attempts=HASTY))
    assert progress.sealed == 2 * ITEMS
    assert progress.failed_attempts > 0


def test_attempts_end_at_the_cap_and_what_came_is_sealed(draw: KivaDraw) -> None:
    calls: list[str] = []

    def breaks_on_the_last_item(prompt: Prompt) -> str:
        if prompt.pictures == broken:
            calls.append(prompt.question.id)
            raise ReplyError("out of order")
        return "no idea"

    last = next(asked for asked in draw.questions() if asked.item == ITEMS - 1)
    broken = {picture.name: draw.picture(last, picture.name) for picture in last.question.pictures}
    with pytest.raises(RunError, match=f"item {ITEMS - 1}, question .*out of order.*this run sealed") as failed:
        answer_submission(draw, breaks_on_the_last_item, Plan(attempts=HASTY))
    assert len(calls) == HASTY.most
    assert failed.value.progress.sealed == len(draw.sealed) > 0
    assert failed.value.asked.item == ITEMS - 1


def test_a_stopped_run_is_taken_up_by_running_again(draw: KivaDraw) -> None:
    asked: list[str] = []

    def dies_on_the_way(_: Prompt) -> str:
        asked.append("x")
        if len(asked) > 10:
            raise RefusedError("the key is used up")
        return "no idea"

    with pytest.raises(RunError):
        answer_submission(draw, dies_on_the_way, Plan(concurrency=2, batch=3))
    before = dict(draw.sealed)
    assert len(before) == 10
    progress = answer_submission(draw, lambda _: "no idea")
    assert progress.sealed == 2 * ITEMS - 10
    assert before.items() <= draw.sealed.items()


def test_a_refusal_is_not_tried_again(draw: KivaDraw) -> None:
    calls: list[Prompt] = []

    def refuses(prompt: Prompt) -> str:
        calls.append(prompt)
        raise RefusedError("no such model")

    with pytest.raises(RunError):
        answer_submission(draw, refuses, Plan(concurrency=1))
    assert len(calls) <= 2


def test_an_interrupt_seals_what_came(draw: KivaDraw) -> None:
    four_replies = threading.Event()
    replied: list[str] = []

    def interrupted(items: Sequence[int] | None = None) -> Iterator[OpenQuestion]:
        assert items is None
        yield from list(KivaDraw.questions(draw))[:8]
        assert four_replies.wait(60)
        raise KeyboardInterrupt

    def respond(prompt: Prompt) -> str:
        replied.append(prompt.question.id)
        if len(replied) == 4:
            four_replies.set()
        return "no idea"

    draw.questions = interrupted  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        answer_submission(draw, respond, Plan(concurrency=2))
    assert 4 <= len(draw.sealed) == len(replied)


class Forgetful(KivaDraw):
    """A service that loses what is sealed."""

    def seal(self, answers: Sequence[Answer]) -> SealReceipt:
        return SealReceipt(accepted=len(answers), unchanged=0, dry_run=False, state="open", answered=0)


def test_a_service_that_loses_answers_does_not_keep_the_runner_forever(kiva_bank: KivaBank) -> None:
    with pytest.raises(StalledError, match="stay open"):
        answer_submission(Forgetful(kiva_bank, 2), lambda _: "no idea")


def test_a_strategy_that_needs_examples_says_that_there_are_none(draw: KivaDraw) -> None:
    with pytest.raises(RunError, match="in_context=2"):
        answer_submission(draw, lambda _: "no idea", Plan(strategy="in-context"))


def test_an_unknown_strategy_is_refused_before_anything_is_asked(draw: KivaDraw) -> None:
    with pytest.raises(UnknownStrategyError):
        answer_submission(draw, lambda _: "no idea", Plan(strategy="telepathy"))
    assert draw.fetched == []


def test_pauses_double_honour_the_other_side_and_stay_bounded() -> None:
    slept: list[float] = []
    attempts = Attempts(most=9, pause_seconds=1.0, sleep=slept.append)
    for failed, asked_for in ((1, None), (2, None), (3, 30.0), (4, 900.0), (9, None)):
        attempts.wait(failed, ReplyError("busy", wait_seconds=asked_for))
    assert slept == [1.0, 2.0, 30.0, 60.0, 60.0]
