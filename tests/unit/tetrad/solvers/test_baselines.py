"""The baselines: what they see, what they prefer, and that the same request gets the same reply."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.tetrad.solvers.panels import png, thing
from tetrad.contracts.inference import ContentPart, ImageAddress, ImagePart, Message, TextPart
from tetrad.prompting import picture_address
from tetrad.solvers import SOLVERS, UnknownSolverError, open_solver
from tetrad.solvers.seen_question import recover_question

RED, BLUE = (200, 0, 0), (0, 0, 200)


def offering(*lines: str, before: str = "Which?") -> list[Message]:
    return [Message(role="user", content="\n".join([before, *lines]))]


def showing(color: tuple[int, int, int]) -> list[Message]:
    picture = ImagePart(image_url=ImageAddress(url=picture_address(png(thing(color=color)))))
    return [Message(role="user", content=[picture, TextPart(text="Which?\n(A) a\n(B) b\n(C) c\n(D) d")])]


@pytest.mark.parametrize("name", ["random", "constant", "text-only"])
@given(labels=st.lists(st.sampled_from("ABCDEFGH123"), min_size=1, max_size=8, unique=True))
def test_a_baseline_always_chooses_an_option_on_offer(name: str, labels: list[str]) -> None:
    reply = open_solver(name).reply(offering(*(f"({label}) words" for label in labels)))
    assert reply.strip("()") in labels


@pytest.mark.parametrize("name", ["random", "constant", "text-only"])
@pytest.mark.parametrize(
    "messages", [[Message(role="user", content="Hello")], [Message(role="assistant", content="x")]]
)
def test_without_options_a_baseline_says_so(name: str, messages: list[Message]) -> None:
    assert "no options" in open_solver(name).reply(messages)


def test_random_is_uniform_over_requests_and_the_same_for_the_same_one() -> None:
    requests = [offering("(A) x", "(B) y", "(C) z", before=f"Question {n}") for n in range(900)]
    replies = [open_solver("random").reply(request) for request in requests]
    assert replies == [open_solver("random").reply(request) for request in requests]
    assert all(abs(count - 300) < 60 for count in Counter(replies).values())


def test_random_depends_on_the_seed_and_on_the_pictures_bytes() -> None:
    by_seed = {open_solver("random", seed=seed).reply(showing((9, 9, 9))) for seed in range(40)}
    by_picture = {open_solver("random").reply(showing((shade, 0, 0))) for shade in range(40)}
    assert len(by_seed) == len(by_picture) == 4


def test_constant_takes_the_first_option_wherever_it_stands() -> None:
    assert open_solver("constant").reply(offering("(C) last", "(A) first")) == "(C)"


def test_text_only_prefers_a_named_change_and_then_the_alphabet_whatever_the_places() -> None:
    lines = ["(1) Nothing changed.", "(2) Zebra", "(3) Apple", "(4) None of these."]
    assert open_solver("text-only").reply(offering(*lines)) == "(3)"
    assert open_solver("text-only").reply(offering("(1) None of these.", "(2) No change")) == "(2)"


def test_text_only_takes_the_first_where_options_are_pictures() -> None:
    picture = ImagePart(image_url=ImageAddress(url=picture_address(png(thing()))))
    content: list[ContentPart] = [
        TextPart(text="Option (A)."),
        picture,
        TextPart(text="Option (B)."),
        picture,
        TextPart(text="(A) zebra\n(B) apple\n(C) none of them"),
    ]
    assert open_solver("text-only").reply([Message(role="user", content=content)]) == "(A)"


def test_a_picture_belongs_to_the_one_option_its_caption_names() -> None:
    picture = ImagePart(image_url=ImageAddress(url="data:x"))
    texts = ["Given", "Pair (A)", "Pairs (A) and (B)", "", "as in (Q)"]
    content: list[ContentPart] = []
    for text in texts:
        content += [TextPart(text=text), picture]
    content.append(TextPart(text="(A) x\n(B) y"))
    seen = recover_question([Message(role="user", content=content)])
    assert [picture.caption for picture in seen.context] == ["Given", "Pairs (A) and (B)", "", "as in (Q)"]
    assert [option.picture is not None for option in seen.options] == [True, False]


def test_only_the_last_message_with_options_is_the_question() -> None:
    older = offering("(A) x", "(B) y")
    latest = [*older, Message(role="assistant", content="(A)"), *offering("(C) x")]
    assert open_solver("constant").reply(latest) == "(C)"
    asked_again = [*latest, Message(role="user", content="Look once more. Is (C) right?")]
    assert open_solver("constant").reply(asked_again) == "(C)"


def test_pictures_may_have_been_shown_before_the_options() -> None:
    picture = ImagePart(image_url=ImageAddress(url="data:x"))
    first = Message(role="user", content=[TextPart(text="Given"), picture, TextPart(text="Pair (B)"), picture])
    seen = recover_question([first, Message(role="assistant", content="plan"), *offering("(A) x", "(B) y")])
    assert [one.caption for one in seen.context] == ["Given"]
    assert [option.picture is not None for option in seen.options] == [False, True]


def test_an_unknown_solver_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownSolverError, match=", ".join(sorted(SOLVERS))):
        open_solver("psychic")


@pytest.mark.parametrize(
    ("name", "label"), [("constant", "A"), ("constant-2", "B"), ("constant-3", "C"), ("constant-4", "C")]
)
def test_each_place_has_a_constant_that_takes_the_last_where_there_are_fewer(name: str, label: str) -> None:
    assert open_solver(name).reply(offering("(A) x", "(B) y", "(C) z")) == f"({label})"


def test_a_number_asked_for_is_guessed_as_a_number() -> None:
    asked = offering("How many panels are there?", "Answer with a whole number.")
    assert open_solver("constant-3").reply(asked) == "4"
    guesses = {open_solver("random", seed=seed).reply(asked) for seed in range(300)}
    assert guesses == {str(number) for number in range(1, 21)}


def conversation(*turns: str) -> list[Message]:
    """Return user messages with a reply between each two."""
    replied = [
        message for turn in turns for message in (*offering(before=turn), Message(role="assistant", content="(A)"))
    ]
    return replied[:-1]


OPTIONS = "Which?\n(A) red\n(B) blue"


@pytest.mark.parametrize("name", ["random", "constant"])
@pytest.mark.parametrize("later", [(), ("Look at the pictures once more.",)], ids=["asked", "asked again"])
def test_of_a_conversation_the_question_that_was_asked_last_is_answered(name: str, later: tuple[str, ...]) -> None:
    solver, number = open_solver(name), "How many? Answer with a whole number."
    assert solver.reply(conversation(OPTIONS, number, *later)).isdecimal()
    assert solver.reply(conversation(number, OPTIONS, *later)) in {"(A)", "(B)"}
    assert solver.reply(conversation(OPTIONS, "Which now?\n(1) one\n(2) two", *later)) in {"(1)", "(2)"}


@pytest.mark.parametrize("name", ["random", "constant"])
def test_a_caption_is_given_where_one_was_asked_for_last(name: str) -> None:
    assert (
        open_solver(name).reply(conversation(OPTIONS, 'Answer with JSON: {"caption": "..."}')).startswith('{"caption"')
    )


@pytest.mark.parametrize("number", ["1", "A'"])
def test_a_picture_shown_above_is_seen_where_its_number_or_name_is(number: str) -> None:
    first, second = (ImagePart(image_url=ImageAddress(url=picture_address(png(thing(color=c))))) for c in (RED, BLUE))
    turns = [
        Message(
            role="user", content=[TextPart(text=f"Picture {number}."), first, TextPart(text="What?\n(1) a\n(2) b")]
        ),
        Message(role="assistant", content="(1)"),
        Message(
            role="user",
            content=[
                TextPart(text=f"Picture {number}, shown above."),
                TextPart(text="Picture 2, option (A)."),
                second,
                TextPart(text="Which?\n(A) picture 2\n(B) none"),
            ],
        ),
    ]
    seen = recover_question(turns)
    assert [picture.address for picture in seen.context] == [first.image_url.url]
    assert [option.picture and option.picture.address for option in seen.options] == [second.image_url.url, None]
    unknown = recover_question([turns[0], turns[1], Message(role="user", content="Picture 3, shown above.\n(A) a")])
    assert [picture.address for picture in unknown.context] == [first.image_url.url], "the last that were shown"
