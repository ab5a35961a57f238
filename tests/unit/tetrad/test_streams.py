"""Streams are reproducible, independent of each other, and uniform."""

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.unit.tetrad.test_canonical import FIELDS
from tetrad.canonical import Field, digest
from tetrad.streams import WORD_RANGE, Stream, StreamFamily

SURELY = 1e-6  # of a fixed stream: a test below it would fail for ever, not now and then


def test_a_stream_never_changes() -> None:
    stream = Stream("tetrad", 1)
    assert [stream.below(1000) for _ in range(6)] == [455, 432, 253, 288, 300, 870]
    assert Stream("tetrad", 1).shuffle("abcdef") == ("d", "e", "a", "f", "c", "b")


def test_the_same_name_gives_the_same_words_and_another_name_others() -> None:
    names: list[tuple[str | int, ...]] = [("a", 1), ("a", 2), ("a", "1"), ("a1",), ("b", 1)]
    words = {tuple(Stream(*name).word() for _ in range(9)) for name in names for _ in range(2)}
    assert len(words) == len(names)


def test_words_go_on_over_the_blocks_without_repeating() -> None:
    stream = Stream("long")
    words = [stream.word() for _ in range(1000)]
    assert len(set(words)) == 1000
    assert all(0 <= word < WORD_RANGE for word in words)


def test_neighbouring_indices_are_independent() -> None:
    table = Counter((Stream("seed", index).below(4), Stream("seed", index + 1).below(4)) for index in range(8000))
    expected = [[table[one, other] for other in range(4)] for one in range(4)]
    assert stats.chi2_contingency(expected).pvalue > SURELY


@given(st.integers(1, WORD_RANGE), st.binary(min_size=1))
def test_below_stays_below(bound: int, name: bytes) -> None:
    assert 0 <= Stream(name).below(bound) < bound


@given(st.lists(st.integers(1, 9) | st.integers(1, WORD_RANGE), max_size=20), st.binary(min_size=1))
def test_below_each_draws_what_below_draws_one_by_one(bounds: list[int], name: bytes) -> None:
    together, alone = Stream(name), Stream(name)
    assert together.below_each(*bounds) == [alone.below(bound) for bound in bounds]
    assert together.word() == alone.word()


def test_below_has_no_bias_where_words_do_not_divide() -> None:
    """With the bound at two thirds of the range, taking the remainder would favour the lower half two to one."""
    bound = WORD_RANGE // 3 * 2
    stream = Stream("bias")
    low = sum(stream.below(bound) < bound // 2 for _ in range(4000))
    assert stats.binomtest(low, 4000).pvalue > SURELY


@pytest.mark.parametrize("bound", [0, -1, WORD_RANGE + 1])
def test_a_bound_out_of_range_is_refused_with_the_range(bound: int) -> None:
    with pytest.raises(ValueError, match="give an integer from 1 to"):
        Stream("x").below(bound)
    with pytest.raises(ValueError, match="give an integer from 1 to"):
        Stream("x").below_each(4, bound)


def test_nothing_to_choose_from_is_an_error() -> None:
    with pytest.raises(ValueError, match="bound is 0"):
        Stream("x").choice(())


def test_every_member_is_chosen_as_often() -> None:
    stream = Stream("choice")
    counts = Counter(stream.choice("abcde") for _ in range(5000))
    assert stats.chisquare([counts[letter] for letter in "abcde"]).pvalue > SURELY


def test_every_order_is_drawn_as_often() -> None:
    stream = Stream("orders")
    counts = Counter(stream.shuffle("abcd") for _ in range(4800))
    assert stats.chisquare([counts[order] for order in permutations("abcd")]).pvalue > SURELY


@given(st.lists(st.integers()), st.data())
def test_a_sample_is_that_many_places_of_the_members(members: list[int], data: st.DataObject) -> None:
    count = data.draw(st.integers(0, len(members)))
    drawn = Stream(digest("x")).sample(members, count)
    assert len(drawn) == count
    assert not Counter(drawn) - Counter(members)


@pytest.mark.parametrize("count", [-1, 4])
def test_a_sample_larger_than_the_members_is_refused(count: int) -> None:
    with pytest.raises(ValueError, match="give an integer from 0 to 3"):
        Stream("x").sample("abc", count)


@given(st.lists(FIELDS, max_size=3), st.lists(FIELDS, max_size=2), st.lists(FIELDS, max_size=3))
def test_a_family_s_streams_are_those_of_the_whole_name(
    shared: list[Field], more: list[Field], also: list[Field]
) -> None:
    expected = Stream(*shared, *more, *also).word()
    assert StreamFamily(*shared).narrow(*more).stream(*also).word() == expected


def test_a_family_tells_a_number_from_a_truth_value_and_is_not_changed_by_use() -> None:
    family = StreamFamily("x")
    words = [family.stream(name).word() for name in (1, True, "1", b"1", None, (1,), (True,), [1], 1, True)]
    assert len(set(words)) == 7, "a tuple and a list of the same are one field"
    assert words[:2] == words[8:]
