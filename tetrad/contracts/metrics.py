"""The metrics that a card declares: one struct a kind of metric, computed in `scoring_service`."""

from tetrad.contracts.wire import Wire


class Accuracy(Wire, frozen=True, kw_only=True, tag="accuracy"):
    """Mean verdict over the selected questions; repeats average within an item first.

    `rule` names another verdict in the answers' outcome to count instead, such as `lenient`. `optional`: a deployment
    may lack the judge that gives this verdict; then there is no value. Otherwise answers without it are left out.
    """

    name: str
    help: str
    where: dict[str, tuple[str, ...]] = {}
    by: tuple[str, ...] = ()
    rule: str = ""
    optional: bool = False


class ConditionalAccuracy(Wire, frozen=True, kw_only=True, tag="conditional"):
    """Accuracy of `where` questions of the items whose `given` questions were all correct (or not).

    `within` names facets that both must share. With the facet of the repeat, for example, each repeat is judged apart.
    """

    name: str
    help: str
    where: dict[str, tuple[str, ...]]
    given: dict[str, tuple[str, ...]]
    given_correct: bool = True
    within: tuple[str, ...] = ()
    by: tuple[str, ...] = ()


class Inconsistency(Wire, frozen=True, kw_only=True, tag="inconsistency"):
    """Share of an item's repeats that differ from its most frequent choice; choices are compared by meaning."""

    name: str
    help: str
    where: dict[str, tuple[str, ...]] = {}
    by: tuple[str, ...] = ()


class GroupAccuracy(Wire, frozen=True, kw_only=True, tag="group"):
    """Share of items whose selected questions are all right.

    An item counts if it was asked a question with each value that `where` lists. Incomplete groups are left out.
    """

    name: str
    help: str
    where: dict[str, tuple[str, ...]]
    by: tuple[str, ...] = ()


class AnswerDistribution(Wire, frozen=True, kw_only=True, tag="answer-distribution"):
    """Share of the place that is chosen most often, among extracted answers, and a test for a bias towards places.

    Right answers stand in drawn places, so a model that looks at the options chooses all places equally often. The
    shares of places are values of the facet `answer`. The facet `test` has the value "position-biased": 1 if such
    shares are nearly impossible by chance and the largest is off by at least a tenth, else 0.
    """

    name: str
    help: str
    where: dict[str, tuple[str, ...]] = {}
    by: tuple[str, ...] = ()
    places: int = 4


class Distribution(Wire, frozen=True, kw_only=True, tag="distribution"):
    """Share of each value of an outcome, such as the stage that failed first, among the answers that have one.

    For the outcome `mistake`, these are the wrong answers to choices whose keys name each option's mistake.
    """

    name: str
    help: str
    outcome: str
    where: dict[str, tuple[str, ...]] = {}
    by: tuple[str, ...] = ()


class Agreement(Wire, frozen=True, kw_only=True, tag="agreement"):
    """The share of answers on which another verdict of the outcome agrees with ours, and Cohen's kappa of the two.

    Only answers with both verdicts count. `rule` names the other verdict, such as `judge`.
    """

    name: str
    help: str
    rule: str
    where: dict[str, tuple[str, ...]] = {}
    by: tuple[str, ...] = ()


class FailureWeights(Wire, frozen=True, kw_only=True, tag="failure-weights"):
    """Weights of a logistic regression of failure on the values of some facets.

    One column a value, 1 where any of `facets` has it; an answer with none of the `values` does not count.
    """

    name: str
    help: str
    facets: tuple[str, ...]
    values: tuple[str, ...]
    where: dict[str, tuple[str, ...]] = {}
    by: tuple[str, ...] = ()


class Gap(Wire, frozen=True, kw_only=True, tag="gap"):
    """Difference of two accuracies over the same items: that of `where` less that of `less`, in [-1, 1].

    An item counts if it was asked questions of both. Its two means are subtracted first, so the interval is one of
    paired differences. The two sides may be two questions of an item, or one question that the item asks in two
    settings. `by` names facets that both have.
    """

    name: str
    help: str
    where: dict[str, tuple[str, ...]]
    less: dict[str, tuple[str, ...]]
    by: tuple[str, ...] = ()


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
