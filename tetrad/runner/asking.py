"""One question's way to an answer."""

from collections.abc import Callable
from concurrent.futures import Future

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
    """Ask one question until a reply comes; send all of it, to be read by the service.

    Of a reply longer than the service takes, the end is kept: that is where answers stand.

    Raises:
        ReplyError: no attempt got a reply.
    """
    shown = {name: picture.result() for name, picture in pictures.items()}
    messages = strategy.messages(asked.question, shown, wording)
    prompt = Prompt(question=asked.question, pictures=shown, messages=messages)
    reply = attempted(lambda: responder(prompt), attempts, on_failure)
    return Answer(item=asked.item, question=asked.question.id, response=reply[-LONGEST_REPLY:])


def picture_names(asked: OpenQuestion) -> list[str]:
    """Name every picture that a question shows, its options' included, once each."""
    named = [picture.name for picture in asked.question.pictures]
    named += [option.picture for option in asked.question.options if option.picture is not None]
    return list(dict.fromkeys(named))
