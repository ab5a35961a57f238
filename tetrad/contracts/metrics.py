"""What a card declares that scoring measures: one struct a kind of metric, its computation in `scoring_service`."""

from tetrad.contracts.wire import Wire


class Accuracy(Wire, frozen=True, kw_only=True, tag="accuracy"):
    """Mean verdict over the selected questions; repeats average within an item first.

    `rule` names another verdict of the answers' outcome to count instead, such as `lenient`. `optional`: a deployment
    may have nobody who gives that verdict. Then there is no value; else answers without one are left out.
    """

    name: str
    help: str
    where: dict[str, tuple[str, ...]] = {}
    by: tuple[str, ...] = ()
    rule: str = ""
    optional: bool = False


class ConditionalAccuracy(Wire, frozen=True, kw_only=True, tag="conditional"):
    """Accuracy of `where` questions of the items whose `given` questions were all correct (or not).

    `within` names facets that both must share, a repeat for example: then each repeat goes its own way.
    """

    name: str
    help: str
    where: dict[str, tuple[str, ...]]
    given: dict[str, tuple[str, ...]]
    given_correct: bool = True
    within: tuple[str, ...] = ()
    by: tuple[str, ...] = ()


class Inconsistency(Wire, frozen=True, kw_only=True, tag="inconsistency"):
    """Share of an item's repeats that differ from its modal choice, by what the options mean."""

    name: str
    help: str
    where: dict[str, tuple[str, ...]] = {}
    by: tuple[str, ...] = ()


class GroupAccuracy(Wire, frozen=True, kw_only=True, tag="group"):
    """Share of items whose selected questions are all right.

    An item counts if it was asked a question with each value that `where` lists: half a group is none.
    """

    name: str
    help: str
    where: dict[str, tuple[str, ...]]
    by: tuple[str, ...] = ()


class AnswerDistribution(Wire, frozen=True, kw_only=True, tag="answer-distribution"):
    """Share of the place chosen most often, over answers that were read; and whether that is a bias to the place.

    Right answers stand in drawn places, so that who looks spreads over all. Gives each place's share by the facet
    `answer`, and under the facet `test` "position-biased": 1 if such shares are next to impossible by chance and the
    largest is off by a tenth at least, else 0.
    """

    name: str
    help: str
    where: dict[str, tuple[str, ...]] = {}
    by: tuple[str, ...] = ()
    places: int = 4


class Distribution(Wire, frozen=True, kw_only=True, tag="distribution"):
    """Share of each value of an outcome, such as the stage that failed first, among the answers that have one.

    Of the outcome `mistake` these are the wrong answers to choices whose keys name the mistake of each option.
    """

    name: str
    help: str
    outcome: str
    where: dict[str, tuple[str, ...]] = {}
    by: tuple[str, ...] = ()


class Agreement(Wire, frozen=True, kw_only=True, tag="agreement"):
    """How often another verdict of the outcome agrees with the own one, and Cohen's kappa of the two.

    Only answers that both judged count. `rule` names the other verdict, such as `judge`.
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

    An item counts if it was asked questions of both; its two means are subtracted first, so that the interval is of
    paired differences. The two may be two questions of an item, or one question in two settings that the item asks it
    in. `by` names facets that both have.
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
