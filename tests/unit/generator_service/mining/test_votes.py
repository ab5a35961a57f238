"""Gold labels from votes: who has a majority, how far people agree, and files that can't be counted."""

from collections.abc import Sequence

import pytest

from generator_service.mining.situations.votes import (
    EVALUATED,
    EVALUATORS,
    Vote,
    VotesError,
    agreement,
    chance_of_majority,
    gold_labels,
    read_votes,
)


def cast(analogy: str, labels: str) -> list[Vote]:
    return [Vote(analogy, f"p{number}", label) for number, label in enumerate(labels)]


VOTES: Sequence[Vote] = [*cast("a", "11123"), *cast("b", "22211"), *cast("c", "11223"), *cast("d", "1111")]


def test_the_candidate_that_three_of_five_choose_is_gold_whatever_was_mined() -> None:
    assert gold_labels(VOTES) == {"a": "1", "b": "2"}
    assert gold_labels(VOTES, least=4) == {"a": "1", "b": "2", "d": "1"}


def test_agreement_counts_majorities_and_the_mined_label() -> None:
    found = agreement(VOTES, {"a": "1", "b": "3", "c": "1", "d": "1"})
    assert (found.analogies, found.left_out) == (3, 1)
    assert found.with_majority == 2 / 3
    assert found.with_mined == 1 / 3
    assert found.of_decided_with_mined == 1 / 2
    assert found.people == {"p0": 3 / 4, "p1": 3 / 4, "p2": 2 / 4, "p3": 1 / 4, "p4": 0.0}
    with pytest.raises(VotesError, match="votes for d, which was not mined"):
        agreement(VOTES, {"a": "1", "b": "3", "c": "1"})


def test_guessing_gives_the_paper_s_chances_of_a_majority() -> None:
    found = agreement(VOTES, dict.fromkeys("abcd", "1"))
    assert found.by_chance == pytest.approx(0.414, abs=0.0005)
    assert float(chance_of_majority(EVALUATORS, EVALUATED, 4)) == pytest.approx(0.079, abs=0.0005)
    assert chance_of_majority(5, 3, 1) == 1
    with pytest.raises(ValueError, match="more than half of 5 people"):
        chance_of_majority(5, 2, 4)


def test_votes_are_read_by_line() -> None:
    assert read_votes("v.csv", "person,analogy,candidate\nmo, a ,1\nbo,a,2\n") == [
        Vote("a", "mo", "1"),
        Vote("a", "bo", "2"),
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("analogy,candidate\na,1\n", "no column person"),
        ("", "no column analogy, person, candidate"),
        ("analogy,person,candidate\na,mo,\n", "line 2: a value is empty"),
        ("analogy,person,candidate\na,mo,1\na,mo,1\n", "line 3: mo voted for a before"),
    ],
)
def test_votes_that_can_t_be_counted_are_refused_by_line(text: str, problem: str) -> None:
    with pytest.raises(VotesError, match=problem):
        read_votes("v.csv", text)
