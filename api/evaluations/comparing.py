"""Compares two scored submissions, or all rows of a board: by how much they differ, and how many items would tell."""

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

from msgspec.structs import replace

from api.context import AppContext
from api.errors import InvalidInputError
from api.submissions.finding import SubmissionRow, find_readable
from api.submissions.revealing import parse_report, report_body
from api.teams.access import Caller
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.evaluations import ComparedInterval, Comparison, ComparisonTable, McNemar
from tetrad.contracts.leaderboards import Board, BoardRow
from tetrad.contracts.reports import Report
from tetrad.reporting.item_scores import item_scores
from tetrad.statistics.deciding import (
    Sample,
    holm,
    least_drop,
    least_unpaired_drop,
    mcnemar,
    paired_interval,
    paired_p_value,
    pairs_needed,
    pairs_of,
    sample_of,
    unpaired_interval,
    unpaired_items_needed,
    unpaired_items_of_each,
    unpaired_p_value,
)
from tetrad.statistics.interval import Interval

MARGIN = 0.05
MOST_ROWS = 50  # of a table of all pairs: more rows are compared with their neighbours
LEAST_DISCORDANCE = 0.01
LEAST_SHARED = 0.5  # of the smaller part of a corpus: with fewer pairs, all items unpaired tell more


class Scored(NamedTuple):
    """A scored submission: its name, its draw, and its scores by item, None where only the headline is known.

    Items have their number in the draw. Those of a fixed corpus with public labels have their published name, which is
    the same in every draw.
    """

    name: str
    commitment: str
    metric: str
    scores: Mapping[str, float] | None
    sample: Sample
    are_published: bool = False


def compare_submissions(context: AppContext, caller: Caller | None, a: str, b: str, margin: float) -> Comparison:
    """Compare b with a. Both have to stand on one board, or would if they were ranked.

    Raises:
        NotFoundError, NotScoredError, VoidSubmissionError: one has no report to read.
        InvalidInputError: they are of different boards.
    """
    first, second = find_comparable(context, caller, a, b)
    return compare(read_scores(context, first), read_scores(context, second), margin)


def find_comparable(context: AppContext, caller: Caller | None, a: str, b: str) -> tuple[SubmissionRow, SubmissionRow]:
    """Return two submissions of one board.

    Raises:
        NotFoundError: the caller may not read one.
        InvalidInputError: they are of different boards.
    """
    first, second = find_readable(context.engine, caller, a), find_readable(context.engine, caller, b)
    if first.board != second.board:
        problem = f"is of another benchmark, version, track, setting, source or conversation than {a}"
        raise InvalidInputError.at("b", b, problem, "name two submissions of one board")
    return first, second


def read_scores(context: AppContext, row: SubmissionRow) -> Scored:
    """Return the scores of a scored submission.

    Raises:
        NotScoredError, VoidSubmissionError, DamageError: there is no report to read.
        InvalidInputError: nothing of the headline was asked.
    """
    report = parse_report(report_body(context.engine, context.store, row))
    card = context.cards.get(report.identity.benchmark, report.identity.version).card
    return scored_report(str(row.id), report, card)


def scored_report(name: str, report: Report, card: Card) -> Scored:
    """Return the scores of a report. Raises: InvalidInputError: nothing of its headline was asked."""
    headline = report.headline
    by_number = item_scores(report, card) or {}
    found = report.published_scores or {str(item): score for item, score in by_number.items()}
    if headline.value is None:
        raise InvalidInputError.at("a", name, "has no value of the headline", "name another submission")
    sample = (
        sample_of(list(found.values()))
        if found
        else Sample(
            count=headline.items,
            mean=min(1.0, max(0.0, headline.value)),
            standard_error=headline.standard_error,
            binary=False,
        )
    )
    return Scored(name, report.commitment, headline.name, found or None, sample, bool(report.published_scores))


def compare(a: Scored, b: Scored, margin: float = MARGIN) -> Comparison:
    """Compare b with a: paired by item if both answered the same draw, or mostly the same published items.

    Items that are not independent are one item here: the interval is by the spread between clusters.
    """
    shared = shared_scores(a, b)
    if shared:
        return _compare_paired(a, b, [score for score, _ in shared], [score for _, score in shared], margin)
    return _compare_unpaired(a.name, b.name, a.metric, a.sample, b.sample, margin)


def shared_scores(a: Scored, b: Scored) -> list[tuple[float, float]]:
    """Return both scores of the items that a and b share; none where too few of a fixed corpus are shared."""
    if a.scores is None or b.scores is None or not (a.commitment == b.commitment or a.are_published & b.are_published):
        return []
    found = [(score, b.scores[item]) for item, score in a.scores.items() if item in b.scores]
    return found if len(found) >= LEAST_SHARED * min(len(a.scores), len(b.scores)) else []


def _compare_paired(a: Scored, b: Scored, of_a: Sequence[float], of_b: Sequence[float], margin: float) -> Comparison:
    pairs = pairs_of(of_b, of_a)
    is_binary = pairs.candidate_only is not None and pairs.baseline_only is not None
    test = None
    if pairs.candidate_only is not None and pairs.baseline_only is not None:
        p_value = mcnemar(pairs.candidate_only, pairs.baseline_only)
        test = McNemar(only_a=pairs.baseline_only, only_b=pairs.candidate_only, p_value=p_value)
    discordance = pairs.discordance if is_binary else None
    detectable = None if discordance is None else least_drop(pairs.count, max(discordance, LEAST_DISCORDANCE))
    return Comparison(
        a=a.name,
        b=b.name,
        pairing="paired",
        metric=a.metric,
        score_a=sum(of_a) / pairs.count,
        score_b=sum(of_b) / pairs.count,
        items_a=pairs.count,
        items_b=pairs.count,
        difference=pairs.difference,
        interval=_interval(paired_interval(pairs)),
        mcnemar=test,
        p_value=paired_p_value(pairs),
        discordance=discordance,
        least_detectable=detectable,
        margin=margin,
        items_needed=pairs_needed(pairs, margin, 0.0),
    )


def _compare_unpaired(  # noqa: PLR0917 - two names and two samples
    name_a: str, name_b: str, metric: str, a: Sample, b: Sample, margin: float
) -> Comparison:
    share = (a.mean * a.count + b.mean * b.count) / (a.count + b.count)
    baseline_error = (a.variance / a.count) ** 0.5
    return Comparison(
        a=name_a,
        b=name_b,
        pairing="unpaired",
        metric=metric,
        score_a=a.mean,
        score_b=b.mean,
        items_a=a.count,
        items_b=b.count,
        difference=b.mean - a.mean,
        interval=_interval(unpaired_interval(b, a)),
        p_value=unpaired_p_value(b, a),
        least_detectable=least_unpaired_drop(b.count, a.count, share),
        margin=margin,
        items_needed=unpaired_items_needed(margin, b.variance, baseline_error),
        items_of_each=unpaired_items_of_each(margin, a, b),
        items_to_part=unpaired_items_of_each(b.mean - a.mean, a, b),
    )


def compare_board(board: Board, margin: float = MARGIN) -> ComparisonTable:
    """Compare all pairs of a board's ranked rows, or the neighbours of a long one, with Holm's correction over them.

    Rows pool draws of their own, so pairs are unpaired. A row counts clusters and keeps the sum of their scores. Each
    score lies in [0, 1], so its variance is at most that of a verdict with the same mean, and that bound is used.
    """
    ranked = ranked_of(board)
    is_whole = len(ranked) <= MOST_ROWS
    pairs = combinations(ranked, 2) if is_whole else pairwise(ranked)
    return ComparisonTable(
        benchmark=board.benchmark,
        track=board.track,
        setting=board.setting,
        rows=[row_title(row) for row in ranked],
        pairs=_correct_p_values([compare_rows(board, a, b, margin) for a, b in pairs]),
        compared="all" if is_whole else "neighbours",
    )


def ranked_of(board: Board) -> list[BoardRow]:
    return [row for row in board.rows if row.rank_best is not None and row.score is not None]


def compare_rows(board: Board, a: BoardRow, b: BoardRow, margin: float = MARGIN) -> Comparison:
    """Compare row b of a board with row a, without a correction for other pairs."""
    return _compare_unpaired(row_title(a), row_title(b), board.metric, _sample(a), _sample(b), margin)


def compare_with_all(board: Board, row: BoardRow, margin: float = MARGIN) -> list[Comparison]:
    """Compare all other ranked rows with one, corrected over all pairs of the board, or over these on a long one."""
    others = [other for other in ranked_of(board) if other != row]
    pairs = [compare_rows(board, row, other, margin) for other in others]
    if len(others) + 1 > MOST_ROWS:
        return _correct_p_values(pairs)
    known = {frozenset((pair.a, pair.b)): pair.adjusted_p_value for pair in compare_board(board, margin).pairs}
    return [replace(pair, adjusted_p_value=known[frozenset((pair.a, pair.b))]) for pair in pairs]


def _correct_p_values(pairs: Sequence[Comparison]) -> list[Comparison]:
    adjusted = holm([pair.p_value if pair.p_value is not None else 1.0 for pair in pairs])
    return [replace(pair, adjusted_p_value=p_value) for pair, p_value in zip(pairs, adjusted, strict=True)]


def row_title(row: BoardRow) -> str:
    return f"{row.team}/{row.model}"


def _sample(row: BoardRow) -> Sample:
    mean = row.score or 0.0
    return Sample(count=row.items, mean=mean, standard_error=(mean * (1 - mean) / row.items) ** 0.5, binary=True)


def _interval(bounds: Interval) -> ComparedInterval:
    return ComparedInterval(lower=bounds.lower, upper=bounds.upper, level=bounds.level, method=bounds.method)
