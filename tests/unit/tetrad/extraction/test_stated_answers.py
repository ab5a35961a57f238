"""What states an answer in a language is read; its twins that deny, hedge, condition or correct it are not."""

from collections import Counter
from collections.abc import Callable, Iterable

import pytest

from tests.unit.tetrad.extraction.replies import LETTERS, NUMBERS
from tests.unit.tetrad.extraction.stated_answers import SPEECHES, Twin, twins_of
from tests.unit.tetrad.extraction.test_anchored import spell
from tetrad.contracts.items import StateCaption
from tetrad.extraction import extract_choice
from tetrad.extraction.captions.caption import extract_caption
from tetrad.extraction.choice import ExtractedAnswer
from tetrad.extraction.languages import LANGUAGES
from tetrad.extraction.number import extract_number
from tetrad.extraction.question_words import QuestionWords
from tetrad.solvers.carv import VALUES

FEWEST_TWINS = 600
MOST = 99
COLORS = QuestionWords(texts=tuple(zip(LETTERS, ("cyan", "yellow", "pink", "red"), strict=True)))
READ: dict[str, tuple[Callable[[str], ExtractedAnswer], str, str]] = {
    "letters": (lambda reply: extract_choice(reply, LETTERS), "B", "C"),
    "letters in brackets": (lambda reply: extract_choice(reply, LETTERS), "(B)", "(C)"),
    "the article": (lambda reply: extract_choice(reply, LETTERS), "A", "D"),
    "digits": (lambda reply: extract_choice(reply, NUMBERS), "3", "2"),
    "numbers": (lambda reply: extract_number(reply, MOST), "9", "7"),
}


@pytest.mark.parametrize("kind", READ)
def test_each_affirmation_is_read_and_none_of_its_twins_is_read_as_one(kind: str) -> None:
    extract, label, other = READ[kind]
    twins = [(language, twin) for language in SPEECHES for twin in twins_of(language, label, other)]
    if kind == "numbers":  # a count is not chosen among others
        twins = [(language, twin) for language, twin in twins if not twin.reply.startswith("Only ")]
    assert len({twin.reply for _, twin in twins}) >= FEWEST_TWINS
    assert_none_is_misread(
        (f"{language} {twin.rule}: {twin.reply!r} reads {read}" for language, twin in twins
         if (read := _misread(extract, twin))), len(twins)
    )  # fmt: skip


def test_the_text_of_an_option_that_is_stated_is_read_and_none_of_its_twins() -> None:
    """Only English states texts: in other languages nothing is read, and so no twin either."""
    found = [
        (language, twin, extract_choice(twin.reply, LETTERS, COLORS).answer)
        for language in SPEECHES
        for twin in twins_of(language, "pink", "red")
    ]
    may_be_read = {"affirmed": "C", "looked at": "C", "second option": "C", "corrected": "D"}
    assert sum(answer == "C" for _, twin, answer in found if twin.rule == "affirmed") >= len(LETTERS)
    assert_none_is_misread(
        (f"{language} {twin.rule}: {twin.reply!r} reads {answer}" for language, twin, answer in found
         if answer not in {None, may_be_read.get(twin.rule)}), len(found)
    )  # fmt: skip


def assert_none_is_misread(told: Iterable[str], of: int) -> None:
    wrong = list(told)
    counts = Counter(line.split(":")[0] for line in wrong)
    assert not wrong, "\n".join([f"{len(wrong)} of {of} misread: {dict(counts)}", *wrong])


def _misread(extract: Callable[[str], ExtractedAnswer], twin: Twin) -> str | None:
    """Return what a twin reads as, if it is not its answer."""
    read = extract(twin.reply)
    expected = None if twin.answer is None else twin.answer.strip("()")
    return None if read.answer == expected else f"{read.answer} ({read.reason})"


@pytest.mark.parametrize(
    "words",
    ["Wait", "Hold on", "Scratch that", "My mistake", "Sorry", "Oops", "I misspoke", "On reflection", "Correction",
     "I made an error", "It seems I have made a mistake", "I take that back", "I stand corrected", "I was wrong"],
)  # fmt: skip
def test_the_same_words_take_back_an_answer_of_any_shape(words: str) -> None:
    assert extract_choice(f"The answer is (B). {words}.", LETTERS).reason == "retracted"
    assert extract_choice(f"The answer is pink. {words}.", LETTERS, COLORS).answer is None
    assert extract_number(f"The answer is 9. {words}.", MOST).reason == "retracted"
    shape = StateCaption(properties=dict(VALUES))
    read = extract_caption(f"two bowls to the left of a red table. {words}: one bowl to its left", shape)
    assert read.answer == "bowl, one, table, red, left"


ENGLISH_TOO = {"alternative", "figur", "figure"}
SECOND_TOO = {"alternativa"}
"""By itself it may be the second choice: "Risposta: C. Alternativa: B"."""
NOUNS = [
    (code, word)
    for code, language in LANGUAGES.items()
    for noun in (language.answer, language.option)
    for word in sorted(spell(noun, lambda texts: texts))
    if word not in ENGLISH_TOO | SECOND_TOO
]


def test_a_label_after_each_noun_for_an_answer_or_an_option_is_read() -> None:
    assert len({code for code, _ in NOUNS}) == len(LANGUAGES) - 1, "English has its own patterns"
    forms = ("{}: B", "{} : B", "{}\uff1aB")
    replies = [(code, form.format(word.capitalize())) for code, word in NOUNS for form in forms]
    assert [(code, reply) for code, reply in replies if extract_choice(reply, LETTERS).answer != "B"] == []
