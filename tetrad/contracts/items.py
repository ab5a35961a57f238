"""Items: questions, options and pictures, which models see, and answer keys, which they don't."""

from typing import TypeAlias

import msgspec

from tetrad.contracts.wire import Facets, Label, ParameterValue, Wire


class Choice(Wire, frozen=True, kw_only=True, tag="choice", tag_field="shape"):
    """The answer is one of these labels."""

    labels: tuple[Label, ...]
    """The labels of the options, in the order in which they are shown."""


class Number(Wire, frozen=True, kw_only=True, tag="number", tag_field="shape"):
    """The answer is a whole number, in decimal digits without leading zeros."""

    most: int = 999_999
    """The largest number that an answer may be; the least is 0."""


class StateCaption(Wire, frozen=True, kw_only=True, tag="state-caption", tag_field="shape"):
    """The answer is a sentence that gives a value to each of some properties of a scene."""

    properties: dict[str, tuple[str, ...]]
    """By property, its values, in the order in which a caption is written down. The words that stand for them are those
    of `tetrad.extraction.captions.words`.
    """


class Diagnosis(Wire, frozen=True, kw_only=True, tag="diagnosis", tag_field="shape"):
    """The answer is a JSON object: captions of some pairs, their changes, the changes wanted, a caption."""

    properties: dict[str, tuple[str, ...]]
    """By property of a scene, its values, as in a state caption."""
    pairs: int
    """The number of pairs whose states and changes are to be told."""


# a new shape: one struct here, one extractor in tetrad.extraction, one key below
AnswerShape: TypeAlias = Choice | Number | StateCaption | Diagnosis


class Picture(Wire, frozen=True, kw_only=True):
    """A picture of a question, as PNG."""

    name: str
    """Its place in the item, such as "which-0-1"; the last part of its address."""
    caption: str
    """What it shows, in neutral words that tell nothing about the answer."""
    url: str | None = None
    """Its address; null where pictures are sent beside the question."""


class Option(Wire, frozen=True, kw_only=True):
    """One of the options of a question."""

    label: Label
    """The text that an answer gives to choose it: A, B, 1, 2."""
    text: str | None = None
    """What it says; null if it is a picture alone."""
    picture: str | None = None
    """`name` of its picture in the question; null if it has none."""


class SolvedExample(Wire, frozen=True, kw_only=True):
    """A solved question of the same kind, shown before a question."""

    text: str
    """The example's question."""
    pictures: tuple[str, ...]
    """Names of its pictures, which stand in the question's own list, in order."""
    options: tuple[Option, ...]
    """The options that it chooses from, in the order in which they are shown."""
    answer: Label
    """Label of the right one."""


class Question(Wire, frozen=True, kw_only=True):
    """One question of an item, as a model sees it."""

    id: str
    """Its id within the item. It begins with the kind; what follows tells the repeats of a kind apart ("which",
    "which-2").
    """
    kind: str
    """The kind of question, such as "which": facets, metrics and settings name it."""
    text: str
    """What is asked, word for word."""
    shape: AnswerShape
    """What an answer looks like."""
    options: tuple[Option, ...] = ()
    """The options of a choice, in the order in which they are shown; empty for other shapes."""
    pictures: tuple[Picture, ...] = ()
    """Every picture that the question shows, in order, those of its solved `examples` last."""
    instruction: str = ""
    """How to write the answer down, word for word; "" if nothing is said."""
    final: bool = False
    """Whether no question opens after it, whatever the answer."""
    examples: tuple[SolvedExample, ...] = ()
    """Solved questions of the same kind, to be shown before it."""

    @property
    def repeat(self) -> str:
        """Return the part of the id after the kind: "" or "-2". Questions of an item that share it can be joined."""
        return self.id.removeprefix(self.kind)


class ChoiceKey(Wire, frozen=True, kw_only=True, tag="choice", tag_field="shape"):
    """The right label of a choice. Mistakes are part of the key, so they are shown only in the report."""

    label: Label
    """Label of the right option."""
    outcomes: dict[Label, str] = {}
    """By label of a wrong option, the mistake that it stands for, where it has a name."""


class NumberKey(Wire, frozen=True, kw_only=True, tag="number", tag_field="shape"):
    """The right number."""

    number: int
    """The number, from 0."""

    @property
    def label(self) -> str:
        """Return the right answer in the form of an `answer`."""
        return str(self.number)


class StateCaptionKey(Wire, frozen=True, kw_only=True, tag="state-caption", tag_field="shape"):
    """The right caption of a scene."""

    values: dict[str, str]
    """By property, its right value."""
    needed: tuple[str, ...] = ()
    """The properties that a lenient verdict requires; a strict one requires all."""

    @property
    def label(self) -> str:
        """Return the right answer in the form of an `answer`: "bottle, two, table, red, on"."""
        return ", ".join(self.values.values())


class DiagnosisAnswer(Wire, frozen=True, kw_only=True):
    """The four stages of a diagnosis, in short.

    States are written as "bottle, two, table, red, on", changes as "subject_number: one > two".
    """

    captions: list[list[str]]
    """By pair, its two states."""
    changes: list[list[str]]
    """By pair, the changes from its first state to its second."""
    target: list[str]
    """The changes wanted."""
    caption: str
    """The last state."""


class DiagnosisKey(Wire, frozen=True, kw_only=True, tag="diagnosis", tag_field="shape"):
    """The right findings of each stage."""

    right: DiagnosisAnswer
    """The right findings, stage by stage."""
    final: StateCaptionKey
    """The key of the last stage, which the headline counts."""

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
    """Everything that an item depends on except seed and index."""

    benchmark: str
    """The benchmark's name."""
    version: int
    """Version of the benchmark, from 1."""
    bank: str
    """Digest of the sources that it is drawn from."""
    track: str
    """The kind of item: a track of the card."""
    setting: str
    """What an item asks and shows: a setting of the card."""
    parameters: dict[str, ParameterValue]
    """By name, the value of every parameter, defaults too."""


class PracticeItem(Wire, frozen=True, kw_only=True):
    """A fresh item with nothing hidden: its solution is public."""

    id: str
    """itm_ and a packed text of identity, seed and index. Whoever has it can ask for the item again, at any time."""
    identity: DrawIdentity
    """What the item depends on except seed and index."""
    seed: str
    """The seed of the draw: a number, or 64 hex digits."""
    index: int
    """Its place in the draw, from 0."""
    questions: list[Question]
    """All of its questions, also those that would open one after the other."""
    url: str
    """Address of the item."""
    solution_url: str
    """Address of the solution."""


class PracticePage(Wire, frozen=True, kw_only=True):
    """A page of practice items of one seed."""

    items: list[PracticeItem]
    """The items of this page, by index."""
    seed: str
    """The seed that they are drawn from: the one that was asked for, or a random one."""
    next: str | None = None
    """Address of the next page; null where no more were looked for or found."""
    counts: dict[str, dict[str, int]] = {}
    """By filter and value: how many items of each block of the draw have it, beside the other filters asked for."""
    counted: int = 0
    """Items of a block: 0 to `counted` - 1, and so on. Every block of every seed has as many of each kind."""


class Solution(Wire, frozen=True, kw_only=True):
    """The truth of one practice item."""

    id: str
    """Id of the item."""
    keys: dict[str, Key]
    """By question, the right answer."""
    facets: dict[str, Facets]
    """By question, its facets: domain, value and whatever else reports are split by."""
    explanation: str
    """Why the right answer is right, in a sentence."""
    scene: dict[str, object]
    """What the item was made from, in plain data; it differs between benchmarks."""
