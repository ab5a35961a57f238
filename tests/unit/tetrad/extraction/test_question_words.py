"""Replies whose reading depends on the question's words: letters that name its pictures, and the options' texts."""

import msgspec
import pytest

from tests.unit.tetrad.extraction.replies import LETTERS
from tetrad.contracts.items import Choice, ChoiceKey, KeyedQuestion, Option, Picture, Question
from tetrad.extraction import extract_choice
from tetrad.extraction.question_words import words_of
from tetrad.internal.draws import KeyedItem
from tetrad.internal.packed_keys import pack_items, unpack_items, without_other_words

TEXTS = ("a chair; right", "a table; left", "a table", "a lamp; left")
LETTERED = Question(
    id="which",
    kind="which",
    text="The same edit makes image D from image C. What lies where, in image D?",
    shape=Choice(labels=LETTERS),
    options=tuple(Option(label=label, text=text) for label, text in zip(LETTERS, TEXTS, strict=True)),
    pictures=tuple(Picture(name=str(place), caption=f"Image {letter}.") for place, letter in enumerate("ABC", 1)),
)
PICTURED = Question(
    id="which",
    kind="which",
    text="Which picture comes next?",
    shape=Choice(labels=LETTERS),
    options=tuple(Option(label=label, picture=label) for label in LETTERS),
    pictures=tuple(Picture(name=label, caption=f"Picture {label}") for label in LETTERS),
)
SHEET = msgspec.structs.replace(
    PICTURED,
    options=tuple(Option(label=label, text=f"The picture marked {label}.") for label in LETTERS),
    pictures=(Picture(name="1", caption="Context above, pictures A to D below"),),
)
PICTURES_WITH_LETTERS = [
    ("Image D shows a cat in the lower left.", None),
    ("The sign is lime in image D, so that option holds.", None),
    ("The answer is about image D.", None),
    ("The final image is D.", None),
    ("The answer is image D.", None),
    ("Compare images C and D: the cat has moved.", None),
    ("In picture (D) the cat is in the lower left.", None),
    ("The correct answer is the option that describes image D.", None),
    ("Therefore, in image D the boy is in the upper right quarter.", None),
    ("The answer for image D is B.", "B"),
    ("Image B is image A turned, so image D has the cat on the left: (C).", "C"),
    ("The answer to the question about the image is D.", "D"),
    ("In image D the cat is on the left. Option B says so.", "B"),
    ("The answer is option D, as image C turned shows.", "D"),
    ("The answer is D.", "D"),
    ("Compare images A and B, C is correct.", "C"),
    ("So for image D, B is correct.", "B"),
    ("Images A, B, and C show a cat.", None),
    ("Image C -> D: the cat moves to the left.", None),
    ("(D)", "D"),
    (r"\boxed{A}. This is the answer in image D.", "A"),
    ("\\boxed{A}\nThe final image is D", "A"),
    ("\\boxed{A}\n\nThis matches the answer for image D.", "A"),
    ("\\boxed{A}\n\nSo the answer for image D is lime.", "A"),
    (r"\boxed{A} - the resulting picture is image D.", "A"),
    (r"The answer to the question about image D is \boxed{A}", "A"),
    ("\\boxed{A}\n\nThe right answer in image D is lime.", "A"),
    (r"I pick \boxed{A}, as the correct image D has lime clothes.", "A"),
]
QUOTED = [
    ("The answer is: a table; left", "B"),
    ("The answer is a table; left.", "B"),
    ("a table; left", "B"),
    ("A Table; Left.", "B"),
    ("**Answer:** A table", "C"),
    ("Final answer:\n\n**a lamp; left**", "D"),
    (r"The left side is kept. \boxed{\text{a table; left}}", "B"),
    ("<answer>a chair; right</answer>", "A"),
    ('{"answer": "a table; left"}', "B"),
    ("The answer is: a table; left\n\nImage D shows it there.", "B"),
    ("I first thought of (A). The correct option is: a table; left", "B"),
    ("The answer is not: a table; left", None),
    ("I don't think the answer is: a table; left", None),
    ("If the answer is: a table; left", None),
    ("Is the answer a table; left?", None),
    ("The answer is: a table; left or a lamp; left", None),
    ("The answer is: a table; leftmost", None),
    ("The answer is: a table; left. Wait, that is wrong.", None),
    ("The answer is: a table; left\n\nThe answer is: a lamp; left", None),
    (r"\boxed{a table} or \boxed{a lamp; left}", None),
    ("\\boxed{a table; left}. The answer is (A).", None),
    ("\\boxed{a table; left}. The answer is (B).", "B"),
    (r"\boxed{a table} or B", None),
    ("The answer is: a table; left\n\nThe answer is B or C.", None),
    ("There is a table; left", None),
    ("The object that is in the lower left of image C is a table", None),
    ("The answer is (A), not a table; left", "A"),
    ("The answer is (E).", None),
]


def test_a_letter_that_names_a_picture_of_the_question_is_no_answer() -> None:
    words = words_of(LETTERED)
    read = [(reply, extract_choice(reply, LETTERS, words).answer) for reply, _ in PICTURES_WITH_LETTERS]
    assert read == list(PICTURES_WITH_LETTERS)


@pytest.mark.parametrize("question", [PICTURED, SHEET], ids=["pictures", "sheet"])
@pytest.mark.parametrize("reply", ["Picture D", "The answer is image (D).", "The pattern goes on in picture D."])
def test_a_letter_that_names_an_option_which_is_a_picture_is_an_answer(question: Question, reply: str) -> None:
    assert extract_choice(reply, LETTERS, words_of(question)).answer == "D"


def test_the_text_of_one_option_is_read_as_that_option() -> None:
    for reply, answer in QUOTED:
        read = extract_choice(reply, LETTERS, words_of(LETTERED))
        assert read.answer == answer, reply
        assert read.reason == "quoted-option" or answer is None or "(" in reply, reply


def test_a_text_that_two_options_have_is_no_answer() -> None:
    twice = tuple(
        Option(label=label, text=text) for label, text in zip("ABCD", ("red", "Red.", "blue", ""), strict=True)
    )
    words = words_of(msgspec.structs.replace(LETTERED, options=twice))
    assert extract_choice("The answer is: red", LETTERS, words).answer is None
    assert extract_choice("The answer is: blue", LETTERS, words).answer == "C"
    assert extract_choice("The answer is: .", LETTERS, words).answer is None


def test_a_text_that_holds_labels_is_read_whole() -> None:
    options = (Option(label="A", text="between A and B"), Option(label="B", text="between B and C"))
    words = words_of(msgspec.structs.replace(LETTERED, options=options))
    assert extract_choice("The answer is: between B and C", LETTERS, words).answer == "B"
    assert extract_choice("The answer is B or C", LETTERS, words).answer is None


def test_texts_of_several_sentences_are_told_from_their_beginnings() -> None:
    texts = ("It turned red.", "It turned red. It grew.", "It grew.", "It grew. It turned red.")
    options = tuple(Option(label=label, text=text) for label, text in zip("ABCD", texts, strict=True))
    words = words_of(msgspec.structs.replace(LETTERED, options=options))
    read = [extract_choice(f"The answer is: {text}", LETTERS, words).answer for text in texts]
    assert read == ["A", "B", "C", "D"]


@pytest.mark.parametrize("question", [LETTERED, PICTURED, SHEET])
def test_scoring_has_the_words_that_extraction_needs(question: Question) -> None:
    keyed = KeyedQuestion(question=question, key=ChoiceKey(label="A"), facets={}, cluster="1")
    (item,) = unpack_items(pack_items([KeyedItem(item=0, questions=[keyed])]))
    assert words_of(item.questions[0].question) == words_of(question)
    assert words_of(without_other_words([keyed])[0].question) == words_of(question)
