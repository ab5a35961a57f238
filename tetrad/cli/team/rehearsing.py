"""One question asked before a draw is opened: a dead model server or a wrong key must not cost a submission.

A practice item of what is asked for is free. A fixed corpus has none: there a sample of our own is asked.
"""

import struct
import zlib

from tetrad.client import Client, ServiceError, TetradError
from tetrad.contracts.items import Choice, Option, Picture, Question
from tetrad.contracts.submissions import OpenQuestion, SubmissionRequest
from tetrad.prompting import find_strategy
from tetrad.runner import Attempts, Plan, ReplyError, Responder
from tetrad.runner.loop import answer_question, picture_names

SIDE = 64  # pixels of the sample's picture
ONCE = Attempts(most=1)
NO_ITEM = -1  # of the submission: a gateway takes the first item's question for another one, even if it is the same


class RehearsalError(TetradError):
    """The model did not answer a practice question. Nothing was opened."""


def rehearse(client: Client, wanted: SubmissionRequest, plan: Plan, responder: Responder) -> None:
    """Ask the model one question as the run will, once.

    Raises:
        RehearsalError: no answer came, or the strategy shows solved examples and the questions bring none.
    """
    asked, pictures = _question(client, wanted)
    strategy = find_strategy(plan.strategy, plan.wording)
    if strategy.steps.examples and not asked.question.examples:
        raise RehearsalError(
            f"--strategy {plan.strategy} shows solved examples, and these questions of {wanted.benchmark} bring none; "
            "use another strategy, or ask for them where there are some (kiva has --parameter in_context=2)"
        )
    try:
        answer_question(
            asked,
            pictures,
            responder=responder,
            strategy=strategy,
            wording=plan.wording,
            attempts=ONCE,
            on_failure=lambda: None,
            on_alteration=lambda: None,
        )
    except ReplyError as error:
        raise RehearsalError(f"a practice question got no answer, so nothing was opened: {error}") from error


def _question(client: Client, wanted: SubmissionRequest) -> tuple[OpenQuestion, dict[str, bytes]]:
    """Return the first question of a practice item with its pictures, or the sample."""
    try:
        item = client.practice(
            wanted.benchmark,
            track=wanted.track,
            setting=wanted.setting,
            source=wanted.source or None,
            parameters=wanted.parameters,
            limit=1,
        ).items[0]
    except ServiceError:
        if client.benchmark(wanted.benchmark).card.corpus is None:
            raise
        return _sample()
    found = OpenQuestion(
        item=NO_ITEM, question=next((question for question in item.questions if question.examples), item.questions[0])
    )
    urls = {name: picture.url for name, picture in found.pictures().items()}
    return found, {name: client.picture(url) for name in picture_names(found) if (url := urls.get(name)) is not None}


def _sample() -> tuple[OpenQuestion, dict[str, bytes]]:
    question = Question(
        id="sample",
        kind="sample",
        text="Is this picture red or blue?",
        instruction="Answer with the number of one option, such as (1).",
        options=(Option(label="1", text="red"), Option(label="2", text="blue")),
        shape=Choice(labels=("1", "2")),
        pictures=(Picture(name="sample", caption="a sample, which is no question of the benchmark"),),
        final=True,
    )
    return OpenQuestion(item=NO_ITEM, question=question), {"sample": red_square()}


def red_square() -> bytes:
    """Return a red square as PNG."""
    rows = (b"\x00" + b"\xd0\x20\x20" * SIDE) * SIDE
    head = struct.pack(">IIBBBBB", SIDE, SIDE, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in parts
    )
