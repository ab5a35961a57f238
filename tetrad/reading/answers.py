"""Reading an answer of any shape: the answer itself, or the model's whole text. One place for everyone.

The generator gates on this, scoring scores with it, and a client can run it: all three read alike.
"""

from tetrad.contracts.items import AnswerShape, Choice
from tetrad.reading.choice import ReadChoice, read_choice
from tetrad.reading.number import read_number


def read_answer(shape: AnswerShape, answer: str | None, response: str | None) -> ReadChoice:
    """Return what was answered: `answer` must be legal for the shape, `response` is read as text."""
    if answer is not None:
        legal = is_legal(shape, answer)
        return ReadChoice(answer=answer if legal else None, reason="given" if legal else "not-an-option", span=answer)
    if isinstance(shape, Choice):
        return read_choice(response or "", shape.labels)
    return read_number(response or "", shape.most)


def is_legal(shape: AnswerShape, answer: str) -> bool:
    """Tell whether the text is an answer of this shape, right or wrong."""
    if isinstance(shape, Choice):
        return answer in shape.labels
    digits = answer.isascii() and answer.isdecimal() and len(answer) <= len(str(shape.most))
    return digits and str(int(answer)) == answer and int(answer) <= shape.most


def legal_answers(shape: AnswerShape) -> str:
    """Say what is legal, for the remedy of an error."""
    if isinstance(shape, Choice):
        return f"one of {', '.join(shape.labels)}"
    return f"a whole number from 0 to {shape.most}, in digits"
