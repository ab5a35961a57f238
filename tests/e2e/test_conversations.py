"""A model that remembers, end to end: what a conversation gives it."""

import io

import numpy as np
from PIL import Image

from tests.answering import open_submission, wait_scored
from tetrad.client import Client
from tetrad.contracts.reports import Report
from tetrad.runner import Plan, Prompt, SubmissionOverHttp, answer_submission

ITEMS = 24


def remembers(prompt: Prompt) -> str:
    """Look at the shade when its name is asked for, and never again: later go by what was said then."""
    levels = {"dark": 40, "dim": 100, "light": 180, "bright": 240}
    options = prompt.question.options
    if prompt.question.id == "name":
        seen = level_of(prompt.pictures["1"])
        name = next(name for name, level in levels.items() if level == seen)
        return next(f"({one.label}), for I saw {name}" for one in options if one.text == name)
    said = [message.content for message in prompt.messages if message.role == "assistant"]
    if not said:
        return "I remember nothing."
    level = levels[str(said[0]).split()[-1]]
    if prompt.question.id == "half":
        half = "lighter half" if level > 128 else "darker half"
        return next(f"({one.label})" for one in options if one.text == half)
    return next(f"({one.label})" for one in options if level_of(prompt.pictures[one.picture or ""]) == level)


def level_of(png: bytes) -> int:
    return int(np.asarray(Image.open(io.BytesIO(png)).convert("L"))[0, 0])


def score_of(team: Client, conversation: str) -> Report:
    submission = open_submission(team, "rememberer", size=ITEMS, conversation=conversation)
    answer_submission(SubmissionOverHttp(team, submission.id), remembers, Plan())
    return wait_scored(team, submission.id)


def test_a_model_that_goes_by_its_own_first_reply_needs_the_conversation(team: Client) -> None:
    joined, fresh = score_of(team, "joined"), score_of(team, "fresh")
    assert (joined.conversation, joined.headline.value, joined.unread) == ("joined", 1.0, 0)
    assert (fresh.conversation, fresh.headline.value, fresh.unread) == ("fresh", 0.0, 2 * ITEMS)
    assert score_of(team, "as-card").conversation == "fresh", "the toy's card says so"
    boards = {
        conversation: team.leaderboard("toy", setting="full", conversation=conversation)
        for conversation in ("joined", "fresh")
    }
    scores = {
        name: (board.conversation, [row.score for row in board.rows if row.team == "conversations"])
        for name, board in boards.items()
    }
    assert scores == {"joined": ("joined", [1.0]), "fresh": ("fresh", [0.0])}
    assert "one conversation for each item" in team.report_text(joined.submission, "markdown")
