"""What a reply says after its thinking, whatever tags the model writes."""

import pytest

from tests.unit.tetrad.extraction.replies import LETTERS
from tetrad.extraction import extract_choice
from tetrad.extraction.thinking import drop_thinking

NAMES = "think thinking thought thoughts reasoning analysis reflection scratchpad inner_monologue seed:think mm:think"
PAIRS = (
    *(
        (opens.format(name), closes.format(name))
        for name in NAMES.split()
        for opens, closes in (("<{}>", "</{}>"), ("[{}]", "[/{}]"), ("\u25c1{}\u25b7", "\u25c1/{}\u25b7"))
    ),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|think_start|>", "<|think_end|>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<|channel>thought\n", "<channel|>"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("<unused94>thought\n", "<unused95>"),
    ("&lt;think&gt;", "&lt;/think&gt;"),
    ("```thinking\n", "\n```\n"),
    ("<zebra>", "</zebra>"),
    ("<|begin_of_zebra|>", "<|end_of_zebra|>"),
)
KNOWN = [pair for pair in PAIRS if "zebra" not in pair[0] and "`" not in pair[0]]


@pytest.mark.parametrize("change", [str, str.upper, str.title])
def test_closed_thinking_is_dropped_whatever_its_tags(change: "type[str]") -> None:
    for opens, closes in PAIRS:
        reply = f"{change(opens)}The answer is A.{change(closes)}(B)"
        assert (reply, extract_choice(reply, LETTERS).answer) == (reply, "B")


def test_thinking_that_never_closes_is_truncated() -> None:
    for opens, _ in PAIRS:
        reply = f"{opens}The answer is A. Let me check"
        assert (reply, extract_choice(reply, LETTERS).reason) == (reply, "truncated")


def test_thinking_whose_opening_tag_is_missing_is_dropped() -> None:
    for _, closes in KNOWN:
        reply = f"The answer is A.{closes}(B)"
        assert (reply, extract_choice(reply, LETTERS).answer) == (reply, "B")


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("<think>a</think>B</think>", "B"),
        ("<think>a<think>b</think>c</think>", ""),
        ("<think>a<think>b</think>c</think>B", "B"),
        ("B</think>", "B"),
        ("The answer is A.</think>", ""),
        ("</think>", ""),
        ("Answer: B<think>Or A?</think>", "Answer: B"),
        ("analysisIt is A.assistantfinalB", "B"),
        ("<|channel|>analysis<|message|>A<|end|><|start|>assistant<|channel|>final<|message|>B<|return|>", "B"),
        ("<SUMMARY>A</SUMMARY><REASONING>A</REASONING>B", "B"),
        ("<b>B</b>", "<b>B</b>"),
        ("B<|im_end|>\n<|im_start|>user\nIs it A?", "B"),
        ("<think>a</s>b</think>B", "B"),
    ],
)
def test_a_stray_tag_is_no_content(reply: str, said: str) -> None:
    assert drop_thinking(reply).text == said


@pytest.mark.parametrize(
    ("reply", "answer"), [("[Reasoning] The answer is A. [Answer] B", "B"), ("[Reasoning] A", None)]
)
def test_headings_in_brackets_part_thinking_from_the_answer(reply: str, answer: str | None) -> None:
    assert extract_choice(reply, LETTERS).answer == answer


def test_a_reply_that_closes_thinking_that_it_never_opened_begins_inside_it() -> None:
    for _, closes in KNOWN:
        assert (closes, drop_thinking(f"The answer is A.{closes}(B)").begins_inside) == (closes, True)
    assert drop_thinking("The answer is A, because it turns.</think>").begins_inside


@pytest.mark.parametrize(
    "reply",
    [
        "B</think>",
        "</think>B",
        "(B)",
        "<think>A</think>B",
        "<think>a<think>b</think>c</think>B",
        "<think>A</think>B</think>C",
        "<|channel|>final<|message|>B",
        "<|start|>assistant<|channel|>final<|message|>B",
        "<zebra>A</zebra>B",
    ],
)
def test_a_reply_that_opens_its_thinking_or_has_none_does_not_begin_inside_it(reply: str) -> None:
    assert not drop_thinking(reply).begins_inside


def test_a_reply_ends_with_a_token_of_its_template() -> None:
    tokens = (
        "</s> <eos> <pad> <end_of_turn> <|eot_id|> <|im_end|> <|endoftext|> <|end_of_text|> <|return|> [/INST] [EOS]"
    )
    for token in [*tokens.split(), "<\uff5cend\u2581of\u2581sentence\uff5c>"]:
        assert (token, drop_thinking(f"B{token}").text) == (token, "B")
