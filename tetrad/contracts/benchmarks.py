"""What a benchmark offers: its card."""

from typing import Literal, TypeAlias

from tetrad.contracts.metrics import Metric
from tetrad.contracts.wire import ParameterValue, Wire

Conversation: TypeAlias = Literal["fresh", "joined"]
"""How the questions of an item are put: each in a fresh context, or joined in one conversation."""
ConversationChoice: TypeAlias = Literal["as-card", "fresh", "joined"]
"""What a team declares of its submission: as the card says, or one of the two."""


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
    """What is asked and shown; `questions` lists the question kinds in the order they open.

    `conversation`: the questions of an item are one conversation, in which earlier pictures, questions and the model's
    own replies stay in the context. Otherwise each question has a fresh context. Every repeat of the questions is a
    conversation of its own.
    """

    name: str
    help: str
    questions: tuple[str, ...]
    conversation: bool = False

    @property
    def can_join(self) -> bool:
        """Tell whether an item asks several kinds of question, so that there is something to join."""
        return len(self.questions) > 1


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


class Exclusion(Wire, frozen=True, kw_only=True):
    """Values that don't go together: of parameters, and of `track` and `setting`.

    `field` is the one to be blamed and `remedy` what to give instead.
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


class Headline(Wire, frozen=True, kw_only=True):
    """The one number of a board, and the least items a model needs for a rank."""

    metric: str
    least_items: int


class ReferenceRow(Wire, frozen=True, kw_only=True):
    """A published figure, shown on boards, marked and never ranked.

    where: the track and setting it is of, and the facets of the group of questions it is about.
    parameters: what it was measured under; boards of other values can't be compared with it and don't show it.
    words: what the source says where it gives no number; `value` is None there.
    """

    name: str
    kind: str
    metric: str
    value: float | None
    items: int | None
    source: str
    where: dict[str, tuple[str, ...]] = {}
    parameters: dict[str, ParameterValue] = {}
    words: str = ""


class Credit(Wire, frozen=True, kw_only=True):
    title: str
    authors: str
    venue: str
    url: str
    licence: str


class CorpusNotice(Wire, frozen=True, kw_only=True):
    """What is different about a fixed corpus, the original items of a paper that an operator has mounted.

    Its items can't be redrawn: approved teams only, a capped number of submissions, aggregates only, no board.
    items: how many it has; a draw asks each at most once, and at least `least_draw` of them.
    labels_public: whether its answers are published anyway.
    """

    notice: str
    items: int
    least_draw: int
    labels_public: bool


class Card(Wire, frozen=True, kw_only=True):
    """All that is public about one version of a benchmark; `corpus` where its items are fixed."""

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
    exclusions: tuple[Exclusion, ...] = ()
    largest_draw: int = 10_000
    filters: dict[str, tuple[str, ...]] = {}  # facets that practice items can be filtered by, with their values
    corpus: CorpusNotice | None = None

    def place(self, track: str | None, setting: str | None) -> tuple[str, str]:
        """Return where somebody goes who names these: the first on the card for what is None. Names go unchecked."""
        meant = next((one for one in self.tracks if one.name == track), self.tracks[0])
        return meant.name if track is None else track, meant.settings[0] if setting is None else setting

    def conversation(self, setting: str, chosen: ConversationChoice = "as-card") -> Conversation:
        """Return how the questions of this setting are put, given what a team chose. Names go unchecked."""
        if chosen != "as-card":
            return chosen
        return "joined" if any(one.conversation for one in self.settings if one.name == setting) else "fresh"


class SourceInfo(Wire, frozen=True, kw_only=True):
    """A source that items of a benchmark can be drawn from.

    digest: what stands for it in the identity of a draw from it alone. default: whether draws use it where no source of
    its kind is named. access: who may draw from it: everybody (public), every team, or approved teams. labels_public:
    whether its labels are published anyway. tracks: those that draw from its kind. divided: whether practice and
    submissions get different pictures of it. lacking: what it lacks before the benchmark can draw from it, and the
    operator's remedy; "" where nothing.
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
    """A card with what this instance adds: the sources it draws from.

    `bank` is the digest of the default ones, part of every item's identity; `bank_name` is what its operator calls them
    ("none" where items need none); `bank_credits` are lines that the pictures' licences ask to show with them.
    `sources` lists all that draws may name; `banks` has the digest of each track's default ones. `lacking` says by
    track what its default sources lack before it can be served, and the remedy: its items are 503 until then.
    """

    card: Card
    bank: str
    bank_name: str = ""
    bank_credits: tuple[str, ...] = ()
    sources: tuple[SourceInfo, ...] = ()
    banks: dict[str, str] = {}
    lacking: dict[str, str] = {}

    def bank_of(self, track: str) -> str:
        """Return the digest of the sources that draws of a track use where none is named."""
        return self.banks.get(track, self.bank)


class BenchmarkList(Wire, frozen=True, kw_only=True):
    benchmarks: list[BenchmarkInfo]
    next: str | None = None
