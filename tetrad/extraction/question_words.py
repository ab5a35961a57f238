"""Hold the words of a question that the reading of a reply depends on.

It stands alone because the generator packs these words for scoring, and every caller of extraction takes them.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from tetrad.contracts.items import Choice, Option, Picture, Question
from tetrad.late_regex import late_regex

__all__ = ["NO_WORDS", "QuestionWords", "needed_words", "with_needed_words", "words_of"]

_PICTURE = late_regex(r"\b(?:image|picture|photo|photograph|figure|panel)\s[(\[]?(\w{1,8})\b", re.IGNORECASE)


class QuestionWords(msgspec.Struct, frozen=True, gc=False):
    """The words of a question that tell what a reply means by a letter or a text.

    texts: label and text of each option that has a text. pictures_have_labels: the question calls pictures that are no
    options by the same letters as its options, such as "image D".
    """

    texts: tuple[tuple[str, str], ...] = ()
    pictures_have_labels: bool = False


NO_WORDS = QuestionWords()


def words_of(question: Question) -> QuestionWords:
    """Return the words of a question that extraction needs."""
    shape = question.shape
    if not isinstance(shape, Choice) or not question.options:
        return NO_WORDS
    return _words_of_choice(question.options, question.pictures, shape.labels)


def needed_words(question: Question) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Return the texts of options, and a caption that names a picture by a label if there is one."""
    shape = question.shape
    if not isinstance(shape, Choice):
        return (), ()
    return _needed_words_of_choice(question.options, question.pictures, shape.labels)


# Thousands of answers are to a few hundred questions: finding these words takes five times as long as looking them up.
@lru_cache(maxsize=2048)
def _words_of_choice(
    options: tuple[Option, ...], pictures: tuple[Picture, ...], labels: tuple[str, ...]
) -> QuestionWords:
    return QuestionWords(_texts(options), bool(_find_named(options, pictures, labels)))


@lru_cache(maxsize=2048)
def _needed_words_of_choice(
    options: tuple[Option, ...], pictures: tuple[Picture, ...], labels: tuple[str, ...]
) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    named = _find_named(options, pictures, labels)
    return _texts(options), tuple([picture.caption for picture in named[:1]])


def with_needed_words(question: Question, texts: Sequence[tuple[str, str]], captions: Sequence[str]) -> Question:
    """Return the question with no other words than these `needed_words`: `words_of` returns the same of it."""
    return Question(
        id=question.id,
        kind=question.kind,
        text="",
        shape=question.shape,
        options=tuple([Option(label=label, text=text) for label, text in texts]),
        pictures=tuple([Picture(name=str(place), caption=caption) for place, caption in enumerate(captions, 1)]),
        final=question.final,
    )


def _texts(options: tuple[Option, ...]) -> tuple[tuple[str, str], ...]:
    return tuple([(option.label, option.text) for option in options if option.text])


def _find_named(
    options: tuple[Option, ...], pictures: tuple[Picture, ...], labels: tuple[str, ...]
) -> tuple[Picture, ...]:
    """Return the pictures that captions such as "Image A." name by a label; none if an option is a picture.

    A sheet of options has no such caption: it shows several pictures.
    """
    if any(option.picture is not None for option in options):
        return ()
    return tuple([picture for picture in pictures if _label_in(picture.caption) in labels])


@lru_cache(maxsize=1024)
def _label_in(caption: str) -> str | None:
    """Return the word after "image" or "picture" in a caption."""
    found = _PICTURE.search(caption)
    return found[1] if found else None
