"""Step 6: what people choose makes gold labels (Bitton et al. 2023, sections 3.5 and 4.1).

Five people solve an analogy. The candidate that at least three choose is its gold label, whatever was mined; without
such a majority the analogy is dropped. The votes come as CSV with a line for each: analogy, person, candidate, a label.
"""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import comb

import msgspec

COLUMNS = ("analogy", "person", "candidate")
ANNOTATORS, MAJORITY = 5, 3
EVALUATORS, EVALUATED = 10, 6
"""People who evaluate a finished test set, and how many of them make a majority (section 4.1)."""


class VotesError(ValueError):
    """A file of votes can't be counted; the message names the line and the remedy."""


class Vote(msgspec.Struct, frozen=True):
    """One person's choice for one analogy: the label of a candidate."""

    analogy: str
    person: str
    candidate: str


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """The agreement of people, as shares of the analogies that have votes enough.

    analogies: how many have. left_out: how many have too few. with_majority: those whose gold label is decided.
    with_mined: those whose gold label is the mined one; of_decided_with_mined: the same, of those decided. by_chance:
    the share that would be decided if everybody guessed. people: each person's share of votes for the mined label.
    """

    analogies: int
    left_out: int
    with_majority: float
    with_mined: float
    of_decided_with_mined: float
    by_chance: float
    people: dict[str, float]


def read_votes(name: str, text: str) -> list[Vote]:
    """Read a file of votes.

    Raises:
        VotesError: columns are missing, a line lacks a value, or a person votes twice for one analogy.
    """
    reader = csv.DictReader(text.splitlines())
    missing = [column for column in COLUMNS if column not in (reader.fieldnames or ())]
    if missing:
        raise VotesError(f"{name}: no column {', '.join(missing)}; begin with a line {','.join(COLUMNS)}")
    found: dict[tuple[str, str], Vote] = {}
    for line, row in enumerate(reader, 2):
        values = [(row[column] or "").strip() for column in COLUMNS]
        if not all(values):
            raise VotesError(f"{name}, line {line}: a value is empty; give {', '.join(COLUMNS)}")
        vote = Vote(*values)
        if found.setdefault((vote.analogy, vote.person), vote) is not vote:
            raise VotesError(
                f"{name}, line {line}: {vote.person} voted for {vote.analogy} before; keep one of the votes"
            )
    return list(found.values())


def gold_labels(votes: Iterable[Vote], *, least: int = ANNOTATORS, majority: int = MAJORITY) -> dict[str, str]:
    """Return the gold label of each analogy that has at least `least` votes, `majority` of them for one candidate."""
    return {analogy: label for analogy, label in _decide_analogies(votes, least, majority) if label}


def agreement(
    votes: Sequence[Vote],
    mined: Mapping[str, str],
    *,
    candidates: int = 4,
    least: int = ANNOTATORS,
    majority: int = MAJORITY,
) -> Agreement:
    """Compare votes with each other and with the mined labels.

    Raises:
        VotesError: votes are for an analogy that was not mined.
    """
    unknown = sorted({vote.analogy for vote in votes} - mined.keys())
    if unknown:
        raise VotesError(f"votes for {unknown[0]}, which was not mined; give the votes of these analogies")
    decided = dict(_decide_analogies(votes, least, majority))
    labelled = {analogy: label for analogy, label in decided.items() if label}
    same = sum(mined[analogy] == label for analogy, label in labelled.items())
    right: Counter[str] = Counter()
    cast: Counter[str] = Counter()
    for vote in votes:
        cast[vote.person] += 1
        right[vote.person] += vote.candidate == mined[vote.analogy]
    return Agreement(
        analogies=len(decided),
        left_out=len({vote.analogy for vote in votes}) - len(decided),
        with_majority=_share(len(labelled), len(decided)),
        with_mined=_share(same, len(decided)),
        of_decided_with_mined=_share(same, len(labelled)),
        by_chance=float(chance_of_majority(least, majority, candidates)),
        people={person: _share(right[person], number) for person, number in sorted(cast.items())},
    )


def chance_of_majority(people: int, majority: int, candidates: int) -> Fraction:
    """Return the chance that `majority` of `people` who guess take one candidate; more than half, so only one can."""
    if not people // 2 < majority <= people:
        raise ValueError(f"majority is {majority}; give more than half of {people} people, and no more than all")
    one = Fraction(1, candidates)
    numbers = range(majority, people + 1)
    each = sum((comb(people, number) * one**number * (1 - one) ** (people - number) for number in numbers), Fraction(0))
    return candidates * each


def _decide_analogies(votes: Iterable[Vote], least: int, majority: int) -> Iterator[tuple[str, str]]:
    """Yield each analogy that has votes enough with its gold label, or ""."""
    by_analogy: dict[str, list[str]] = {}
    for vote in votes:
        by_analogy.setdefault(vote.analogy, []).append(vote.candidate)
    for analogy, labels in sorted(by_analogy.items()):
        if len(labels) >= least:
            label, number = Counter(labels).most_common(1)[0]
            yield analogy, label if number >= majority else ""


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
