"""The card of a benchmark: all that is public about it."""

from typing import Literal, TypeAlias

from msgspec.structs import replace

from tetrad.contracts.metrics import Metric
from tetrad.contracts.wire import ParameterValue, Wire

Conversation: TypeAlias = Literal["fresh", "joined"]
"""The way to ask the questions of an item: each in a fresh context, or joined in one conversation."""
ConversationChoice: TypeAlias = Literal["as-card", "fresh", "joined"]
"""A team's declaration for its submission: as the card says, or one of the two."""


class Parameter(Wire, frozen=True, kw_only=True):
    """One parameter. Its legal values are listed, or lie in minimum..maximum by step.

    `defaults`: by track, the default of tracks that have another one than `default`.
    """

    name: str
    help: str
    default: ParameterValue
    defaults: dict[str, ParameterValue] = {}
    values: tuple[ParameterValue, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    step: int = 1
    ranked: bool = True  # whether another value means another board

    def default_on(self, track: str) -> ParameterValue:
        """Return the value on a track where none is given."""
        return self.defaults.get(track, self.default)


class Setting(Wire, frozen=True, kw_only=True):
    """The questions and pictures of an item. `questions` lists the kinds of question in the order in which they open.

    `conversation`: the questions of an item are one conversation, in which earlier pictures, questions and the model's
    own replies stay in the context. Otherwise each question has a fresh context. Every repeat of the questions is a
    conversation of its own.
    apart: each question has a fresh context whatever a submission chooses, because an earlier one would tell too much.
    metric: the metric that boards of this setting rank by, if it is another than the card's headline.
    """

    name: str
    help: str
    questions: tuple[str, ...]
    conversation: bool = False
    apart: bool = False
    metric: str = ""

    @property
    def can_join(self) -> bool:
        """Tell whether an item asks several kinds of question, which may be joined in one conversation."""
        return len(self.questions) > 1 and not self.apart


class Track(Wire, frozen=True, kw_only=True):
    """One track. `cost` is the processor time of making an item, `picture_cost` that of drawing one of its pictures.

    Both are in units of an item of KiVA without its pictures: 0.03 ms. Limits on practice count in them.
    """

    name: str
    help: str
    settings: tuple[str, ...]
    cost: float = 1.0
    picture_cost: float = 80.0


class ChanceLevel(Wire, frozen=True, kw_only=True):
    """The score of guessing on questions with these facets.

    `uniform` is 1 over the options shown (what a random model scores); `stated` is the paper's figure.
    """

    where: dict[str, tuple[str, ...]]
    uniform: float
    stated: float
    source: str


class Exclusion(Wire, frozen=True, kw_only=True):
    """Values of parameters, `track` and `setting` that can't be combined.

    `field` is the one that an error names, and `remedy` is what to give instead.
    """

    where: dict[str, tuple[ParameterValue, ...]]
    field: str
    problem: str
    remedy: str


class Ceiling(Wire, frozen=True, kw_only=True):
    """The exact score of the best solver that sees less than the item, for the track and parameters named."""

    solver: str
    track: str | None = None
    where: dict[str, tuple[str, ...]]
    parameters: dict[str, ParameterValue]
    value: float
    why: str


class Bar(Wire, frozen=True, kw_only=True):
    """The score of a solver that sees the whole item, and of it nothing but plain measures of its pictures.

    solver: its name in tetrad.solvers. where: the facets of the questions that it is about. items: over so many it was
    counted. A model that stays below has not shown that it sees things and persons.
    """

    solver: str
    track: str | None = None
    where: dict[str, tuple[str, ...]]
    parameters: dict[str, ParameterValue]
    value: float
    items: int


class Headline(Wire, frozen=True, kw_only=True):
    """The one number of a board, and how much a model needs for a rank. A setting may name another metric.

    `least_items` counts clusters that answered a question of the metric, not items or questions: two items that share a
    puzzle, object or picture are one.
    """

    metric: str
    least_items: int


class Counted(Wire, frozen=True, kw_only=True):
    """The items, of `size`, that will count on their board: an estimate, before a draw is opened.

    expected: so many, on average. lower, upper: 95% of draws lie between them. least_items: a rank needs so many.
    """

    size: int
    expected: int
    lower: int
    upper: int
    least_items: int


class ReferenceRow(Wire, frozen=True, kw_only=True):
    """A published figure, shown on boards, marked and never ranked.

    source: the paper, and its table or section. pictures: of which pictures the figure is, in words. prompt: how models
    or people were asked, in words, or "not said".
    where: its track and setting, and the facets of the questions that it is about. parameters: the values it was
    measured under; boards of other values don't show it. words: the source's words if it gives no number; then `value`
    is None. spread: the standard deviation between people, as a share, where the source gives it. bank: the digest of
    the sources it was measured on, if it is bound to some; other boards don't show it.
    """

    name: str
    kind: str
    metric: str
    value: float | None
    items: int | None
    source: str
    pictures: str
    prompt: str
    where: dict[str, tuple[str, ...]] = {}
    parameters: dict[str, ParameterValue] = {}
    words: str = ""
    bank: str = ""
    spread: float | None = None


class Credit(Wire, frozen=True, kw_only=True):
    title: str
    authors: str
    venue: str
    url: str
    licence: str


class CorpusNotice(Wire, frozen=True, kw_only=True):
    """The special rules of a fixed corpus: the original items of a paper, mounted by an operator.

    Its items can't be redrawn: approved teams only, a capped number of submissions, aggregates only, no board.
    items: how many it has; a draw asks each at most once, and at least `least_draw` of them.
    labels_public: whether its answers are published anyway.
    """

    notice: str
    items: int
    least_draw: int
    labels_public: bool


class Card(Wire, frozen=True, kw_only=True):
    """All that is public about one version of a benchmark. `corpus` is given if its items are fixed.

    question: what an item asks, in short. mistakes: a sentence for each mistake that a wrong option can stand for.
    value_words: plain words for values of facets whose name says little, such as "quarter turn left" for "+90".
    """

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
    bars: tuple[Bar, ...] = ()
    reference: tuple[ReferenceRow, ...] = ()
    credit: Credit
    exclusions: tuple[Exclusion, ...] = ()
    largest_draw: int = 10_000
    filters: dict[str, tuple[str, ...]] = {}  # facets that practice items can be filtered by, with their values
    corpus: CorpusNotice | None = None
    question: str = ""
    mistakes: dict[str, str] = {}
    value_words: dict[str, str] = {}

    @property
    def short_title(self) -> str:
        """Return the benchmark's name as people write it: its title up to the colon."""
        return self.title.partition(":")[0]

    def place(self, track: str | None, setting: str | None) -> tuple[str, str]:
        """Return the track and setting, taking the card's first for each that is None. Names are not checked."""
        meant = next((candidate for candidate in self.tracks if candidate.name == track), self.tracks[0])
        return meant.name if track is None else track, meant.settings[0] if setting is None else setting

    def find_metric(self, name: str) -> Metric | None:
        """Return the metric of this name; None if the card has none."""
        return next((metric for metric in self.metrics if metric.name == name), None)

    def metric_of(self, setting: str) -> str:
        """Return the name of the metric that boards of this setting rank by. Names are not checked."""
        named = next((candidate.metric for candidate in self.settings if candidate.name == setting), "")
        return named or self.headline.metric

    def ranked_by(self, setting: str) -> "Card":
        """Return the card with the metric of this setting's boards as its headline."""
        return replace(self, headline=replace(self.headline, metric=self.metric_of(setting)))

    def conversation(self, setting: str, chosen: ConversationChoice = "as-card") -> Conversation:
        """Return the conversation of this setting's questions, given the team's choice. Names are not checked."""
        if chosen != "as-card":
            return chosen
        return (
            "joined"
            if any(candidate.conversation for candidate in self.settings if candidate.name == setting)
            else "fresh"
        )


class SourceInfo(Wire, frozen=True, kw_only=True):
    """A source that items of a benchmark can be drawn from.

    digest: its digest in the identity of a draw from it alone. default: whether draws use it if no source of its kind
    is named. access: who may draw from it: everybody (public), every team, or approved teams. labels_public: whether
    its labels are published anyway. tracks: those that draw from its kind. divided: whether practice and submissions
    get different pictures of it. lacking: what the benchmark needs and the source lacks, with the operator's remedy; ""
    if nothing.
    """

    kind: str
    name: str
    digest: str
    default: bool
    access: str
    labels_public: bool
    divided: bool = False
    lacking: str = ""
    licence: str = ""
    credits: tuple[str, ...] = ()
    tracks: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return f"{self.kind}:{self.name}"


class BenchmarkInfo(Wire, frozen=True, kw_only=True):
    """A card and the sources that this instance draws from.

    `bank` is the digest of the default sources, which is part of every item's identity. `bank_name` is the operator's
    name for them; "none" if items need no source. `bank_credits` are lines that the pictures' licences ask to show.
    `sources` lists all sources that draws may name. `banks` has the digest of each track's default sources. `lacking`
    says for each track that can't be served yet what its sources lack, and the remedy. Its items are 503 until then.
    """

    card: Card
    bank: str
    bank_name: str = ""
    bank_credits: tuple[str, ...] = ()
    sources: tuple[SourceInfo, ...] = ()
    banks: dict[str, str] = {}
    lacking: dict[str, str] = {}

    def bank_of(self, track: str) -> str:
        """Return the digest of the sources that draws of a track use if none is named."""
        return self.banks.get(track, self.bank)


class BenchmarkList(Wire, frozen=True, kw_only=True):
    benchmarks: list[BenchmarkInfo]
    next: str | None = None
