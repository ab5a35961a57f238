"""The record of a run: what was replied is never asked again, and a limit is never passed."""

import os
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import msgspec
import numpy as np
import pytest

from generator_service.drawing.canvas import Picture
from generator_service.drawing.png import encode_png
from tests.unit.tetrad.runner.test_responders import prompt
from tetrad.contracts.answers import LARGEST_REPLY
from tetrad.contracts.inference import ImageAddress, ImagePart, Message
from tetrad.prompting import picture_address
from tetrad.runner import ModelReply, Prompt, ReplyError, TokenUsage
from tetrad.runner.recording import (
    REPLIES,
    Asked,
    BudgetSpentError,
    BusyFolderError,
    Failed,
    Prices,
    RecordedReplies,
    Replied,
    read_lines,
)

PRICES = Prices(input=2.0, output=10.0, cached_input=0.5, picture_tokens=100)


def asked(item: int) -> Prompt:
    one = prompt()
    return Prompt(question=one.question, pictures={}, messages=one.messages, item=item)


def counting(replies: list[int]) -> Callable[[Prompt], ModelReply]:
    def respond(one: Prompt) -> ModelReply:
        replies.append(one.item)
        return ModelReply(text=f"({one.item})", stop="complete", usage=TokenUsage(input=100, output=5, cached_input=20))

    return respond


def test_a_question_with_a_reply_is_not_asked_again_by_the_next_run(tmp_path: Path) -> None:
    seen: list[int] = []
    for _ in range(2):
        with RecordedReplies(tmp_path, counting(seen), prices=PRICES) as record:
            assert [record(asked(item)).text for item in (1, 2)] == ["(1)", "(2)"]
            assert record(asked(1)).stop == "complete"
    assert seen == [1, 2]
    assert record.costs().replies == 2
    assert record.costs().cost == 2 * (80 * 2 + 10 + 50)  # 80 new tokens, 20 cached ones, 5 out


def test_another_prompt_to_the_same_question_is_another_call(tmp_path: Path) -> None:
    seen: list[int] = []
    with RecordedReplies(tmp_path, counting(seen)) as record:
        record(asked(1))
        one = asked(1)
        record(Prompt(question=one.question, pictures={}, messages=list(one.messages) * 2, item=1))
    assert seen == [1, 1]


def test_pictures_go_by_their_names_for_hosts_compress_equal_pixels_to_different_bytes(tmp_path: Path) -> None:
    seen: list[int] = []
    with RecordedReplies(tmp_path, counting(seen)) as record:
        for name, png, calls in (("1", b"one", 1), ("1", b"another's", 1), ("2", b"third", 2)):
            part = ImagePart(image_url=ImageAddress(url=picture_address(png)))
            shown = [Message(role="user", content=[part])]
            record(Prompt(question=prompt().question, pictures={name: png}, messages=shown, item=1))
            assert len(seen) == calls, name


def at_level(level: int) -> Callable[[Any, int], bytes]:
    return lambda rows, _: zlib.compress(rows, level)


def test_of_two_pictures_with_equal_pixels_it_does_not_matter_whether_their_bytes_are_equal(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    same, other = (rng.integers(0, 256, (16, 16, 4), np.uint8) // 64 for _ in range(2))

    def show(*levels: int, first: Picture = same) -> Prompt:
        drawn = zip((first, same, other), levels, strict=True)
        pngs = [encode_png(pixels, at_level(level)) for pixels, level in drawn]
        parts = [ImagePart(image_url=ImageAddress(url=picture_address(png))) for png in pngs]
        pictures = dict(zip("123", pngs, strict=True))
        return Prompt(
            question=prompt().question, pictures=pictures, messages=[Message(role="user", content=[*parts])], item=1
        )

    seen: list[int] = []
    assert len({*show(1, 9, 1).pictures.values()}) == 3
    assert len({*show(1, 1, 1).pictures.values()}) == 2
    with RecordedReplies(tmp_path, counting(seen)) as record:
        for shown in (show(1, 1, 1), show(1, 9, 1), show(9, 1, 0)):
            record(shown)
        assert len(seen) == 1
        record(show(1, 1, 1, first=other))
        assert len(seen) == 2, "another picture in the first's place"


@pytest.mark.parametrize(("text", "kept"), [("", "The end: (A)?"), (" \n", "The end: (A)?"), ("(B)", "")])
def test_a_thought_is_kept_where_the_reply_has_no_text_and_its_end_alone(tmp_path: Path, text: str, kept: str) -> None:
    with RecordedReplies(tmp_path, lambda _: ModelReply(text=text, thought="é" * LARGEST_REPLY + kept)) as record:
        record(asked(1))
    (thought,) = [line.thought for line in read_lines(tmp_path) if isinstance(line, Replied)]
    assert len(thought.encode()) <= LARGEST_REPLY
    assert thought.endswith(kept)
    assert bool(thought) == bool(kept)


def test_half_a_line_of_a_run_that_was_killed_is_dropped_and_its_call_counts_at_its_most(tmp_path: Path) -> None:
    seen: list[int] = []
    with RecordedReplies(tmp_path, counting(seen), prices=PRICES, max_tokens=50) as record:
        record(asked(1))
    lines = (tmp_path / REPLIES).read_bytes().splitlines(keepends=True)
    (tmp_path / REPLIES).write_bytes(lines[0] + lines[1][: len(lines[1]) // 2])
    with RecordedReplies(tmp_path, counting(seen), prices=PRICES, max_tokens=50) as record:
        most = PRICES.most(asked(1), 50)
        assert (record.spent, record.costs().estimated) == (most, 1)
        assert record(asked(1)).text == "(1)"
        assert record.spent == most + 220
    assert [type(line) for line in read_lines(tmp_path)] == [Asked, Asked, Replied]
    assert seen == [1, 1]


def test_a_limit_is_not_passed_whoever_asks_at_once(tmp_path: Path) -> None:
    most = PRICES.most(asked(1), 50)

    def respond(one: Prompt) -> ModelReply:
        time.sleep(0.02)  # two calls are in flight at a time, and no more fit
        return ModelReply(text="x", usage=TokenUsage(input=most // 4, output=0))  # half of what was reserved

    limit = 2 * most + most // 4
    with RecordedReplies(tmp_path, respond, prices=PRICES, max_tokens=50, limit=limit) as record:
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda item: record(asked(item)), range(2)))
        assert 0 < record.spent <= limit
        with ThreadPoolExecutor(2) as pool, pytest.raises(BudgetSpentError, match=r"give a higher\s+--limit-cost"):
            list(pool.map(lambda item: record(asked(item)), range(2, 30)))
        assert record.spent <= limit


def test_calls_at_the_same_time_wait_for_the_disk_once_and_are_there_before_the_model_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every call is on disk before it is made, though 32 lines share some of the waits of 50 ms."""
    on_disk, waits, together = [0], [0], Barrier(16)

    def slow_disk(descriptor: int) -> None:
        size = os.fstat(descriptor).st_size
        time.sleep(0.05)
        on_disk[0] = size
        waits[0] += 1

    def respond(one: Prompt) -> ModelReply:
        kept = (tmp_path / REPLIES).read_bytes()[: on_disk[0]].splitlines()
        assert any(line.startswith(b'{"line":"asked","item":%d,' % one.item) for line in kept)
        return ModelReply(text="(A)")

    def call(item: int) -> ModelReply:
        together.wait()
        return record(asked(item))

    monkeypatch.setattr("tetrad.runner.recording.os.fsync", slow_disk)
    with RecordedReplies(tmp_path, respond) as record, ThreadPoolExecutor(16) as pool:
        assert len(list(pool.map(call, range(16)))) == 16
    assert 2 <= waits[0] <= 12


def test_a_call_that_was_sent_and_lost_may_be_on_the_bill(tmp_path: Path) -> None:
    def lost(_: Prompt) -> str:
        raise ReplyError("no reply (ReadTimeout)", may_cost=True)

    def refused(_: Prompt) -> str:
        raise ReplyError("429: slow down")

    for number, (respond, cost) in enumerate(((lost, PRICES.most(asked(1), 50)), (refused, 0))):
        with RecordedReplies(tmp_path / str(number), respond, prices=PRICES, max_tokens=50) as record:
            with pytest.raises(ReplyError):
                record(asked(1))
            assert record.spent == cost
            assert isinstance(record.lines[-1], Failed)
            assert record.costs().failures == 1


def test_a_server_that_counts_no_tokens_costs_the_most_and_says_so(tmp_path: Path) -> None:
    with RecordedReplies(tmp_path, lambda _: "(1)", prices=PRICES, max_tokens=50) as record:
        record(asked(1))
        assert record.spent == PRICES.most(asked(1), 50)
        assert record.costs().estimated == 1


def test_two_runs_can_t_write_to_one_folder(tmp_path: Path) -> None:
    with RecordedReplies(tmp_path, lambda _: ""), pytest.raises(BusyFolderError, match="another run writes"):
        RecordedReplies(tmp_path, lambda _: "")


def test_a_damaged_record_is_not_taken_for_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / REPLIES).write_text('{"line": "asked"}\n')
    with pytest.raises(msgspec.DecodeError):
        RecordedReplies(tmp_path, lambda _: "")
