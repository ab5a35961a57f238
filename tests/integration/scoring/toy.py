"""A benchmark to work out by hand: "what" first, "which" after it, "how" between them if "what" was right."""

from collections.abc import Iterable

from tetrad.canonical import digest, hexdigest
from tetrad.commitments import commitment_of
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.benchmarks import BenchmarkInfo, Card, ChanceLevel, Credit, Headline
from tetrad.contracts.items import Choice, ChoiceKey, DrawIdentity, KeyedQuestion, Question
from tetrad.contracts.metrics import Accuracy, ConditionalAccuracy, Gap, Inconsistency
from tetrad.extraction.answers import extract_answer
from tetrad.internal.draws import DrawKeys, KeyedItem

BANK = "b" * 64
LABELS = ("A", "B", "C", "D")
IDENTITY = DrawIdentity(
    benchmark="toy", version=1, bank=BANK, track="toy", setting="full", parameters={"steps": 2, "plain": True}
)
WHICH: dict[str, tuple[str, ...]] = {"question": ("which",)}
CARD = Card(
    name="toy",
    version=1,
    title="Toy",
    summary="For tests",
    tracks=(),
    settings=(),
    parameters=(),
    metrics=(
        Accuracy(name="which", help="", where=WHICH, by=("domain",)),
        Accuracy(name="what", help="", where={"question": ("what",)}),
        ConditionalAccuracy(name="which-after-right", help="", where=WHICH, given={"question": ("what",)}),
        Inconsistency(name="inconsistency", help="", where=WHICH),
        Gap(name="which-less-what", help="", where=WHICH, less={"question": ("what",)}),
    ),
    headline=Headline(metric="which", least_items=1),
    chance=(ChanceLevel(where={}, uniform=0.25, stated=0.33, source="toy"),),
    credit=Credit(title="", authors="", venue="", url="", licence=""),
)
INFO = BenchmarkInfo(card=CARD, bank=BANK)


def seed_of(submission: str) -> str:
    return hexdigest("toy", submission)


def commitment(submission: str, size: int) -> str:
    return commitment_of(IDENTITY, seed_of(submission), size)


def key_of(seed: str, item: int, question: str) -> str:
    return LABELS[digest(seed, item, question)[0] % len(LABELS)]


def questions_of(seed: str, item: int) -> list[KeyedQuestion]:
    domain = "color" if item % 2 else "size"
    return [
        KeyedQuestion(
            question=Question(id=name, kind=name, text="", shape=Choice(labels=LABELS), final=name == "which"),
            key=ChoiceKey(label=key_of(seed, item, name)),
            facets={"question": name, "domain": domain},
            cluster=f"item-{item}",
        )
        for name in ("what", "how", "which")
    ]


def asked(seed: str, item: int, answers: dict[str, SealedAnswer]) -> list[KeyedQuestion]:
    what, how, which = questions_of(seed, item)
    if "what" not in answers:
        return [what]
    given = answers["what"]
    right = extract_answer(what.question.shape, given.answer, given.response).answer == what.key.label
    return [what, how, which] if right else [what, which]


def keys_of(identity: DrawIdentity, seed: str, size: int, answers: Iterable[SealedAnswer]) -> DrawKeys:
    given: dict[int, dict[str, SealedAnswer]] = {}
    for answer in answers:
        given.setdefault(answer.item, {})[answer.question] = answer
    return DrawKeys(
        identity=identity,
        size=size,
        seed=seed,
        commitment=commitment_of(identity, seed, size),
        items=[KeyedItem(item=item, questions=asked(seed, item, given.get(item, {}))) for item in range(size)],
    )
