"""Answers of every kind to every benchmark of the registry, scored: right gives 1, wrong gives 0, nothing raises."""

import dataclasses
import hashlib
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import msgspec
import pytest

from generator_service.draws import Draw
from generator_service.finding import find_benchmarks
from generator_service.items import Item, make_item, select_asked
from generator_service.mounting import Mounted
from generator_service.registry import Registry
from generator_service.sealing.draw_keys import keyed_items
from scoring_service.generator import KeyedRanges, RevealedDraw, split_answers
from scoring_service.jobs.report_work import JudgedSlice, ReportWork
from scoring_service.scoring import score
from scoring_service.verification import after_regeneration
from tests.people import mounted_for_tests
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.items import (
    Choice,
    ChoiceKey,
    DiagnosisKey,
    KeyedQuestion,
    Number,
    NumberKey,
    StateCaptionKey,
)
from tetrad.contracts.metrics import Accuracy, GroupAccuracy
from tetrad.contracts.reports import SHARE, Report
from tetrad.extraction.judging import MISTAKE
from tetrad.extraction.question_words import words_of
from tetrad.internal.draws import DrawKeys, KeyedItem, PackedItems
from tetrad.internal.packed_keys import pack_items, unpack_items
from tetrad.reporting.csv_table import report_csv
from tetrad.reporting.junit import report_junit
from tetrad.reporting.markdown import report_markdown
from tetrad.streams import Stream

TOYS = Path(__file__).parents[1] / "toy_benchmarks"
SIZE, SEED = 14, "33" * 32
FOUND = list(find_benchmarks([TOYS]))
PLACES = [
    pytest.param(place, marks=pytest.mark.xdist_group(f"scores {place[0]}"))
    for place in dict.fromkeys(
        (benchmark.name, track.name, setting)
        for benchmark in FOUND
        for track in benchmark.card.tracks
        if track.name not in benchmark.brought_tracks  # tested beside their benchmarks, on sources of their own
        for setting in track.settings
    )
]
HOSTILE = (
    "",
    "\x00",
    "(A) and (B) and (C)",
    "\u202e(A)\u202c",
    "\uff21 \u0663 \U0001f418" * 99,
    "[" * 20_000,
    '{"captions": ' * 2_000,
    '{"captions": [], "T1": 1, "T2": {}, "target": null, "caption": ["x"]}',
    "-1",
    "1e999",
    "9" * 5_000,
    "=cmd()|'/c calc'!A1",
    "constructor",
    "</testcase>]]>",
    "A " * 30_000,
)
UNLETTERED = {"oracle", "wrong-image"}
"""Questions of VISANALOG that show one image alone."""
Answering = Callable[[KeyedQuestion, int], SealedAnswer | None]


def right(keyed: KeyedQuestion, item: int) -> SealedAnswer:
    return SealedAnswer(item=item, question=keyed.question.id, answer=keyed.key.label)


def wrong(keyed: KeyedQuestion, item: int) -> SealedAnswer:
    return SealedAnswer(item=item, question=keyed.question.id, answer=wrong_answer(keyed))


def wrong_answer(keyed: KeyedQuestion) -> str:
    shape, key = keyed.question.shape, keyed.key
    if isinstance(shape, Choice):
        return next(label for label in shape.labels if label != key.label)
    if isinstance(shape, Number):
        assert isinstance(key, NumberKey)
        return str(key.number + 1 if key.number < shape.most else key.number - 1)
    if isinstance(key, StateCaptionKey):
        return another_state(key, shape.properties)
    assert isinstance(key, DiagnosisKey)
    caption = another_state(key.final, shape.properties)
    return msgspec.json.encode(msgspec.structs.replace(key.right, caption=caption)).decode()


def another_state(key: StateCaptionKey, properties: dict[str, tuple[str, ...]]) -> str:
    return ", ".join(next(one for one in properties[name] if one != value) for name, value in key.values.items())


def at_random(keyed: KeyedQuestion, item: int) -> SealedAnswer:
    stream = Stream("scores", item, keyed.question.id)
    some = keyed.question.shape.labels if isinstance(keyed.question.shape, Choice) else (wrong_answer(keyed),)
    answer = stream.choice((keyed.key.label, *some))
    return SealedAnswer(item=item, question=keyed.question.id, answer=answer)


def empty(keyed: KeyedQuestion, item: int) -> SealedAnswer | None:
    """Nothing, or an answer that says nothing."""
    return None if item % 2 else SealedAnswer(item=item, question=keyed.question.id, response="")


def hostile(keyed: KeyedQuestion, item: int) -> SealedAnswer:
    stream = Stream("hostile", item, keyed.question.id)
    text = stream.choice(HOSTILE)
    if stream.below(3) == 0:
        return SealedAnswer(item=item, question=keyed.question.id, answer=text)
    return SealedAnswer(item=item, question=keyed.question.id, response=text)


@cache
def registry(bank_folder: Path) -> Registry:
    return mounted_for_tests(FOUND, bank_folder)


def board_of(registry: Registry, name: str, track: str, setting: str) -> "Board":
    mounted = registry.newest(name)
    assert mounted is not None
    return Board(mounted, Draw(mounted.benchmark, mounted.identity(track, setting, {}), SEED))


@dataclass(frozen=True, eq=False)
class Board:
    """A draw of one track and setting. Its items, answers and reports are made once for all checks."""

    mounted: Mounted
    draw: Draw

    @cached_property
    def items(self) -> list[Item]:
        return [make_item(self.mounted, self.draw, index) for index in range(SIZE)]

    @cache  # noqa: B019 - a board lives as long as its test
    def answers(self, answering: Answering) -> list[SealedAnswer]:
        return list(answers_to(self, answering))

    @cache  # noqa: B019 - as above
    def report(self, answering: Answering) -> Report:
        return scored(self.mounted, self.draw, self.answers(answering))


def words_are_those_of_the_question_and_only_visanalog_names_pictures_by_labels(board: Board) -> None:
    for index, item in enumerate(board.items[:4]):
        questions = item.questions
        (held,) = unpack_items(pack_items([KeyedItem(item=index, questions=list(questions))]))
        words = [words_of(keyed.question) for keyed in questions]
        assert [words_of(keyed.question) for keyed in held.questions] == words
        lettered = {
            keyed.question.id for keyed, said in zip(questions, words, strict=True) if said.pictures_have_labels
        }
        is_visanalog = board.mounted.benchmark.card.name == "visanalog"
        assert lettered == ({keyed.question.id for keyed in questions} - UNLETTERED if is_visanalog else set())


def answers_to(board: Board, answering: Answering) -> Iterator[SealedAnswer]:
    """Yield the answers to every question that these answers open."""
    for index, item in enumerate(board.items):
        given, skipped = list[SealedAnswer](), set[str]()
        while new := [
            keyed
            for keyed in select_asked(board.mounted, item, given)
            if keyed.question.id not in {answer.question for answer in given} | skipped
        ]:
            for keyed in new:
                answer = answering(keyed, index)
                if answer is None:
                    skipped.add(keyed.question.id)
                else:
                    given.append(answer)
        yield from given


def scored(mounted: Mounted, draw: Draw, answers: Sequence[SealedAnswer], size: int = SIZE) -> Report:
    """Score over keys that travelled, as the service does; look at the report in every form, and verify it."""
    made = keyed_items(mounted, draw, range(size), answers)
    items = unpack_items(msgspec.json.decode(msgspec.json.encode(pack_items(made)), type=PackedItems))
    keys = DrawKeys(identity=draw.identity, size=size, seed=draw.seed, commitment=draw.commitment(size), items=items)
    card = mounted.benchmark.card
    report = score("sub_1", keys, answers, card, scored_at="2026-01-01T00:00:00.000Z")
    assert msgspec.json.decode(msgspec.json.encode(report), type=Report) == report
    assert report_markdown(report)
    assert report_csv(report)
    assert report_junit(report)
    assert [one for one in after_regeneration(report, items, card) if not one.ok] == []
    for value in report.metrics:
        assert not value.reason
        if value.value is not None:
            assert value.lowest is None or value.lowest <= value.value
            assert value.highest is None or value.value <= value.highest
    assert report.headline.unit == SHARE
    return report


def verdict_shares(mounted: Mounted, report: Report) -> set[float]:
    """Return the values of all metrics that are shares of right answers by the benchmark's own rule."""
    own = {
        one.name
        for one in mounted.benchmark.card.metrics
        if isinstance(one, GroupAccuracy) or (isinstance(one, Accuracy) and not one.rule)
    }
    return {value.value for value in report.metrics if value.name in own and value.value is not None}


def right_answers_score_1(board: Board) -> None:
    report = board.report(right)
    assert {result.verdict for result in report.questions} == {"correct"}
    assert report.headline.value == 1
    assert verdict_shares(board.mounted, report) == {1}


def wrong_answers_score_0(board: Board) -> None:
    report = board.report(wrong)
    assert {result.verdict for result in report.questions} == {"incorrect"}
    assert report.headline.value == 0
    assert verdict_shares(board.mounted, report) == {0}


def random_answers_score_between_and_show_their_mistakes(board: Board) -> None:
    report = board.report(at_random)
    assert {result.verdict for result in report.questions} == {"correct", "incorrect"}
    keys = {(index, keyed.question.id): keyed.key for index, item in enumerate(board.items) for keyed in item.questions}
    for result in report.questions:
        key = keys[result.item, result.question]
        named = key.outcomes.get(result.answer or "") if isinstance(key, ChoiceKey) else None
        assert result.outcome.get(MISTAKE) == named


def empty_answers_score_0_and_are_unread_or_missing(board: Board) -> None:
    report = board.report(empty)
    assert {result.verdict for result in report.questions} == {"unread", "missing"}
    assert report.headline.value == 0
    assert not any(MISTAKE in result.outcome for result in report.questions)


def hostile_answers_keep_no_submission_from_its_score(board: Board) -> None:
    report = board.report(hostile)
    assert {result.verdict for result in report.questions} <= {"correct", "incorrect", "unread", "missing"}


SLICE = 5


def scored_in_slices(mounted: Mounted, draw: Draw, answers: Sequence[SealedAnswer]) -> Report:
    """Score in slices of 5 items, each by a worker that knows the slices before it alone, as they are kept."""

    def fetch(items: range, given: Sequence[SealedAnswer]) -> list[KeyedItem]:
        made = pack_items(keyed_items(mounted, draw, items, given))
        return unpack_items(msgspec.json.decode(msgspec.json.encode(made), type=PackedItems))

    ranges = KeyedRanges(SIZE, split_answers(SIZE, answers), fetch)
    revealed = RevealedDraw(identity=draw.identity, size=SIZE, seed=draw.seed, commitment=draw.commitment(SIZE))
    card = mounted.benchmark.card
    slices: list[JudgedSlice] = []
    while True:
        work = ReportWork("sub_1", revealed, card, ranges, last=slices[-1] if slices else None, number=len(slices))
        done = sum(work.step() for _ in range(SLICE))
        if work.is_done:
            assert done == SIZE % SLICE
            report = work.report(slices, "2026-01-01T00:00:00.000Z")
            work.close()
            return report
        slices.append(msgspec.msgpack.decode(msgspec.msgpack.encode(work.end_slice()), type=JudgedSlice))
        work.close()


def a_report_made_in_slices_is_the_one_made_in_one_go(board: Board) -> None:
    for answering in (at_random, hostile):
        whole, cut = board.report(answering), scored_in_slices(board.mounted, board.draw, board.answers(answering))
        digests = [hashlib.sha256(msgspec.json.encode(report)).hexdigest() for report in (whole, cut)]
        assert digests[0] == digests[1], answering.__name__


CHECKS: tuple[Callable[[Board], None], ...] = (
    words_are_those_of_the_question_and_only_visanalog_names_pictures_by_labels,
    right_answers_score_1,
    wrong_answers_score_0,
    random_answers_score_between_and_show_their_mistakes,
    empty_answers_score_0_and_are_unread_or_missing,
    hostile_answers_keep_no_submission_from_its_score,
    a_report_made_in_slices_is_the_one_made_in_one_go,
)


@pytest.fixture(params=PLACES, ids="-".join)
def board(request: pytest.FixtureRequest, bank_folder: Path) -> Board:
    return board_of(registry(bank_folder), *request.param)


def test_answers_of_every_kind_are_scored_as_they_should_be(
    board: Board, subtests: pytest.Subtests, caplog: pytest.LogCaptureFixture
) -> None:
    for check in CHECKS:
        with subtests.test(check.__name__):
            check(board)
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def test_a_key_that_holds_a_dict_is_scored(bank_folder: Path) -> None:
    """The toy, with a name for every mistake: its keys have no hash."""
    toy = board_of(registry(bank_folder), "toy", "toy", "full").mounted

    def questions(scene: object) -> tuple[KeyedQuestion, ...]:
        return tuple(map(naming, toy.benchmark.questions(scene)))

    named = dataclasses.replace(toy, benchmark=dataclasses.replace(toy.benchmark, questions=questions))
    board = Board(named, Draw(named.benchmark, named.identity("toy", "full", {}), SEED))
    with pytest.raises(TypeError, match="unhashable"):
        hash(board.items[0].questions[0].key)
    assert board.report(right).headline.value == 1
    report = board.report(wrong)
    assert {result.outcome.get(MISTAKE) for result in report.questions} == {
        f"took {result.answer}" for result in report.questions
    }


def naming(keyed: KeyedQuestion) -> KeyedQuestion:
    assert isinstance(keyed.question.shape, Choice)
    outcomes = {label: f"took {label}" for label in keyed.question.shape.labels if label != keyed.key.label}
    return msgspec.structs.replace(keyed, key=ChoiceKey(label=keyed.key.label, outcomes=outcomes))


def test_a_setting_ranks_by_the_metric_that_it_names(bank_folder: Path) -> None:
    """Captions that leave out what nothing changes: wrong by CARV's strict metric, right by its published one."""

    def brief(keyed: KeyedQuestion, item: int) -> SealedAnswer:
        assert isinstance(keyed.key, StateCaptionKey)
        values = [value if name in keyed.key.needed else "?" for name, value in keyed.key.values.items()]
        return SealedAnswer(item=item, question=keyed.question.id, answer=", ".join(values))

    found = {}
    for setting in ("direct", "direct-as-published"):
        headline = board_of(registry(bank_folder), "carv", "single", setting).report(brief).headline
        found[setting] = headline.name, headline.value
    assert found == {"direct": ("accuracy", 0), "direct-as-published": ("lenient-accuracy", 1)}
