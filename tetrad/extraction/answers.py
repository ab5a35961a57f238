"""Extract an answer of any shape, from the answer itself or from the model's whole text.

The generator gates on this, scoring scores with it, and clients can run it: all three extract the same.
"""

import logging
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from msgspec.structs import replace

from tetrad.contracts.answers import BROKEN_STOPS
from tetrad.contracts.inference import StopKind
from tetrad.contracts.items import AnswerShape, Choice, Diagnosis, Number, Question, StateCaption
from tetrad.contracts.wire import ParameterValue
from tetrad.extraction import EXTRACTORS, STATEMENT, extract_choice
from tetrad.extraction.captions.caption import extract_caption, is_state, state_text
from tetrad.extraction.captions.diagnosis import extract_diagnosis, is_diagnosis
from tetrad.extraction.choice import ExtractedAnswer
from tetrad.extraction.number import extract_number
from tetrad.extraction.question_words import NO_WORDS, QuestionWords, words_of
from tetrad.extraction.thinking import begins_inside_thinking
from tetrad.late_regex import late_regex

log = logging.getLogger(__name__)

_WORD = late_regex(r"\w")
_TAG = late_regex(r"<[^<>]{0,40}>|\\end\{\w{1,16}\}")
BY_MODEL = "extracted-by-a-model"
"""The reason of an answer that a model extracted from the reply that is sealed with it."""

DEFECTS = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""Exceptions that a defective extractor raises. Not every Exception: the end of a job's time is one too."""


class Extraction(NamedTuple):
    """The functions of one answer shape. Each takes its shape's own struct, hence Any.

    extract: return the answer in a reply's text, which is complete or not. is_legal: tell whether a text is an answer,
    right or wrong. legal: describe legal answers in words.
    """

    extract: Callable[[str, Any, bool], ExtractedAnswer]
    is_legal: Callable[[Any, str], bool]
    legal: Callable[[Any], str]


def extract_answer(
    shape: AnswerShape,
    answer: str | None,
    response: str | None,
    *,
    extractor: str = STATEMENT,
    words: QuestionWords = NO_WORDS,
    stop: StopKind | None = None,
) -> ExtractedAnswer:
    """Return the answer: `answer` itself, if it is legal for the shape, else the answer that `response` holds.

    Both are there only where the service had a model extract the answer from the reply. No upload can have both.
    extractor: its name, for choices; each other shape has one extractor. words: those of the question (`words_of`).
    With them a reply can quote an option, and a picture's name is no option; without them only labels are read.
    stop: the reason why the reply ended, if it is known. A reply that was refused, blocked or cut has no answer. In
    one that may have gone on, what is said in passing is no answer, nor is what other words follow.
    Where the question is at hand, use `extract_from`.
    No reply can keep a submission from its score: if an extractor fails, the reply is unread and the log has the error.
    """
    if response is not None and stop in BROKEN_STOPS:
        return ExtractedAnswer(answer=None, reason=stop or "")
    if answer is not None:
        legal = is_legal(shape, answer)
        reason = "given" if response is None else BY_MODEL
        return ExtractedAnswer(
            answer=answer if legal else None, reason=reason if legal else "not-an-option", span=answer
        )
    try:
        if isinstance(shape, Choice):
            extracted = EXTRACTORS[extractor](response or "", shape.labels, words, complete=is_complete(stop))
        else:
            extracted = _SHAPES[type(shape)].extract(response or "", shape, is_complete(stop))
        begins_inside = begins_inside_thinking(response or "")
    except DEFECTS:
        log.exception("a reply could not be read", extra={"shape": type(shape).__name__})
        return ExtractedAnswer(answer=None, reason="reader-error")
    is_stated = isinstance(shape, Choice | Number) and extractor == STATEMENT and extracted.answer is not None
    if is_stated and not is_complete(stop) and _goes_on(response or "", extracted.span):
        extracted = ExtractedAnswer(answer=None, reason="incomplete", span=extracted.span)
    return replace(extracted, begins_inside_thinking=True) if begins_inside else extracted


def _goes_on(response: str, span: str) -> bool:
    """Return whether words follow those that decided the answer: a correction could have followed them."""
    _, found, rest = response.rpartition(span)
    return bool(found) and _WORD.search(_TAG.sub("", rest)) is not None


def is_complete(stop: StopKind | None) -> bool:
    """Tell whether a reply ended because the model was done; a reply of which nothing is known counts as complete."""
    return stop is None or stop == "complete"


def find_extractor(parameters: Mapping[str, ParameterValue]) -> str:
    """Return the extractor that a draw's parameters name, or the one for everyone."""
    named = parameters.get("reader", STATEMENT)
    return named if isinstance(named, str) and named in EXTRACTORS else STATEMENT


def extract_from(
    question: Question, answer: str | None, response: str | None, stop: StopKind | None = None
) -> ExtractedAnswer:
    """Return the answer to a question as `extract_answer` does, with the extractor for everyone and its words."""
    return extract_answer(question.shape, answer, response, words=words_of(question), stop=stop)


def is_legal(shape: AnswerShape, answer: str) -> bool:
    """Tell whether the text is an answer of this shape, right or wrong."""
    return _SHAPES[type(shape)].is_legal(shape, answer)


def legal_answers(shape: AnswerShape) -> str:
    """Describe the legal answers, for the remedy of an error."""
    return _SHAPES[type(shape)].legal(shape)


def _is_number(shape: Number, answer: str) -> bool:
    digits = answer.isascii() and answer.isdecimal() and len(answer) <= len(str(shape.most))
    return digits and str(int(answer)) == answer and int(answer) <= shape.most


# A new shape: one entry.
_SHAPES: Mapping[type, Extraction] = {
    Choice: Extraction(
        extract=lambda reply, shape, complete: extract_choice(reply, shape.labels, complete=complete),
        is_legal=lambda shape, answer: answer in shape.labels,
        legal=lambda shape: f"one of {', '.join(shape.labels)}",
    ),
    Number: Extraction(
        extract=lambda reply, shape, complete: extract_number(reply, shape.most, complete=complete),
        is_legal=_is_number,
        legal=lambda shape: f"a whole number from 0 to {shape.most}, in digits",
    ),
    StateCaption: Extraction(
        extract=lambda reply, shape, _: extract_caption(reply, shape),
        is_legal=lambda shape, answer: is_state(answer, shape),
        legal=state_text,
    ),
    Diagnosis: Extraction(
        extract=lambda reply, shape, _: extract_diagnosis(reply, shape),
        is_legal=lambda shape, answer: is_diagnosis(answer, shape),
        legal=lambda _: 'a JSON object with "captions", "T1", "T2", "target" and "caption", as response',
    ),
}
