"""Items: questions, options and pictures, which models see, and answer keys, which they don't."""

from typing import TypeAlias

import msgspec

from tetrad.contracts.wire import Facets, Label, ParameterValue, Wire


class Choice(Wire, frozen=True, kw_only=True, tag="choice", tag_field="shape"):
    """The answer is one of these labels."""

    labels: tuple[Label, ...]


class Number(Wire, frozen=True, kw_only=True, tag="number", tag_field="shape"):
    """The answer is a whole number from 0 to `most`, in decimal digits without leading zeros."""

    most: int = 999_999


class StateCaption(Wire, frozen=True, kw_only=True, tag="state-caption", tag_field="shape"):
    """The answer is a sentence that gives a value to each of these properties of a scene.

    `properties`: names and values, in the order in which a caption is written down; the words that stand for them
    are those of `tetrad.extraction.captions.words`.
    """

    properties: dict[str, tuple[str, ...]]


class Diagnosis(Wire, frozen=True, kw_only=True, tag="diagnosis", tag_field="shape"):
    """The answer is a JSON object: captions of `pairs` pairs, their changes, the changes wanted, a caption."""

    properties: dict[str, tuple[str, ...]]
    pairs: int


# a new shape: one struct here, one extractor in tetrad.extraction, one key below
AnswerShape: TypeAlias = Choice | Number | StateCaption | Diagnosis


class Picture(Wire, frozen=True, kw_only=True):
    """A PNG, named by its place in the item. `caption` says in neutral words what it shows."""

    name: str
    caption: str
    url: str | None = None


class Option(Wire, frozen=True, kw_only=True):
    label: Label
    text: str | None = None
    picture: str | None = None


class SolvedExample(Wire, frozen=True, kw_only=True):
    """A solved question of the same kind, shown before a question.

    `pictures` names some of the question's own list, in order.
    """

    text: str
    pictures: tuple[str, ...]
    options: tuple[Option, ...]
    answer: Label


class Question(Wire, frozen=True, kw_only=True):
    """One question. `final`: no question opens after it, whatever the answer.

    `pictures` lists every picture that it shows, those of its solved `examples` last. The id begins with the kind; what
    follows tells the repeats of a kind apart ("which", "which-2").
    """

    id: str
    kind: str
    text: str
    shape: AnswerShape
    options: tuple[Option, ...] = ()
    pictures: tuple[Picture, ...] = ()
    instruction: str = ""
    final: bool = False
    examples: tuple[SolvedExample, ...] = ()

    @property
    def repeat(self) -> str:
        """Return the part of the id after the kind: "" or "-2". Questions of an item that share it can be joined."""
        return self.id.removeprefix(self.kind)


class ChoiceKey(Wire, frozen=True, kw_only=True, tag="choice", tag_field="shape"):
    """The right label. `outcomes` names, by label, the mistakes that wrong options stand for, if they have names.

    Mistakes are part of the key, so they are shown only in the report.
    """

    label: Label
    outcomes: dict[Label, str] = {}


class NumberKey(Wire, frozen=True, kw_only=True, tag="number", tag_field="shape"):
    number: int

    @property
    def label(self) -> str:
        """Return the right answer in the form of an `answer`."""
        return str(self.number)


class StateCaptionKey(Wire, frozen=True, kw_only=True, tag="state-caption", tag_field="shape"):
    """The right value of every property. `needed` lists the properties that a lenient verdict requires."""

    values: dict[str, str]
    needed: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Return the right answer in the form of an `answer`: "bottle, two, table, red, on"."""
        return ", ".join(self.values.values())


class DiagnosisAnswer(Wire, frozen=True, kw_only=True):
    """The four stages, in short: states as "bottle, two, table, red, on", changes as "subject_number: one > two".

    captions: two states a pair. changes: one list a pair. target: the changes wanted. caption: the last state.
    """

    captions: list[list[str]]
    changes: list[list[str]]
    target: list[str]
    caption: str


class DiagnosisKey(Wire, frozen=True, kw_only=True, tag="diagnosis", tag_field="shape"):
    """The right findings of each stage, and the key of the last stage, which is the headline's."""

    right: DiagnosisAnswer
    final: StateCaptionKey

    @property
    def label(self) -> str:
        """Return the right answer as JSON."""
        return msgspec.json.encode(self.right).decode()


Key: TypeAlias = ChoiceKey | NumberKey | StateCaptionKey | DiagnosisKey


class KeyedQuestion(Wire, frozen=True, kw_only=True):
    """A question with its key and facets. The generator sends it to scoring; it is public once a draw is revealed.

    `option_values` gives each label's meaning, which does not depend on its place, so that repeats can be compared.
    Many questions may share their facets and option values, so never change these in place.
    """

    question: Question
    key: Key
    facets: Facets
    cluster: str
    option_values: dict[str, str] = msgspec.field(default_factory=dict, name="meanings")


class DrawIdentity(Wire, frozen=True, kw_only=True):
    """Everything that an item depends on except seed and index. `bank` is the digest of its sources."""

    benchmark: str
    version: int
    bank: str
    track: str
    setting: str
    parameters: dict[str, ParameterValue]


class PracticeItem(Wire, frozen=True, kw_only=True):
    """A fresh item whose solution is public at `solution_url`."""

    id: str
    identity: DrawIdentity
    seed: str
    index: int
    questions: list[Question]
    url: str
    solution_url: str


class PracticePage(Wire, frozen=True, kw_only=True):
    items: list[PracticeItem]
    seed: str
    next: str | None = None


class Solution(Wire, frozen=True, kw_only=True):
    """The truth of one item: keys and facets by question, and the scene in plain data."""

    id: str
    keys: dict[str, Key]
    facets: dict[str, Facets]
    explanation: str
    scene: dict[str, object]
