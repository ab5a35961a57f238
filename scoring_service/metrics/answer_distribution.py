"""The distribution of answers over places, and a test for position bias: the dagger of MARVEL's tables.

Answer keys are spread evenly over the places. So are the answers of a model that looks at the pictures or guesses
evenly. The size of the test is exact only for many answers. A run is marked as biased under two conditions: chance
would give such shares in less than one run of a thousand, and the largest share is off by a tenth. The second condition
is for huge runs, in which a tiny unevenness is certain but means nothing.
"""

from collections import Counter
from collections.abc import Sequence

from scoring_service.metrics.scored_questions import Group, ScoredQuestions, select, split_in_groups
from scoring_service.metrics.values import FLAG, metric_value
from tetrad.contracts.metrics import AnswerDistribution
from tetrad.contracts.reports import MetricValue
from tetrad.contracts.wire import Facets
from tetrad.statistics.special import chi_square_tail

LEAST_PROBABLE = 0.001
LEAST_OFF = 0.1


def answer_distribution(metric: AnswerDistribution, scored: ScoredQuestions) -> list[MetricValue]:
    """Return the largest share, each place's share, and 1 or 0 for the test; then the same for every group of `by`."""
    return [
        value
        for group in split_in_groups(select(scored, metric.where), metric.by)
        for value in _of_group(metric, group)
    ]


def _of_group(metric: AnswerDistribution, group: Group) -> list[MetricValue]:
    answers = [mark.answer for mark in group.scored if mark.answer is not None]
    counts = Counter(answers)
    most = max(counts, key=lambda answer: (counts[answer], answer), default="")
    biased = is_position_biased(list(counts.values()), metric.places)
    shares = [_share(metric.name, answers, answer, {**group.facets, "answer": answer}) for answer in sorted(counts)]
    test = metric_value(
        metric.name,
        {**group.facets, "test": "position-biased"},
        [float(biased)] if answers else [],
        questions=len(answers),
        independent=False,
        scale=FLAG,
    )
    return [_share(metric.name, answers, most, group.facets), *shares, test]


def is_position_biased(counts: Sequence[int], places: int) -> bool:
    """Tell whether answers over `places` places are biased to some. Places that were never chosen count 0."""
    total = sum(counts)
    if total == 0:
        return False
    even = total / places
    off = sum((count - even) ** 2 / even for count in counts) + even * (places - len(counts))
    rare = chi_square_tail(places - 1, off) < LEAST_PROBABLE
    return rare and max(counts) / total - 1 / places >= LEAST_OFF


def _share(name: str, answers: Sequence[str], answer: str, facets: Facets) -> MetricValue:
    means = [float(given == answer) for given in answers]
    return metric_value(name, facets, means, questions=len(answers), independent=True)
