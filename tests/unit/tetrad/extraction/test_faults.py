"""Replies that an earlier extractor took for an answer that they don't give, or left unread though they are clear."""

import json
from pathlib import Path

from tetrad.contracts.items import AnswerShape, Choice, Number, StateCaption, StateCaptionKey
from tetrad.extraction.answers import extract_answer
from tetrad.extraction.judging import judge_answer
from tetrad.solvers.carv import VALUES

FAULTS = [json.loads(line) for line in Path(__file__).with_name("faults.jsonl").read_text("utf-8").splitlines()]
SHAPES: dict[str, AnswerShape] = {
    "kiva/extrapolation-only/which": Choice(labels=("A", "B", "C", "D")),
    "marvel/avr-only/puzzle": Choice(labels=("1", "2", "3", "4")),
    "marvel/full/context-panels": Number(),
    "visanalog/end-to-end": Choice(labels=("A", "B", "C", "D")),
    "carv/symbolic/caption": StateCaption(properties=dict(VALUES)),
}
KEY = StateCaptionKey(values=dict(zip(VALUES, ("bowl", "two", "table", "red", "left"), strict=True)), needed=())


def test_only_the_final_word_of_a_reply_is_read_and_it_is_read_if_it_is_clear() -> None:
    for fault in FAULTS:
        target, right = fault["target"], fault["right"]
        answer = extract_answer(SHAPES[target], None, fault["input"]).answer
        if target.startswith("carv"):  # a caption is right only if it states each value and no other
            assert (judge_answer(KEY, answer).verdict == "correct") == (right == "correct"), fault
        else:
            assert answer == right, fault
