"""The metrics that a card declares: one struct a kind of metric, computed in `scoring_service`."""

from tetrad.contracts.wire import Wire


class Accuracy(Wire, frozen=True, kw_only=True, tag="accuracy"):
    """Mean verdict over the selected questions; repeats average within an item first."""

    name: str
    """The metric's name, in reports."""
    help: str
    """What it tells, in a sentence."""
    where: dict[str, tuple[str, ...]] = {}
    """The facets of the questions that count, each with its values; empty is all of them."""
    by: tuple[str, ...] = ()
    """Facets by whose values it is also split."""
    rule: str = ""
    """Name of another verdict in the answers' outcome to count instead, such as "lenient"; "" is the plain verdict."""
    optional: bool = False
    """Whether a deployment may lack the judge that gives this verdict; then there is no value. Otherwise answers
    without it are left out.
    """


class ConditionalAccuracy(Wire, frozen=True, kw_only=True, tag="conditional"):
    """Accuracy of the `where` questions of those items whose `given` questions were all correct (or not)."""

    name: str
    """The metric's name, in reports."""
    help: str
    """What it tells, in a sentence."""
    where: dict[str, tuple[str, ...]]
    """The facets of the questions that count, each with its values."""
    given: dict[str, tuple[str, ...]]
    """The facets of the questions that have to be correct (or not) first."""
    given_correct: bool = True
    """Whether they have to be correct; otherwise not all of them may be."""
    within: tuple[str, ...] = ()
    """Facets that both questions must share. With the facet of the repeat, for example, each repeat is judged apart."""
    by: tuple[str, ...] = ()
    """Facets by whose values it is also split."""


class Inconsistency(Wire, frozen=True, kw_only=True, tag="inconsistency"):
    """Share of an item's repeats that differ from its most frequent choice; choices are compared by meaning."""

    name: str
    """The metric's name, in reports."""
    help: str
    """What it tells, in a sentence."""
    where: dict[str, tuple[str, ...]] = {}
    """The facets of the questions that count, each with its values; empty is all of them."""
    by: tuple[str, ...] = ()
    """Facets by whose values it is also split."""


class GroupAccuracy(Wire, frozen=True, kw_only=True, tag="group"):
    """Share of items whose selected questions are all right. Incomplete groups are left out."""

    name: str
    """The metric's name, in reports."""
    help: str
    """What it tells, in a sentence."""
    where: dict[str, tuple[str, ...]]
    """The facets of the questions that count. An item counts if it was asked a question with each value listed."""
    by: tuple[str, ...] = ()
    """Facets by whose values it is also split."""


class AnswerDistribution(Wire, frozen=True, kw_only=True, tag="answer-distribution"):
    """Share of the place that is chosen most often, among extracted answers, and a test for a bias towards places.

    Right answers stand in drawn places, so a model that looks at the options chooses all places equally often. The
    shares of places are values of the facet `answer`. The facet `test` has the value "position-biased": 1 if such
    shares are nearly impossible by chance and the largest is off by at least a tenth, else 0.
    """

    name: str
    """The metric's name, in reports."""
    help: str
    """What it tells, in a sentence."""
    where: dict[str, tuple[str, ...]] = {}
    """The facets of the questions that count, each with its values; empty is all of them."""
    by: tuple[str, ...] = ()
    """Facets by whose values it is also split."""
    places: int = 4
    """The number of places that right answers are drawn into."""


class Distribution(Wire, frozen=True, kw_only=True, tag="distribution"):
    """Share of each value of an outcome among the answers that have one."""

    name: str
    """The metric's name, in reports."""
    help: str
    """What it tells, in a sentence."""
    outcome: str
    """The outcome, such as the stage that failed first. For "mistake", the answers are the wrong ones to choices whose
    keys name each option's mistake.
    """
    where: dict[str, tuple[str, ...]] = {}
    """The facets of the questions that count, each with its values; empty is all of them."""
    by: tuple[str, ...] = ()
    """Facets by whose values it is also split."""


class Agreement(Wire, frozen=True, kw_only=True, tag="agreement"):
    """The share of answers on which another verdict of the outcome agrees with ours, and Cohen's kappa of the two.

    Only answers with both verdicts count.
    """

    name: str
    """The metric's name, in reports."""
    help: str
    """What it tells, in a sentence."""
    rule: str
    """Name of the other verdict, such as "judge"."""
    where: dict[str, tuple[str, ...]] = {}
    """The facets of the questions that count, each with its values; empty is all of them."""
    by: tuple[str, ...] = ()
    """Facets by whose values it is also split."""


class FailureWeights(Wire, frozen=True, kw_only=True, tag="failure-weights"):
    """Weights of a logistic regression of failure on the values of some facets, in log odds."""

    name: str
    """The metric's name, in reports."""
    help: str
    """What it tells, in a sentence."""
    facets: tuple[str, ...]
    """The facets whose values are the columns: one column a value, 1 where any of them has it."""
    values: tuple[str, ...]
    """The values that have a column; an answer with none of them does not count."""
    where: dict[str, tuple[str, ...]] = {}
    """The facets of the questions that count, each with its values; empty is all of them."""
    by: tuple[str, ...] = ()
    """Facets by whose values it is also split."""


class Gap(Wire, frozen=True, kw_only=True, tag="gap"):
    """Difference of two accuracies over the same items, in [-1, 1].

    An item's two means are subtracted first, so the interval is one of paired differences.
    """

    name: str
    """The metric's name, in reports."""
    help: str
    """What it tells, in a sentence."""
    where: dict[str, tuple[str, ...]]
    """The facets of the questions of one side: those whose accuracy is taken as it is."""
    less: dict[str, tuple[str, ...]]
    """The facets of the questions of the other side, whose accuracy is subtracted. An item counts if it was asked
    questions of both.
    """
    by: tuple[str, ...] = ()
    """Facets, which both sides have, by whose values it is also split."""


Metric = (
    Accuracy
    | ConditionalAccuracy
    | Inconsistency
    | GroupAccuracy
    | AnswerDistribution
    | Distribution
    | Agreement
    | FailureWeights
    | Gap
)
