"""Reading an answer of any shape: the option itself, or the model's whole text. One place for everyone.

The generator gates on this, scoring scores with it, and a client can run it: all three read alike.
"""

from tetrad.contracts.items import AnswerShape
from tetrad.reading.choice import ReadChoice, read_choice


def read_answer(shape: AnswerShape, answer: str | None, response: str | None) -> ReadChoice:
    """Return what was answered: `answer` must be one of the shape's labels, `response` is read as text."""
    if answer is None:
        return read_choice(response or "", shape.labels)
    if answer in shape.labels:
        return ReadChoice(answer=answer, reason="given", span=answer)
    return ReadChoice(answer=None, reason="not-an-option", span=answer)
