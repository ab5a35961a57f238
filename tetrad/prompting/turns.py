"""Choose the questions of an item that are asked next where its questions are one conversation.

It stands alone because the service asks so of a sealed draw, and the runner of a draw that was revealed.
"""

from collections.abc import Iterable, Sequence

from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.items import Question
from tetrad.contracts.submissions import EarlierTurn, OpenQuestion


def joined_questions(item: int, questions: Sequence[Question], sealed: Iterable[SealedAnswer]) -> list[OpenQuestion]:
    """Return the next question of each of the item's conversations, with the turns before it.

    A repeat of the questions is a conversation of its own. In it a question waits until those before it are answered,
    even where all are open.

    Args:
        item: the item's place in the draw.
        questions: all that have opened, in their order, answered ones among them.
        sealed: the answers to some of them.
    """
    answers = {answer.question: answer for answer in sealed}
    turns: dict[str, list[EarlierTurn]] = {}
    offered: dict[str, OpenQuestion] = {}
    for question in questions:
        before, answer = turns.setdefault(question.repeat, []), answers.get(question.id)
        if question.repeat in offered:
            continue
        if answer is None:
            offered[question.repeat] = OpenQuestion(item=item, question=question, earlier=tuple(before))
        else:
            before.append(EarlierTurn(question=question, answer=answer.answer, response=answer.response))
    return list(offered.values())
