"""Rewards on a trainer's own machine are the verdicts of the service, and what is missing is an error and no zero."""

import msgspec
import pytest

from tests.unit.tetrad.rows.written import row
from tetrad.environments import judge_reply, reward, rewards
from tetrad.extraction.judging import CORRECT
from tetrad.rows.forms import verl
from tetrad.rows.making import key_of, question_of
from tetrad.rows.writers import record_of

REPLIES = (
    "The answer is (B).",
    "(A)",
    "lighter, so A",
    "no idea",
    "7",
    "I count seven: 7",
    "<think>(B)</think> (A)",
    "",
)


@pytest.mark.parametrize("kind", ["which", "count"])
def test_verl_and_trl_get_the_verdict_of_the_service(kind: str) -> None:
    made = row(7, kind)
    columns, record = verl(made), record_of(made)
    truth, about = columns["reward_model"]["ground_truth"], msgspec.to_builtins(columns["extra_info"])
    wanted = [float(judge_reply(question_of(made), key_of(made), reply).verdict == CORRECT) for reply in REPLIES]
    assert {0.0, 1.0} == set(wanted)
    assert [reward(columns["data_source"], reply, truth, about) for reply in REPLIES] == wanted
    conversations = [[{"role": "assistant", "content": reply}] for reply in REPLIES]
    beside = {name: [value] * len(REPLIES) for name, value in record.items()}
    assert rewards(conversations, **beside) == rewards(REPLIES, **beside) == wanted


@pytest.mark.parametrize(
    ("source", "truth", "about", "words"),
    [
        ("gsm8k", "{}", {"asked": "{}"}, "none of Tetrad's"),
        ("tetrad/toy", "", {"asked": "{}"}, "answers=yes"),
        ("tetrad/toy", "{}", {}, "keep the column"),
    ],
)
def test_what_is_missing_is_an_error(source: str, truth: str, about: dict[str, str], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        reward(source, "(A)", truth, about)
