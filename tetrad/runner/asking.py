"""One question's way to an answer."""

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial

from tetrad.contracts.answers import Answer
from tetrad.contracts.submissions import OpenQuestion
from tetrad.prompting import Strategy, Wording
from tetrad.runner.patience import Attempts, attempted
from tetrad.runner.ports import Prompt, Responder

LONGEST_REPLY = 32 * 1024  # characters: contracts.answers.Reply


def answer_question(
    asked: OpenQuestion,
    pictures: dict[str, Future[bytes]],
    *,
    responder: Responder,
    strategy: Strategy,
    wording: Wording,
    attempts: Attempts,
    on_failure: Callable[[], None],
) -> Answer:
    """Go through the strategy's requests, each until a reply comes; send all of the last, to be read by the service.

    Of a reply longer than the service takes, the end is kept: that is where answers stand.

    Raises:
        ReplyError: no attempt got a reply.
        MissingExamplesError: the strategy shows solved examples, and the question brings none.
    """
    shown = {name: picture.result() for name, picture in pictures.items()}
    replies: list[str] = []
    while len(replies) < strategy.steps.rounds:
        messages = strategy.messages(asked.question, shown, wording, replies, asked.earlier)
        prompt = Prompt(question=asked.question, pictures=shown, messages=messages, earlier=asked.earlier)
        replies.append(attempted(partial(responder, prompt), attempts, on_failure))
    return Answer(item=asked.item, question=asked.question.id, response=replies[-1][-LONGEST_REPLY:])


def picture_names(asked: OpenQuestion) -> list[str]:
    """Name every picture that a question and its earlier turns show, their options' included, once each."""
    named: list[str] = []
    for question in (*(turn.question for turn in asked.earlier), asked.question):
        named += [picture.name for picture in question.pictures]
        named += [option.picture for option in question.options if option.picture is not None]
    return list(dict.fromkeys(named))
