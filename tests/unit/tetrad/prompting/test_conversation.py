"""A model sees the same messages in the same order every time; and the strategies continue as they should."""

import base64
import hashlib
import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tetrad.contracts.inference import ContentPart, ImagePart, Message, TextPart
from tetrad.contracts.items import (
    AnswerShape,
    Choice,
    Diagnosis,
    Number,
    Option,
    Picture,
    Question,
    SolvedExample,
    StateCaption,
)
from tetrad.contracts.submissions import EarlierTurn
from tetrad.prompting import (
    STRATEGIES,
    MissingExamplesError,
    MissingPictureError,
    Steps,
    UnknownStrategyError,
    Wording,
    find_strategy,
)
from tetrad.prompting import messages as next_messages

PICTURES = {"1": b"one", "2": b"two", "3": b"three"}


def messages(asked: Question, pictures: dict[str, bytes], wording: Wording) -> list[Message]:
    return next_messages(Steps(), asked, pictures, wording)


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
    return said(content)


def said(content: str | list[ContentPart]) -> list[str]:
    """Text parts as they are, a picture as its bytes in angle brackets."""
    if isinstance(content, str):
        return [content]
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


def test_a_picture_whose_caption_is_a_name_has_it_in_place_of_a_number() -> None:
    asked = question(Option(label="1", picture="2"), Option(label="2", picture="3"))
    captions = {"1": "picture A", "2": "picture 1", "3": "picture A"}  # the last name is another picture's
    pictures = tuple(Picture(name=name, caption=caption) for name, caption in captions.items())
    assert told(msgspec.structs.replace(asked, pictures=pictures)) == [
        "Picture A.",
        "<one>",
        "Picture 1, option (1).",
        "<two>",
        "Picture 3, option (2). picture A",
        "<three>",
        "What changed?\n(1) picture 1\n(2) picture 3\nOne label.",
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


def text_of(asked: list[Message]) -> str:
    return " ".join(text for message in asked if message.role != "assistant" for text in said(message.content))


CAPTION = StateCaption(properties={"color": ("red", "blue")})


@pytest.mark.parametrize("name", sorted(set(STRATEGIES) - {"in-context"}))
@pytest.mark.parametrize("shape", [CAPTION, Diagnosis(properties=CAPTION.properties, pairs=2), Number(most=9)])
def test_no_strategy_asks_for_an_option_where_an_answer_is_in_own_words(name: str, shape: AnswerShape) -> None:
    asked = msgspec.structs.replace(question(instruction='Answer with JSON: {"caption": "..."}.'), shape=shape)
    strategy = find_strategy(name)
    last = strategy.messages(asked, PICTURES, Wording(), ["said"] * (strategy.steps.requests - 1))
    assert "Answer with JSON" in text_of(last)
    assert not re.search(r"parenthes|option|letter|left picture", text_of(last))
    if strategy.steps != Steps():
        assert "form" in text_of(last[-1:])
    with_options = strategy.messages(question(Option(label="A", text="Size")), PICTURES, Wording())
    assert "one of the options" in text_of(with_options)


def test_strategies_are_found_by_name_and_have_a_version() -> None:
    assert find_strategy("direct") is STRATEGIES["direct"]
    assert {name for name, strategy in STRATEGIES.items() if strategy.version != 3} == {"neuro-symbolic"}
    assert set(STRATEGIES) == {
        "direct",
        "step-by-step",
        "reflect",
        "reflect-3",
        "instructions-first",
        "code-first",
        "neuro-symbolic",
        "in-context",
    }
    with pytest.raises(UnknownStrategyError, match="choose one of code-first, direct"):
        find_strategy("telepathy")


def test_an_operator_s_steps_replace_ours_or_add_a_strategy() -> None:
    wording = Wording(strategies={"reflect": Steps(after=("Sure?",)), "twice": Steps(before=("Think.",))})
    assert find_strategy("reflect", wording).steps == Steps(after=("Sure?",))
    assert find_strategy("reflect", wording).version == 0
    assert find_strategy("twice", wording).steps.requests == 2
    assert find_strategy("direct", wording) is STRATEGIES["direct"]
    with pytest.raises(UnknownStrategyError, match="twice"):
        find_strategy("thrice", wording)


ASKED = question(Option(label="1", text="Size"), Option(label="2", text="Color"))


@pytest.mark.parametrize("name", [name for name in STRATEGIES if name != "in-context"])
def test_every_round_goes_on_from_the_last_and_shows_pictures_and_options_once(name: str) -> None:
    strategy, replies = find_strategy(name), list[str]()
    before: list[Message] = []
    for at in range(strategy.steps.requests):
        asked = strategy.messages(ASKED, PICTURES, Wording(), replies)
        assert asked[: len(before)] == before, "a conversation never changes what was said"
        assert [message.role for message in asked] == ["system", *["user", "assistant"] * at, "user"]
        before = [*asked, Message(role="assistant", content=f"reply {at}")]
        replies.append(f"reply {at}")
    lines = [line for message in before for text in said(message.content) for line in text.split("\n")]
    assert lines.count("<one>") == lines.count("(1) Size") == lines.count("(2) Color") == 1
    assert all(f"reply {at}" in lines for at in range(strategy.steps.requests))


def test_the_strategies_differ_where_they_say() -> None:
    rounds = {name: strategy.steps.requests for name, strategy in STRATEGIES.items()}
    assert rounds == {
        "direct": 1,
        "step-by-step": 1,
        "reflect": 3,
        "reflect-3": 4,
        "instructions-first": 2,
        "code-first": 2,
        "neuro-symbolic": 2,
        "in-context": 1,
    }
    stepwise = find_strategy("step-by-step").messages(ASKED, PICTURES, Wording())[-1]
    assert "step by step" in said(stepwise.content)[-1].split("\n")[-1]
    first, then = (
        find_strategy("code-first").messages(ASKED, PICTURES, Wording(), replies)[-1] for replies in ([], ["code"])
    )
    assert "<one>" in said(first.content)
    assert "(1) Size" not in said(first.content)[-1]
    assert said(then.content)[-1].split("\n")[1:3] == ["(1) Size", "(2) Color"]


def with_examples() -> Question:
    example = SolvedExample(
        text="What changed?",
        pictures=("2",),
        options=(Option(label="1", text="Color"), Option(label="2", text="Size")),
        answer="2",
    )
    picturing = SolvedExample(
        text="What changed?", pictures=("3",), options=(Option(label="1", picture="3"), Option(label="2")), answer="1"
    )
    pictures = tuple(Picture(name=name, caption=f"Caption {name}") for name in "123")
    return Question(
        id="q",
        kind="k",
        text="What changed?",
        shape=Choice(labels=("1", "2")),
        options=ASKED.options,
        pictures=pictures,
        instruction="One label.",
        examples=(example, picturing),
    )


@pytest.mark.parametrize("name", ["direct", "in-context"])
def test_solved_examples_come_as_earlier_turns_with_their_own_pictures_and_solutions(name: str) -> None:
    turns = find_strategy(name).messages(with_examples(), PICTURES, Wording())
    assert [turn.role for turn in turns] == ["system", *["user", "assistant"] * 2, "user"]
    assert [said(turn.content) for turn in turns[1:]] == [
        ["Picture 1. Caption 2", "<two>", "What changed?\n(1) Color\n(2) Size\nOne label."],
        ["(2)"],
        ["Picture 1, option (1). Caption 3", "<three>", "What changed?\n(1) picture 1\n(2)\nOne label."],
        ["(1)"],
        ["Picture 1. Caption 1", "<one>", "What changed?\n(1) Size\n(2) Color\nOne label."],
    ]


def test_in_context_without_examples_says_how_to_get_them() -> None:
    with pytest.raises(MissingExamplesError, match="in_context=2"):
        find_strategy("in-context").messages(ASKED, PICTURES, Wording())


def picturing() -> Question:
    return question(
        Option(label="A", picture="3"),
        Option(label="B", picture="2"),
        Option(label="C", text="None of them"),
        pictures=("1", "2", "3"),
    )


IN_WORDS = msgspec.structs.replace(question(), shape=Number(most=9), instruction="Answer with a whole number.")
# SHA-256 over the requests of all rounds: a strategy whose requests change gets another version.
FRESH = {
    "direct": "83b3e8fda7caec312c911cd305e161eab2eb57cd7d79ddfdd841e9501962ab8d",
    "step-by-step": "d89bc4e1269b164411d54e9f03eea0c8b23094fe3a075bf6a6f3ed91486d82e0",
    "reflect": "4cb39593eda01b73451090691f00a72e9d7c13ec248f3605e9999d6001e368f3",
    "reflect-3": "fa63c1b87f0b50ebe8192d3a116921913191bf68bae10ac8d2c96e3c459099cd",
    "instructions-first": "f24f03e9f248abdf22e9a04969a62cb66598c96e30641f4e790f2f11da9c44b8",
    "code-first": "0504641f3ef144f976eaa8b21b324094603087e205dbbcea68c1bc02d080e844",
    "neuro-symbolic": "16887ffae2207d1a3b584a316c6afd3f41d7d7ddf3643a0a4ae778e8420b6fa6",
    "in-context": "bec706668488698b19120cf09b72f80b0f4a90d1daa9d3c920d886a856a81ab3",
}


@pytest.mark.parametrize("name", FRESH)
def test_a_question_in_a_fresh_context_is_asked_in_the_same_bytes(name: str) -> None:
    strategy = find_strategy(name)
    asked = [
        strategy.messages(one, PICTURES, Wording(), [f"reply {at}" for at in range(done)])
        for one in (ASKED, picturing(), IN_WORDS, with_examples())
        if one.examples or name != "in-context"
        for done in range(strategy.steps.requests)
    ]
    assert hashlib.sha256(msgspec.json.encode(asked)).hexdigest() == FRESH[name]


WHAT = question(Option(label="1", text="Size"), Option(label="2", text="Color"))
WHICH = msgspec.structs.replace(picturing(), id="which", kind="which", text="Which?")


def joined(now: Question, *earlier: EarlierTurn, wording: Wording | None = None) -> list[Message]:
    return find_strategy("direct").messages(now, PICTURES, wording or Wording(), (), earlier)


def test_an_earlier_turn_is_carried_as_it_was_asked_and_its_pictures_are_not_shown_again() -> None:
    asked = joined(WHICH, EarlierTurn(question=WHAT, response="Hm. (2)"))
    assert [message.role for message in asked] == ["system", "user", "assistant", "user"]
    assert asked[:2] == messages(WHAT, PICTURES, Wording())
    assert asked[2].content == "Hm. (2)"
    assert said(asked[3].content) == [
        "Picture 1, shown above. Caption 1",
        "Picture 2, option (B). Caption 2",
        "<two>",
        "Picture 3, option (A). Caption 3",
        "<three>",
        "Which?\n(A) picture 3\n(B) picture 2\n(C) None of them\nOne label.",
    ]


def test_an_option_s_picture_that_was_shown_keeps_its_number_and_says_whose_it_is() -> None:
    before = question(Option(label="1", text="Size"), pictures=("2",))
    asked = said(joined(WHICH, EarlierTurn(question=before, answer="1"))[-1].content)
    assert asked[:3] == ["Picture 2. Caption 1", "<one>", "Picture 1, shown above, option (B). Caption 2"]
    assert asked[-1].split("\n")[1:3] == ["(A) picture 3", "(B) picture 1"]


@pytest.mark.parametrize(
    ("turn", "carried"),
    [
        (EarlierTurn(question=WHAT, answer="2"), "(2) Color"),
        (EarlierTurn(question=WHICH, answer="A"), "(A) picture 3"),
        (EarlierTurn(question=IN_WORDS, answer="4"), "4"),
        (
            EarlierTurn(question=WHAT, response="<think>1? no</think> It grew.\n(1)"),
            "<think>1? no</think> It grew.\n(1)",
        ),
        (EarlierTurn(question=WHAT, response=" \n"), "(no reply)"),
    ],
)
def test_of_a_sealed_option_its_line_is_carried_and_of_a_reply_all(turn: EarlierTurn, carried: str) -> None:
    assert joined(ASKED, turn)[-2].content == carried


def test_words_for_pictures_shown_above_are_the_operator_s() -> None:
    wording = Wording(picture_again="As before: {number}", option_picture_again="", no_reply="...")
    asked = joined(WHICH, EarlierTurn(question=WHAT, response=""), wording=wording)
    assert asked[2].content == "..."
    assert said(asked[3].content)[0] == "As before: 1"
    again = joined(WHICH, EarlierTurn(question=WHICH, answer="A"), wording=wording)
    assert said(again[-1].content) == ["As before: 1", said(asked[3].content)[-1]]


def test_one_question_without_options_makes_the_conversation_one_in_own_words() -> None:
    system = joined(ASKED, EarlierTurn(question=IN_WORDS, answer="4"))[0].content
    assert system == messages(IN_WORDS, PICTURES, Wording())[0].content
    assert joined(ASKED, EarlierTurn(question=WHAT, answer="1"))[0] == messages(ASKED, PICTURES, Wording())[0]


def test_closing_words_are_carried_where_they_stand_alone_and_left_out_with_the_rounds_before() -> None:
    turn = EarlierTurn(question=WHAT, response="(1)")
    for name in STRATEGIES.keys() - {"in-context"}:
        strategy = find_strategy(name)
        carried = strategy.messages(ASKED, PICTURES, Wording(), (), [turn])[1]
        if strategy.steps.before:
            assert carried == messages(WHAT, PICTURES, Wording())[1]
        else:
            assert carried == strategy.messages(WHAT, PICTURES, Wording())[1]
    assert "step by step" in text_of(find_strategy("step-by-step").messages(ASKED, PICTURES, Wording(), (), [turn])[:2])


def test_a_missing_picture_of_an_earlier_turn_is_an_error_that_names_it() -> None:
    before = question(Option(label="1", picture="9"))
    with pytest.raises(MissingPictureError, match="question q: picture '9'"):
        joined(ASKED, EarlierTurn(question=before, answer="1"))
