"""Group tokens into phrases: nouns with their numbers and colours, relations, and single tokens between them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tetrad.extraction.captions.tokens import Token
from tetrad.extraction.captions.words import FINISHES, OPEN, OTHER, ROLLS, SECOND, SHEETS

__all__ = ["Phrase", "phrases"]

_MODIFIERS = frozenset({"determiner", "number", "color", "word", "unit"})
_OPENING = frozenset({"determiner", "number"})
_NOUNS = frozenset({"subject", "furniture", "part", "surrounding", "frame"})
_LONGEST = 10  # words before a noun


@dataclass(frozen=True, kw_only=True, slots=True)
class Phrase:
    """A noun with what belongs to it, a relation, or one token that is neither.

    `kind`: a noun is a subject, furniture, part, surrounding, frame, pronoun, self or unknown; a relation is a side,
    bare or relation; loose are colours or a number without a noun; all others are a token's.
    `value`: its meaning. `text`: as written. `number`: given by a numeral. `form`: the number given by singular or
    plural.
    """

    kind: str
    value: str = ""
    text: str = ""
    number: str = ""
    form: str = ""
    colors: tuple[str, ...] = ()
    words: frozenset[str] = field(default_factory=frozenset)
    possessive: bool = False


def phrases(given: Sequence[Token]) -> list[Phrase]:
    """Group the tokens. Every token is looked at a bounded number of times, so the time is linear."""
    grouping = _Grouping()
    at = 0
    while at < len(given):
        at += grouping.take(given, at)
    grouping.close()
    return grouping.found


class _Grouping:
    """The phrases so far, and the words that wait for their noun."""

    def __init__(self) -> None:
        self.found: list[Phrase] = []
        self._waiting: list[Token] = []

    def take(self, given: Sequence[Token], at: int) -> int:
        """Take one token, or a numeral that is said twice: "two (2)"; return how many."""
        token = given[at]
        if token.kind == "opens" and self._is_said_twice(given, at):
            return 3
        if token.kind in _NOUNS and not _is_modifier(given, at):
            self._noun(token, owns=_kind_at(given, at + 1) == "possessive")
        elif token.kind in _MODIFIERS or token.kind in _NOUNS:
            self._wait(token)
        elif token.kind in {"comma", "both"} and self._joins_adjectives(given, at):
            return 1
        elif token.kind != "possessive":
            self.close()
            self.found.append(_other(token))
        return 1

    def close(self) -> None:
        """End the words that wait for a noun as a phrase of their own: colours, a number, or an unknown noun."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        if any(token.kind == "unit" and token.value == "roll" for token in waiting):
            self._add_noun(Token("subject", "roll", "toilet paper"), waiting)
            return
        colors = tuple(token.value for token in waiting if token.kind == "color")
        unknown = waiting[-1].kind == "word" and waiting[-1].text not in FINISHES
        led = waiting[0].kind in _OPENING or self._follows("join", "with") or self._follows("relation", "")
        if unknown and (led or not colors) and (led or self._follows("side", "")):
            self.found.append(Phrase(kind="unknown", text=waiting[-1].text))
        elif colors or _number_of(waiting):
            self.found.append(
                Phrase(kind="loose", text=waiting[0].text, colors=colors, number=_number_of(waiting, loose=True))
            )

    def _wait(self, token: Token) -> None:
        last = self._waiting[-1].kind if self._waiting else ""
        if token.kind == "number" and {waiting.kind for waiting in self._waiting} == {"word"}:
            self._waiting.clear()  # "exactly two"
            last = ""
        if (token.kind == "determiner" and last) or (token.kind == "number" and last in {"color", "word"}):
            self.close()
        elif len(self._waiting) >= _LONGEST:
            self._waiting.clear()
        self._waiting.append(token)
        if token.text in SHEETS and "roll" in {waiting.value for waiting in self._waiting}:
            self._noun(Token("subject", token.text, "toilet paper"), owns=False)

    def _noun(self, token: Token, *, owns: bool) -> None:
        waiting, self._waiting = self._waiting, []
        self._add_noun(token, waiting, owns=owns)

    def _add_noun(self, token: Token, waiting: Sequence[Token], *, owns: bool = False) -> None:
        words = frozenset(token.text for token in waiting)
        units = [token for token in waiting if token.kind == "unit"]
        form = "" if words & OPEN else token.form
        number = _number_of(waiting)
        for unit in units:
            number, form = _count_things(unit, token, number, form)
        self.found.append(
            Phrase(
                kind=token.kind,
                value=token.value,
                text=token.text,
                number="two" if words & SECOND else number,
                form=form,
                colors=tuple(token.value for token in waiting if token.kind == "color"),
                words=words,
                possessive=owns,
            )
        )

    def _joins_adjectives(self, given: Sequence[Token], at: int) -> bool:
        """Return whether this is the comma or "and" of "two small, white mugs", "a red or blue table"."""
        if not self._waiting or self._waiting[-1].kind not in {"color", "word"}:
            return False
        kind = _kind_at(given, at + 1)
        if kind == "both":
            kind = _kind_at(given, at + 2)
        if kind == "color" and self._waiting[-1].kind == "color":
            return True
        return kind in {"color", "word"} and bool(
            {waiting.kind for waiting in self._waiting} & {"number", "determiner", "unit"}
        )

    def _is_said_twice(self, given: Sequence[Token], at: int) -> bool:
        return (
            bool(self._waiting)
            and self._waiting[-1].kind == "number"
            and [_kind_at(given, at + 1), _kind_at(given, at + 2)] == ["number", "closes"]
        )

    def _follows(self, kind: str, text: str) -> bool:
        return bool(self.found) and self.found[-1].kind == kind and text in {"", self.found[-1].text}


def _kind_at(given: Sequence[Token], at: int) -> str:
    return given[at].kind if at < len(given) else "end"


def _is_modifier(given: Sequence[Token], at: int) -> bool:
    """Return whether this noun is part of the next one's name: a table clock, a glass bottle."""
    token, following = given[at], at + 1
    if token.kind == "subject" and token.value == OTHER and token.form == "one":
        while following < len(given) and given[following].kind in {"word", "color"} and following < at + 3:
            following += 1
    elif token.kind not in {"furniture", "part"}:
        return False
    return _kind_at(given, following) == "subject" and token.text != given[following].text


def _other(token: Token) -> Phrase:
    return Phrase(kind=token.kind, value=token.value, text=token.text, words=frozenset({token.form} - {""}))


def _number_of(waiting: Iterable[Token], *, loose: bool = False) -> str:
    """Return the last numeral's value; an article by itself counts nothing."""
    numbers = [token for token in waiting if token.kind == "number" and not (loose and token.text in {"a", "an"})]
    return numbers[-1].value if numbers else ""


def _count_things(unit: Token, noun: Token, number: str, form: str) -> tuple[str, str]:
    """Return the number of things in a number of pairs or rolls.

    A pair of mugs is two, a pair of scissors one. Two pairs of scissors are two, and so are two rolls of paper.
    """
    word = unit.text.split(" ", maxsplit=1)[0]
    plural = word.endswith("s")
    if unit.value == "roll":
        return number, ROLLS[word]
    if unit.value == "two":
        return "two", "two"
    if noun.value == "scissors":
        return number, "two" if plural else "one"
    if unit.value == "some":
        return ("" if number == "one" else number), form
    return "two", "two"
