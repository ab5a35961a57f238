"""The generator's record is written once, whoever writes at the same time."""

import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from generator_service.sealing.answer_digests import answer_ranges, answer_rows, frozen_digest
from generator_service.sealing.record import Record, RecordConflictError
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.items import DrawIdentity
from tetrad.internal.draws import SealedDraw
from tetrad.server.database import make_engine

THREADS = 20
ROOT = Path(__file__).parents[3]
IDENTITY = DrawIdentity(
    benchmark="toy", version=1, bank="b" * 64, track="toy", setting="full", parameters={"tint": 5, "loud": True}
)
DRAW = SealedDraw(submission="sub_1", identity=IDENTITY, size=10, commitment="c" * 64)
SECRET, SEED = "5" * 16, "e" * 64


def said(answer: str, item: int = 0, question: str = "name") -> SealedAnswer:
    return SealedAnswer(item=item, question=question, answer=answer, response=None)


def unread(answers: list[SealedAnswer]) -> dict[SealedAnswer, str | None]:
    return dict.fromkeys(answers)


def answered(answers: list[SealedAnswer]) -> dict[SealedAnswer, str | None]:
    return {answer: answer.answer for answer in answers}


@pytest.fixture
def record(url: str) -> Iterator[Record]:
    record = Record(url)
    yield record
    record.close()


@pytest.fixture
def sealed(record: Record) -> Record:
    record.seal(DRAW, "nonce", SECRET)
    return record


def at_once(act: Callable[[int], object]) -> Counter[str]:
    """Let 20 threads act at the same moment and count how it ended."""
    start = Barrier(THREADS)

    def one(place: int) -> str:
        start.wait()
        try:
            act(place)
        except RecordConflictError:
            return "refused"
        return "written"

    with ThreadPoolExecutor(THREADS) as pool:
        return Counter(pool.map(one, range(THREADS)))


def test_a_record_is_up_and_empty_at_first(record: Record) -> None:
    assert record.is_up()
    assert record.find("sub_1") is None
    assert record.count_unrevealed() == {}


def test_a_draw_is_found_as_it_was_sealed(sealed: Record) -> None:
    stored = sealed.find("sub_1")
    assert stored is not None
    assert (stored.sealed, stored.nonce, stored.revealed) == (DRAW, "nonce", False)
    assert sealed.count_unrevealed() == {("toy", 1, "b" * 64): 1}


def test_the_same_draw_again_gives_what_is_there(sealed: Record) -> None:
    assert sealed.seal(DRAW, "nonce", SECRET) == DRAW


@pytest.mark.parametrize(
    ("draw", "nonce"),
    [
        (DRAW, "other"),
        (replace(DRAW, size=11), "nonce"),
        (replace(DRAW, commitment="d" * 64), "nonce"),
        (replace(DRAW, identity=replace(IDENTITY, parameters={})), "nonce"),
    ],
)
def test_another_draw_for_the_same_submission_is_refused(sealed: Record, draw: SealedDraw, nonce: str) -> None:
    with pytest.raises(RecordConflictError, match="sub_1 is sealed with another draw"):
        sealed.seal(draw, nonce, SECRET)
    stored = sealed.find("sub_1")
    assert stored is not None
    assert stored.sealed == DRAW


def test_twenty_that_seal_the_same_draw_at_once_all_get_it(record: Record) -> None:
    assert at_once(lambda _: record.seal(DRAW, "nonce", SECRET)) == {"written": THREADS}


def test_of_twenty_different_draws_at_once_exactly_one_is_sealed(record: Record) -> None:
    assert at_once(lambda place: record.seal(DRAW, f"nonce {place}", SECRET)) == {"written": 1, "refused": THREADS - 1}


def test_twenty_that_gate_on_the_same_answers_at_once_all_pass(sealed: Record) -> None:
    answers = [said("A", item) for item in range(5)]
    assert at_once(lambda _: sealed.gate("sub_1", unread(answers))) == {"written": THREADS}


def test_of_twenty_different_answers_at_once_exactly_one_is_gated_on(sealed: Record) -> None:
    outcome = at_once(lambda place: sealed.gate("sub_1", unread([said(str(place))])))
    assert outcome == {"written": 1, "refused": THREADS - 1}


def test_batches_that_overlap_in_opposite_orders_do_not_block_each_other(sealed: Record) -> None:
    answers = [said("A", item) for item in range(10)]
    assert at_once(lambda place: sealed.gate("sub_1", unread(answers[:: 1 if place % 2 else -1]))) == {
        "written": THREADS
    }


def test_twenty_submissions_gate_at_once_without_refusing_each_other(record: Record) -> None:
    for place in range(THREADS):
        record.seal(replace(DRAW, submission=f"sub_{place}"), "nonce", SECRET)
    assert at_once(lambda place: record.gate(f"sub_{place}", unread([said(str(place))]))) == {"written": THREADS}


def test_a_different_answer_is_refused_and_nothing_beside_it_is_kept(sealed: Record) -> None:
    sealed.gate("sub_1", unread([said("A")]))
    with pytest.raises(RecordConflictError, match="item 0, name: another answer has opened questions before"):
        sealed.gate("sub_1", unread([said("X", item=1), said("B")]))
    sealed.gate("sub_1", unread([said("Y", item=1)]))


def test_a_reply_that_reads_the_same_is_still_another_answer(sealed: Record) -> None:
    sealed.gate("sub_1", unread([said("A")]))
    with pytest.raises(RecordConflictError):
        sealed.gate("sub_1", unread([SealedAnswer(item=0, question="name", answer=None, response="A")]))


def test_nothing_is_gated_or_revealed_where_nothing_is_sealed(record: Record) -> None:
    with pytest.raises(RecordConflictError, match="sub_2 has no sealed draw"):
        record.gate("sub_2", unread([said("A")]))
    with pytest.raises(RecordConflictError, match="sub_2 has no sealed draw"):
        record.reveal("sub_2", [], SEED)


def test_a_revealed_draw_is_closed_to_every_answer(sealed: Record) -> None:
    sealed.gate("sub_1", unread([said("A")]))
    sealed.reveal("sub_1", [said("A"), said("B", item=1)], SEED)
    stored = sealed.find("sub_1")
    assert stored is not None
    assert stored.revealed
    assert sealed.count_unrevealed() == {}
    for answers in ([said("A")], [said("C", item=2)], []):
        with pytest.raises(RecordConflictError, match="revealed; its draw is closed"):
            sealed.gate("sub_1", unread(answers))


def test_revealing_again_with_the_same_answers_in_another_order_is_fine(sealed: Record) -> None:
    answers = [said("A"), said("B", item=1)]
    sealed.reveal("sub_1", answers, SEED)
    sealed.reveal("sub_1", answers[::-1], SEED)
    with pytest.raises(RecordConflictError, match="revealed with other answers"):
        sealed.reveal("sub_1", answers[:1], SEED)


@pytest.mark.parametrize("answers", [[], [said("B")], [said("A", question="half")]])
def test_a_reveal_without_the_answers_that_were_gated_on_is_refused(
    sealed: Record, answers: list[SealedAnswer]
) -> None:
    sealed.gate("sub_1", unread([said("A")]))
    with pytest.raises(RecordConflictError, match="item 0, name: another answer has opened questions before"):
        sealed.reveal("sub_1", answers, SEED)
    stored = sealed.find("sub_1")
    assert stored is not None
    assert not stored.revealed, "a refused reveal closes nothing"


def test_of_twenty_different_reveals_at_once_exactly_one_freezes_the_answers(sealed: Record) -> None:
    outcome = at_once(lambda place: sealed.reveal("sub_1", [said(str(place))], SEED))
    assert outcome == {"written": 1, "refused": THREADS - 1}


def test_no_answer_slips_in_beside_a_reveal_that_does_not_know_it(sealed: Record) -> None:
    """Half the threads gate on an answer, half reveal without it: whoever is first shuts the others out."""

    def act(place: int) -> None:
        if place % 2:
            sealed.gate("sub_1", unread([said("A")]))
        else:
            sealed.reveal("sub_1", [], SEED)

    assert at_once(act) == {"written": THREADS // 2, "refused": THREADS // 2}


def digest(answers: list[SealedAnswer]) -> str:
    return frozen_digest(answer_rows(answers))


def test_digests_tell_an_answer_from_a_reply_and_take_any_order() -> None:
    one, two = said("A"), said("B", item=1)
    assert digest([one, two]) == digest([two, one])
    assert digest([said("A")]) != digest([SealedAnswer(item=0, question="name", answer=None, response="A")])
    assert digest([said("A", 1, "x")]) != digest([said("A", 11, "x")])


def test_a_reveal_by_ranges_freezes_the_answers_to_each(sealed: Record) -> None:
    answers = [said("A"), said("B", item=1), said("C", item=2)]
    sealed.reveal("sub_1", answers, SEED)
    stored = sealed.find("sub_1")
    assert stored is not None
    assert stored.ranges is None
    sealed.reveal("sub_1", answers[::-1], SEED, by=2)
    stored = sealed.find("sub_1")
    assert stored is not None
    assert stored.ranges == answer_ranges(answer_rows(answers), stored.sealed.size, 2)
    assert stored.ranges.digests[:2] == [frozen_digest(answer_rows(part)) for part in (answers[:2], answers[2:])]
    with pytest.raises(RecordConflictError, match="revealed with other answers"):
        sealed.reveal("sub_1", answers[:1], SEED, by=2)
    after = sealed.find("sub_1")
    assert after is not None
    assert after.ranges == stored.ranges


@pytest.mark.parametrize(("size", "by", "lengths"), [(5, 2, [2, 2, 1]), (4, 2, [2, 2]), (1, 10, [1])])
def test_every_item_is_in_one_range(size: int, by: int, lengths: list[int]) -> None:
    rows = answer_rows([said("A", item=item) for item in range(size)])
    parts = [rows[sum(lengths[:place]) :][:length] for place, length in enumerate(lengths)]
    assert answer_ranges(rows, size, by).digests == [frozen_digest(part) for part in parts]
    assert len({*map(frozen_digest, parts), frozen_digest([])}) == len(parts) + 1


def test_processes_that_make_the_tables_at_once_on_an_empty_database_all_start(url: str) -> None:
    command = [
        sys.executable,
        "-c",
        "import sys; from generator_service.sealing.record import Record; Record(sys.argv[1])",
    ]
    started = [subprocess.Popen([*command, url], cwd=ROOT, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    assert [process.communicate(timeout=60)[1] for process in started] == [""] * 4


def test_twenty_records_made_at_once_on_an_empty_database_all_open(url: str) -> None:
    assert at_once(lambda _: Record(url).close()) == {"written": THREADS}


def test_a_record_outlives_its_process(url: str) -> None:
    first = Record(url)
    first.seal(DRAW, "nonce", SECRET)
    first.gate("sub_1", unread([said("A")]))
    first.close()
    second = Record(url)
    with pytest.raises(RecordConflictError):
        second.gate("sub_1", unread([said("B")]))
    second.close()


def test_a_revealed_draw_is_packed_and_says_the_same_as_before(sealed: Record, url: str) -> None:
    answers = [said(f"it is {item}", item, question) for item in range(6) for question in ("name", "shade")]
    sealed.gate("sub_1", {answer: None if answer.item == 3 else answer.answer for answer in answers})
    assert not sealed.pack("sub_1"), "it is open: its answers are still compared one by one"
    sealed.reveal("sub_1", answers, SEED, by=2)
    before = [sealed.extracted_answers("sub_1", items) for items in (range(10), range(2, 4), range(7, 9))]
    assert sealed.pack("sub_1")
    assert not sealed.pack("sub_1")
    assert [sealed.extracted_answers("sub_1", items) for items in (range(10), range(2, 4), range(7, 9))] == before
    assert before[1][3] == {"name": None, "shade": None}
    engine = make_engine(url)
    with engine.connect() as connection:
        assert connection.execute(sa.text("SELECT count(*) FROM gated_answers")).scalar_one() == 0
    engine.dispose()
    sealed.reveal("sub_1", answers, SEED, by=2)
    for others in (answers[1:], [*answers[1:], said("other", 0, "name")]):
        with pytest.raises(RecordConflictError, match="other answers"):
            sealed.reveal("sub_1", others, SEED, by=2)
    with pytest.raises(RecordConflictError):
        sealed.gate("sub_1", {said("late", 8): None})
    assert not sealed.pack("sub_none")
