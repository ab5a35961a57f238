"""Rewards for trainers, on their own machine: the extraction and the verdicts that score submissions.

`reward` is the reward function of verl, for data sets of the form `verl`. `rewards` is that of TRL, for rows as `tetrad
items --format hf` writes them. `tetrad.environments.tasksets` is for verifiers and prime-rl (the extra `verifiers`),
`tetrad.environments.lmms_eval` for tasks that `tetrad export-task` writes.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from tetrad.contracts.items import AnswerShape, Key, Option, Picture, Question
from tetrad.extraction.answers import extract_from
from tetrad.extraction.judging import CORRECT, Judged, judge_answer
from tetrad.prepared_structs import prepare_structs

__all__ = ["judge_record", "judge_reply", "reward", "rewards"]

prepare_structs()  # trainers call rewards in threads


def reward(
    data_source: str, solution_str: str, ground_truth: str, extra_info: Mapping[str, Any] | None = None
) -> float:
    """Return 1 for a right reply, else 0, as verl calls it.

    Args:
        data_source: tetrad/BENCHMARK, as the rows have it.
        solution_str: the model's whole reply.
        ground_truth: the row's key, which rows with `answers=yes` have.
        extra_info: the row's, with the question that was asked.

    Raises:
        ValueError: the row has no key or no question, or is of another data set. A reward of 0 would hide that.
    """
    if not data_source.startswith("tetrad/"):
        raise ValueError(f"data_source {data_source!r} is none of Tetrad's; use this reward for tetrad/BENCHMARK")
    if not ground_truth:
        raise ValueError("ground_truth is empty: fetch the rows with answers=yes")
    if not extra_info or "asked" not in extra_info:
        raise ValueError("extra_info lacks the question (`asked`): keep the column of the rows")
    question = msgspec.json.decode(extra_info["asked"], type=Question)
    return float(judge_reply(question, msgspec.json.decode(ground_truth, type=Key), solution_str).verdict == CORRECT)


def rewards(
    completions: Sequence[Any],
    *,
    shape: Sequence[str],
    key: Sequence[str],
    options: Sequence[Any],
    pictures: Sequence[Any],
    **_columns: Any,
) -> list[float]:
    """Return 1 for each right completion, else 0, as TRL calls it: with the columns of the rows beside."""
    columns = zip(completions, shape, key, options, pictures, strict=True)
    return [
        float(
            judge_record({"shape": form, "key": truth, "options": choices, "pictures": shown}, _text(reply)).verdict
            == CORRECT
        )
        for reply, form, truth, choices, shown in columns
    ]


def judge_record(record: Mapping[str, Any], reply: str) -> Judged:
    """Return the verdict on a reply to a row with answers, as `datasets` reads it: its columns by name.

    Raises:
        ValueError: the row has no answers.
    """
    if not record["key"]:
        raise ValueError("the row has no key: write the rows with answers")
    question = Question(
        id="row",
        kind="row",
        text="",
        shape=msgspec.json.decode(record["shape"], type=AnswerShape),
        options=tuple(Option(**option) for option in record["options"]),
        pictures=tuple(Picture(name=shown["name"], caption=shown["caption"]) for shown in record["pictures"]),
    )
    return judge_reply(question, msgspec.json.decode(record["key"], type=Key), reply)


def judge_reply(question: Question, key: Key, reply: str) -> Judged:
    """Return the verdict on a reply, as a submission would get it."""
    return judge_answer(key, extract_from(question, None, reply).answer)


def _text(completion: Any) -> str:
    """Return the text of a completion: a text, or the messages of a conversation."""
    if isinstance(completion, str):
        return completion
    content = completion[-1]["content"]
    return content if isinstance(content, str) else "".join(part.get("text") or "" for part in content)
