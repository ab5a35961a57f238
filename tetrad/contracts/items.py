"""Items as a model sees them: questions, options, pictures. Nothing here tells an answer."""

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
    """The answer is a sentence that says of one scene a value for each of these properties.

    `properties`: names and values, in the order in which a caption is written down; the words that stand for them
    are those of `tetrad.extraction.captions.words`.
    """

    properties: dict[str, tuple[str, ...]]


class Diagnosis(Wire, frozen=True, kw_only=True, tag="diagnosis", tag_field="shape"):
    """The answer is a JSON object: captions of `pairs` pairs, their changes, the changes wanted, a caption."""

    properties: dict[str, tuple[str, ...]]
    pairs: int


# a new shape: one struct here, one reader in tetrad.extraction, one key below
AnswerShape: TypeAlias = Choice | Number | StateCaption | Diagnosis


class Picture(Wire, frozen=True, kw_only=True):
    """A PNG by its place in the item; `caption` says what it shows in neutral words."""

    name: str
    caption: str
    url: str | None = None


class Option(Wire, frozen=True, kw_only=True):
    label: Label
    text: str | None = None
    picture: str | None = None


class SolvedExample(Wire, frozen=True, kw_only=True):
    """A question of the same kind with its solution, shown before a question.

    `pictures` names some of the question's own list, in order.
    """

    text: str
    pictures: tuple[str, ...]
    options: tuple[Option, ...]
    answer: Label


class Question(Wire, frozen=True, kw_only=True):
    """One thing asked. `final` says that nothing opens after it, whatever the answer.

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
        """Return what follows the kind in the id: "" or "-2". Questions of an item that share it can be joined."""
        return self.id.removeprefix(self.kind)


class ChoiceKey(Wire, frozen=True, kw_only=True, tag="choice", tag_field="shape"):
    """The right label; `outcomes` names, by label, the mistake that a wrong option stands for, where there is a name.

    Mistakes are facts of the key: nobody is told before the report.
    """

    label: Label
    outcomes: dict[Label, str] = {}


class NumberKey(Wire, frozen=True, kw_only=True, tag="number", tag_field="shape"):
    number: int

    @property
    def label(self) -> str:
        """The right answer as `answer` gives it."""
        return str(self.number)


class StateCaptionKey(Wire, frozen=True, kw_only=True, tag="state-caption", tag_field="shape"):
    """The right value of every property; `needed` are those that a lenient reading wants to be said."""

    values: dict[str, str]
    needed: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The right answer as `answer` gives it: "bottle, two, table, red, on"."""
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
    """What each stage must find, and the key of the last, which is what the answer is for."""

    right: DiagnosisAnswer
    final: StateCaptionKey

    @property
    def label(self) -> str:
        """The right answer as it is written down: JSON."""
        return msgspec.json.encode(self.right).decode()


Key: TypeAlias = ChoiceKey | NumberKey | StateCaptionKey | DiagnosisKey


class KeyedQuestion(Wire, frozen=True, kw_only=True):
    """A question with its key and facets: generator to scoring, and public once a draw is revealed.

    `option_values` names what each label stands for whatever its place, so that repeats can be compared. Many
    questions may
    share their facets and option values: nobody changes them.
    """

    question: Question
    key: Key
    facets: Facets
    cluster: str
    option_values: dict[str, str] = msgspec.field(default_factory=dict, name="meanings")


class DrawIdentity(Wire, frozen=True, kw_only=True):
    """Everything an item is a function of, but seed and index. `bank` is the object bank's digest."""

    benchmark: str
    version: int
    bank: str
    track: str
    setting: str
    parameters: dict[str, ParameterValue]


class PracticeItem(Wire, frozen=True, kw_only=True):
    """A fresh item whose solution is open at `solution_url`."""

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
