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
    """One parameter of a benchmark. Its legal values are listed, or lie in minimum..maximum by step."""

    name: str
    """The parameter's name, in requests and in queries."""
    help: str
    """What it changes about an item."""
    default: ParameterValue
    """The value where none is given, on tracks that `defaults` does not name."""
    defaults: dict[str, ParameterValue] = {}
    """By track, the default of tracks that have another one than `default`."""
    values: tuple[ParameterValue, ...] = ()
    """All legal values; empty where they lie in a range."""
    minimum: int | None = None
    """The least legal value; null where values are listed."""
    maximum: int | None = None
    """The largest legal value; null where values are listed."""
    step: int = 1
    """The distance between legal values, counted from `minimum`."""
    ranked: bool = True
    """Whether another value means another board."""

    def default_on(self, track: str) -> ParameterValue:
        """Return the value on a track where none is given."""
        return self.defaults.get(track, self.default)


class Setting(Wire, frozen=True, kw_only=True):
    """The questions and pictures of an item."""

    name: str
    """The setting's name, in requests and in queries."""
    help: str
    """What it asks and shows."""
    questions: tuple[str, ...]
    """The kinds of question, in the order in which they open."""
    conversation: bool = False
    """Whether the questions of an item are one conversation, in which earlier pictures, questions and the model's own
    replies stay in the context. Otherwise each has a fresh context. Each repeat of the questions is a conversation of
    its own.
    """
    apart: bool = False
    """Whether each question has a fresh context whatever a submission chooses, because an earlier one would tell too
    much.
    """
    metric: str = ""
    """The metric that boards of this setting rank by; "" if it is the card's headline."""

    @property
    def can_join(self) -> bool:
        """Tell whether an item asks several kinds of question, which may be joined in one conversation."""
        return len(self.questions) > 1 and not self.apart


class Track(Wire, frozen=True, kw_only=True):
    """One track: a kind of item that is drawn and ranked apart from others."""

    name: str
    """The track's name, in requests and in queries."""
    help: str
    """What its items are about."""
    settings: tuple[str, ...]
    """The settings that it has; the first is the default."""
    cost: float = 1.0
    """Processor time of making an item, in units of an item of KiVA without its pictures (0.03 ms). Limits on practice
    count in them.
    """
    picture_cost: float = 80.0
    """Processor time of drawing one picture of an item, in the same units."""


class ChanceLevel(Wire, frozen=True, kw_only=True):
    """The score of guessing on some questions."""

    where: dict[str, tuple[str, ...]]
    """The facets of the questions that it is about, each with its values; empty is all of them."""
    uniform: float
    """1 over the number of options shown, from 0 to 1: what a random model scores."""
    stated: float
    """The paper's figure, from 0 to 1."""
    source: str
    """Where the paper says so."""


class Exclusion(Wire, frozen=True, kw_only=True):
    """Values of parameters, `track` and `setting` that can't be combined."""

    where: dict[str, tuple[ParameterValue, ...]]
    """The combination: by name, the values that together are refused."""
    field: str
    """The name that an error about it names."""
    problem: str
    """What is wrong with the combination."""
    remedy: str
    """What to give instead."""


class Ceiling(Wire, frozen=True, kw_only=True):
    """The exact score of the best solver that sees less than the item."""

    solver: str
    """What it sees, in short, such as "options-only"."""
    track: str | None = None
    """The track it is for; null for all."""
    where: dict[str, tuple[str, ...]]
    """The facets of the questions that it is about; empty is all of them."""
    parameters: dict[str, ParameterValue]
    """The values of parameters that it holds for; others are at any value."""
    value: float
    """The score, from 0 to 1. A model above it has seen more than this solver."""
    why: str
    """The reason why no such solver does better."""


class Bar(Wire, frozen=True, kw_only=True):
    """The score of a solver that sees nothing of the whole item but plain measures of its pictures.

    A model that stays below has not shown that it sees things and persons.
    """

    solver: str
    """The solver's name in `tetrad.solvers`."""
    track: str | None = None
    """The track it is for; null for all."""
    where: dict[str, tuple[str, ...]]
    """The facets of the questions that it is about; empty is all of them."""
    parameters: dict[str, ParameterValue]
    """The values of parameters that it was counted at."""
    value: float
    """Its score, from 0 to 1."""
    items: int
    """The number of items that it was counted over."""


class Headline(Wire, frozen=True, kw_only=True):
    """The one number of a board, and how much a model needs for a rank. A setting may name another metric."""

    metric: str
    """The metric that boards rank by."""
    least_items: int
    """Clusters that have to answer a question of the metric before a row has a rank. Two items that share a puzzle,
    object or picture are one cluster.
    """


class Counted(Wire, frozen=True, kw_only=True):
    """The items that will count on their board: an estimate, before a draw is opened.

    An item counts if it asks a question of the board's metric, and items that share a puzzle, object or picture once.
    """

    size: int
    """The items that are asked for."""
    expected: int
    """So many of them count on average."""
    lower: int
    """In 95% of draws at least so many count, and at most `upper`."""
    upper: int
    """In 95% of draws at most so many count, and at least `lower`."""
    least_items: int
    """The board gives a rank from so many counted items on. All public attempts of a model are pooled."""


class ReferenceRow(Wire, frozen=True, kw_only=True):
    """A published figure, shown on boards, marked and never ranked."""

    name: str
    """Who was measured, in the source's words."""
    kind: str
    """Who was measured: people (human), a model (model) or a packaged solver (baseline)."""
    metric: str
    """The metric that it is a value of."""
    value: float | None
    """The figure, in the metric's unit (a share from 0 to 1); null if the source has words only."""
    items: int | None
    """The number of items that it was measured over; null if the source does not say."""
    source: str
    """The paper, and its table or section."""
    pictures: str
    """Of which pictures the figure is, in words."""
    prompt: str
    """How models or people were asked, in words, or "not said"."""
    where: dict[str, tuple[str, ...]] = {}
    """Its track and setting, and the facets of the questions that it is about."""
    parameters: dict[str, ParameterValue] = {}
    """The values that it was measured under; boards of other values don't show it."""
    words: str = ""
    """The source's words, where it gives no number; otherwise ""."""
    bank: str = ""
    """Digest of the sources that it was measured on, if it is bound to some: other boards don't show it. Otherwise "".
    """
    spread: float | None = None
    """The standard deviation between people, as a share; null where the source gives none."""


class Credit(Wire, frozen=True, kw_only=True):
    """The paper that a benchmark comes from."""

    title: str
    """The paper's title."""
    authors: str
    """Its authors, as a citation names them."""
    venue: str
    """Where it appeared, with the year."""
    url: str
    """Address of the paper."""
    licence: str
    """The licence of what is taken from it, by its SPDX name where it has one."""


class CorpusNotice(Wire, frozen=True, kw_only=True):
    """The special rules of a fixed corpus: the original items of a paper, mounted by an operator.

    They can't be redrawn: approved teams only, a capped number of submissions, aggregates only, no board.
    """

    notice: str
    """The rules in words, shown where a board would be."""
    items: int
    """The number of its items. A draw asks each at most once."""
    least_draw: int
    """The least number of items of a submission."""
    labels_public: bool
    """Whether its answers are published anyway."""


class Card(Wire, frozen=True, kw_only=True):
    """All that is public about one version of a benchmark."""

    name: str
    """The benchmark's name, in requests and addresses."""
    version: int
    """Counts from 1. Items of two versions are not compared."""
    title: str
    """The benchmark's name as people write it; after a colon, what it is about."""
    summary: str
    """What it asks and how it is scored, in a few sentences."""
    tracks: tuple[Track, ...]
    """Its tracks; the first is the default."""
    settings: tuple[Setting, ...]
    """Its settings. A track names those that it has."""
    parameters: tuple[Parameter, ...]
    """Its parameters, each with a default."""
    metrics: tuple[Metric, ...]
    """What a report computes, one entry a metric."""
    headline: Headline
    """What boards rank by, and from how many items on."""
    chance: tuple[ChanceLevel, ...]
    """What guessing scores, by kinds of question."""
    ceilings: tuple[Ceiling, ...] = ()
    """What solvers score that see less than the item."""
    bars: tuple[Bar, ...] = ()
    """What solvers score that take plain measures of the pictures."""
    reference: tuple[ReferenceRow, ...] = ()
    """Published figures of people and models."""
    credit: Credit
    """The paper to cite."""
    exclusions: tuple[Exclusion, ...] = ()
    """Combinations of parameters, track and setting that are refused."""
    largest_draw: int = 10_000
    """The most items of one submission."""
    filters: dict[str, tuple[str, ...]] = {}
    """Facets that practice items can be filtered by, each with its values."""
    corpus: CorpusNotice | None = None
    """The rules of a fixed corpus; null if items are made anew."""
    question: str = ""
    """What an item asks, in short."""
    mistakes: dict[str, str] = {}
    """By the name of a mistake that a wrong option can stand for, a sentence that says what was mistaken."""
    value_words: dict[str, str] = {}
    """Plain words for values of facets whose name says little, such as "quarter turn left" for "+90"."""

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
    """A source of pictures and annotations that items of a benchmark can be drawn from."""

    kind: str
    """What it is a source of. A draw names one of each kind that its track needs."""
    name: str
    """The operator's name for it: KIND:NAME in requests."""
    digest: str
    """The digest in the identity of a draw from it alone."""
    default: bool
    """Whether draws use it if no source of its kind is named."""
    access: str
    """Who may draw from it: everybody (public), every team, or approved teams."""
    labels_public: bool
    """Whether its labels are published anyway, so that answers could be looked up."""
    divided: bool = False
    """Whether practice and submissions get different pictures of it."""
    lacking: str = ""
    """What the benchmark needs and the source lacks, with the operator's remedy; "" if nothing."""
    licence: str = ""
    """The licence of its pictures."""
    credits: tuple[str, ...] = ()
    """Lines that the licence asks to show."""
    tracks: tuple[str, ...] = ()
    """The tracks that draw from its kind."""
    spdx: str = ""
    """The licence as an SPDX expression; LicenseRef-not-stated where the operator names none."""
    may_train: bool = False
    """Whether the licence lets models be trained on what is drawn from it."""
    may_redistribute: bool = False
    """Whether the licence lets what is drawn from it be passed on, with its credits."""

    @property
    def title(self) -> str:
        return f"{self.kind}:{self.name}"


class BenchmarkInfo(Wire, frozen=True, kw_only=True):
    """A card and the sources that this instance draws from."""

    card: Card
    """All that is public about this version of the benchmark."""
    bank: str
    """Digest of the default sources. It is part of every item's identity."""
    bank_name: str = ""
    """The operator's name for the default sources; "none" if items need no source."""
    bank_credits: tuple[str, ...] = ()
    """Lines that the pictures' licences ask to show."""
    sources: tuple[SourceInfo, ...] = ()
    """All sources that draws may name."""
    banks: dict[str, str] = {}
    """By track, the digest of its default sources."""
    lacking: dict[str, str] = {}
    """By track that can't be served yet, what its sources lack, and the remedy. Its items are 503 until then."""

    def bank_of(self, track: str) -> str:
        """Return the digest of the sources that draws of a track use if none is named."""
        return self.banks.get(track, self.bank)


class BenchmarkList(Wire, frozen=True, kw_only=True):
    """A page of benchmarks, by name and version."""

    benchmarks: list[BenchmarkInfo]
    """The benchmarks of this page, each version as an entry of its own."""
    next: str | None = None
    """Cursor of the next page, for `cursor`; null on the last."""
