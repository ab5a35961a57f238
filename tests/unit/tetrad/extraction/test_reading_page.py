"""Each example of docs/reading.md is read as the page says."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, cast

from tetrad.contracts.inference import StopKind
from tetrad.contracts.items import AnswerShape, Choice, Number, StateCaption
from tetrad.extraction.answers import extract_answer
from tetrad.extraction.question_words import NO_WORDS, QuestionWords
from tetrad.solvers.carv import VALUES

PAGE = Path(__file__).parents[4] / "docs" / "reading.md"
LABELS = ("A", "B", "C", "D")
TEXTS = QuestionWords(texts=tuple(zip(LABELS, ("cyan", "yellow", "pink", "red"), strict=True)))
ASKED: dict[str, tuple[AnswerShape, QuestionWords]] = {
    "Reply to a choice of A to D": (Choice(labels=LABELS), NO_WORDS),
    "Reply to a choice of A (cyan), B (yellow), C (pink), D (red)": (Choice(labels=LABELS), TEXTS),
    "Reply with a number": (Number(), NO_WORDS),
    "Reply with a caption": (StateCaption(properties=dict(VALUES)), NO_WORDS),
}
FEWEST = 50
FEWEST_COLUMNS = 3  # a fourth one tells how the reply ended


class Example(NamedTuple):
    asked: str
    reply: str
    stop: str | None
    answer: str | None
    reason: str


def read_examples() -> Iterator[Example]:
    """Yield the row of each table, with what its first column is called."""
    asked = ""
    for line in PAGE.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) < FEWEST_COLUMNS or set(cells[0]) == {"-"}:
            continue
        if not cells[0].startswith("`"):
            asked = cells[0]
            continue
        reply = cells[0].strip("`").replace("\\|", "|").replace("\\n", "\n")
        stop = cells[1] if len(cells) > FEWEST_COLUMNS else None
        yield Example(asked, reply, stop, None if cells[-2] == "none" else cells[-2], cells[-1])


def test_each_example_of_the_page_is_read_as_it_says() -> None:
    for example in read_examples():
        shape, words = ASKED[example.asked]
        read = extract_answer(shape, None, example.reply, words=words, stop=cast("StopKind | None", example.stop))
        assert (read.answer, read.reason) == (example.answer, example.reason), example


def test_the_page_shows_every_shape() -> None:
    found = list(read_examples())
    assert len(found) >= FEWEST
    assert {example.asked for example in found} == set(ASKED)
