"""What a benchmark offers: its card."""

from tetrad.contracts.wire import ParameterValue, Wire


class Parameter(Wire, frozen=True, kw_only=True):
    """One knob: its legal values are listed, or lie in minimum..maximum by step."""

    name: str
    help: str
    default: ParameterValue
    values: tuple[ParameterValue, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    step: int = 1
    ranked: bool = True  # whether another value means another board


class Setting(Wire, frozen=True, kw_only=True):
    """What is asked and shown; `questions` lists the question kinds in the order they open."""

    name: str
    help: str
    questions: tuple[str, ...]


class Track(Wire, frozen=True, kw_only=True):
    name: str
    help: str
    settings: tuple[str, ...]


class ChanceLevel(Wire, frozen=True, kw_only=True):
    """What guessing gives on questions with these facets.

    `uniform` is 1 over the options shown (what a random model scores); `stated` is the paper's figure.
    """

    where: dict[str, tuple[str, ...]]
    uniform: float
    stated: float
    source: str


class Ceiling(Wire, frozen=True, kw_only=True):
    """The exact score of the best solver that sees less than the item, for the named parameters."""

    solver: str
    where: dict[str, tuple[str, ...]]
    parameters: dict[str, ParameterValue]
    value: float
    why: str


class Accuracy(Wire, frozen=True, kw_only=True, tag="accuracy"):
    """Mean verdict over the selected questions; repeats average within an item first.

    `rule` names another verdict of the answers' outcome to count instead, such as `lenient`.
    """

    name: str
    help: str
    where: dict[str, tuple[str, ...]] = {}
    by: tuple[str, ...] = ()
    rule: str = ""


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


class Distribution(Wire, frozen=True, kw_only=True, tag="distribution"):
    """Share of each value of an outcome, such as the stage that failed first, among the answers that have one."""

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


Metric = Accuracy | ConditionalAccuracy | Inconsistency | Distribution | Agreement | FailureWeights


class Headline(Wire, frozen=True, kw_only=True):
    """The one number of a board, and the least items a model needs for a rank."""

    metric: str
    least_items: int


class ReferenceRow(Wire, frozen=True, kw_only=True):
    """A published figure, shown on boards, marked and never ranked."""

    name: str
    kind: str
    metric: str
    value: float
    items: int | None
    source: str
    where: dict[str, tuple[str, ...]] = {}


class Credit(Wire, frozen=True, kw_only=True):
    title: str
    authors: str
    venue: str
    url: str
    licence: str


class Card(Wire, frozen=True, kw_only=True):
    """All that is public about one version of a benchmark."""

    name: str
    version: int
    title: str
    summary: str
    tracks: tuple[Track, ...]
    settings: tuple[Setting, ...]
    parameters: tuple[Parameter, ...]
    metrics: tuple[Metric, ...]
    headline: Headline
    chance: tuple[ChanceLevel, ...]
    ceilings: tuple[Ceiling, ...] = ()
    reference: tuple[ReferenceRow, ...] = ()
    credit: Credit
    largest_draw: int = 10_000
    filters: dict[str, tuple[str, ...]] = {}  # facets that practice items can be filtered by, with their values


class BenchmarkInfo(Wire, frozen=True, kw_only=True):
    """A card with what this instance adds: the digest of the object bank it serves."""

    card: Card
    bank: str


class BenchmarkList(Wire, frozen=True, kw_only=True):
    benchmarks: list[BenchmarkInfo]
