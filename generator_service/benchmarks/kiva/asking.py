"""Build a trial's questions, with texts, options and captions, from its form and the content of each place."""

import msgspec

from generator_service.benchmarks.kiva.pictures import names_for_which
from generator_service.benchmarks.kiva.spec import COMPOSITE, NOTHING_TOLD, Words, question_id
from generator_service.benchmarks.kiva.wording import (
    COUNTS,
    EACH,
    GIVEN_CAPTION,
    ONE,
    OPTION_CAPTION,
    PHRASES,
    SENTENCE_CAPTION,
    SHEET_CAPTION,
)
from generator_service.cache_budget import cache_within_budget
from tetrad.contracts.items import Choice, Option, Picture, Question

LETTERS = "ABCDEFGHI"


class Form(msgspec.Struct, frozen=True, kw_only=True, gc=False, cache_hash=True):
    """The form of a trial's questions. many: the values are those of several objects. told: the stage that is told."""

    wording: str
    presentation: str
    setting: str
    many: bool
    told: str
    told_words: Words


@cache_within_budget(8192)
def verbal(form: Form, kind: str, repeat: int, offered: tuple[Words, ...]) -> Question:
    """Build the question whose first places hold the given words; "no change" and "doesn't apply" follow."""
    phrases = PHRASES[form.wording]
    texts = [_sentences(form, kind, words) for words in offered] + [phrases.no_change, phrases.other]
    options = tuple(Option(label=str(place), text=text) for place, text in enumerate(texts, start=1))
    return Question(
        id=question_id(kind, repeat),
        kind=kind,
        text=_write_told_line(form) + (phrases.what if kind == "what" else phrases.how),
        shape=Choice(labels=tuple(option.label for option in options)),
        options=options,
        pictures=(Picture(name="1", caption=GIVEN_CAPTION),),
        instruction=phrases.by_number,
    )


@cache_within_budget(4096)
def visual(form: Form, repeat: int, count: int) -> Question:
    """Build the question that offers `count` pictures, or as many places of a sheet, and the option "none of them"."""
    phrases, letters = PHRASES[form.wording], LETTERS[:count]
    names = names_for_which(form.presentation, form.setting, repeat, count)
    filled = {"count": COUNTS[count], "last": LETTERS[count], "labels": _list_letters(letters)}
    if form.presentation == COMPOSITE:
        captions = [SHEET_CAPTION.format(**filled)]
        shown = [Option(label=label, text=phrases.marked.format(label=label)) for label in letters]
    else:
        first = GIVEN_CAPTION if form.presentation == "separate" else SENTENCE_CAPTION
        captions = [first, *(OPTION_CAPTION[form.presentation].format(label=label) for label in letters)]
        shown = [Option(label=label, picture=name) for label, name in zip(letters, names[1:], strict=True)]
    none_shown = Option(label=LETTERS[count], text=phrases.none_shown.format(**filled))
    return Question(
        id=question_id("which", repeat),
        kind="which",
        text=_write_told_line(form) + phrases.which[form.presentation].format(**filled),
        shape=Choice(labels=tuple(LETTERS[: count + 1])),
        options=(*shown, none_shown),
        pictures=tuple(Picture(name=name, caption=caption) for name, caption in zip(names, captions, strict=True)),
        instruction=phrases.by_letter.format(**filled),
        final=True,
    )


def describe_change(wording: str, values: Words, *, many: bool) -> str:
    """Describe changes in words, a sentence each."""
    return " ".join(PHRASES[wording].values[value].format(It=EACH if many else ONE) for value in values)


def _sentences(form: Form, kind: str, words: Words) -> str:
    if kind == "what":
        return " ".join(PHRASES[form.wording].aspects[word] for word in words)
    return describe_change(form.wording, words, many=form.many)


def _write_told_line(form: Form) -> str:
    """Return the line that the setting tells beforehand, "" if there is none."""
    if form.told == NOTHING_TOLD:
        return ""
    phrases = PHRASES[form.wording]
    kind = "what" if form.told == "classification" else "how"
    words = _sentences(form, kind, form.told_words) if form.told_words else phrases.no_change
    return phrases.told[form.told].format(words=words) + "\n"


def _list_letters(letters: str) -> str:
    *first, last = (f"({letter})" for letter in letters)
    return f"{', '.join(first)} and {last}"
