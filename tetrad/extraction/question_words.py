"""Hold the words of a question that the reading of a reply depends on.

It stands alone because the generator packs these words for scoring, and every caller of extraction takes them.
"""

import re
from functools import lru_cache

import msgspec

from tetrad.contracts.items import Choice, Option, Picture, Question

__all__ = ["NO_WORDS", "QuestionWords", "needed_words", "words_of"]

_PICTURE = re.compile(r"\b(?:image|picture|photo|photograph|figure|panel)\s[(\[]?(\w{1,8})\b", re.IGNORECASE)


class QuestionWords(msgspec.Struct, frozen=True, gc=False):
    """What a question says of its options.

    texts: label and text of each option that has a text. pictures_have_labels: the question calls pictures that are no
    options by the same letters as its options, such as "image D".
    """

    texts: tuple[tuple[str, str], ...] = ()
    pictures_have_labels: bool = False


NO_WORDS = QuestionWords()


def words_of(question: Question) -> QuestionWords:
    """Return the words of a question that extraction needs; a question of its `needed_words` alone has the same."""
    shape = question.shape
    if not isinstance(shape, Choice) or not question.options:
        return NO_WORDS
    texts = tuple([(option.label, option.text) for option in question.options if option.text])
    return QuestionWords(texts, _pictures_have_labels(question, shape))


def needed_words(question: Question) -> tuple[tuple[Option, ...], tuple[Picture, ...]]:
    """Return the options and the pictures of a question that `words_of` looks at: those with words of use."""
    shape = question.shape
    if not isinstance(shape, Choice):
        return (), ()
    texts = tuple([Option(label=option.label, text=option.text) for option in question.options if option.text])
    return texts, _named(question.pictures, shape) if _pictures_have_labels(question, shape) else ()


def _pictures_have_labels(question: Question, shape: Choice) -> bool:
    """Tell whether a caption such as "Image A." names a picture by a label, and no option is a picture.

    A sheet of options has no such caption: it shows several pictures.
    """
    if any(option.picture is not None for option in question.options):
        return False
    return bool(_named(question.pictures, shape))


def _named(pictures: tuple[Picture, ...], shape: Choice) -> tuple[Picture, ...]:
    """Return the pictures whose captions name them by a label."""
    return tuple([one for one in pictures if _label_in(one.caption) in shape.labels])


@lru_cache(maxsize=1024)
def _label_in(caption: str) -> str | None:
    """Return the word after "image" or "picture" in a caption."""
    found = _PICTURE.search(caption)
    return found[1] if found else None
