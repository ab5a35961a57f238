"""The direct strategy: what a model gets to see, in which order, and the same every time."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tetrad.contracts.inference import ImagePart, Message, TextPart
from tetrad.contracts.items import Choice, Option, Picture, Question
from tetrad.prompting import STRATEGIES, UnknownStrategyError, Wording, find_strategy
from tetrad.prompting.direct import MissingPictureError, messages

PICTURES = {"1": b"one", "2": b"two", "3": b"three"}


def question(*options: Option, pictures: tuple[str, ...] = ("1",), instruction: str = "One label.") -> Question:
    return Question(
        id="q",
        kind="k",
        text="What changed?",
        shape=Choice(labels=tuple(option.label for option in options)),
        options=options,
        pictures=tuple(Picture(name=name, caption=f"Caption {name}") for name in pictures),
        instruction=instruction,
    )


def told(asked: Question, wording: Wording | None = None) -> list[str]:
    """The user message, a picture written as its bytes in angle brackets."""
    content = messages(asked, PICTURES, wording or Wording())[-1].content
    assert not isinstance(content, str)
    return [part.text if isinstance(part, TextPart) else f"<{shown(part)}>" for part in content]


def shown(part: ImagePart) -> str:
    head, _, body = part.image_url.url.partition(",")
    assert head == "data:image/png;base64"
    return base64.b64decode(body).decode()


def test_a_verbal_question_shows_its_picture_and_then_its_words() -> None:
    asked = question(Option(label="1", text="Size"), Option(label="2", text="Color"))
    assert told(asked) == ["Picture 1. Caption 1", "<one>", "What changed?\n(1) Size\n(2) Color\nOne label."]


def test_picture_options_name_their_pictures_before_and_after() -> None:
    asked = question(
        Option(label="A", picture="3"), Option(label="B", picture="2"), Option(label="C"), pictures=("1", "2")
    )
    assert told(asked) == [
        "Picture 1. Caption 1",
        "<one>",
        "Picture 2, option (B). Caption 2",
        "<two>",
        "Picture 3, option (A).",
        "<three>",
        "What changed?\n(A) picture 3\n(B) picture 2\n(C)\nOne label.",
    ]


def test_a_picture_of_two_options_belongs_to_neither() -> None:
    assert told(question(Option(label="A", picture="1"), Option(label="B", picture="1")))[0] == "Picture 1. Caption 1"


def test_the_system_message_comes_first_and_can_be_left_out() -> None:
    asked = question(Option(label="1", text="Size"))
    assert [message.role for message in messages(asked, PICTURES, Wording())] == ["system", "user"]
    assert [message.role for message in messages(asked, PICTURES, Wording(system=""))] == ["user"]


def test_empty_templates_leave_their_pieces_out() -> None:
    bare = Wording(picture="", question="", instruction="", text_option="{label}: {text}")
    assert told(question(Option(label="1", text="Size")), bare) == ["<one>", "1: Size"]
    assert told(question(Option(label="1", text="Size"), instruction=""))[-1] == "What changed?\n(1) Size"


def test_a_missing_picture_is_an_error_that_names_it() -> None:
    with pytest.raises(MissingPictureError, match="picture '9'"):
        messages(question(Option(label="1", picture="9")), PICTURES, Wording())


@given(st.text(max_size=40), st.binary(max_size=40))
def test_the_same_question_gives_the_same_messages_whatever_braces_it_holds(text: str, png: bytes) -> None:
    asked = question(Option(label="1", text=text + "{label}"))
    first, second = (messages(asked, {"1": png}, Wording()) for _ in range(2))
    assert first == second
    assert all(isinstance(message, Message) for message in first)


def test_strategies_are_found_by_name_and_have_a_version() -> None:
    assert find_strategy("direct") is STRATEGIES["direct"]
    assert STRATEGIES["direct"].version == 1
    with pytest.raises(UnknownStrategyError, match="choose one of direct"):
        find_strategy("telepathy")
